package policy

import (
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
)

// bySite visits the tops of sites first, and then the members of sites whose top changed.
//
// As a sweep it stops there. Method C checks the sites of start pages, and then those linked from a
// page of a site whose top changed, breadth-first. C then B continues with the tops that were not
// checked. If the method learns, members of sites come first whose tops predicted well in the past;
// otherwise sites come in seeded order.
//
// As a stream it is the form in which the published policies were measured. Half of a round's
// budget goes to tops in turn: those of all sites, or with C those of start pages and of sites
// below one whose top had changed (C then B: these first, then all others). The rest goes to
// members of sites whose top changed since the member's last visit, the oldest copies first, and
// then to the oldest copies of all. Outcomes promote from the next round on. Methods of this
// project promote within the round: with the same order they find more (C on closures at 1, 2, 5,
// 10 % a day on 45 servers: 0.27, 0.49, 0.75, 0.81 of all changes instead of 0.24, 0.39, 0.64,
// 0.73).
type bySite struct {
	cycling
	method
	*division
	only      sitegraph.ServerID // the server it works on, or allServers
	tops      planner.FIFO       // tops left in this cycle
	topsLeft  int                // visits to tops left in this round
	topsCarry float64            // half a visit carried over
	// lower has the tops that come first: of sites below a changed one, with C in a sweep and C
	// then B.
	lower    planner.FIFO
	news     []sitegraph.PageID        // stream: tops that changed in this round
	reached  map[sitegraph.PageID]bool // C: queued tops; in a stream, those still queued
	resting  bool                      // C then B, sweep: the rest has begun
	promoted []*site                   // sites whose top changed in this sweep
	members  planner.FIFO              // members to visit
	begun    bool
	oldest   planner.Heap[float64]
}

// newBySite returns the constructor of a method's policy.
func newBySite(name string) func(Settings) planner.Policy {
	return func(s Settings) planner.Policy {
		return bySiteOn(s, newDivision(s.Pages, methods[name]), allServers)
	}
}

// bySiteOn restricts the policy to one server, unless only is allServers.
func bySiteOn(s Settings, d *division, only sitegraph.ServerID) *bySite {
	return &bySite{
		cycling:  newCycling(s),
		method:   d.how,
		division: d,
		only:     only,
		reached:  map[sitegraph.PageID]bool{},
	}
}

func (b *bySite) Begin(r planner.Round) {
	restart := !b.begun
	b.begun = true
	b.oldest.Reset()
	b.update()
	b.topsLeft = b.Pages.Count() // more than there are
	if b.Mode == planner.Stream && r.Budget != planner.Unlimited {
		half := budget.Grant{PerDay: float64(r.Budget) / 2, Carry: b.topsCarry}
		b.topsLeft = half.Of(24 * time.Hour)
		b.topsCarry = half.Carry
	}
	if restart {
		b.startTops()
	}
	if b.Mode == planner.Stream {
		if b.rest && b.lower.Len() == 0 {
			b.fillTops(&b.lower, true)
		}
		b.promoteAgain(restart)
	}
	for _, p := range b.news {
		if site := b.siteWithTop(p); site != nil && b.gated {
			b.reach(site)
		}
	}
	b.news = b.news[:0]
}

// Observe promotes the members of a site whose top changed and, with method C, the tops of the
// sites below it. One changed top of several suffices (reading R1).
func (b *bySite) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	site := b.note(p, verdict)
	if site == nil {
		return
	}
	if b.Mode == planner.Stream && !b.atOnce {
		b.news = append(b.news, p)
		return
	}
	if site.promoted == b.roundMark() {
		return // by another of its tops; no page is visited twice in a round
	}
	site.promoted = b.roundMark()
	if b.gated && !b.resting {
		b.reach(site)
	}
	if b.Mode == planner.Sweep {
		b.promoted = append(b.promoted, site)
		return
	}
	var waiting []sitegraph.PageID
	for _, member := range site.Members {
		if b.waiting(member, site) {
			waiting = append(waiting, member)
		}
	}
	b.byAge(waiting)
	b.members.Push(waiting...)
}

// note notes that a top changed, and returns its site; nil: p is no top, or did not change.
func (b *bySite) note(p sitegraph.PageID, verdict sitegraph.Verdict) *site {
	if verdict == sitegraph.VerdictFirst || verdict == sitegraph.VerdictLeft {
		b.outdated(b.Pages.Graph.Server(p))
	}
	site := b.siteWithTop(p)
	if verdict != sitegraph.VerdictChanged || site == nil {
		return nil
	}
	site.changed = max(site.changed, b.Pages.Memory(p).History.LastChange)
	return site
}

func (b *bySite) Next() (planner.Visit, bool) {
	for {
		if p, ok := b.nextTop(); ok {
			return planner.Unranked(p, b.whyTop(p)), true
		}
		if b.Mode == planner.Sweep && b.members.Len() == 0 {
			b.startMembers()
		}
		if v, ok := b.nextMember(); ok {
			return v, true
		}
		switch {
		case b.Mode == planner.Stream:
			return b.nextOldest()
		case !b.rest || b.resting:
			return planner.Visit{}, false
		}
		b.resting = true
		b.topsLeft = b.Pages.Count() // more than there are
		b.startTops()
	}
}

// roundMark returns a mark of this round that no site has at first.
func (b *bySite) roundMark() int32 { return int32(b.Pages.Round().Number) + 1 }
