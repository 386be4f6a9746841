package history

import (
	"cmp"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// Builder makes histories of what visits saw. The visits to a page come in order of time; those to
// different pages in any.
type Builder struct {
	pages map[string]*Page
}

// NewBuilder returns a builder that knows nothing.
func NewBuilder() *Builder { return &Builder{pages: map[string]*Page{}} }

// See adds what a visit saw of a page, unless that is what the one before saw. A change is dated by
// the visit that saw it: when it happened between two visits is not known.
func (b *Builder) See(url string, v Version) {
	p := b.pages[url]
	if p == nil {
		if !v.Alive() {
			return // an address where there never was a page
		}
		p = &Page{URL: url}
		b.pages[url] = p
	}
	if n := len(p.Versions); n > 0 {
		last := &p.Versions[n-1]
		if last.T > v.T ||
			last.Gone == v.Gone && last.Redirect == v.Redirect &&
				last.Digests.Bytes == v.Digests.Bytes {
			return
		}
	}
	p.Versions = append(p.Versions, v)
}

// Link gives all versions of a page the links that are known of it.
func (b *Builder) Link(url string, links, frames []string) {
	p := b.pages[url]
	if p == nil {
		return
	}
	for i := range p.Versions {
		if v := &p.Versions[i]; v.Alive() {
			v.Links, v.LinksKnown = links, true
			v.Frames, v.FramesKnown = frames, true
		}
	}
}

// Servers returns the history of each server, by name.
func (b *Builder) Servers() []*Server {
	of := map[string][]*Page{}
	for url, p := range b.pages {
		name := sitegraph.ServerName(url)
		of[name] = append(of[name], p)
	}
	servers := make([]*Server, 0, len(of))
	for name, pages := range of {
		slices.SortFunc(pages, func(p, q *Page) int {
			return cmp.Or(cmp.Compare(p.Versions[0].T, q.Versions[0].T), cmp.Compare(p.URL, q.URL))
		})
		servers = append(servers, NewServer(name, pages[0].Versions[0].T, pages))
	}
	slices.SortFunc(servers, func(a, b *Server) int { return cmp.Compare(a.Name, b.Name) })
	return servers
}
