package bench

import (
	"cmp"
	"slices"
)

// Result is what Run has measured. Times are in microseconds a due record unless their
// names say otherwise.
type Result struct {
	Records      int        `json:"records"`
	Unit         string     `json:"unit"`
	Units        int        `json:"units"`
	MaxUnits     int        `json:"max_units"`
	FixedBytes   int        `json:"fixed_bytes"`
	BufferBytes  int        `json:"buffer_bytes"`
	PageBytes    int        `json:"page_bytes"`
	Messages     float64    `json:"messages"` // requests a due record
	Repeat       int        `json:"repeat"`
	Due          int        `json:"due"`           // visits in all units, the same in every engine
	Golden       bool       `json:"golden"`        // Due is known from an independent program
	PayloadBytes int64      `json:"payload_bytes"` // bodies of the due records
	LoadAverage  [2]float64 `json:"load_average"`  // at the beginning and at the end
	Disk         Disk       `json:"disk"`
	Engines      []Measure  `json:"engines"`
	Left         []string   `json:"left_out"` // engines that cannot do what was asked
}

// Measure is what was measured of one engine: medians over its runs.
type Measure struct {
	Engine string `json:"engine"`
	About  string `json:"about"`
	// Ratio is Micros over that of the first engine in the same repetition; from and to
	// are its extremes.
	Ratio Spread `json:"ratio"`
	// Micros is the time of a unit, its commit and a sync of all files.
	Micros float64 `json:"us_per_record"`
	// Median is that of the unit in the middle, Slowest that of the slowest.
	Median  float64 `json:"median_unit_us"`
	Slowest float64 `json:"slowest_unit_us"`
	CPU     float64 `json:"cpu_us_per_record"`
	// LaterCPU and LaterMicros are what the engine put off: CPU of its own goroutines
	// between units and all that settling took; time of settling and of the syncs before units.
	LaterCPU    float64 `json:"later_cpu_us_per_record"`
	LaterMicros float64 `json:"later_us_per_record"`
	// Payload is MB/s, 1e6 bytes: bodies read and written.
	Payload float64 `json:"payload_mb_per_second"`
	// Read and Written are bytes at the device over the bytes of the bodies. Read is of the
	// units; Written is everything from the first unit on, that put off and that owed
	// included, and WrittenInUnits what the timed parts wrote.
	Read           float64 `json:"read_amplification"`
	Written        float64 `json:"write_amplification"`
	WrittenInUnits float64 `json:"write_amplification_in_units"`
	// Reads and Writes are how often the timed parts asked the system for bytes of a file, and for
	// bytes to be written, for each due record: seeks at most.
	Reads  float64 `json:"reads_per_record"`
	Writes float64 `json:"writes_per_record"`
	// Cached is the largest share of the engine's files that was in the page cache when a
	// unit began; -1 if that is not known.
	Cached float64 `json:"cached_share"`
	Memory int64   `json:"memory_bytes"` // most, above what was used before the engine was opened
	// MemoryEnd is what stays after the last unit, without pages of mapped files, and
	// MemoryRecord that a record.
	MemoryEnd    int64   `json:"memory_end_bytes"`
	MemoryRecord float64 `json:"memory_end_bytes_per_record"`
	Stored       int64   `json:"disk_bytes"` // after the last unit
	Files        int     `json:"files"`
	Runs         []Trial `json:"runs"`
}

// Spread is a median and the extremes of what it is of.
type Spread struct {
	Median float64 `json:"median"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
}

// Trial is one engine once.
type Trial struct {
	LoadSeconds float64 `json:"load_seconds"`
	// Beside is between the timed parts of the units; its time is that of the syncs before
	// units, which write out what came after the last. Settle is after the last unit.
	Beside Spent `json:"beside"`
	Settle Spent `json:"settle"`
	// Owed is how many more bytes wait to be written after that than before the first unit.
	Owed      int64      `json:"owed_bytes"`
	Memory    int64      `json:"memory_bytes"`
	MemoryEnd int64      `json:"memory_end_bytes"`
	Stored    int64      `json:"disk_bytes"`
	Files     int        `json:"files"`
	Units     []UnitCost `json:"units"`
}

// Spent is what something took, in seconds and bytes at the device.
type Spent struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Read    int64   `json:"read_bytes"`
	Written int64   `json:"written_bytes"`
}

// UnitCost is what one unit took, in seconds and bytes.
type UnitCost struct {
	T       int     `json:"t"`
	Due     int     `json:"due"`
	Seconds float64 `json:"seconds"` // in all: the three parts that follow
	Visit   float64 `json:"visit_seconds"`
	Commit  float64 `json:"commit_seconds"`
	Sync    float64 `json:"sync_seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Read    int64   `json:"read_bytes"`
	Written int64   `json:"written_bytes"`
	Reads   int64   `json:"read_requests"`
	Writes  int64   `json:"write_requests"`
	Cached  float64 `json:"cached_share"` // of the files, at the beginning; -1: not known
}

// sums adds up the units of a run.
func (r *Trial) sums() (total UnitCost) {
	for _, u := range r.Units {
		total.Due += u.Due
		total.Seconds += u.Seconds
		total.CPU += u.CPU
		total.Read += u.Read
		total.Written += u.Written
		total.Reads += u.Reads
		total.Writes += u.Writes
	}
	return total
}

// perRecord is microseconds a due record of a run.
func (r *Trial) perRecord(seconds float64) float64 {
	return 1e6 * seconds / float64(max(r.sums().Due, 1))
}

// each is that of the single units.
func (r *Trial) each() (all []float64) {
	for _, u := range r.Units {
		if u.Due > 0 {
			all = append(all, 1e6*u.Seconds/float64(u.Due))
		}
	}
	return all
}

// cached is the largest share of the files in the page cache at the beginning of a unit.
func (r *Trial) cached() float64 {
	most := float64(unknownShare)
	for _, u := range r.Units {
		most = max(most, u.Cached)
	}
	return most
}

// summarize fills in what follows from the runs. The floor is the measure that ratios are
// taken to; runs of the same number belong together.
func (m *Measure) summarize(payload int64, records int, floor *Measure) {
	of := func(value func(r *Trial) float64) float64 {
		var all []float64
		for i := range m.Runs {
			all = append(all, value(&m.Runs[i]))
		}
		return median(all)
	}
	perByte := func(bytes int64) float64 { return float64(bytes) / float64(max(payload, 1)) }
	var ratios []float64
	for i := range m.Runs {
		if i < len(floor.Runs) {
			ratios = append(ratios, m.Runs[i].sums().Seconds/floor.Runs[i].sums().Seconds)
		}
	}
	if len(ratios) > 0 {
		m.Ratio = Spread{median(ratios), slices.Min(ratios), slices.Max(ratios)}
	}
	m.Micros = of(func(r *Trial) float64 { return r.perRecord(r.sums().Seconds) })
	m.Median = of(func(r *Trial) float64 { return median(r.each()) })
	m.Slowest = of(func(r *Trial) float64 { return slices.Max(append(r.each(), 0)) })
	m.CPU = of(func(r *Trial) float64 { return r.perRecord(r.sums().CPU) })
	m.LaterCPU = of(func(r *Trial) float64 { return r.perRecord(r.Beside.CPU + r.Settle.CPU) })
	m.LaterMicros = of(func(r *Trial) float64 {
		return r.perRecord(r.Beside.Seconds + r.Settle.Seconds)
	})
	m.Payload = of(func(r *Trial) float64 {
		return 2 * float64(payload) / 1e6 / max(r.sums().Seconds, 1e-9)
	})
	m.Read = of(func(r *Trial) float64 { return perByte(r.sums().Read) })
	m.Written = of(func(r *Trial) float64 {
		return perByte(r.sums().Written + r.Beside.Written + r.Settle.Written + r.Owed)
	})
	m.WrittenInUnits = of(func(r *Trial) float64 { return perByte(r.sums().Written) })
	each := func(n func(u UnitCost) int64) float64 {
		return of(func(r *Trial) float64 {
			return float64(n(r.sums())) / float64(max(r.sums().Due, 1))
		})
	}
	m.Reads = each(func(u UnitCost) int64 { return u.Reads })
	m.Writes = each(func(u UnitCost) int64 { return u.Writes })
	m.Cached = of((*Trial).cached)
	last := m.Runs[len(m.Runs)-1]
	m.Stored, m.Files = last.Stored, last.Files
	m.Memory = int64(of(func(r *Trial) float64 { return float64(r.Memory) }))
	m.MemoryEnd = int64(of(func(r *Trial) float64 { return float64(r.MemoryEnd) }))
	m.MemoryRecord = float64(m.MemoryEnd) / float64(max(records, 1))
}

// median is 0 of nothing.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.SortedFunc(slices.Values(values), cmp.Compare[float64])
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
