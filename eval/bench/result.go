package bench

import (
	"cmp"
	"slices"
)

// Result is the result of Run. Times are in microseconds a due record unless their names say
// otherwise.
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
	Due          int        `json:"due"`           // visits in all units, equal for all engines
	Golden       bool       `json:"golden"`        // an independent program computed Due
	PayloadBytes int64      `json:"payload_bytes"` // bodies of due records
	LoadAverage  [2]float64 `json:"load_average"`  // at the start and at the end
	Disk         Disk       `json:"disk"`
	Engines      []Measure  `json:"engines"`
	Left         []string   `json:"left_out"` // engines without the needed features
}

// Measure is the result for one engine: medians over its runs.
type Measure struct {
	Engine string `json:"engine"`
	About  string `json:"about"`
	// Ratio is Micros divided by that of the first engine in the same repetition; from and to are
	// its extremes.
	Ratio Spread `json:"ratio"`
	// Micros is the time of a unit, its commit and a sync of all files.
	Micros float64 `json:"us_per_record"`
	// Median is the time of the median unit, Slowest that of the slowest.
	Median  float64 `json:"median_unit_us"`
	Slowest float64 `json:"slowest_unit_us"`
	CPU     float64 `json:"cpu_us_per_record"`
	// LaterCPU and LaterMicros are for deferred work. CPU: of the engine's goroutines between
	// units, and of settling. Time: of settling and of the syncs before units.
	LaterCPU    float64 `json:"later_cpu_us_per_record"`
	LaterMicros float64 `json:"later_us_per_record"`
	// Payload is MB/s, 1e6 bytes: bodies read and written.
	Payload float64 `json:"payload_mb_per_second"`
	// Read and Written are bytes at the device divided by the bytes of the bodies. Read is that of
	// the units. Written is everything since the first unit, deferred and owed parts included;
	// WrittenInUnits is that of the timed parts.
	Read           float64 `json:"read_amplification"`
	Written        float64 `json:"write_amplification"`
	WrittenInUnits float64 `json:"write_amplification_in_units"`
	// Reads and Writes count the timed requests to the system for a due record, to read bytes of a
	// file and to write some: at most as many seeks.
	Reads  float64 `json:"reads_per_record"`
	Writes float64 `json:"writes_per_record"`
	// Cached is the largest share of the engine's files in the page cache at the start of a unit;
	// -1 if unknown.
	Cached float64 `json:"cached_share"`
	Memory int64   `json:"memory_bytes"` // peak, above the use before the engine was opened
	// MemoryEnd is the memory after the last unit, without pages of mapped files, and MemoryRecord
	// that of a record.
	MemoryEnd    int64   `json:"memory_end_bytes"`
	MemoryRecord float64 `json:"memory_end_bytes_per_record"`
	Stored       int64   `json:"disk_bytes"` // after the last unit
	Files        int     `json:"files"`
	Runs         []Trial `json:"runs"`
}

// Spread is a median with extremes.
type Spread struct {
	Median float64 `json:"median"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
}

// Trial is one run of an engine.
type Trial struct {
	LoadSeconds float64 `json:"load_seconds"`
	// Beside is the use between the timed parts of units. Its time is that of the syncs before
	// units, which write the last results. Settle is after the last unit.
	Beside Spent `json:"beside"`
	Settle Spent `json:"settle"`
	// Owed is the increase since the first unit of bytes that wait to be written.
	Owed      int64      `json:"owed_bytes"`
	Memory    int64      `json:"memory_bytes"`
	MemoryEnd int64      `json:"memory_end_bytes"`
	Stored    int64      `json:"disk_bytes"`
	Files     int        `json:"files"`
	Units     []UnitCost `json:"units"`
}

// Spent is the use of a piece of work, in seconds and bytes at the device.
type Spent struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Read    int64   `json:"read_bytes"`
	Written int64   `json:"written_bytes"`
}

// UnitCost is the use of one unit, in seconds and bytes.
type UnitCost struct {
	T       int     `json:"t"`
	Due     int     `json:"due"`
	Seconds float64 `json:"seconds"` // sum of the three parts below
	Visit   float64 `json:"visit_seconds"`
	Commit  float64 `json:"commit_seconds"`
	Sync    float64 `json:"sync_seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Read    int64   `json:"read_bytes"`
	Written int64   `json:"written_bytes"`
	Reads   int64   `json:"read_requests"`
	Writes  int64   `json:"write_requests"`
	Cached  float64 `json:"cached_share"` // of the files, at the start; -1: unknown
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

// perRecord returns microseconds a due record of a run.
func (r *Trial) perRecord(seconds float64) float64 {
	return 1e6 * seconds / float64(max(r.sums().Due, 1))
}

// each returns the times of the single units.
func (r *Trial) each() (all []float64) {
	for _, u := range r.Units {
		if u.Due > 0 {
			all = append(all, 1e6*u.Seconds/float64(u.Due))
		}
	}
	return all
}

// cached returns the largest share of the files in the page cache at the start of a unit.
func (r *Trial) cached() float64 {
	most := float64(unknownShare)
	for _, u := range r.Units {
		most = max(most, u.Cached)
	}
	return most
}

// summarize fills in medians and ratios from the runs. Ratios are to the floor, between runs with
// the same number.
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

// median returns 0 without values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.SortedFunc(slices.Values(values), cmp.Compare[float64])
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
