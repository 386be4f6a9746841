package main

import (
	"slices"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// partitionResult is what --json prints.
type partitionResult struct {
	Server  string       `json:"server"`
	Method  string       `json:"method"`
	Base    int          `json:"base"`
	Pages   int          `json:"pages"` // each once, orphans too
	Sites   []siteResult `json:"sites"` // by their first top
	Orphans []string     `json:"orphans"`
}

type siteResult struct {
	Tops    []string `json:"tops"`
	Members []string `json:"members"` // without tops
	Upper   []int    `json:"upper"`   // indices into sites
}

// division is a partition, as pages and as addresses, in the same order.
type division struct {
	source    *siteSource
	partition sitegraph.Partition // sites as in result
	pages     []sitegraph.PageID
	result    partitionResult
}

// divide partitions the pages of a server that count.
func divide(s *siteSource, method string) *division {
	g := s.graph
	d := &division{source: s, pages: s.pages()}
	d.partition, _ = g.Partition(method, s.server, s.counts) // the settings were checked: it is known
	d.byAddress()
	d.result = partitionResult{Server: g.ServerName(s.server), Method: method, Base: s.base, Pages: len(d.pages),
		Sites: []siteResult{}, Orphans: d.addresses(d.partition.Orphans)}
	uppers := g.Uppers(d.partition.Sites, s.counts)
	for i, site := range d.partition.Sites {
		r := siteResult{Tops: d.addresses(site.Tops), Members: d.addresses(site.Members), Upper: []int{}}
		for _, u := range uppers[i] {
			r.Upper = append(r.Upper, int(u))
		}
		d.result.Sites = append(d.result.Sites, r)
	}
	return d
}

// byAddress sorts everything by address; the graph sorts by order of discovery.
func (d *division) byAddress() {
	order := func(a, b sitegraph.PageID) int { return strings.Compare(d.source.graph.URL(a), d.source.graph.URL(b)) }
	slices.SortFunc(d.pages, order)
	slices.SortFunc(d.partition.Orphans, order)
	for _, s := range d.partition.Sites {
		slices.SortFunc(s.Tops, order)
		slices.SortFunc(s.Members, order)
	}
	// No two sites share a first top: a page is top of one site at most.
	slices.SortFunc(d.partition.Sites, func(a, b sitegraph.Site) int { return order(a.Tops[0], b.Tops[0]) })
}

func (d *division) addresses(pages []sitegraph.PageID) []string {
	list := make([]string, 0, len(pages))
	for _, p := range pages {
		list = append(list, d.source.graph.URL(p))
	}
	return list
}
