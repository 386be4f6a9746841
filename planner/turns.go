package planner

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// turns hold back the visits of servers that have enough chosen visits. A server is asked one visit
// at a time, so it is of no use to choose many of its pages long before their turn.
type turns struct {
	shut   []bool // by server: closed
	closed int    // how many are
	aside  map[sitegraph.ServerID][]Visit
	kept   int                  // visits in aside
	ready  []sitegraph.ServerID // open ones that have some
	more   bool                 // Next ended before the policy had proposed all its pages
}

const (
	// mostAside bounds the visits that are kept for closed servers: about 30 MB. Others the policy
	// proposes again in the next round.
	mostAside = 1 << 18
	// mostPulls bounds how many visits to closed servers one call of Next passes: a tenth of a
	// second at most.
	mostPulls = 4096
)

// Closed reports whether a server has enough chosen visits.
func (c *Pages) Closed(s sitegraph.ServerID) bool {
	return int(s) < len(c.turns.shut) && c.turns.shut[s]
}

// Close makes Next return no visit to a server until Open, except those that were chosen before and
// waited for room under the limits.
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

// Open ends what Close began.
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

// begin forgets what was kept: in a new round the policy ranks anew.
func (t *turns) begin() {
	clear(t.aside)
	t.kept, t.ready, t.more = 0, t.ready[:0], false
}

// allClosed reports whether no server may be asked for more.
func (p *Planner) allClosed() bool {
	servers := p.Pages.Graph.Servers()
	return servers > 0 && p.Pages.turns.closed == servers
}

// putOff keeps a visit for when its server is open, or drops it from the round where too many are
// kept.
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

// nextAside takes a visit that was kept for a server which is open by now.
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

// before takes a new page instead of a refetch that is worth less (LeastRefetch), though the share
// of new pages is used up. The refetch is put off.
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

// leastUntold stands for LeastRefetch where a policy does not tell what its refetches are worth,
// one by one: they make way only where next to nothing changes.
const leastUntold = 0.05

// refetchWorth is what a refetch is worth. A policy that goes by bounded intervals, or by none,
// does not tell it: then it is a guess, by the rate of all pages together.
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

// newWorth is what the first visit to a page is worth, in times of FirstWorth: its weight times the
// probability that it is there.
func (p *Planner) newWorth(page sitegraph.PageID) float64 {
	there := 1.0
	if ranker, ok := p.Policy.(Ranker); ok {
		there = ranker.Expect(page)
	}
	return there * p.Pages.Weight(page)
}

// Strains tell which servers cannot answer all visits that their pages want. The strain of a server
// is the ratio of wanted to possible visits, or 0 where all fit. The loop computes strains, and
// lengthens the due times of pages by them.
type Strains struct {
	Of     []float32 // by server
	Visits []int32   // by server, since it was weighed
	Pauses []int32   // by server: milliseconds between two visits then, as the user has it
}

// Strains are those of the servers. An image has them.
func (p *Planner) Strains() *Strains { return &p.strains }

// Visited counts a visit to a server, if it was weighed.
func (s *Strains) Visited(server sitegraph.ServerID) {
	if int(server) < len(s.Visits) {
		s.Visits[server]++
	}
}

// strained returns a later due time for a page whose server cannot answer all that is wanted of it:
// all intervals of the server are multiplied by one factor [HIER 3.2]. So no visit is due that
// cannot be made.
func (p *Planner) strained(page sitegraph.PageID, now, due time.Time) time.Time {
	s, of := p.Pages.Graph.Server(page), p.strains.Of
	if int(s) >= len(of) || of[s] == 0 || !due.After(now) {
		return due
	}
	return now.Add(time.Duration(math.Min(float64(due.Sub(now))*float64(of[s]),
		float64(longestStrained))))
}

// longestStrained bounds an interval that was made longer: ten years.
const longestStrained = 10 * 365 * 24 * time.Hour
