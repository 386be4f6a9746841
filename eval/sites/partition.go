package sites

import (
	"slices"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// pages returns the pages that count.
func (s *Source) pages() []sitegraph.PageID {
	var pages []sitegraph.PageID
	for _, p := range s.Graph.ServerPages(s.Server) {
		if s.Graph.Depth(p) > 0 && s.Counts(p) {
			pages = append(pages, p)
		}
	}
	return pages
}

// Result is a division as JSON has it.
type Result struct {
	Server  string   `json:"server"`
	Method  string   `json:"method"`
	InUse   string   `json:"in_use"` // method by which the policy divides it; "": not known
	Base    int      `json:"base"`
	Pages   int      `json:"pages"` // each once, orphans too
	Sites   []Site   `json:"sites"` // by their first top
	Orphans []string `json:"orphans"`
}

// Site is a part of a server whose pages change together.
type Site struct {
	Tops    []string `json:"tops"`
	Members []string `json:"members"` // without tops
	Upper   []int    `json:"upper"`   // indices into sites
}

// Division is a partition, as pages and as addresses, in the same order.
type Division struct {
	source    *Source
	partition sitegraph.Partition // sites as in result
	pages     []sitegraph.PageID
	Result    Result
}

// Divide partitions the pages of a server that count.
func Divide(s *Source, method string) *Division {
	g := s.Graph
	d := &Division{source: s, pages: s.pages()}
	// the settings were checked: it is known
	d.partition, _ = g.Partition(method, s.Server, s.Counts)
	d.byAddress()
	d.Result = Result{Server: g.ServerName(s.Server), Method: method, InUse: s.InUse,
		Base: s.Base, Pages: len(d.pages),
		Sites: []Site{}, Orphans: d.addresses(d.partition.Orphans)}
	uppers := g.Uppers(d.partition.Sites, s.Counts)
	for i, site := range d.partition.Sites {
		r := Site{Tops: d.addresses(site.Tops), Members: d.addresses(site.Members), Upper: []int{}}
		for _, u := range uppers[i] {
			r.Upper = append(r.Upper, int(u))
		}
		d.Result.Sites = append(d.Result.Sites, r)
	}
	return d
}

// byAddress sorts everything by address; the graph sorts by order of discovery.
func (d *Division) byAddress() {
	order := func(a, b sitegraph.PageID) int {
		return strings.Compare(d.source.Graph.URL(a), d.source.Graph.URL(b))
	}
	slices.SortFunc(d.pages, order)
	slices.SortFunc(d.partition.Orphans, order)
	for _, s := range d.partition.Sites {
		slices.SortFunc(s.Tops, order)
		slices.SortFunc(s.Members, order)
	}
	// No two sites share a first top: a page is top of one site at most.
	slices.SortFunc(d.partition.Sites, func(a, b sitegraph.Site) int {
		return order(a.Tops[0], b.Tops[0])
	})
}

func (d *Division) addresses(pages []sitegraph.PageID) []string {
	list := make([]string, 0, len(pages))
	for _, p := range pages {
		list = append(list, d.source.Graph.URL(p))
	}
	return list
}
