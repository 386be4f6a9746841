package history

import (
	"sort"

	"github.com/recrawl/recrawl/sitegraph"
)

// Version is the state of a page from T until the T of its next version. Digests, links and frames
// are complete: omitted ones are copied from the line before. Versions may share slices; do not
// change them.
type Version struct {
	T    int64 // unix seconds
	Gone bool  // no page from T on; no other field is set

	// Redirect is the canonical target of a redirect from T on, or "". As with Gone there is no
	// page then. Only webs that know redirects set it.
	Redirect string

	Digests sitegraph.Digests // Bytes is always set, the others may be zero
	Size    int64             // bytes; 0: not known

	// Links are absolute URLs, with the frames; nil for none. The Known fields distinguish none
	// from unknown.
	Links, Frames           []string
	LinksKnown, FramesKnown bool
}

// Alive reports whether there is a page: neither gone nor redirected.
func (v *Version) Alive() bool { return v != nil && !v.Gone && v.Redirect == "" }

// Page is one URL with its versions over time.
type Page struct {
	URL      string
	Versions []Version // in order of time; of those with equal T the last counts
}

// At returns the version at time t (unix seconds), or nil before the first. It also returns a
// version that is gone or redirected. It takes O(log versions).
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
	T0    int64   // unix seconds of the first line: start of the window
	Pages []*Page // in order of their first lines

	index map[string]*Page
}

// Versions returns the number of versions of all pages.
func (s *Server) Versions() (n int) {
	for _, p := range s.Pages {
		n += len(p.Versions)
	}
	return n
}

// NewServer returns a server with these pages, which must have unique URLs and be in order of their
// first versions.
func NewServer(name string, t0 int64, pages []*Page) *Server {
	s := &Server{Name: name, T0: t0, Pages: pages, index: make(map[string]*Page, len(pages))}
	for _, p := range pages {
		s.index[p.URL] = p
	}
	return s
}

// Week returns the time a number of weeks after the start of the window, in unix seconds.
func (s *Server) Week(weeks int) int64 { return s.T0 + int64(weeks)*7*24*60*60 }

// Page returns the page with this URL, or nil.
func (s *Server) Page(url string) *Page { return s.index[url] }
