package sitegraph

import (
	"fmt"
	"testing"
)

// Cliques whose pages all link to a menu remain apart: the menu does not merge them.
func TestPartitionCommunity(t *testing.T) {
	const cliques, size, menu = 4, 12, 5
	var paths, menuPaths []string
	links := map[string][]string{}
	for m := range menu {
		menuPaths = append(menuPaths, fmt.Sprintf("/menu%d", m))
	}
	links["/"] = append(links["/"], menuPaths...)
	// The address says nothing about the clique.
	page := func(c, i int) string { return fmt.Sprintf("/%d", i*cliques+c) }
	for c := range cliques {
		for i := range size {
			paths = append(paths, page(c, i))
			links[page(c, i)] = append([]string{"/"}, menuPaths...)
			for j := range size {
				links[page(c, i)] = append(links[page(c, i)], page(c, j))
			}
		}
		links["/"] = append(links["/"], page(c, 0))
	}
	for _, m := range menuPaths {
		links[m] = append([]string{"/"}, menuPaths...)
	}
	g := linkedServer(append(append(paths, "/"), menuPaths...), links, nil)
	p := g.PartitionCommunity(0, nil)
	checkPartition(t, g, p, nil)
	if len(p.Sites) > cliques+1 {
		t.Errorf("sites %q", sizes(g, p))
	}
	for c := range cliques {
		site := siteOf(t, g, p, page(c, 0))
		for i := range size {
			if got := siteOf(t, g, p, page(c, i)); got != site {
				t.Errorf("%s and %s are in two sites", page(c, 0), page(c, i))
			}
		}
		for other := range c {
			if siteOf(t, g, p, page(other, 0)) == site {
				t.Errorf("cliques %d and %d are in one site", other, c)
			}
		}
	}
}

func siteOf(t *testing.T, g *Graph, p Partition, path string) int {
	t.Helper()
	page, ok := g.Lookup(fixtureServer + path)
	for i, s := range p.Sites {
		for _, pages := range [][]PageID{s.Tops, s.Members} {
			for _, q := range pages {
				if ok && q == page {
					return i
				}
			}
		}
	}
	t.Fatalf("%s is in no site", path)
	return -1
}

// In a ring of cliques, each clique is a community. Two more pages, too few for a community, join
// one.
func TestPartitionCommunityAbsorbs(t *testing.T) {
	var paths []string
	links := map[string][]string{}
	for c := range 5 {
		for i := range 10 {
			path := fmt.Sprintf("/%d/%d", c, i)
			paths = append(paths, path)
			for j := range 10 {
				links[path] = append(links[path], fmt.Sprintf("/%d/%d", c, j))
			}
		}
		links[fmt.Sprintf("/%d/9", c)] = append(links[fmt.Sprintf("/%d/9", c)], fmt.Sprintf("/%d/0",
			(c+1)%5))
	}
	links["/"] = []string{"/0/0"}
	links["/3/5"] = append(links["/3/5"], "/pair/a")
	links["/pair/a"], links["/pair/b"] = []string{"/pair/b"}, []string{"/pair/a"}
	g := linkedServer(append(paths, "/", "/pair/a", "/pair/b"), links, nil)
	wantSites(t, g, "community", "/: 11", "/1/0: 10", "/2/0: 10", "/3/0: 12", "/4/0: 10")
}

// Pages whose only links are from pages that do not count join the site of the start page.
func TestPartitionCommunityApart(t *testing.T) {
	links := map[string][]string{"/": {"/gone", "/a", "/b"}, "/a": {"/b"}, "/b": {"/a"},
		"/gone": {"/x", "/y"}}
	g := linkedServer([]string{"/", "/a", "/b", "/gone", "/x", "/y"}, links, nil)
	counts := func(p PageID) bool { return g.URL(p) != fixtureServer+"/gone" }
	p := g.PartitionCommunity(0, counts)
	checkPartition(t, g, p, counts)
	if siteOf(t, g, p, "/x") != siteOf(t, g, p, "/") ||
		siteOf(t, g, p, "/y") != siteOf(t, g, p, "/") {
		t.Errorf("sites %q", sizes(g, p))
	}
	for _, lone := range []string{"/x", "/"} { // alone, then without a start page
		counts := func(p PageID) bool {
			return g.URL(p) == fixtureServer+lone || g.URL(p) == fixtureServer+"/y"
		}
		p := g.PartitionCommunity(0, counts)
		checkPartition(t, g, p, counts)
		if len(p.Sites) != 1 {
			t.Errorf("sites %q", sizes(g, p))
		}
	}
}
