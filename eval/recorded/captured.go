package recorded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/fetch/archive/captures"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// CapturedHistories is the result of WriteCaptured.
type CapturedHistories struct {
	Files    []*captures.File `json:"files"`
	Servers  int              `json:"servers"`
	Pages    int              `json:"pages"`
	Versions int              `json:"versions"`
	// Unlinked lists the servers without bodies, whose top pages link to all their pages.
	Unlinked []string `json:"unlinked"`
	Made     []string `json:"made"` // paths
}

// ErrNoCaptures is returned for captures without the content of any page.
var ErrNoCaptures = words.Hint(errors.New("no capture has the content of a page: lists, sitemaps and logs name "+
	"addresses alone"),
	"histories are made of CDXJ, CDX, WARC and WACZ files and of dumps of Nutch", words.ExitMisuse)

// WriteCaptured writes the histories of all captures in the sorter into a directory, a file for
// each server, so that policies can be judged on any archive. It makes the directory if necessary.
// An existing file is an error that wraps fs.ErrExist. The result describes the files of the
// captures.
//
// # Guarantees
//
//  1. A version begins at the first capture with its content, because the time of the change before
//     it is unknown. A capture of 404 or 410 ends a page, and so does one of 3xx.
//  2. All versions of a page have digests of one kind. If all captures have bodies, they are those
//     of the bodies, with text and main text. Else they are those of the captures, of bytes.
//  3. Links are those of the bodies. For a server without bodies the top page, invented if
//     necessary, gets a link to each page, and the result says so: depth means nothing there.
//  4. Memory is that of the Sorter and of the captures of one server.
func WriteCaptured(ctx context.Context, sorter *captures.Sorter, dir string,
	files []*captures.File) (
	*CapturedHistories, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("directory of the histories: %w", err)
	}
	w := &writer{dir: dir, result: &CapturedHistories{Files: files, Unlinked: []string{},
		Made: []string{}}}
	err := sorter.Each(ctx, func(g *captures.Group) error {
		if server := sitegraph.ServerName(g.URL); server != w.server {
			if err := w.end(); err != nil {
				return err
			}
			w.server, w.of, w.linked = server, history.NewBuilder(), false
		}
		w.page(g)
		return nil
	})
	if err == nil {
		err = w.end()
	}
	if err == nil && w.result.Servers == 0 {
		err = ErrNoCaptures
	}
	return w.result, err
}

type writer struct {
	dir    string
	server string
	of     *history.Builder // of the current server
	linked bool             // some page has links
	result *CapturedHistories
}

// page adds the versions of a page.
func (w *writer) page(g *captures.Group) {
	all := captures.Resolve(g.Captures)
	bodies := !slices.ContainsFunc(all, func(c captures.Capture) bool {
		return c.Kind == captures.KindFetched && c.Digests.Bytes.IsZero()
	})
	for i := range all {
		c := &all[i]
		v := history.Version{T: int64(c.Time)}
		switch c.Kind {
		case captures.KindFetched:
			if v.Digests = c.Digests; !bodies {
				v.Digests = sitegraph.Digests{Bytes: c.Payload}
			}
			if v.Digests.Bytes.IsZero() {
				continue
			}
			v.Size, v.Links, v.Frames, v.LinksKnown, v.FramesKnown = c.Size, c.Links, c.Frames,
				c.LinksKnown, c.LinksKnown
			w.linked = w.linked || c.LinksKnown
		case captures.KindMoved:
			v.Redirect = c.To
			v.Gone = c.To == ""
		case captures.KindGone:
			v.Gone = true
		default:
			continue
		}
		w.of.See(g.URL, v)
	}
}

// end writes the completed server.
func (w *writer) end() error {
	if w.of == nil {
		return nil
	}
	servers := w.of.Servers()
	w.of = nil
	if len(servers) == 0 {
		return nil
	}
	s := servers[0]
	if !w.linked {
		s = withTop(s)
		w.result.Unlinked = append(w.result.Unlinked, s.Name)
	}
	file, err := history.Save(w.dir, s)
	if err != nil {
		return err
	}
	w.result.Made = append(w.result.Made, file)
	w.result.Servers++
	w.result.Pages += len(s.Pages)
	w.result.Versions += s.Versions()
	return nil
}

// withTop returns a server whose top page links to all its pages, from the start on.
func withTop(s *history.Server) *history.Server {
	url := sitegraph.Root(s.Pages[0].URL)
	var links []string
	for _, p := range s.Pages {
		if p.URL != url {
			links = append(links, p.URL)
		}
	}
	top := s.Page(url)
	pages := s.Pages
	if top == nil {
		top = &history.Page{URL: url}
		pages = append([]*history.Page{top}, pages...)
		top.Versions = []history.Version{{T: s.T0,
			Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte("all pages"))}}}
	}
	for i := range top.Versions {
		if v := &top.Versions[i]; v.Alive() {
			v.Links, v.LinksKnown = links, true
		}
	}
	return history.NewServer(s.Name, s.T0, pages)
}
