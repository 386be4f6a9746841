package sites

import (
	"math"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// A page that is taken down loses its last link first, as a rule: the list that named it changed,
// or the part of the site that it was in is gone itself. So a living page to which no links lead
// any more from the start pages of its server is probably gone. How probably is learnt from the
// visits to such pages: those of its server, pulled toward those of all, since pages go in runs. To
// find that a page is gone is worth Settings.GoneWorth changes found, so a visit to such a page
// competes with all others.
//
// Belief follows the look: a page that proves to be there all the same is visited for its changes
// as before, and looked for again after lookAgainDays, then after twice as many, and so on,
// where such looks find something.

const (
	lookAgainDays = 14
	mostLooks     = 6
	// parentLooks is how many looks the share of all servers counts for at each.
	parentLooks = 2
)

// DefaultGoneWorth is what it is worth to find that a page is gone, in changes found. On published
// documentation, at 2 % of the pages a day, both 0.3 and 0.5 find eight in ten of the pages that
// went. 0.3 finds them after 29 days in the mean and costs 0.004 of the changes; 0.5 finds them
// after 18 days and costs 0.014.
const DefaultGoneWorth = 0.3

// disappearance knows the living pages that no links lead to any more.
type disappearance struct {
	pages    map[sitegraph.PageID]unreached
	versions []int32            // by server: 1 and that of the graph when it was looked through
	gone     [2]evidence.Pooled // those that were, of first looks and of later ones
}

// unreached is a living page that no links lead to.
type unreached struct {
	looks uint8   // visits that found it there since it lost its links
	after float32 // days: until then it is believed to be there
}

// lookThrough finds the pages that lost their last link since the last round, and those whose next
// look is due, and has them scored anew. It goes through the servers whose links changed.
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

// bringUnreached makes a page a candidate whose links were lost.
func (v *Policy) bringUnreached(p sitegraph.PageID) {
	if v.Pages.Refetchable(p) {
		v.rate(p)
		v.bring(p)
	}
}

// noteVisit takes in what a visit to a page found. It reports whether no links led to the page.
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

// isGone is how likely a page is gone by now; 0 where links lead to it, or it was looked for.
func (v *scorer) isGone(p sitegraph.PageID) float32 {
	u, ok := v.gone.pages[p]
	if !ok || u.after > v.now {
		return 0
	}
	return v.gone.gone[min(u.looks, 1)].Of(v.Pages.Graph.Server(p), parentLooks, 0.5, 1)
}
