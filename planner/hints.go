package planner

import (
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// HintKind is the kind of source of a claim.
type HintKind uint8

const (
	UnknownKind HintKind = iota
	Sitemap
	Feed
	LastModified // the page's own header: it comes with the copy, so it is tested but never a hint
	kindCount
)

var kindNames = [...]string{"unknown", "sitemap", "feed", "last-modified"}

func (k HintKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[UnknownKind]
}

// Hint is the claim of sources about a page, and its evidence.
type Hint struct {
	Claimed time.Time     // newest claimed modification; zero: listed without a date
	Every   time.Duration // claimed time between changes; 0: not claimed
	Kind    HintKind      // of the source of LogRatio
	// LogRatio is the logarithm of the likelihood ratio that the page has changed since its last
	// visit, to be added to the log odds. It is negative if a source that proved truthful lists the
	// page, was read after the visit, and claims no change. It is 0 if nothing is proved, and its
	// absolute value is at most maxLogRatio.
	LogRatio float64
}

// HintVisits returns when pages were visited.
type HintVisits interface {
	// LastVisit returns when a page was last compared with its copy, in unix seconds; 0: never.
	LastVisit(p sitegraph.PageID) uint32
}

// told is the newest claim of one kind about a page, in 12 bytes.
type told struct {
	modified uint32           // unix seconds; 0: no date
	every    uint32           // seconds; 0: not claimed
	by       sitegraph.PageID // the source that lists the page; NoPage: none any more
}

// Hints keep the claims of feeds, sitemaps and Last-Modified headers about all pages, and measure
// their accuracy. One goroutine uses them; any number may read.
//
// A claim is a hint, not a fact: many sitemaps name today for every page. So each visit to a listed
// page tests the source. The tests, by server and kind of source, give the likelihood ratio by
// which a claim multiplies the odds of a change (LogRatio). An untested source changes nothing.
type Hints struct {
	graph    *sitegraph.Graph
	visits   HintVisits
	any      bool // there was a claim
	told     [kindCount]map[sitegraph.PageID]told
	listed   map[sitegraph.PageID][]sitegraph.PageID // by source: its pages, sorted
	kinds    map[sitegraph.PageID]HintKind           // by source
	header   claimedHeader
	accuracy map[serverKind]*confusion
	pooled   [kindCount]confusion        // of all servers
	changed  map[sitegraph.ServerID]bool // servers with unsaved accuracy
}

// claimedHeader is the claim of a page's own header at the last visit.
type claimedHeader struct {
	page     sitegraph.PageID // NoPage: none
	modified uint32
}

type serverKind struct {
	server sitegraph.ServerID
	kind   HintKind
}

// NewHints returns hints about the pages of a graph, without claims.
func NewHints(g *sitegraph.Graph, v HintVisits) *Hints {
	h := &Hints{
		graph:    g,
		visits:   v,
		header:   claimedHeader{page: sitegraph.NoPage},
		listed:   map[sitegraph.PageID][]sitegraph.PageID{},
		kinds:    map[sitegraph.PageID]HintKind{},
		accuracy: map[serverKind]*confusion{},
		changed:  map[sitegraph.ServerID]bool{},
	}
	for k := range h.told {
		h.told[k] = map[sitegraph.PageID]told{}
	}
	return h
}

// KindOf returns the kind of a source that was read; UnknownKind for any other page.
func (h *Hints) KindOf(source sitegraph.PageID) HintKind { return h.kinds[source] }

// ClaimHeader notes the modification that a page's own header claims, just before the outcome of
// its visit is observed; the zero time: none.
func (h *Hints) ClaimHeader(p sitegraph.PageID, modified time.Time) {
	h.any = true
	h.header = claimedHeader{p, sitegraph.Unix32(modified)}
}

// Modified returns the modification that the header of the page claimed if that was visited last,
// in unix seconds; otherwise, or without a claim, 0.
func (h *Hints) Modified(p sitegraph.PageID) uint32 {
	if h.header.page != p {
		return 0
	}
	return h.header.modified
}

// Claim is the claim of a source about one page.
type Claim struct {
	Page     sitegraph.PageID
	Modified time.Time     // zero: no date
	Every    time.Duration // claimed time between changes; 0: not claimed
}

// HintTurn is a page with a new claim.
type HintTurn struct {
	Page sitegraph.PageID
	// LogRatio is the rise of the log odds that the page changed.
	LogRatio float64
}

// Believed returns a claimed modification in unix seconds, as read at a given time. It cuts a
// future time to that time. A time more than a day ahead is no date: 0.
func Believed(modified time.Time, read uint32) uint32 {
	m := sitegraph.Unix32(modified)
	if m > read+uint32(24*time.Hour/time.Second) {
		return 0
	}
	return min(m, read)
}

// Update replaces the claims of a source by those that were just read; whole: the source claims
// nothing else. It changes the dates in said to Believed. A page that a source no longer lists, for
// example because it left a feed of the newest, keeps the source's claim, but not a claim that it
// is unchanged. Update returns the pages with changed claims.
func (h *Hints) Update(
	source sitegraph.PageID,
	kind HintKind,
	said []Claim,
	whole bool,
) (changed []HintTurn) {
	h.any = true
	of := h.told[kind]
	read := h.visits.LastVisit(source)
	server := h.graph.Server(source)
	turn := func(page sitegraph.PageID, before signal) {
		if now := h.signalOf(page, of); now != before {
			changed = append(changed, HintTurn{page, h.logRatio(server, kind, now) -
				h.logRatio(server, kind, before)})
		}
	}
	listed := make([]sitegraph.PageID, 0, len(said))
	for i := range said {
		modified := Believed(said[i].Modified, read)
		switch {
		case modified == 0:
			said[i].Modified = time.Time{}
		case modified != sitegraph.Unix32(said[i].Modified):
			said[i].Modified = time.Unix(int64(modified), 0).UTC()
		}
		page := said[i].Page
		before := h.signalOf(page, of)
		h.claim(page, kind, told{modified, uint32(min(said[i].Every/time.Second, 1<<32-1)), source})
		turn(page, before)
		listed = append(listed, page)
	}
	slices.Sort(listed)
	listed = slices.Compact(listed)
	for _, page := range h.listed[source] {
		if _, ok := slices.BinarySearch(listed, page); ok {
			continue
		}
		t, ok := of[page]
		if !whole {
			listed = append(listed, page)
		} else if ok && t.by == source {
			before := h.signal(page, t)
			t.by = sitegraph.NoPage
			of[page] = t
			turn(page, before)
		}
	}
	slices.Sort(listed)
	h.listed[source], h.kinds[source] = listed, kind
	return changed
}

// claim keeps the newest claim of a kind. A source may take back its own.
func (h *Hints) claim(p sitegraph.PageID, kind HintKind, t told) {
	of := h.told[kind]
	if old, ok := of[p]; !ok || t.modified >= old.modified || t.by == old.by {
		of[p] = t
	}
}

// Move transfers the claims about a page to the page that it redirects to.
func (h *Hints) Move(from, to sitegraph.PageID) {
	if from == to {
		return
	}
	for kind, of := range h.told {
		if t, ok := of[from]; ok {
			delete(of, from)
			h.claim(to, HintKind(kind), t)
		}
	}
}

// signal is what a claim says about the time since the last visit of its page.
type signal int8

const (
	saysNothing signal = iota // no date, or the source was not read since
	saysSame
	saysChanged
)

func (h *Hints) signal(p sitegraph.PageID, t told) signal {
	last := h.visits.LastVisit(p)
	switch {
	case t.modified == 0:
		return saysNothing
	case t.modified > last:
		return saysChanged
	case t.by != sitegraph.NoPage && h.visits.LastVisit(t.by) > last:
		return saysSame
	}
	return saysNothing
}

// signalOf returns the signal of the claim about a page, if there is one.
func (h *Hints) signalOf(p sitegraph.PageID, of map[sitegraph.PageID]told) signal {
	if t, ok := of[p]; ok {
		return h.signal(p, t)
	}
	return saysNothing
}

// Of returns the newest claim of any source about a page, and its evidence. Of sitemap and feed,
// which come from the same hand, the stronger one counts. False, and a LogRatio of 0: no source
// lists the page.
func (h *Hints) Of(p sitegraph.PageID) (hint Hint, ok bool) {
	if !h.any {
		return hint, false
	}
	var newest uint32
	for _, kind := range [...]HintKind{Sitemap, Feed} {
		t, told := h.told[kind][p]
		if !told {
			continue
		}
		ratio := h.logRatio(h.graph.Server(p), kind, h.signal(p, t))
		if !ok || abs(ratio) > abs(hint.LogRatio) {
			hint.Kind, hint.LogRatio = kind, ratio
		}
		newest = max(newest, t.modified)
		if t.every > 0 {
			hint.Every = time.Duration(t.every) * time.Second
		}
		ok = true
	}
	if newest > 0 {
		hint.Claimed = time.Unix(int64(newest), 0).UTC()
	}
	return hint, ok
}

// Listed reports whether a feed or sitemap names a page.
func (h *Hints) Listed(p sitegraph.PageID) bool {
	_, ok := h.Of(p)
	return ok
}

// SitemapSays returns the modification of a page that a sitemap claims, in unix seconds, and the
// time between its changes, in seconds; 0: not claimed.
func (h *Hints) SitemapSays(p sitegraph.PageID) (modified, every uint32) {
	t := h.told[Sitemap][p]
	return t.modified, t.every
}

func abs(x float64) float64 { return max(x, -x) }
