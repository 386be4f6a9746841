package sites

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// A release links its manual from one page, and the manual has hundreds. So few pages of a server
// lead to most of what is new there, by way of first visits to what they link to. A page that
// became known is counted for the page whose change led there, over all first visits between.
// Samples go to pages that led to many.

// hub is a page whose changes led to new pages (Kleinberg 1999).
type hub struct {
	page    sitegraph.PageID
	pages   float32 // that it led to
	changes float32 // of it that were seen, from the first that led to any
}

const (
	// mostHubs are kept of a server: those that lead to most.
	mostHubs = 64
	// hubWorth is what each page that a change leads to counts in the choice of samples, in times
	// the age of the copy; mostPerHub is how many count.
	hubWorth   = 4
	mostPerHub = 128
)

// expected returns how many pages the next change is expected to lead to. One change more is
// counted, as the first may have been chance.
func (l hub) expected() float32 { return min(l.pages/(l.changes+1), mostPerHub) }

// hubs are the hubs of a server, at most mostHubs.
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

// left removes a page that is gone.
func (l *hubs) left(p sitegraph.PageID) {
	if i := l.index(p); i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}

func (l hubs) index(p sitegraph.PageID) int {
	return slices.IndexFunc(l, func(of hub) bool { return of.page == p })
}

// least returns the index of the hub that leads to the fewest pages.
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

// discoveryOf is what is known of new pages of a server.
type discoveryOf struct {
	trials trials
	hubs   hubs
}

// newPage is an address without a copy.
type newPage struct {
	from  sitegraph.PageID // the page whose change led there; NoPage: not known
	asked float32          // days: when it was last not its turn; 0: never
}

// Discovered learns that links of a page made pages known: its groups learn how many a change
// brings, and the hub that led there is credited. A page that waits for its first visit is counted
// once.
func (v *Policy) Discovered(p sitegraph.PageID, verdict sitegraph.Verdict,
	pages []sitegraph.PageID) {
	v.grow()
	from := sitegraph.NoPage
	if verdict == sitegraph.VerdictChanged {
		from = p
		v.groups.found(p, len(pages))
		v.groups.born(pages)
		v.discovery.servers[v.Corpus.Graph.Server(p)].hubs.changed(p)
	} else if page, ok := v.discovery.newPages[p]; ok {
		from = page.from
	}
	if from == sitegraph.NoPage {
		return
	}
	if isFollowUp, sample := v.samples.underWay[p]; sample && !isFollowUp {
		v.samples.rebuilds.discovered(len(pages))
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

const (
	// mostFound bounds what one change counts for: a list of everything is read once.
	mostFound = 20
	// parentChanges is how many changes the mean of a larger group counts for.
	parentChanges = 4
)

// found adds the pages that a change made known to the groups of a page.
func (g *groups) found(p sitegraph.PageID, pages int) {
	n := float32(min(pages, mostFound))
	server := &g.servers[g.corpus.Graph.Server(p)]
	for _, of := range [...]*evidence.Mean{&g.finding, g.findsOf(p), &server.finds} {
		of.Add(n, 1, math.MaxFloat32)
	}
}

// findsOf returns the finds of a page's site; of a top, those of the tops of its server.
func (g *groups) findsOf(p sitegraph.PageID) *evidence.Mean {
	if g.pages[p].traits&isTop != 0 {
		return &g.servers[g.corpus.Graph.Server(p)].topFinds
	}
	return &g.sites[g.pages[p].site].finds
}

// finds returns how many pages a change of a page is expected to make known.
func (g *groups) finds(p sitegraph.PageID) float32 {
	s := &g.servers[g.corpus.Graph.Server(p)]
	all := s.finds.Toward(g.finding.Toward(0, parentChanges), parentChanges)
	return g.findsOf(p).Toward(all, parentChanges)
}

// born marks pages that became known by a change: they are taken to be born then.
func (g *groups) born(pages []sitegraph.PageID) {
	for _, p := range pages {
		if g.corpus.Memory(p).History.Visits == 0 {
			g.pages[p].traits |= isBorn
		}
	}
}
