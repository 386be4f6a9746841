package crawl

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// applyLinks replaces the links of a page by those of its new snapshot and registers new pages. A
// page that had left is tried again when it is newly linked. A redirect counts as the only link of
// its page; a page that left has no links.
func (l *Loop) applyLinks(r *sitegraph.Record, o sitegraph.Observation) error {
	links, frames := o.Links, o.Frames
	switch {
	case o.Outcome == sitegraph.OutcomeRedirected:
		target, err := l.redirectTarget(r, o)
		if err != nil {
			return err
		}
		links, frames = target, nil
	case o.LinksKnown:
	case r.State == sitegraph.StateGone || r.State == sitegraph.StateExcluded:
		links, frames = nil, nil
	default:
		return nil // no new links are known: keep the old ones
	}
	if l.sameLinks(r, o) {
		return nil
	}
	links, frames = l.bounded(r, links, frames)
	old := l.graph.Links(r.Page)
	oldFrames := l.graph.Frames(r.Page)
	for _, id := range l.graph.SetLinks(r.Page, links, frames) {
		hops := uint8(0)
		if o.Outcome == sitegraph.OutcomeRedirected {
			hops = r.Hops + 1
		}
		if err := l.register(id, r.URL, hops, o.Time); err != nil {
			return err
		}
	}
	now := l.graph.Links(r.Page)
	if slices.Equal(old, now) && slices.Equal(oldFrames, l.graph.Frames(r.Page)) {
		return nil
	}
	for _, id := range now {
		if err := l.foundAgain(id, old); err != nil {
			return err
		}
	}
	if err := l.Store.SaveLinks(r.Page, now, l.graph.Frames(r.Page)); err != nil {
		return l.storeError(err, "save links of %s", r.URL)
	}
	return nil
}

// sameLinks reports whether a page has the same links as at its last visit by this process, by a
// hash of their addresses. Most pages that change keep their links, and looking up each link takes
// longer than the rest of a visit. Only graphs with a scratch file have room for the hashes.
func (l *Loop) sameLinks(r *sitegraph.Record, o sitegraph.Observation) bool {
	if l.graph.Scratch() == nil {
		return false
	}
	l.linksSeen = arena.Grow(l.graph.Scratch(), l.linksSeen, l.graph.Pages())
	before := l.linksSeen[r.Page]
	l.linksSeen[r.Page] = 0
	if o.Outcome != sitegraph.OutcomeFetched || !o.LinksKnown || r.More {
		return false
	}
	var h maphash.Hash
	h.SetSeed(linksSeed)
	for _, urls := range [...][]string{o.Links, o.Frames} {
		for _, url := range urls {
			h.WriteString(url)
			h.WriteByte(0) // no address has this byte
		}
		h.WriteByte(0)
	}
	l.linksSeen[r.Page] = h.Sum64()
	return l.linksSeen[r.Page] == before
}

var linksSeed = maphash.MakeSeed()

// redirectTarget returns the page that a redirect leads to; none if the chain is too long. If a
// start page redirects, also to another server, its target becomes a start page, since the user
// wants what it shows.
func (l *Loop) redirectTarget(r *sitegraph.Record, o sitegraph.Observation) ([]string, error) {
	if o.RedirectTo == "" || int(r.Hops) >= l.MaxHops {
		return nil, nil
	}
	if slices.Contains(l.graph.StartPages(l.graph.Server(r.Page)), r.Page) {
		if err := l.addStart(o.RedirectTo, r.URL, r.Hops+1); err != nil {
			return nil, err
		}
	}
	return []string{o.RedirectTo}, nil
}

func (l *Loop) addStart(url, referer string, hops uint8) error {
	if err := l.awaitVerified(); err != nil {
		return err
	}
	_, known := l.graph.Lookup(url)
	id := l.graph.AddStart(url)
	if !known {
		if err := l.register(id, referer, hops, l.Clock.Now()); err != nil {
			return err
		}
	}
	if err := l.Store.SaveStart(id); err != nil {
		return l.storeError(err, "save start page %s", url)
	}
	return nil
}

// register adds a page that is new in the graph to store and planner.
func (l *Loop) register(id sitegraph.PageID, referer string, hops uint8, now time.Time) error {
	if err := l.awaitVerified(); err != nil {
		return err
	}
	r := sitegraph.Record{
		Page:    id,
		URL:     l.graph.URL(id),
		Referer: referer,
		State:   sitegraph.StateNew,
		Hops:    hops,
		Due:     now,
	}
	if err := l.Store.Add(&r); err != nil {
		return l.storeError(err, "add page %s", r.URL)
	}
	l.Planner.Pages.Remember(&r)
	l.found(id)
	return nil
}

func (l *Loop) found(id sitegraph.PageID) {
	l.Planner.Found(id)
	if l.Found != nil {
		l.Found(id)
	}
}

// foundAgain queues a page without a copy that was not among the old links: one that was too deep,
// or that had left and is linked anew.
func (l *Loop) foundAgain(id sitegraph.PageID, old []sitegraph.PageID) error {
	state := l.Planner.Pages.Memory(id).State
	if state == sitegraph.StateAlive || state == sitegraph.StateSource || slices.Contains(old, id) {
		return nil
	}
	if state == sitegraph.StateNew { // known before, but perhaps no longer queued
		l.Planner.Found(id)
		return nil
	}
	if err := l.awaitVerified(); err != nil {
		return err
	}
	var r sitegraph.Record
	if err := l.Store.Load(id, &r); err != nil {
		return l.storeError(err, "load record of %s", l.graph.URL(id))
	}
	r.State = sitegraph.StateNew
	l.Planner.Pages.Remember(&r)
	if err := l.Store.Save(&r); err != nil {
		return l.storeError(err, "save record of %s", r.URL)
	}
	l.found(id)
	return nil
}

// retryStarts tries start pages that left again once a day: the user named them, and without them a
// server is lost.
func (l *Loop) retryStarts(now time.Time) error {
	for s := range sitegraph.ServerID(l.graph.Servers()) {
		for _, p := range l.graph.StartPages(s) {
			l.pace.Read(l.graph.Scratch(), 1)
			m := l.Planner.Pages.Memory(p)
			if m.State == sitegraph.StateAlive || m.State == sitegraph.StateNew ||
				m.State == sitegraph.StateSource ||
				now.Sub(time.Unix(int64(m.Tried), 0)) < 24*time.Hour {
				continue
			}
			if err := l.foundAgain(p, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
