package history

import (
	"cmp"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// Builder makes histories from visits. The visits to a page come in order of time, different pages
// in any order.
type Builder struct {
	pages map[string]*Page
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder { return &Builder{pages: map[string]*Page{}} }

// See adds the version that a visit saw, unless it is the last one. A change gets the time of the
// visit that saw it, because its own time is unknown.
func (b *Builder) See(url string, v Version) {
	p := b.pages[url]
	if p == nil {
		if !v.Alive() {
			return // a URL that was never a page
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

// Link sets the known links of a page in all its versions.
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
