package eval

import (
	"slices"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// pages returns the pages that count.
func (s *DividedServer) pages() []sitegraph.PageID {
	var pages []sitegraph.PageID
	for _, p := range s.Graph.ServerPages(s.Server) {
		if s.Graph.Depth(p) > 0 && s.Counts(p) {
			pages = append(pages, p)
		}
	}
	return pages
}

// DivisionSummary is a division in the form for JSON.
type DivisionSummary struct {
	Server  string   `json:"server"`
	Method  string   `json:"method"`
	InUse   string   `json:"in_use"` // method by which the policy divides it; "": not known
	Base    int      `json:"base"`
	Pages   int      `json:"pages"` // each once, with orphans
	Sites   []Site   `json:"sites"` // by their first tops
	Orphans []string `json:"orphans"`
}

// Site is a part of a server whose pages change together.
type Site struct {
	Tops    []string `json:"tops"`
	Members []string `json:"members"` // without tops
	Upper   []int    `json:"upper"`   // indices into sites
}

// Division is a partition, by pages and by URLs, in the same order.
type Division struct {
	Source    *DividedServer
	Partition sitegraph.Partition // its sites are in the order of the summary
	Result    DivisionSummary
	pages     []sitegraph.PageID
}

// Divide partitions the pages of a server that count.
func Divide(s *DividedServer, method string) *Division {
	g := s.Graph
	d := &Division{Source: s, pages: s.pages()}
	// the settings were checked, so the method is known
	d.Partition, _ = g.Partition(method, s.Server, s.Counts)
	d.byAddress()
	d.Result = DivisionSummary{Server: g.ServerName(s.Server), Method: method, InUse: s.InUse,
		Base: s.Base, Pages: len(d.pages),
		Sites: []Site{}, Orphans: d.addresses(d.Partition.Orphans)}
	uppers := g.Uppers(d.Partition.Sites, s.Counts)
	for i, site := range d.Partition.Sites {
		r := Site{Tops: d.addresses(site.Tops), Members: d.addresses(site.Members), Upper: []int{}}
		for _, u := range uppers[i] {
			r.Upper = append(r.Upper, int(u))
		}
		d.Result.Sites = append(d.Result.Sites, r)
	}
	return d
}

// byAddress sorts everything by URL; the graph sorts by discovery.
func (d *Division) byAddress() {
	order := func(a, b sitegraph.PageID) int {
		return strings.Compare(d.Source.Graph.URL(a), d.Source.Graph.URL(b))
	}
	slices.SortFunc(d.pages, order)
	slices.SortFunc(d.Partition.Orphans, order)
	for _, s := range d.Partition.Sites {
		slices.SortFunc(s.Tops, order)
		slices.SortFunc(s.Members, order)
	}
	// No two sites share a first top: a page is top of at most one site.
	slices.SortFunc(d.Partition.Sites, func(a, b sitegraph.Site) int {
		return order(a.Tops[0], b.Tops[0])
	})
}

func (d *Division) addresses(pages []sitegraph.PageID) []string {
	list := make([]string, 0, len(pages))
	for _, p := range pages {
		list = append(list, d.Source.Graph.URL(p))
	}
	return list
}
