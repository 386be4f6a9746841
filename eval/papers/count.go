package papers

import (
	"cmp"
	"math"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph"
)

// counted has the counts of a period by server. All figures and resamples are sums of it, because
// no method depends on other servers: a drawn corpus has the same counts of each server.
//
// times, in arguments, is how often each server is in the corpus.
type counted struct {
	weeks   int
	horizon *eval.Horizon
	methods map[string]tallies     // whole, and sites
	depths  []tallies              // by server, and by depth from 1
	falling []int                  // servers with pages, by falling rate
	rates   map[string]*eval.Sweep // rated
}

// once returns the times of the corpus itself.
func (p *counted) once() []int { return slices.Repeat([]int{1}, len(p.depths)) }

// tallies are by ServerID.
type tallies []eval.Tally

// sum adds up the servers.
func (t tallies) sum(times []int) (sum eval.Tally) {
	for s, n := range times {
		if n > 0 {
			sum.Pages += n * t[s].Pages
			sum.Changed += n * t[s].Changed
			sum.Fetched += n * t[s].Fetched
			sum.Found += n * t[s].Found
		}
	}
	return sum
}

// newCounted counts the pages and changes of a period.
func newCounted(c *eval.Dataset, weeks int) (*counted, error) {
	h, err := c.Horizon(weeks)
	if err != nil {
		return nil, err
	}
	g := c.Graph()
	p := &counted{weeks: weeks, horizon: h, depths: make([]tallies, g.Servers()),
		rates: map[string]*eval.Sweep{}}
	all := make(tallies, g.Servers())
	for s := range p.depths {
		p.depths[s] = make(tallies, sitegraph.MaxDepth)
	}
	for _, page := range c.Pages {
		if !h.Alive(page) {
			continue
		}
		s := g.Server(page)
		for _, t := range []*eval.Tally{&all[s], &p.depths[s][g.Depth(page)-1]} {
			t.Pages++
			t.Fetched++
			if h.Changed(page) {
				t.Changed++
				t.Found++
			}
		}
	}
	p.methods = map[string]tallies{Whole: all}
	p.sortByRate()
	return p, nil
}

// sortByRate sorts the servers with pages.
func (p *counted) sortByRate() {
	for s, t := range p.methods[Whole] {
		if t.Pages > 0 {
			p.falling = append(p.falling, s)
		}
	}
	slices.SortStableFunc(p.falling, func(s, q int) int {
		return cmp.Compare(p.rate(q), p.rate(s))
	})
}

// add counts a sweep.
func (p *counted) add(s *eval.Sweep) {
	if policy := s.Result.Policy; slices.Contains(rated, policy) {
		p.rates[policy] = s
	} else {
		p.methods[policy] = s.ByServer()
	}
}

// rate returns the true change rate of a server with pages.
func (p *counted) rate(s int) float64 {
	t := p.methods[Whole][s]
	return float64(t.Changed) / float64(t.Pages)
}

// servers counts the servers with pages, and those of them with a changed page.
func (p *counted) servers(times []int) (all, changing int) {
	for _, s := range p.falling {
		all += times[s]
		if p.methods[Whole][s].Changed > 0 {
			changing += times[s]
		}
	}
	return all, changing
}

// atLeast counts server-true with this threshold and a method inside each server: servers at or
// above the rate are fetched as by the method alone, others not at all.
func (p *counted) atLeast(threshold float64, method string, times []int) (
	sum eval.Tally, servers int) {
	all := p.methods[Whole].sum(times)
	for _, s := range p.falling {
		if p.rate(s) < threshold {
			break
		}
		t := p.methods[method][s]
		sum.Fetched += times[s] * t.Fetched
		sum.Found += times[s] * t.Found
		servers += times[s]
	}
	sum.Pages, sum.Changed = all.Pages, all.Changed
	return sum, servers
}

// line is the changed pages found by pages fetched, from (0,0). A step has pages with the same
// turn, which on average find the same.
type line []eval.Tally

// breadthFirst returns the line by depth.
func (p *counted) breadthFirst(times []int) line {
	l := make(line, sitegraph.MaxDepth)
	for s, n := range times {
		if n == 0 {
			continue
		}
		for d, t := range p.depths[s] {
			l[d].Pages += n * t.Pages
			l[d].Changed += n * t.Changed
		}
	}
	return l
}

// byServers returns the line of whole servers by falling rate.
func (p *counted) byServers(times []int) line {
	l := make(line, 0, len(p.falling))
	for _, s := range p.falling {
		if n := times[s]; n > 0 {
			t := p.methods[Whole][s]
			l = append(l, eval.Tally{Pages: n * t.Pages, Changed: n * t.Changed})
		}
	}
	return l
}

// found returns the changed pages among the first fetched ones.
func (l line) found(fetched int) float64 {
	sum := 0.0
	for _, step := range l {
		if fetched <= step.Pages {
			if fetched > 0 {
				sum += float64(step.Changed) * float64(fetched) / float64(step.Pages)
			}
			break
		}
		fetched -= step.Pages
		sum += float64(step.Changed)
	}
	return sum
}

// area returns the area under coverage by share fetched; NaN if nothing changed.
func (l line) area() float64 {
	var area float64
	pages, changed := 0, 0
	for _, step := range l {
		area += float64(step.Pages) * (float64(changed) + float64(step.Changed)/2)
		pages += step.Pages
		changed += step.Changed
	}
	return divide(area, float64(pages)*float64(changed))
}

// divide returns NaN if the quotient is undefined.
func divide(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
