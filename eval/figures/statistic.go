package figures

import "math"

// updateRate is changed pages among those a method fetched.
func (p *counted) updateRate(method string) statistic {
	return func(times []int) float64 {
		t := p.methods[method].sum(times)
		return divide(float64(t.Found), float64(t.Fetched))
	}
}

// coverage is the share of the changed pages that a method fetched.
func (p *counted) coverage(method string) statistic {
	return func(times []int) float64 {
		t := p.methods[method].sum(times)
		return divide(float64(t.Found), float64(t.Changed))
	}
}

// coverageOf is that of an order cut where a method stops.
func (p *counted) coverageOf(order func(*counted, []int) line, method string) statistic {
	return func(times []int) float64 {
		t := p.methods[method].sum(times)
		return divide(order(p, times).found(t.Fetched), float64(t.Changed))
	}
}

// aboveRandom is the area between breadth-first's line and the diagonal.
func (p *counted) aboveRandom(times []int) float64 { return p.breadthFirst(times).area() - 0.5 }

// thresholdRate and thresholdCoverage are of the servers at or above a rate.
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

// combined is how much more coverage a method inside servers gives than whole servers with
// as many pages: the mean over the sets of servers that the thresholds, which rise, select.
// Several thresholds between the rates of two servers select one set, which counts once.
func (p *counted) combined(method string, thresholds []float64) statistic {
	return func(times []int) float64 {
		cho := p.byServers(times)
		sum, n, last := 0.0, 0, -1
		for _, threshold := range thresholds {
			t, servers := p.atLeast(threshold, method, times)
			if servers == last { // sets shrink: as many are the same
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
