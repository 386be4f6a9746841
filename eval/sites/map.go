package sites

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/sitegraph"
)

// Map is the partition as a map.
func (d *Division) Map() report.Map {
	g := d.source.Graph
	m := report.Map{Title: fmt.Sprintf("%s: %s", d.Result.Server, d.summary()), Notes: d.notes()}
	index := make(map[sitegraph.PageID]int, len(d.pages))
	for i, p := range d.pages {
		index[p] = i
		m.Pages = append(m.Pages,
			report.MapPage{Name: d.path(p), Title: g.URL(p), Depth: g.Depth(p)})
	}
	indices := func(pages []sitegraph.PageID) []int {
		list := make([]int, 0, len(pages))
		for _, p := range pages {
			list = append(list, index[p])
		}
		return list
	}
	for i, s := range d.partition.Sites {
		m.Sites = append(m.Sites, report.MapSite{Tops: indices(s.Tops), Members: indices(s.Members),
			Upper: d.Result.Sites[i].Upper})
	}
	return m
}

// path is a page's address for a reader: without scheme and server, which are the same for
// all pages of a server but for a few that mix http and https, and with letters for the
// octets that stand for them.
func (d *Division) path(p sitegraph.PageID) string {
	address := d.source.Graph.URL(p)
	if _, rest, ok := strings.Cut(address, "://"+d.Result.Server); ok {
		address = rest
	}
	return readable(address)
}

// escapes is a run of octets that are no ASCII.
var escapes = regexp.MustCompile(`(?:%[89A-Fa-f][0-9A-Fa-f])+`)

// readable undoes percent-escapes of letters beyond ASCII; whatever could mislead a reader
// or steer a terminal stays escaped.
func readable(address string) string {
	return escapes.ReplaceAllStringFunc(address, func(run string) string {
		plain, err := url.PathUnescape(run)
		odd := func(r rune) bool {
			return r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P)
		}
		if err != nil || strings.ContainsFunc(plain, odd) {
			return run
		}
		return plain
	})
}
