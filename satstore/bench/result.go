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
	// BesideCPU is spent between the units and by Close, a record: what an engine puts off.
	BesideCPU float64 `json:"beside_cpu_us_per_record"`
	// Payload is MB/s, 1e6 bytes: bodies read and written.
	Payload float64 `json:"payload_mb_per_second"`
	// Read and Written are bytes at the device over the bytes of the bodies.
	Read    float64 `json:"read_amplification"`
	Written float64 `json:"write_amplification"`
	Memory  int64   `json:"memory_bytes"` // most, above what was used before the engine was opened
	Stored  int64   `json:"disk_bytes"`   // after the last unit
	Files   int     `json:"files"`
	Runs    []Trial `json:"runs"`
}

// Spread is a median and the extremes of what it is of.
type Spread struct {
	Median float64 `json:"median"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
}

// Trial is one engine once.
type Trial struct {
	LoadSeconds float64    `json:"load_seconds"`
	BesideCPU   float64    `json:"beside_cpu_seconds"`
	Memory      int64      `json:"memory_bytes"`
	Stored      int64      `json:"disk_bytes"`
	Files       int        `json:"files"`
	Units       []UnitCost `json:"units"`
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
}

// sums adds up the units of a run.
func (r *Trial) sums() (total UnitCost) {
	for _, u := range r.Units {
		total.Due += u.Due
		total.Seconds += u.Seconds
		total.CPU += u.CPU
		total.Read += u.Read
		total.Written += u.Written
	}
	return total
}

// summarize fills in what follows from the runs. The floor is the measure that ratios are
// taken to; runs of the same number belong together.
func (m *Measure) summarize(payload int64, floor *Measure) {
	var ratios []float64
	of := func(value func(r *Trial) float64) float64 {
		var all []float64
		for i := range m.Runs {
			all = append(all, value(&m.Runs[i]))
		}
		return median(all)
	}
	micros := func(u UnitCost) float64 { return 1e6 * u.Seconds / float64(max(u.Due, 1)) }
	each := func(r *Trial) (all []float64) {
		for _, u := range r.Units {
			if u.Due > 0 {
				all = append(all, micros(u))
			}
		}
		return all
	}
	for i := range m.Runs {
		if i < len(floor.Runs) {
			ratios = append(ratios, micros(m.Runs[i].sums())/micros(floor.Runs[i].sums()))
		}
	}
	if len(ratios) > 0 {
		m.Ratio = Spread{median(ratios), slices.Min(ratios), slices.Max(ratios)}
	}
	m.Micros = of(func(r *Trial) float64 { return micros(r.sums()) })
	m.Median = of(func(r *Trial) float64 { return median(each(r)) })
	m.Slowest = of(func(r *Trial) float64 { return slices.Max(append(each(r), 0)) })
	m.CPU = of(func(r *Trial) float64 { return 1e6 * r.sums().CPU / float64(max(r.sums().Due, 1)) })
	m.BesideCPU = of(func(r *Trial) float64 { return 1e6 * r.BesideCPU / float64(max(r.sums().Due, 1)) })
	m.Payload = of(func(r *Trial) float64 { return 2 * float64(payload) / 1e6 / max(r.sums().Seconds, 1e-9) })
	m.Read = of(func(r *Trial) float64 { return float64(r.sums().Read) / float64(max(payload, 1)) })
	m.Written = of(func(r *Trial) float64 { return float64(r.sums().Written) / float64(max(payload, 1)) })
	last := m.Runs[len(m.Runs)-1]
	m.Stored, m.Files = last.Stored, last.Files
	m.Memory = int64(of(func(r *Trial) float64 { return float64(r.Memory) }))
}

// median is 0 of nothing.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.SortedFunc(slices.Values(values), cmp.Compare[float64])
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
