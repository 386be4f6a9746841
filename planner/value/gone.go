package value

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// A page that is taken down loses its last link first, as a rule: the list that named it changed,
// or the section that it was in is gone itself. So a living page to which no links lead any more
// from the start pages of its server is probably gone. How probably is learnt, for all servers and
// for each, from the visits to such pages. To find that a page is gone is worth Settings.GoneWorth
// changes found, so a visit to such a page competes with all others.
//
// Belief follows the look: a page that proves to be there all the same is visited for its changes
// as before, and looked for again after lookAgainDays, then after twice as many, and so on, where
// such looks find something.

const (
	lookAgainDays = 14
	mostLooks     = 6
	// serverLooks is how many looks the share of all servers counts for at each.
	serverLooks = 2
)

// DefaultGoneWorth is what it is worth to find that a page is gone, in changes found. On published
// documentation, at 2 % of the pages a day, 0.25 to 1 all find eight in ten of the pages that went;
// by 1 there are 0.01 fewer changes found.
const DefaultGoneWorth = 0.5

// disappearance knows the living pages that no links lead to any more.
type disappearance struct {
	pages    map[sitegraph.PageID]unreached
	versions []int32          // by server: of the graph when its pages were looked through
	looks    [mostLooks]looks // by the looks before
	servers  []looks          // first looks, by server
}

// unreached is a living page that no links lead to.
type unreached struct {
	looks uint8   // visits that found it there since it lost its links
	after float32 // days: until then it is believed to be there
}

// looks counts visits to such pages, and those that found one gone.
type looks struct{ gone, all float32 }

func (l *looks) see(gone bool) {
	l.all++
	if gone {
		l.gone++
	}
}

// lookThrough finds the pages that lost their last link since the last round, and those whose next
// look is due, and has them scored anew. It goes through the servers whose links changed.
func (d *disappearance) lookThrough(v *Policy) {
	g := v.Corpus.Graph
	if d.pages == nil {
		d.pages = map[sitegraph.PageID]unreached{}
	}
	d.grow(g.Servers())
	for s := range sitegraph.ServerID(g.Servers()) {
		version := int32(g.Version(s))
		if d.versions[s] == version {
			continue
		}
		d.versions[s] = version
		for _, p := range g.ServerPages(s) {
			_, was := d.pages[p]
			is := v.Corpus.Memory(p).State == sitegraph.StateAlive && !v.Corpus.Reached(p)
			if is == was {
				continue
			}
			if is {
				d.pages[p] = unreached{}
			} else {
				delete(d.pages, p)
			}
			v.scores[p].again = 0
		}
	}
	for p, u := range d.pages {
		if u.after > 0 && u.after <= v.now && v.scores[p].again > v.now {
			v.scores[p].again = 0
		}
	}
}

// grow makes room for so many servers.
func (d *disappearance) grow(servers int) {
	for len(d.versions) < servers {
		d.versions, d.servers = append(d.versions, -1), append(d.servers, looks{})
	}
}

// probability is how likely a page is gone; 0 where links lead to it, or it was looked for lately.
func (d *disappearance) probability(p sitegraph.PageID, s sitegraph.ServerID, now float32) float32 {
	if len(d.pages) == 0 {
		return 0
	}
	u, ok := d.pages[p]
	if !ok || u.after > now {
		return 0
	}
	all := &d.looks[min(u.looks, mostLooks-1)]
	share := (all.gone + 0.5) / (all.all + 1)
	if u.looks > 0 {
		return share
	}
	server := &d.servers[s]
	return (server.gone + serverLooks*share) / (server.all + serverLooks)
}

// see takes in what a visit to a page found. It reports whether no links led to the page.
func (d *disappearance) see(p sitegraph.PageID, s sitegraph.ServerID, verdict sitegraph.Verdict, now float32) bool {
	u, ok := d.pages[p]
	if !ok || verdict == sitegraph.VerdictUnknown {
		return false
	}
	gone := verdict == sitegraph.VerdictLeft
	if u.after <= now {
		d.looks[min(u.looks, mostLooks-1)].see(gone)
		if u.looks == 0 {
			d.servers[s].see(gone)
		}
		u.after = now + float32(int(lookAgainDays)<<u.looks)
		u.looks = min(u.looks+1, mostLooks)
		d.pages[p] = u
	}
	if gone {
		delete(d.pages, p)
	}
	return true
}

// isGone is how likely a page is gone by now.
func (v *scorer) isGone(p sitegraph.PageID) float32 {
	return v.gone.probability(p, v.Corpus.Graph.Server(p), v.now)
}

// goneReason says why a page is believed to be gone.
func (v *scorer) goneReason(p sitegraph.PageID) planner.Reason {
	first := &v.gone.looks[0]
	return planner.Because(
		"no links lead to it any more; of %.0f such pages visited, %.0f were gone",
		float64(first.all),
		float64(first.gone),
	)
}
