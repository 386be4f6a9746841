package value

import (
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// A release links its manual from one page, and the manual has hundreds: few pages of a server lead
// to most of what is new there, and not at once but by first visits to what they link to. So a page
// that became known is counted for the page whose change led there, over all first visits between.
// Looks at quiet pages go to those that led to many.

// hub is a page that led to new ones.
type hub struct {
	page    sitegraph.PageID
	pages   float32 // that it led to
	changes float32 // of it that were seen, from the first that led to any
}

const (
	// mostHubs are kept of a server: those that lead to most.
	mostHubs = 64
	// hubWorth is what a page that a change leads to counts, in times of the age of its copy, and
	// mostPerHub how many do. Of the new pages of real histories 0.86 instead of 0.82 become known
	// at 1 % a day, and as many changes are found (24 runs each).
	hubWorth   = 4
	mostPerHub = 128
)

// expected is how many pages the next change leads to. One change more is counted: the first may
// have been a chance.
func (l hub) expected() float32 { return min(l.pages/(l.changes+1), mostPerHub) }

// hubs are those of a server.
type hubs []hub

// changed counts a change of a page that may have led to new ones.
func (l hubs) changed(p sitegraph.PageID) {
	if i := l.index(p); i >= 0 {
		l[i].changes++
	}
}

// add counts pages that a page led to.
func (l *hubs) add(p sitegraph.PageID, pages int) {
	if i := l.index(p); i >= 0 {
		(*l)[i].pages += float32(pages)
		return
	}
	now := hub{p, float32(pages), 1}
	if len(*l) < mostHubs {
		*l = append(*l, now)
	} else if i := l.least(); now.expected() >= (*l)[i].expected() {
		(*l)[i] = now
	}
}

// left forgets a page that is gone.
func (l *hubs) left(p sitegraph.PageID) {
	if i := l.index(p); i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}

func (l hubs) index(p sitegraph.PageID) int {
	return slices.IndexFunc(l, func(of hub) bool { return of.page == p })
}

// least is the place of the one that leads to the fewest.
func (l hubs) least() int {
	least := 0
	for i := range l {
		if l[i].expected() < l[least].expected() {
			least = i
		}
	}
	return least
}

// discovery judges pages that were never fetched, and the pages that lead to them.
type discovery struct {
	newPages map[sitegraph.PageID]newPage // that wait for their first visit
	servers  []discoveryOf
	// Days: end of the round before; of the first, its start, or the last visit before that is
	// known.
	before float32
}

// discoveryOf a server.
type discoveryOf struct {
	trials trials
	hubs   hubs
}

// newPage is an address without a copy.
type newPage struct {
	from  sitegraph.PageID // the page whose change led there; NoPage: not known
	asked float32          // days: when it was last not its turn; 0: never
}

// Discovered tells the groups of a page that a change of it made pages known, and the page that led
// there. Those that were known already and wait for their first visit are counted once.
func (v *Policy) Discovered(p sitegraph.PageID, verdict sitegraph.Verdict,
	pages []sitegraph.PageID) {
	v.grow()
	from := sitegraph.NoPage
	if verdict == sitegraph.VerdictChanged {
		from = p
		v.groups.found(p, len(pages))
		v.discovery.servers[v.Corpus.Graph.Server(p)].hubs.changed(p)
	} else if page, ok := v.discovery.newPages[p]; ok {
		from = page.from
	}
	if from == sitegraph.NoPage {
		return
	}
	if isFollowUp, probe := v.exploration.underWay[p]; probe && !isFollowUp {
		v.exploration.rebuilds.discovered(len(pages))
	}
	led := 0
	for _, q := range pages {
		if _, known := v.discovery.newPages[q]; !known && !v.Corpus.Outside(q) {
			v.discovery.newPages[q] = newPage{from: from}
			led++
		}
	}
	if led > 0 {
		v.discovery.servers[v.Corpus.Graph.Server(from)].hubs.add(from, led)
	}
}
