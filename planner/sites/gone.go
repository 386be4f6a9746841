package sites

import (
	"math"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// Before a page is taken down, it usually loses its last link: the list that named it changed, or
// its part of the site is gone. So a living page that no links from the start pages of its server
// reach is probably gone. The policy learns this probability from visits to such pages: those of
// its server, pulled toward those of all servers, since pages go in runs. Finding that a page is
// gone is worth Settings.GoneWorth changes found, so this visit competes with all others.
//
// If the page proves to be alive, it is visited for its changes as before. The policy looks again
// after lookAgainDays, then after twice as long, and so on, while such looks find something.

const (
	lookAgainDays = 14
	mostLooks     = 6
	// parentLooks is the weight of the share of all servers at each one, in looks.
	parentLooks = 2
)

// DefaultGoneWorth is the worth of finding that a page is gone, in changes found. On published
// documentation, where 2 % of the pages go each day, both 0.3 and 0.5 find eight in ten of them.
// 0.3 takes 29 days in the mean and costs 0.004 of the changes. 0.5 takes 18 days and costs 0.014.
const DefaultGoneWorth = 0.3

// disappearance keeps the living pages that no links lead to any more.
type disappearance struct {
	pages    map[sitegraph.PageID]unreached
	versions []int32            // by server: 1 + version of the graph at the last look through it
	gone     [2]evidence.Pooled // shares of pages found gone, by first looks and by later ones
}

// unreached is a living page that no links lead to.
type unreached struct {
	looks uint8   // visits that found it alive since it lost its links
	after float32 // days: until then it is believed to be alive
}

// lookThrough finds the pages that lost their last link, or got one back, on servers whose links
// changed. It scores these pages anew, and pages without links whose next look is due.
func (d *disappearance) lookThrough(v *Policy) {
	g := v.Pages.Graph
	for s := range sitegraph.ServerID(g.Servers()) {
		looked, version := evidence.At(&d.versions, s), int32(g.Version(s))+1
		if *looked == version {
			continue
		}
		*looked = version
		for _, p := range g.ServerPages(s) {
			d.look(v, p)
		}
	}
	for p, u := range d.pages {
		if u.after > 0 && u.after <= v.now {
			v.bringUnreached(p)
		}
	}
}

// look finds out whether links lead to a page.
func (d *disappearance) look(v *Policy, p sitegraph.PageID) {
	_, was := d.pages[p]
	is := v.Pages.Memory(p).State == sitegraph.StateAlive && !v.Pages.Reached(p)
	switch {
	case is == was:
		return
	case is:
		d.pages[p] = unreached{}
	default:
		delete(d.pages, p)
	}
	v.bringUnreached(p)
}

// bringUnreached makes a page that lost its links, or got them back, a candidate of this round.
func (v *Policy) bringUnreached(p sitegraph.PageID) {
	if v.Pages.Refetchable(p) {
		v.rate(p)
		v.bring(p)
	}
}

// noteVisit records the outcome of a visit to a page. It reports whether no links led to the page.
func (d *disappearance) noteVisit(p sitegraph.PageID, of sitegraph.ServerID,
	verdict sitegraph.Verdict, now float32) bool {
	u, ok := d.pages[p]
	if !ok || verdict == sitegraph.VerdictUnknown {
		return false
	}
	gone := verdict == sitegraph.VerdictLeft
	if u.after <= now {
		d.gone[min(u.looks, 1)].See(of, gone, math.MaxFloat32)
		u.after = now + float32(int(lookAgainDays)<<u.looks)
		u.looks = min(u.looks+1, mostLooks)
		d.pages[p] = u
	}
	if gone {
		delete(d.pages, p)
	}
	return true
}

// isGone returns the probability that a page is gone; 0 if it is linked or was just found alive.
func (v *scorer) isGone(p sitegraph.PageID) float32 {
	u, ok := v.gone.pages[p]
	if !ok || u.after > v.now {
		return 0
	}
	return v.gone.gone[min(u.looks, 1)].Of(v.Pages.Graph.Server(p), parentLooks, 0.5, 1)
}
