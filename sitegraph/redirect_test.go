package sitegraph

import (
	"fmt"
	"slices"
	"testing"
)

// In partitions and between sites, a link to a page that redirects counts as a link to its target.
// Here the start page links to /about, which redirects to /about/, which links to /about/us.
func TestRedirectsInPartitionB(t *testing.T) {
	g := NewGraph()
	start := g.AddStart("http://a.example/")
	g.SetLinks(start, []string{"http://a.example/about", "http://a.example/loop",
		"http://a.example/gone"}, nil)
	at := func(path string) PageID { return g.Add("http://a.example" + path) }
	g.SetLinks(at("/about"), []string{"http://a.example/about/"}, nil)
	g.SetLinks(at("/about/"), []string{"http://a.example/about/us"}, nil)
	g.SetLinks(at("/about/us"), []string{"http://a.example/home"}, nil) // a redirect back
	g.SetLinks(at("/home"), []string{"http://a.example/"}, nil)
	g.SetLinks(at("/loop"), []string{"http://a.example/pool"}, nil)
	g.SetLinks(at("/pool"), []string{"http://a.example/loop"}, nil)
	g.Refresh()
	hasCopy := func(p PageID) bool {
		return p == start || p == at("/about/") || p == at("/about/us")
	}

	for from, to := range map[string]string{"/about": "/about/", "/about/": "/about/", "/home": "/",
		"/gone": "/gone", "/": "/"} {
		if got := g.Through(at(from), hasCopy); got != at(to) {
			t.Errorf("through %s to %s, want %s", from, g.URL(got), to)
		}
	}
	if p := g.Through(at("/loop"), hasCopy); p != at("/loop") && p != at("/pool") {
		t.Errorf("through a loop to %s", g.URL(p))
	}
	if p := g.Through(at("/about"), nil); p != at("/about") {
		t.Errorf("where all pages have a copy, through to %s", g.URL(p))
	}
	for _, closure := range []bool{false, true} {
		p := g.PartitionB(0, hasCopy, closure)
		if len(p.Orphans) > 0 || len(p.Sites) != 2 ||
			!slices.Equal(p.Sites[1].Tops, []PageID{at("/about/")}) ||
			!slices.Equal(p.Sites[1].Members, []PageID{at("/about/us")}) {
			t.Errorf("closure %v: %+v", closure, p)
		}
		if uppers := fmt.Sprint(g.Uppers(p.Sites, hasCopy)); uppers != "[[1] [0]]" {
			t.Errorf("closure %v: uppers %s", closure, uppers)
		}
	}
}

// Through follows redirects in a row up to maxHops, and none beyond.
func TestRedirectChain(t *testing.T) {
	g := NewGraph()
	url := func(i int) string { return fmt.Sprintf("http://a.example/%d", i) }
	g.AddStart(url(0))
	for i := range 6 {
		g.SetLinks(g.Add(url(i)), []string{url(i + 1)}, nil)
	}
	g.Refresh()
	for _, copies := range []int{2, 5, 6} { // first page with a copy
		hasCopy := func(p PageID) bool { return int(p) >= copies }
		if got := g.Through(0, hasCopy); int(got) != min(copies, maxHops) {
			t.Errorf("of a chain of %d redirects to page %d", copies, got)
		}
	}
}

// Cliques whose pages link to each other through redirects are communities like those with direct
// links.
func TestRedirectsInCommunities(t *testing.T) {
	const cliques, size = 4, 12
	sites := func(slash string) int {
		g := NewGraph()
		url := func(c, i int) string { return fmt.Sprintf("http://a.example/%d", 100*c+i) }
		copies := map[PageID]bool{}
		start := g.AddStart("http://a.example/")
		copies[start] = true
		var entries []string
		for c := range cliques {
			entries = append(entries, url(c, 0)+slash)
			for i := range size {
				var links []string
				for j := range size {
					if j != i {
						links = append(links, url(c, j)+slash)
					}
				}
				p := g.Add(url(c, i))
				copies[p] = true
				g.SetLinks(p, links, nil)
				if slash != "" {
					g.SetLinks(g.Add(url(c, i)+slash), []string{url(c, i)}, nil)
				}
			}
		}
		g.SetLinks(start, entries, nil)
		g.Refresh()
		return len(g.PartitionCommunity(0, func(p PageID) bool { return copies[p] }).Sites)
	}
	if direct, through := sites(""), sites("/"); direct != through || direct < cliques {
		t.Errorf(
			"%d communities by links, %d by links through redirects; want the same, %d or more",
			direct, through, cliques)
	}
}
