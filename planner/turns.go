package planner

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// turns holds back the visits of servers that have enough chosen visits. A server is asked one
// visit at a time, so choosing many of its pages long before their turn is useless.
type turns struct {
	shut   []bool // by server: whether it is closed
	closed int    // number of closed servers
	aside  map[sitegraph.ServerID][]Visit
	kept   int                  // visits in aside
	ready  []sitegraph.ServerID // open servers with visits in aside
	more   bool                 // Next ended before the policy had proposed all its pages
}

const (
	// mostAside bounds the visits kept for closed servers: about 30 MB. The policy proposes the
	// others again in the next round.
	mostAside = 1 << 18
	// mostPulls bounds the visits to closed servers that one call of Next skips: at most a tenth of
	// a second.
	mostPulls = 4096
)

// Closed reports whether a server has enough chosen visits.
func (c *Pages) Closed(s sitegraph.ServerID) bool {
	return int(s) < len(c.turns.shut) && c.turns.shut[s]
}

// Close keeps Next from returning visits to a server until Open, except those that were chosen
// before and waited for room under the limits.
func (p *Planner) Close(s sitegraph.ServerID) {
	t := &p.Pages.turns
	for int(s) >= len(t.shut) {
		t.shut = append(t.shut, false)
	}
	if !t.shut[s] {
		t.shut[s] = true
		t.closed++
	}
}

// Open ends Close.
func (p *Planner) Open(s sitegraph.ServerID) {
	t := &p.Pages.turns
	if !p.Pages.Closed(s) {
		return
	}
	t.shut[s] = false
	t.closed--
	p.frontier.rank(s)
	if len(t.aside[s]) > 0 {
		t.ready = append(t.ready, s)
	}
	if ranker, ok := p.Policy.(Ranker); ok {
		ranker.Opened(s)
	}
}

// More reports whether the last call of Next ended before the policy had proposed all its pages.
// Next may be called again at once.
func (p *Planner) More() bool { return p.Pages.turns.more }

// begin drops the kept visits, since the policy ranks anew in a new round.
func (t *turns) begin() {
	clear(t.aside)
	t.kept, t.ready, t.more = 0, t.ready[:0], false
}

// allClosed reports whether no server may be asked for more.
func (p *Planner) allClosed() bool {
	servers := p.Pages.Graph.Servers()
	return servers > 0 && p.Pages.turns.closed == servers
}

// putOff keeps a visit until its server is open, or drops it from the round if too many are kept.
func (p *Planner) putOff(v Visit, first bool) {
	t := &p.Pages.turns
	p.Pages.Propose(v.Page)
	if t.kept >= mostAside {
		return
	}
	if t.aside == nil {
		t.aside = map[sitegraph.ServerID][]Visit{}
	}
	s := p.Pages.Graph.Server(v.Page)
	t.kept++
	if first {
		t.aside[s] = append([]Visit{v}, t.aside[s]...)
	} else {
		t.aside[s] = append(t.aside[s], v)
	}
	if !p.Pages.Closed(s) && len(t.aside[s]) == 1 {
		t.ready = append(t.ready, s)
	}
}

// nextAside takes a visit that was kept for a server that is now open.
func (p *Planner) nextAside() (Visit, step) {
	t := &p.Pages.turns
	for len(t.ready) > 0 {
		s := t.ready[len(t.ready)-1]
		if len(t.aside[s]) == 0 || p.Pages.Closed(s) {
			t.ready = t.ready[:len(t.ready)-1]
			if len(t.aside[s]) == 0 {
				delete(t.aside, s)
			}
			continue
		}
		v := t.aside[s][0]
		t.aside[s] = t.aside[s][1:]
		t.kept--
		m := p.Pages.Memory(v.Page)
		isLook := m.State.Left()
		switch {
		case m.State == sitegraph.StateNew, int64(m.Tried) > p.Pages.start,
			isLook && p.again.left <= 0, m.State == sitegraph.StateSource && p.closed(&v):
			continue // its share was used meanwhile
		}
		if step := p.admit(&v); step != skip {
			if isLook {
				p.again.left--
			}
			return v, step
		}
	}
	return Visit{}, skip
}

// before takes a new page instead of a refetch that is worth less (LeastRefetch), although the
// share of new pages is used up. The refetch is put off.
func (p *Planner) before(v *Visit) (Visit, bool) {
	if p.options.LeastRefetch == 0 || v.First ||
		p.Pages.Memory(v.Page).State == sitegraph.StateSource ||
		p.frontier.waiting == 0 || p.frontier.looksNow(p.Pages.Graph.Server(v.Page)) {
		return Visit{}, false
	}
	worth, told := p.refetchWorth(v)
	least := p.options.LeastRefetch
	if !told {
		least = min(least, leastUntold)
	}
	if worth >= least*p.Pages.heaviest() {
		return Visit{}, false
	}
	first, step := p.nextNew(true)
	if step != goOn {
		return Visit{}, false
	}
	if worth >= least*p.newWorth(first.Page) {
		p.caps.unplan(&first)
		p.frontier.unpop(first.Page)
		return Visit{}, false
	}
	p.caps.unplan(v)
	p.putOff(*v, true)
	p.frontier.serve(first.Page)
	first.leftover = true
	return first, true
}

// leastUntold replaces LeastRefetch for a policy that does not give the worth of its refetches:
// they make way only if almost nothing changes.
const leastUntold = 0.05

// refetchWorth returns the worth of a refetch. Policies with bounded intervals, or without any, do
// not give it: then it is a guess by the rate of all pages together.
func (p *Planner) refetchWorth(v *Visit) (worth float64, told bool) {
	gain := orZero(p.Pages.gain(v))
	if _, ok := p.Policy.(Estimator); ok && !math.IsNaN(v.Probability) {
		return gain, true
	}
	if p.rate < 0 {
		p.rate = p.Pages.Prior().Mean()
	}
	days := p.Pages.Memory(v.Page).History.Age(p.Pages.round.End).Hours() / 24
	return max(gain, -math.Expm1(-p.rate*days)*p.Pages.Weight(v.Page)), false
}

// newWorth returns the worth of the first visit to a page as a multiple of FirstWorth: its weight
// times the probability that it is there.
func (p *Planner) newWorth(page sitegraph.PageID) float64 {
	there := 1.0
	if ranker, ok := p.Policy.(Ranker); ok {
		there = ranker.Expect(page)
	}
	return there * p.Pages.Weight(page)
}

// Strains hold which servers cannot answer all visits that their pages want. The strain of a server
// is the ratio of wanted to possible visits, or 0 if all fit. The loop computes strains, which
// lengthen the due times of pages.
type Strains struct {
	Of     []float32 // by server
	Visits []int32   // by server, since it was weighed
	Pauses []int32   // by server: milliseconds between two visits, in the user's settings then
}

// Strains returns the strains of the servers. An image has them.
func (p *Planner) Strains() *Strains { return &p.strains }

// Visited counts a visit to a server, if it was weighed.
func (s *Strains) Visited(server sitegraph.ServerID) {
	if int(server) < len(s.Visits) {
		s.Visits[server]++
	}
}

// strained returns a later due time for a page whose server cannot answer all wanted visits: one
// factor multiplies all intervals of the server [HIER 3.2]. So no visit is due that cannot be made.
func (p *Planner) strained(page sitegraph.PageID, now, due time.Time) time.Time {
	s, of := p.Pages.Graph.Server(page), p.strains.Of
	if int(s) >= len(of) || of[s] == 0 || !due.After(now) {
		return due
	}
	return now.Add(time.Duration(math.Min(float64(due.Sub(now))*float64(of[s]),
		float64(longestStrained))))
}

// longestStrained bounds a lengthened interval: ten years.
const longestStrained = 10 * 365 * 24 * time.Hour
