package sitegraph

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// fixture is a small server. Its pages are letters, its links "A>B" and its frames "A|B".
type fixture struct {
	name   string
	urls   map[string]string // letter -> path
	start  string
	edges  string
	depths map[string]int
	methA  []string // sites of method A, as "tops; members", sorted
}

// fixtures are the graphs of [LINK] figures 3 and 4. Names and results are the paper's; addresses
// and concrete edges are ours.
var (
	fx4Edges  = "R>A R>D A>B A>C C>G D>E E>F G>H H>F"
	fx4Depths = map[string]int{"R": 1, "A": 2, "D": 2, "B": 3, "C": 3, "E": 3, "G": 4, "F": 4,
		"H": 5}
	fixtures = []fixture{{
		name: "FX3", start: "A", edges: "A>B A>C B>D C>E",
		urls:   map[string]string{"A": "/index.html", "B": "/b", "C": "/c", "D": "/d", "E": "/e/e"},
		depths: map[string]int{"A": 1, "B": 2, "C": 2, "D": 3, "E": 3},
		methA:  []string{"A; B C D", "E; "},
	}, {
		name: "FX4a", start: "R", edges: fx4Edges, depths: fx4Depths,
		urls: map[string]string{"R": "/index.html", "A": "/a/a", "B": "/a/b", "C": "/a/c",
			"D": "/d/d", "E": "/d/e", "F": "/d/f", "G": "/g/g", "H": "/g/h"},
		methA: []string{"A; B C", "D; E F", "G; H", "R; "},
	}, {
		name: "FX4b: a tie, two tops", start: "R", edges: fx4Edges, depths: fx4Depths,
		urls: map[string]string{"R": "/index.html", "A": "/a/a", "B": "/a/b", "C": "/a/c",
			"D": "/a/d", "E": "/a/e", "F": "/a/f", "G": "/g/g", "H": "/g/h"},
		methA: []string{"A D; B C E F", "G; H", "R; "},
	}, {
		name: "FX4c: home links", start: "R", edges: fx4Edges + " G>R H>A", depths: fx4Depths,
		urls: map[string]string{"R": "/index.html", "A": "/a/a", "B": "/a/b", "C": "/a/c",
			"D": "/d/d", "E": "/d/e", "F": "/d/f", "G": "/g/g", "H": "/g/h"},
		methA: []string{"A; B C", "D; E F", "G; H", "R; "},
	}, {
		name: "frames of the start page", start: "R", edges: "R|M R|N N|I M>A N>B A>B",
		urls: map[string]string{"R": "/", "M": "/menu", "N": "/news/n", "I": "/news/inner",
			"A": "/a", "B": "/news/b", "X": "/news/x"},
		depths: map[string]int{"R": 1, "M": 1, "N": 1, "I": 1, "A": 2, "B": 2, "X": 0},
		methA:  []string{"I N; B", "M R; A"},
	}, {
		name: "frames of another page are links", start: "R", edges: "R>S S|M M>A",
		urls:   map[string]string{"R": "/", "S": "/s", "M": "/m", "A": "/a"},
		depths: map[string]int{"R": 1, "S": 2, "M": 3, "A": 4},
		methA:  []string{"R; A M S"},
	}}
)

const fixtureServer = "http://example.com"

// build makes the graph. If rng is not nil, build shuffles everything.
func (f fixture) build(rng *rand.Rand) *Graph {
	links, frames := map[string][]string{}, map[string][]string{}
	for _, e := range strings.Fields(f.edges) {
		from, to := e[:1], fixtureServer+f.urls[e[2:]]
		links[from] = append(links[from], to)
		if e[1] == '|' {
			frames[from] = append(frames[from], to)
		}
	}
	var letters []string
	for letter := range f.urls {
		letters = append(letters, letter)
	}
	slices.Sort(letters)
	if rng != nil {
		rng.Shuffle(len(letters), func(i, j int) {
			letters[i], letters[j] = letters[j], letters[i]
		})
		for _, l := range links {
			rng.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
		}
	}
	g := NewGraph()
	for _, letter := range letters {
		if letter == f.start {
			g.AddStart(fixtureServer + f.urls[letter])
		}
		g.SetLinks(g.Add(fixtureServer+f.urls[letter]), links[letter], frames[letter])
	}
	g.Refresh()
	return g
}

// describe names the pages of a partition by letter, in an order independent of the graph's.
func (f fixture) describe(g *Graph, p Partition) []string {
	letter := map[string]string{}
	for l, path := range f.urls {
		letter[fixtureServer+path] = l
	}
	names := func(pages []PageID) string {
		var all []string
		for _, p := range pages {
			all = append(all, letter[g.URL(p)])
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	var sites []string
	for _, s := range p.Sites {
		sites = append(sites, names(s.Tops)+"; "+names(s.Members))
	}
	slices.Sort(sites)
	return sites
}

// The fixtures give the results of [LINK 3.1, 3.2, 4.1] in any order of pages and links.
func TestFixtures(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			for seed := range uint64(30) {
				var rng *rand.Rand
				if seed > 0 {
					rng = rand.New(rand.NewPCG(seed, 0))
				}
				f.check(t, f.build(rng), seed)
			}
		})
	}
}

func (f fixture) check(t *testing.T, g *Graph, seed uint64) {
	t.Helper()
	for letter, want := range f.depths {
		p, ok := g.Lookup(fixtureServer + f.urls[letter])
		if !ok || g.Depth(p) != want {
			t.Errorf("seed %d: depth of %s is %d, want %d", seed, letter, g.Depth(p), want)
		}
	}
	part := g.PartitionA(0, nil)
	if got := f.describe(g, part); !reflect.DeepEqual(got, f.methA) {
		t.Errorf("seed %d: sites %q, want %q", seed, got, f.methA)
	}
	depth := 0
	for _, s := range part.Sites {
		if d := g.Depth(s.Tops[0]); d < depth {
			t.Errorf("seed %d: sites do not come by depth of their tops", seed)
		} else {
			depth = d
		}
		if !slices.IsSorted(s.Tops) || !slices.IsSorted(s.Members) {
			t.Errorf("seed %d: site %v is not sorted", seed, s)
		}
	}
	if len(part.Orphans) != 0 {
		t.Errorf("seed %d: method A leaves orphans %v", seed, part.Orphans)
	}
}

// Method A follows a chain of eleven links: depth 12 counts, and depth 13 does not [LINK 3.1].
func TestMaxDepth(t *testing.T) {
	g := NewGraph()
	url := func(depth int) string { return fmt.Sprintf("%s/%d/", fixtureServer, depth) }
	p := g.AddStart(url(1))
	for depth := 2; depth <= 14; depth++ {
		p = g.SetLinks(p, []string{url(depth)}, nil)[0]
	}
	g.Refresh()
	for depth := 1; depth <= 14; depth++ {
		want := depth
		if depth > MaxDepth {
			want = 0
		}
		p, _ := g.Lookup(url(depth))
		if g.Depth(p) != want {
			t.Errorf("page %d has depth %d, want %d", depth, g.Depth(p), want)
		}
	}
	if n := len(g.PartitionA(0, nil).Sites); n != MaxDepth {
		t.Errorf("%d sites, want %d", n, MaxDepth)
	}
	// A shortcut makes the pages below it count again.
	start, _ := g.Lookup(url(1))
	g.SetLinks(start, []string{url(2), url(13)}, nil)
	g.Refresh()
	last, _ := g.Lookup(url(14))
	if g.Depth(last) != 3 {
		t.Errorf("page 14 has depth %d behind a shortcut, want 3", g.Depth(last))
	}
}

// A page that does not count decides no tops. After a top vanished, the pages of the next depth
// take over.
func TestPartitionACountsOnly(t *testing.T) {
	f := fixtures[1]
	g := f.build(nil)
	gone, _ := g.Lookup(fixtureServer + f.urls["A"])
	got := f.describe(g, g.PartitionA(0, func(p PageID) bool { return p != gone }))
	if want := []string{"B C; ", "D; E F", "G; H", "R; "}; !reflect.DeepEqual(got, want) {
		t.Errorf("sites %q, want %q", got, want)
	}
}

// Only links inside one server count, and only those of the last snapshot [LINK 6.1].
func TestSetLinksReplaces(t *testing.T) {
	g := NewGraph()
	p := g.AddStart("http://example.com/")
	added := g.SetLinks(p, []string{"http://example.com/a", "http://other.example/",
		"http://example.com/", "http://example.com:8080/"}, nil)
	if len(added) != 1 || g.URL(added[0]) != "http://example.com/a" || g.Servers() != 1 {
		t.Fatalf("added %v of %d servers", added, g.Servers())
	}
	g.Refresh()
	version := g.Version(0)
	g.SetLinks(p, []string{"http://example.com/a"}, nil)
	if refreshed := g.Refresh(); len(refreshed) != 0 || g.Version(0) != version {
		t.Errorf("the same links again refreshed %v", refreshed)
	}
	g.SetLinks(p, []string{"http://example.com/b"}, nil)
	if refreshed := g.Refresh(); len(refreshed) != 1 || g.Depth(added[0]) != 0 {
		t.Errorf("refreshed %v; the page no longer linked has depth %d",
			refreshed, g.Depth(added[0]))
	}
}

func TestCloneIsApart(t *testing.T) {
	f := fixtures[1]
	g := f.build(nil)
	c := g.Clone()
	r, _ := c.Lookup(fixtureServer + f.urls["R"])
	c.SetLinks(r, []string{fixtureServer + f.urls["H"], fixtureServer + "/new"}, nil)
	c.AddStart(fixtureServer + f.urls["F"])
	c.Refresh()
	f.check(t, g, 0)
	if _, ok := g.Lookup(fixtureServer + "/new"); ok {
		t.Error("a page added to the clone is known to the original")
	}
}
