package planner

import (
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// HintKind says who claims that a page changed.
type HintKind uint8

const (
	HintUnknown HintKind = iota
	HintSitemap
	HintFeed
	HintLastModified // the page's own header: it comes with the copy, so it is proved but never a hint
	hintKinds
)

var hintKindNames = [...]string{"unknown", "sitemap", "feed", "last-modified"}

func (k HintKind) String() string {
	if int(k) < len(hintKindNames) {
		return hintKindNames[k]
	}
	return hintKindNames[HintUnknown]
}

// Hint is what others claim of a page, and what that is worth.
type Hint struct {
	Claimed time.Time     // newest modification claimed; zero: listed without a date
	Every   time.Duration // how often it is said to change; 0: not told
	Kind    HintKind      // of the source that LogRatio goes by
	// LogRatio is the logarithm of the likelihood ratio that the page has changed since its last
	// visit: what to add to the logarithm of the odds. Negative where a source that has
	// proved truthful lists the page, was read after the visit, and claims no change. 0 if
	// nothing is proved, and at most maxLogRatio either way.
	LogRatio float64
}

// told is the newest claim of one kind about a page: 12 bytes.
type told struct {
	modified uint32           // unix seconds; 0: no date
	every    uint32           // seconds; 0: not told
	by       sitegraph.PageID // the source that lists the page; NoPage: it does not any more
}

// hints are the claims of the world, kept for pages that have one; nil in a corpus nobody told
// anything.
type hints struct {
	told    [hintKinds]map[sitegraph.PageID]told
	listed  map[sitegraph.PageID][]sitegraph.PageID // by source: pages it names, sorted
	kinds   map[sitegraph.PageID]HintKind           // by source
	header  sitegraph.PageID                        // page whose header claims something until it is observed; NoPage: none
	headed  uint32
	proofs  map[serverKind]*proof
	pooled  [hintKinds]proof // of all servers
	changed map[sitegraph.ServerID]bool
}

type serverKind struct {
	server sitegraph.ServerID
	kind   HintKind
}

// listening returns the hints, made on first use.
func (c *Corpus) listening() *hints {
	if c.hints == nil {
		c.hints = &hints{header: sitegraph.NoPage, listed: map[sitegraph.PageID][]sitegraph.PageID{}, kinds: map[sitegraph.PageID]HintKind{}, proofs: map[serverKind]*proof{}, changed: map[sitegraph.ServerID]bool{}}
		for k := range c.hints.told {
			c.hints.told[k] = map[sitegraph.PageID]told{}
		}
	}
	return c.hints
}

// kindOf is the kind of a source that was read; HintUnknown for any other.
func (c *Corpus) kindOf(source sitegraph.PageID) HintKind {
	if c.hints == nil {
		return HintUnknown
	}
	return c.hints.kinds[source]
}

// ClaimHeader notes when a page's own header says that it was modified, just before the outcome of
// its visit is observed; the zero time: it does not say.
func (c *Corpus) ClaimHeader(p sitegraph.PageID, modified time.Time) {
	h := c.listening()
	h.header, h.headed = p, unix32(modified)
}

// Said is what a source says of one page.
type Said struct {
	Page     sitegraph.PageID
	Modified time.Time     // zero: no date
	Every    time.Duration // how often it is said to change; 0: not told
}

// Hear takes what a source says that was just read; whole: that is all it says. A moment in
// the future of the reading is cut to it, one more than a day ahead is no date, and said has them
// so afterwards. Pages that the source does not list any more, as a feed those that are no longer among the newest,
// keep what it said of them, but it no longer says that they are unchanged. Hear returns the pages of
// which something else is said than before.
func (c *Corpus) Hear(source sitegraph.PageID, kind HintKind, said []Said, whole bool) (changed []sitegraph.PageID) {
	h := c.listening()
	of := h.told[kind]
	read := c.pages[source].History.Last
	listed := make([]sitegraph.PageID, 0, len(said))
	for i := range said {
		modified := unix32(said[i].Modified)
		switch {
		case modified > read+uint32(Day/time.Second):
			modified, said[i].Modified = 0, time.Time{}
		case modified > read:
			modified, said[i].Modified = read, time.Unix(int64(read), 0).UTC()
		}
		page := said[i].Page
		before := c.signalOf(page, of)
		c.claim(page, kind, told{modified, uint32(min(said[i].Every/time.Second, 1<<32-1)), source})
		if c.signalOf(page, of) != before {
			changed = append(changed, page)
		}
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
			before := c.signal(page, t)
			t.by = sitegraph.NoPage
			if of[page] = t; c.signal(page, t) != before {
				changed = append(changed, page)
			}
		}
	}
	slices.Sort(listed)
	h.listed[source], h.kinds[source] = listed, kind
	return changed
}

// claim keeps the newest claim of a kind; a source may take back its own.
func (c *Corpus) claim(p sitegraph.PageID, kind HintKind, t told) {
	of := c.listening().told[kind]
	if old, ok := of[p]; !ok || t.modified >= old.modified || t.by == old.by {
		of[p] = t
	}
}

// MoveClaims lets what was claimed of a page hold for the one that it redirects to.
func (c *Corpus) MoveClaims(from, to sitegraph.PageID) {
	if c.hints == nil || from == to {
		return
	}
	for kind, of := range c.hints.told {
		if t, ok := of[from]; ok {
			delete(of, from)
			c.claim(to, HintKind(kind), t)
		}
	}
}

// signal is what a claim says of the time since the last visit of its page.
type signal int8

const (
	saysNothing signal = iota // no date, or the source was not read since
	saysSame
	saysChanged
)

func (c *Corpus) signal(p sitegraph.PageID, t told) signal {
	last := c.pages[p].History.Last
	switch {
	case t.modified == 0:
		return saysNothing
	case t.modified > last:
		return saysChanged
	case t.by != sitegraph.NoPage && c.pages[t.by].History.Last > last:
		return saysSame
	}
	return saysNothing
}

// signalOf is the signal of what was told of a page, if anything was.
func (c *Corpus) signalOf(p sitegraph.PageID, of map[sitegraph.PageID]told) signal {
	if t, ok := of[p]; ok {
		return c.signal(p, t)
	}
	return saysNothing
}

// Hint returns the newest claim of any source about a page, and what the claims are worth: of
// sitemap and feed the one with more to say, as they come from the same hand. False, and a
// LogRatio of 0: no source lists the page.
func (c *Corpus) Hint(p sitegraph.PageID) (h Hint, ok bool) {
	if c.hints == nil {
		return h, false
	}
	var newest uint32
	for _, kind := range [...]HintKind{HintSitemap, HintFeed} {
		t, told := c.hints.told[kind][p]
		if !told {
			continue
		}
		ratio := c.logRatio(c.Graph.Server(p), kind, c.signal(p, t))
		if !ok || abs(ratio) > abs(h.LogRatio) {
			h.Kind, h.LogRatio = kind, ratio
		}
		newest = max(newest, t.modified)
		if t.every > 0 {
			h.Every = time.Duration(t.every) * time.Second
		}
		ok = true
	}
	if newest > 0 {
		h.Claimed = time.Unix(int64(newest), 0).UTC()
	}
	return h, ok
}

// Listed reports whether a feed or sitemap names a page.
func (c *Corpus) Listed(p sitegraph.PageID) bool {
	_, ok := c.Hint(p)
	return ok
}

// reached reports whether links lead to a page within MaxDepth, or a feed or sitemap names it.
func (c *Corpus) reached(p sitegraph.PageID) bool { return c.Graph.Depth(p) > 0 || c.Listed(p) }

func abs(x float64) float64 { return max(x, -x) }
