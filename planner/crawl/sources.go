package crawl

import (
	"fmt"
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// maxSourceHops bounds the steps from a source: an index, a sitemap in it, and a redirect on the
// way. The protocol allows no index in an index; the loop accepts one.
const maxSourceHops = 3

// applySource records the sources that a page names, or the sitemaps and claims of a source.
func (l *Loop) applySource(r *sitegraph.Record, o sitegraph.Observation) error {
	for _, url := range o.Sources {
		if _, err := l.addSource(url, r, 0); err != nil {
			return err
		}
	}
	switch {
	case r.State == sitegraph.StateMoved:
		l.Planner.Pages.Hints.Move(r.Page, shownPage(l.Planner.Pages, r.Page))
		return nil
	case r.State != sitegraph.StateSource:
		return nil
	case o.Outcome == sitegraph.OutcomeRedirected:
		_, err := l.addSource(o.RedirectTo, r, r.Hops+1)
		return err
	case o.Outcome == sitegraph.OutcomeNotModified:
		delete(l.asked, r.Page)
		return nil
	case o.Outcome != sitegraph.OutcomeFetched:
		return nil
	}
	l.restoredClaims[r.Page] = true
	if o.Source == sitegraph.SourceIndex {
		return l.followIndex(r, o)
	}
	return l.applyClaims(r, o)
}

// refresh makes the request for a source unconditional if its claims are unknown: a 304 would not
// repeat them.
func (l *Loop) refresh(r *sitegraph.Record) {
	if r.State == sitegraph.StateSource && !l.restoredClaims[r.Page] {
		r.ETag, r.LastModified = "", time.Time{}
	}
}

// followIndex makes the sitemaps of an index known. It visits at once those that were never
// visited, or that the index says are newer than the last visit.
func (l *Loop) followIndex(r *sitegraph.Record, o sitegraph.Observation) error {
	read := sitegraph.Unix32(o.Time)
	for _, c := range o.Claims {
		p, err := l.addSource(c.URL, r, r.Hops+1)
		if err != nil {
			return err
		}
		if p == sitegraph.NoPage {
			continue
		}
		if tried := l.Planner.Pages.Memory(p).Tried; tried == 0 ||
			planner.Believed(c.Modified, read) > tried {
			l.Planner.WantSource(p)
		}
	}
	return l.saveClaims(r, planner.UnknownKind, nil)
}

// addSource makes a source known; NoPage: the address is no source, or one too many.
func (l *Loop) addSource(url string, from *sitegraph.Record, hops uint8) (sitegraph.PageID, error) {
	p, known := l.graph.Lookup(url)
	pages := l.Planner.Pages
	server := l.graph.Server(from.Page)
	switch {
	case known && pages.Memory(p).State == sitegraph.StateSource:
		return p, nil
	case known && pages.Memory(p).State == sitegraph.StateAlive,
		sitegraph.ServerName(url) != l.graph.ServerName(server), hops > maxSourceHops,
		!l.Planner.MaySource(server):
		return sitegraph.NoPage, nil
	}
	r := sitegraph.Record{
		Page:    p,
		URL:     url,
		Referer: from.URL,
		State:   sitegraph.StateSource,
		Hops:    hops,
		Due:     l.Clock.Now(),
	}
	save := l.Store.Save // a link named it as a page
	switch {
	case !known:
		r.Page, save = l.graph.Add(url), l.Store.Add
	case p == from.Page: // it was just visited as a page
		r.Referer, r.Tried, r.Status = from.Referer, from.Tried, from.Status
		*from = r
	}
	if err := save(&r); err != nil {
		return r.Page, l.storeError(err, "add source %s", url)
	}
	pages.Remember(&r)
	l.Planner.FoundSource(r.Page)
	return r.Page, nil
}

// applyClaims applies the claims of a feed or sitemap. Unknown pages become known, like linked
// ones. Pages that were gone are tried again if the source says that they changed since.
func (l *Loop) applyClaims(r *sitegraph.Record, o sitegraph.Observation) error {
	kind := planner.Sitemap
	if o.Source == sitegraph.SourceFeed {
		kind = planner.Feed
	}
	pages := l.Planner.Pages
	said := make([]planner.Claim, 0, len(o.Claims))
	var again, news []sitegraph.PageID
	room := 0
	if l.Bounds != nil {
		room = l.Bounds.OfSource
	}
	in := l.intake(l.graph.Server(r.Page), room)
	read := sitegraph.Unix32(o.Time)
	for _, c := range o.Claims {
		url, ok := l.admitAddress(&in, c.URL)
		if !ok {
			continue
		}
		p, known := l.graph.Lookup(url)
		if !known {
			if !l.Discover {
				continue
			}
			p = l.graph.Add(url)
			if err := l.register(p, r.URL, 0, o.Time); err != nil {
				return err
			}
		}
		p = shownPage(pages, p)
		said = append(said, planner.Claim{Page: p, Modified: c.Modified, Every: c.Every})
		m := pages.Memory(p)
		newer := planner.Believed(c.Modified, read) > m.Tried
		if m.State == sitegraph.StateNew || newer {
			news = append(news, p)
		}
		if known &&
			(m.State == sitegraph.StateNew || m.State == sitegraph.StateGone && newer) {
			again = append(again, p)
		}
	}
	l.Planner.UpdateHints(r.Page, kind, said, !o.Truncated)
	for _, p := range again { // the page now counts as listed
		if err := l.foundAgain(p, nil); err != nil {
			return err
		}
	}
	l.askClaimed(r.Page, news)
	if r.More = in.over; r.More {
		r.ETag, r.LastModified = "", time.Time{} // the next visit takes the rest
	}
	return l.saveClaims(r, kind, said)
}

// maxShownHops bounds chains of known redirects.
const maxShownHops = 5

// shownPage follows the known redirects from a page.
func shownPage(c *planner.Pages, p sitegraph.PageID) sitegraph.PageID {
	for range maxShownHops {
		links := c.Graph.Links(p)
		if c.Memory(p).State != sitegraph.StateMoved || len(links) != 1 {
			break
		}
		p = links[0]
	}
	return p
}

func proofSetting(server string) string { return "proof/" + server }

// saveProofs stores how accurate the sources of a server proved.
func (l *Loop) saveProofs(s sitegraph.ServerID, value []byte) error {
	server := l.graph.ServerName(s)
	if err := l.Store.SaveSetting(proofSetting(server), value); err != nil {
		return l.storeError(err, "save the accuracy of sources of %s", server)
	}
	return nil
}

func claimsSetting(url string) string { return "claims/" + url }

// saveClaims stores the claims of a source with the validators of its record, so that a later
// process may ask whether it changed.
func (l *Loop) saveClaims(r *sitegraph.Record, kind planner.HintKind, said []planner.Claim) error {
	if err := l.Store.SaveSetting(claimsSetting(r.URL), planner.EncodeClaims(kind,
		said)); err != nil {
		return l.storeError(err, "save the claims of %s", r.URL)
	}
	return nil
}

// restoreHints reads the stored claims of sources and their accuracy, once.
func (l *Loop) restoreHints() (err error) {
	if l.restoredClaims != nil || !l.Planner.ReadsSources() {
		return nil
	}
	if l.restoredClaims, err = RestoreHints(l.Store, l.Planner.Pages); err != nil {
		l.broken = true
	}
	return err
}

// RestoreHints restores the last claims of feeds and sitemaps in a corpus, and their accuracy. It
// returns the sources with stored claims. Run calls it itself.
func RestoreHints(s Store, c *planner.Pages) (heard map[sitegraph.PageID]bool, err error) {
	heard = map[sitegraph.PageID]bool{}
	for of := range sitegraph.ServerID(c.Graph.Servers()) {
		server := c.Graph.ServerName(of)
		value, ok, err := s.Setting(proofSetting(server))
		if err == nil && ok {
			err = c.Hints.Restore(of, value)
		}
		if err != nil {
			return nil, fmt.Errorf("read the accuracy of sources of %s: %w", server, err)
		}
	}
	for source := range sitegraph.PageID(c.Count()) {
		if c.Memory(source).State != sitegraph.StateSource {
			continue
		}
		url := c.Graph.URL(source)
		value, ok, err := s.Setting(claimsSetting(url))
		if err != nil {
			return nil, fmt.Errorf("read the claims of %s: %w", url, err)
		}
		if !ok {
			continue
		}
		kind, said, err := planner.DecodeClaims(value)
		if err != nil {
			return nil, fmt.Errorf("read the claims of %s: %w", url, err)
		}
		heard[source] = true
		// lost in a damaged store
		said = slices.DeleteFunc(said,
			func(s planner.Claim) bool { return int(s.Page) >= c.Count() })
		for i := range said {
			said[i].Page = shownPage(c, said[i].Page)
		}
		if kind != planner.UnknownKind {
			c.Hints.Update(source, kind, said, true)
		}
	}
	return heard, nil
}
