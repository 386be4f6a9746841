package papers

import (
	"math"

	"github.com/recrawl/recrawl/eval"
)

// updateRate returns the share of changed pages among those that a method fetched.
func (p *counted) updateRate(method string) statistic {
	return func(times []int) float64 {
		t := p.methods[method].sum(times)
		return divide(float64(t.Found), float64(t.Fetched))
	}
}

// coverage returns the share of the changed pages that a method fetched.
func (p *counted) coverage(method string) statistic {
	return func(times []int) float64 {
		t := p.methods[method].sum(times)
		return divide(float64(t.Found), float64(t.Changed))
	}
}

// coverageOf returns the coverage of an order, cut at the number of pages of a method.
func (p *counted) coverageOf(order func(*counted, []int) line, method string) statistic {
	return func(times []int) float64 {
		t := p.methods[method].sum(times)
		return divide(order(p, times).found(t.Fetched), float64(t.Changed))
	}
}

// aboveRandom returns the area between breadth-first's line and the diagonal.
func (p *counted) aboveRandom(times []int) float64 { return p.breadthFirst(times).area() - 0.5 }

// thresholdRate and thresholdCoverage are for the servers at or above a rate.
func (p *counted) thresholdRate(threshold float64) statistic {
	return func(times []int) float64 {
		t, _ := p.atLeast(threshold, Whole, times)
		return divide(float64(t.Found), float64(t.Fetched))
	}
}

func (p *counted) thresholdCoverage(threshold float64) statistic {
	return func(times []int) float64 {
		t, _ := p.atLeast(threshold, Whole, times)
		return divide(float64(t.Found), float64(t.Changed))
	}
}

// combined returns the additional coverage of a method inside servers over whole servers with as
// many pages: the mean over the sets of servers that the ascending thresholds select. Thresholds
// that select the same set count once.
func (p *counted) combined(method string, thresholds []float64) statistic {
	return func(times []int) float64 {
		cho := p.byServers(times)
		sum, n, last := 0.0, 0, -1
		for _, threshold := range thresholds {
			t, servers := p.atLeast(threshold, method, times)
			if servers == last { // sets shrink: equal numbers mean equal sets
				continue
			}
			last = servers
			if t.Fetched > 0 {
				sum += divide(float64(t.Found)-cho.found(t.Fetched), float64(t.Changed))
				n++
			}
		}
		return divide(sum, float64(n))
	}
}

func minus(a, b statistic) statistic {
	return func(times []int) float64 { return a(times) - b(times) }
}

func over(a, b statistic) statistic {
	return func(times []int) float64 { return divide(a(times), b(times)) }
}

func mean(all []statistic) statistic {
	return func(times []int) float64 {
		sum := 0.0
		for _, s := range all {
			sum += s(times)
		}
		return sum / float64(len(all))
	}
}

func larger(a, b statistic) statistic {
	return func(times []int) float64 { return math.Max(a(times), b(times)) }
}

// path is a sweep in runs of visits to one server. It gives the gain on a drawn corpus without
// another sweep: a server drawn n times is visited n times instead of once.
type path []run

type run struct {
	server, visits, found int
	area                  float64 // under found by visits
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

// line returns the line of the path on a corpus, a step for each run.
func (l path) line(times []int) line {
	steps := make(line, 0, len(l))
	for _, r := range l {
		if n := times[r.server]; n > 0 {
			steps = append(steps, eval.Tally{Pages: n * r.visits, Changed: n * r.found})
		}
	}
	return steps
}

// gain scales the area under the curve of coverage by share fetched: 0 for random order, 1 for all
// changed pages first. Unfetched pages follow at random.
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
