package history

import (
	"sort"

	"github.com/recrawl/recrawl/sitegraph"
)

// Version is the state of a page from T until the T of the page's next version. Digests,
// links and frames are complete: what a line left out as unchanged is carried forward.
// Slices may be shared between versions; do not change them.
type Version struct {
	T    int64 // unix seconds
	Gone bool  // no page from T on; nothing else is set

	// Redirect is the canonical address that the page's address answers with from T on;
	// "" if it does not redirect. As with Gone there is no page then. Only webs that know
	// redirects have it.
	Redirect string

	Digests sitegraph.Digests // Bytes is always known, the others may be zero
	Size    int64             // bytes; 0 if not known

	// Links are absolute addresses, frames among them; nil where there are none. The Known
	// fields tell "none" from "not known".
	Links, Frames           []string
	LinksKnown, FramesKnown bool
}

// Alive reports whether there is a page: neither gone nor redirected.
func (v *Version) Alive() bool { return v != nil && !v.Gone && v.Redirect == "" }

// Page is one address and what it held over time.
type Page struct {
	URL      string
	Versions []Version // in time order; of those with one T the last holds
}

// At returns the version that holds at t (unix seconds), nil before the first. A version
// that is gone or redirected is returned as such. Cost: O(log versions).
func (p *Page) At(t int64) *Version {
	i := sort.Search(len(p.Versions), func(i int) bool { return p.Versions[i].T > t })
	if i == 0 {
		return nil
	}
	return &p.Versions[i-1]
}

// Server is the history of one server.
type Server struct {
	Name  string  // host[:port]
	T0    int64   // unix seconds of the first line: when the window starts
	Pages []*Page // in order of their first line

	index map[string]*Page
}

// Versions is the number of versions of all pages.
func (s *Server) Versions() (n int) {
	for _, p := range s.Pages {
		n += len(p.Versions)
	}
	return n
}

// NewServer returns a server with these pages, which must be in order of their first
// version and have one address each.
func NewServer(name string, t0 int64, pages []*Page) *Server {
	s := &Server{Name: name, T0: t0, Pages: pages, index: make(map[string]*Page, len(pages))}
	for _, p := range pages {
		s.index[p.URL] = p
	}
	return s
}

// Week is the moment so many weeks after the start of the window, in unix seconds.
func (s *Server) Week(weeks int) int64 { return s.T0 + int64(weeks)*7*24*60*60 }

// Page returns the page with this address, nil if there is none.
func (s *Server) Page(url string) *Page { return s.index[url] }
