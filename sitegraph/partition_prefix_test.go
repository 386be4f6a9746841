package sitegraph

import (
	"slices"
	"strings"
	"testing"
)

func TestPartitionPrefix(t *testing.T) {
	// 100 pages: a site should have 10.
	blog := numbered("/post/a-title-%d/", 60) // one directory each
	blog = append(blog, numbered("/2023/05/%d.html", 4)...)
	blog = append(blog, numbered("/2023/06/%d.html", 7)...)
	blog = append(blog, numbered("/2024/05/%d.html", 8)...)
	blog = append(blog, numbered("/about/%d.html", 3)...)
	blog = append(blog, numbered("/page-%d.html", 17)...)
	wantSites(t, flatServer(blog), "prefix", "/: 29", "/post/a-title-1/: 60", "/2023/05/1.html: 11")

	// 400 pages: a site should have 20. Without its sections, /docs/ has too few pages for a site.
	docs := append(numbered("/docs/api/v1/%d", 200), numbered("/docs/api/v2/%d", 100)...)
	docs = append(docs, numbered("/docs/api/v3/%d", 19)...)
	docs = append(docs, numbered("/docs/api/%d", 5)...)
	docs = append(docs, numbered("/docs/guide/a/b/c/d/e/%d", 25)...)
	docs = append(docs, numbered("/docs/guide/a/b/c/d/f/%d", 25)...)
	docs = append(docs, numbered("/docs/guide/%d", 8)...)
	docs = append(docs, numbered("/docs/%d", 9)...)
	docs = append(docs, numbered("/docsets?x=/docs/api/v1/%d", 8)...)
	wantSites(t, flatServer(docs), "prefix",
		"/docs/api/v1/1: 200", "/docs/api/v2/1: 100", "/docs/api/1: 24",
		"/docs/guide/a/b/c/d/e/1: 25", "/docs/guide/a/b/c/d/f/1: 25", "/: 26")
}

// http and https share one tree.
func TestPartitionPrefixSchemes(t *testing.T) {
	paths := numbered("/a/%d", 2)
	g := flatServer(append(paths, numbered("/b/%d", 2)...))
	secure := strings.Replace(fixtureServer, "http", "https", 1)
	start, _ := g.Lookup(fixtureServer + "/")
	links := []string{secure + "/a/1", secure + "/a/3", secure + "/b/9"}
	for _, p := range g.Links(start) {
		links = append(links, g.URL(p))
	}
	g.SetLinks(start, links, nil)
	g.Refresh()
	got := sizes(g, g.PartitionPrefix(0, nil))
	if want := []string{"/: 1", "/a/1: 4", "/b/1: 3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEnough(t *testing.T) {
	for pages, want := range map[int]int{0: 3, 1: 3, 9: 3, 10: 4, 100: 10, 101: 11,
		1_000_000: 1000} {
		if got := enough(pages); got != want {
			t.Errorf("enough of %d is %d, want %d", pages, got, want)
		}
	}
}
