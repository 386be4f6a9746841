package sitegraph

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// byAddressMethods are the methods that number pages by address.
var byAddressMethods = []string{"server", "prefix", "shape", "community"}

// linkedServer makes the graph of a server that starts at "/". Links are by path; "" means none.
func linkedServer(paths []string, links map[string][]string, rng *rand.Rand) *Graph {
	paths = slices.Clone(paths)
	if rng != nil {
		rng.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	}
	g := NewGraph()
	for _, path := range paths {
		var to []string
		for _, link := range links[path] {
			to = append(to, fixtureServer+link)
		}
		if rng != nil {
			rng.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
		}
		g.SetLinks(g.Add(fixtureServer+path), to, nil)
	}
	g.AddStart(fixtureServer + "/")
	g.Refresh()
	return g
}

// flatServer returns a server with a start page that links to all its pages.
func flatServer(paths []string) *Graph {
	return linkedServer(append([]string{"/"}, paths...), map[string][]string{"/": paths}, nil)
}

// numbered repeats a path with the numbers 1 to n for %d.
func numbered(format string, n int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf(format, i+1))
	}
	return paths
}

// sizes describes each site as "top: pages", by the path of its first top.
func sizes(g *Graph, p Partition) []string {
	var all []string
	for _, s := range p.Sites {
		all = append(all, fmt.Sprintf("%s: %d", strings.TrimPrefix(g.URL(s.Tops[0]), fixtureServer),
			len(s.Tops)+len(s.Members)))
	}
	slices.Sort(all)
	return all
}

func wantSites(t *testing.T, g *Graph, method string, want ...string) {
	t.Helper()
	p, _ := g.Partition(method, 0, nil)
	checkPartition(t, g, p, nil)
	slices.Sort(want)
	if got := sizes(g, p); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", method, got, want)
	}
}

// checkPartition checks what every method by address promises.
func checkPartition(t *testing.T, g *Graph, p Partition, counts func(PageID) bool) {
	t.Helper()
	times := map[PageID]int{}
	for i, s := range p.Sites {
		if !slices.IsSorted(s.Tops) || !slices.IsSorted(s.Members) || len(s.Tops) == 0 {
			t.Errorf("%s: site %v", p.Method, s)
		}
		if i > 0 && cmp.Or(cmp.Compare(g.Depth(p.Sites[i-1].Tops[0]), g.Depth(s.Tops[0])),
			cmp.Compare(p.Sites[i-1].Tops[0], s.Tops[0])) >= 0 {
			t.Errorf("%s: site %d is out of order", p.Method, i)
		}
		start := g.Depth(s.Tops[0]) == 1
		if !start && len(s.Tops) > 1 {
			t.Errorf("%s: tops %v", p.Method, s.Tops)
		}
		for _, top := range s.Tops {
			times[top]++
			if (g.Depth(top) == 1) != start {
				t.Errorf("%s: tops of depths %d and %d", p.Method, g.Depth(s.Tops[0]), g.Depth(top))
			}
		}
		for _, m := range s.Members {
			times[m]++
			if g.Depth(m) < g.Depth(s.Tops[0]) || g.Depth(m) == 1 {
				t.Errorf("%s: member %s of depth %d below a top of depth %d",
					p.Method, g.URL(m), g.Depth(m), g.Depth(s.Tops[0]))
			}
		}
	}
	for _, page := range g.ServerPages(p.Server) {
		want := 0
		if g.Depth(page) > 0 && (counts == nil || counts(page)) {
			want = 1
		}
		if times[page] != want {
			t.Errorf("%s: %s is in %d sites, want %d", p.Method, g.URL(page), times[page], want)
		}
		delete(times, page)
	}
	if len(times) > 0 || len(p.Orphans) > 0 {
		t.Errorf("%s: strangers %v, orphans %v", p.Method, times, p.Orphans)
	}
}

// described describes a partition by addresses, in an order independent of the graph's.
func described(g *Graph, p Partition) []string {
	addresses := func(pages []PageID) []string {
		var all []string
		for _, page := range pages {
			all = append(all, g.URL(page))
		}
		slices.Sort(all)
		return all
	}
	var all []string
	for _, s := range p.Sites {
		all = append(all, fmt.Sprint(addresses(s.Tops), addresses(s.Members)))
	}
	slices.Sort(all)
	return all
}

// On random servers with all kinds of addresses, each page that counts is in one site. The sites do
// not depend on the order of pages and links.
func TestPartitionsAtRandom(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 3))
		paths := []string{"/"}
		for range 1 + rng.IntN(120) {
			paths = append(paths, randomPath(rng))
		}
		slices.Sort(paths)
		paths = slices.Compact(paths)
		links := map[string][]string{}
		for i, path := range paths {
			for range rng.IntN(6) {
				near := min(len(paths)-1, i+rng.IntN(9)) // sometimes far
				links[path] = append(links[path],
					paths[[]int{near, rng.IntN(len(paths))}[rng.IntN(2)]])
			}
		}
		var counts func(g *Graph) func(PageID) bool
		if seed%3 == 0 {
			counts = func(g *Graph) func(PageID) bool {
				return func(p PageID) bool { return len(g.URL(p))%4 > 0 }
			}
		}
		var first map[string][]string
		for shuffle := range uint64(4) {
			g := linkedServer(paths, links, rand.New(rand.NewPCG(seed, shuffle)))
			var counted func(PageID) bool
			if counts != nil {
				counted = counts(g)
			}
			sites := map[string][]string{}
			for _, method := range byAddressMethods {
				p, ok := g.Partition(method, 0, counted)
				if !ok || p.Method != method {
					t.Fatalf("method %q: %v", p.Method, ok)
				}
				checkPartition(t, g, p, counted)
				sites[method] = described(g, p)
			}
			if first == nil {
				first = sites
			} else if !reflect.DeepEqual(first, sites) {
				t.Errorf("seed %d: sites depend on the order:\n%v\n%v", seed, first, sites)
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

func randomPath(rng *rand.Rand) string {
	path := "/"
	for range rng.IntN(4) {
		path += []string{"a", "b", "docs", "2024", "x" + fmt.Sprint(rng.IntN(40))}[rng.IntN(5)] +
			"/"
	}
	return path + []string{"", "index.html", fmt.Sprintf("p%d.html", rng.IntN(99)), "page",
		"view?id=1", "view?id=2&x=/a/b/"}[rng.IntN(6)]
}

func TestPartitionByName(t *testing.T) {
	g := fixtures[1].build(nil)
	for _, method := range PartitionMethods() {
		if p, ok := g.Partition(method, 0, nil); !ok || p.Method != method || len(p.Sites) == 0 {
			t.Errorf("method %s: %v, %+v", method, ok, p)
		}
	}
	for _, method := range []string{"", "A", "c-then-b"} {
		if p, ok := g.Partition(method, 0, nil); ok || len(p.Sites) > 0 {
			t.Errorf("method %q: %+v", method, p)
		}
	}
	c, _ := g.Partition("c-closure", 0, nil)
	b := g.PartitionB(0, nil, true)
	if !reflect.DeepEqual(c.Sites, b.Sites) {
		t.Errorf("sites of c-closure %v, of b-closure %v", c.Sites, b.Sites)
	}
}

// The graphs of [LINK] figures 3 and 4 have nine pages: a site should have three.
func TestPartitionFixtures(t *testing.T) {
	for _, c := range []struct {
		name string
		want map[string][]string
	}{
		{"FX3", map[string][]string{"server": {"A; B C D E"}, "prefix": {"A; B C D E"},
			"shape": {"A; E", "B; C D"}, "community": {"A; B C D E"}}},
		{"FX4a", map[string][]string{"server": {"R; A B C D E F G H"},
			"prefix": {"A; B C", "D; E F", "R; G H"},
			"shape":  {"A; B C", "D; E F", "R; G H"}, "community": {"A; B C G H", "R; D E F"}}},
		{"FX4b: a tie, two tops", map[string][]string{"prefix": {"A; B C D E F", "R; G H"},
			"shape": {"A; B C D E F", "R; G H"}}},
		{"FX4c: home links", map[string][]string{"prefix": {"A; B C", "D; E F", "R; G H"},
			"shape": {"A; B C", "D; E F", "R; G H"}}},
		{"frames of the start page",
			map[string][]string{"server": {"I M N R; A B"}, "prefix": {"I N; B", "M R; A"}}},
	} {
		f := fixtures[slices.IndexFunc(fixtures, func(f fixture) bool { return f.name == c.name })]
		for method, want := range c.want {
			for seed := range uint64(10) {
				g := f.build(rand.New(rand.NewPCG(seed, 5)))
				p, _ := g.Partition(method, 0, nil)
				if got := f.describe(g, p); !slices.Equal(got, want) {
					t.Errorf("%s by %s: %q, want %q", c.name, method, got, want)
					break
				}
			}
		}
	}
}

func TestPartitionsOfOddServers(t *testing.T) {
	for _, method := range byAddressMethods {
		wantSites(t, flatServer(nil), method, "/: 1")
		circle := linkedServer([]string{"/", "/a/", "/b/"},
			map[string][]string{"/": {"/a/"}, "/a/": {"/b/"}, "/b/": {"/"}}, nil)
		wantSites(t, circle, method, "/: 3")
		none, _ := circle.Partition(method, 0, func(PageID) bool { return false })
		checkPartition(t, circle, none, func(PageID) bool { return false })
		deep := "/" + strings.Repeat("a/", 4000) + "x"
		wantSites(t, flatServer([]string{deep, deep + "y"}), method, "/: 3")
	}
	// The 100,000 links of one page bring no pages closer to each other.
	many := flatServer(numbered("/p/%d", 100_000))
	wantSites(t, many, "server", "/: 100001")
	wantSites(t, many, "prefix", "/p/1: 100000", "/: 1")
	wantSites(t, many, "shape", "/p/1: 100000", "/: 1")
	wantSites(t, many, "community", "/: 100001")
	queries := flatServer(numbered("/view?id=%d", 99))
	wantSites(t, queries, "prefix", "/: 100")
	wantSites(t, queries, "shape", "/view?id=1: 99", "/: 1")
	wantSites(t, queries, "community", "/: 100")
}

// Without start pages, a top is chosen by least depth, most in-links, shortest address, first
// address.
func TestSiteTops(t *testing.T) {
	links := map[string][]string{"/": {"/d/far/deep.html", "/d/b.html", "/d/aa.html", "/d/a.html"},
		"/d/a.html": {"/d/near"}}
	paths := []string{"/", "/d/far/deep.html", "/d/b.html", "/d/aa.html", "/d/a.html", "/d/near"}
	wantSites(t, linkedServer(paths, links, nil), "prefix", "/: 1", "/d/a.html: 5")
	links["/d/near"] = []string{"/d/b.html", "/d/near", "/d/aa.html", "/d/aa.html"}
	wantSites(t, linkedServer(paths, links, nil), "prefix", "/: 1", "/d/b.html: 5")
	links["/d/a.html"] = append(links["/d/a.html"], "/d/aa.html")
	wantSites(t, linkedServer(paths, links, nil), "prefix", "/: 1", "/d/aa.html: 5")
}

// The page numbers of a server are found among those of other servers.
func TestPlaces(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 4))
		var pages []PageID
		for p, gap := PageID(rng.IntN(1000)), 1+rng.IntN(1000)*rng.IntN(2); len(pages) < 1+
			rng.IntN(300); p += 1 + PageID(rng.IntN(gap)) {
			pages = append(pages, p)
		}
		places := newPlaces(pages)
		for i, p := range pages {
			if got := places.of(p); got != int32(i) {
				t.Fatalf("seed %d: page %d is at %d, want %d", seed, p, got, i)
			}
		}
		if len(places.first) > 2*len(pages)+1 {
			t.Errorf("seed %d: %d spans for %d pages", seed, len(places.first), len(pages))
		}
	}
}
