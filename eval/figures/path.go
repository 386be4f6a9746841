package figures

import (
	"math"

	"github.com/recrawl/recrawl/eval"
)

// path is a sweep in runs of visits to one server, from which its gain on a drawn corpus is
// found without making the sweep again: a server drawn n times is visited n times where it was
// visited once.
type path []run

type run struct {
	server, visits, found int
	area                  float64 // under found against visits
}

func pathOf(s *eval.Sweep) path {
	var all path
	for id, changed := range s.Visits() {
		if n := len(all); n == 0 || all[n-1].server != int(id) {
			all = append(all, run{server: int(id)})
		}
		r := &all[len(all)-1]
		before := r.found
		if changed {
			r.found++
		}
		r.visits++
		r.area += float64(before+r.found) / 2
	}
	return all
}

// line is the path on a corpus, a step for each run.
func (l path) line(times []int) line {
	steps := make(line, 0, len(l))
	for _, r := range l {
		if n := times[r.server]; n > 0 {
			steps = append(steps, eval.Tally{Pages: n * r.visits, Changed: n * r.found})
		}
	}
	return steps
}

// gain relates the area under coverage against share fetched to random order, 0, and all
// changed pages first, 1; pages that are not fetched follow at random.
func (p *counted) gain(l path) statistic {
	return func(times []int) float64 {
		all := p.methods[Whole].sum(times)
		if all.Changed == 0 || all.Changed == all.Pages {
			return math.NaN()
		}
		area, fetched, found := 0.0, 0, 0
		for _, r := range l {
			n := times[r.server]
			area += float64(n) * (float64(r.visits)*float64(found) + float64(n)*r.area)
			fetched += n * r.visits
			found += n * r.found
		}
		area += float64(all.Pages-fetched) * float64(found+all.Changed) / 2
		pages, changed := float64(all.Pages), float64(all.Changed)
		best := 1 - changed/(2*pages)
		return (area/pages/changed - 0.5) / (best - 0.5)
	}
}

// meanOver is the mean of what servers have, over those that have it.
func meanOver(values []eval.Number) statistic {
	return func(times []int) float64 {
		sum, n := 0.0, 0
		for s, k := range times {
			if v := float64(values[s]); k > 0 && !math.IsNaN(v) {
				sum += float64(k) * v
				n += k
			}
		}
		return divide(sum, float64(n))
	}
}
