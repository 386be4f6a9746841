package bench

import (
	"cmp"
	"slices"
)

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
