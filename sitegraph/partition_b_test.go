package sitegraph

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// methodB has the results of methods B and C on the graphs of [LINK] figures 3 and 4. Uppers are
// "site<upper", with sites named by their top.
var methodB = map[string]struct {
	direct, closure []string // sites as "tops; members", sorted; orphans last, after "-"
	uppers          string   // of the direct sites
}{
	"FX3": {
		direct:  []string{"A; B C", "E; ", "- D"},
		closure: []string{"A; B C D", "E; ", "-"},
		uppers:  "E<A",
	},
	"FX4a": {
		direct:  []string{"A; B C", "D; E", "E; F", "G; H", "R; ", "-"},
		closure: []string{"A; B C", "D; E", "E; F", "G; H", "R; ", "-"},
		uppers:  "A<R D<R E<D G<A",
	},
	"FX4b: a tie, two tops": {
		direct:  []string{"A; B C", "D; E", "E; F", "G; H", "R; ", "-"},
		closure: []string{"A; B C", "D; E", "E; F", "G; H", "R; ", "-"},
		uppers:  "A<R D<R E<D G<A",
	},
	"FX4c: home links": { // the home links H>A and G>R make the relation cyclic
		direct:  []string{"A; B C", "D; E", "E; F", "G; H", "R; ", "-"},
		closure: []string{"A; B C", "D; E", "E; F", "G; H", "R; ", "-"},
		uppers:  "A<G A<R D<R E<D G<A R<G",
	},
	"frames of the start page": { // R, M, N, I are shown together: one site
		direct:  []string{"I M N R; A B", "-"},
		closure: []string{"I M N R; A B", "-"},
		uppers:  "",
	},
}

func TestMethodB(t *testing.T) {
	for _, f := range fixtures {
		want, ok := methodB[f.name]
		if !ok {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			for seed := range uint64(20) { // seed 0 keeps the order, others shuffle
				var rng *rand.Rand
				if seed > 0 {
					rng = rand.New(rand.NewPCG(seed, 1))
				}
				g := f.build(rng)
				direct, closure := g.PartitionB(0, nil, false), g.PartitionB(0, nil, true)
				if got := f.describeB(g, direct); !reflect.DeepEqual(got, want.direct) {
					t.Errorf("seed %d: direct %q, want %q", seed, got, want.direct)
				}
				if got := f.describeB(g, closure); !reflect.DeepEqual(got, want.closure) {
					t.Errorf("seed %d: closure %q, want %q", seed, got, want.closure)
				}
				if got := f.describeUppers(g, direct); got != want.uppers {
					t.Errorf("seed %d: uppers %q, want %q", seed, got, want.uppers)
				}
			}
		})
	}
}

// describeB is describe with the orphans as last line.
func (f fixture) describeB(g *Graph, p Partition) []string {
	orphans := f.describe(g, Partition{Sites: []Site{{Members: p.Orphans}}})[0]
	return append(f.describe(g, p), strings.TrimSpace("- "+strings.TrimPrefix(orphans, "; ")))
}

func (f fixture) describeUppers(g *Graph, p Partition) string {
	top := func(i int) string {
		name, _, _ := strings.Cut(f.describe(g, Partition{Sites: p.Sites[i : i+1]})[0], ";")
		return name
	}
	var all []string
	for i, uppers := range g.Uppers(p.Sites, nil) {
		for _, u := range uppers {
			all = append(all, top(i)+"<"+top(int(u)))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// On random servers, every page that counts is in a site or an orphan, and direct members are links
// of their top. Every orphan of the closure is one of the direct method. A top has a child, starts
// the server, or has no parent.
func TestMethodBProperties(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		g := NewGraph()
		n := 2 + rng.IntN(30)
		url := func(i int) string {
			return fixtureServer + "/" + []string{"", "a/", "b/", "a/x/"}[i%4] + string(rune('A'+i))
		}
		g.AddStart(url(0))
		for i := range n {
			var links []string
			for range rng.IntN(5) {
				links = append(links, url(rng.IntN(n)))
			}
			g.SetLinks(g.Add(url(i)), links, nil)
		}
		g.Refresh()
		direct, closure := g.PartitionB(0, nil, false), g.PartitionB(0, nil, true)
		checkCover(t, seed, g, direct)
		checkCover(t, seed, g, closure)
		for _, o := range closure.Orphans {
			if !slices.Contains(direct.Orphans, o) {
				t.Errorf("seed %d: %s is an orphan of the closure only", seed, g.URL(o))
			}
		}
		for _, s := range direct.Sites {
			for _, m := range s.Members {
				if !slices.ContainsFunc(s.Tops, func(top PageID) bool {
					return slices.Contains(g.Links(top), m) && g.SameDirectory(top, m)
				}) {
					t.Errorf("seed %d: member %s is no link of a top", seed, g.URL(m))
				}
			}
		}
	}
}

func checkCover(t *testing.T, seed uint64, g *Graph, p Partition) {
	t.Helper()
	times := map[PageID]int{}
	for _, s := range p.Sites {
		for _, page := range append(slices.Clone(s.Tops), s.Members...) {
			times[page] |= 1
		}
	}
	for _, o := range p.Orphans {
		times[o] |= 2
	}
	for page := range PageID(g.Pages()) {
		want := g.Depth(page) > 0
		if got := times[page]; want && got != 1 && got != 2 || !want && got != 0 {
			t.Errorf("seed %d, method %s: page %s of depth %d: in sites and orphans as %b",
				seed, p.Method, g.URL(page), g.Depth(page), got)
		}
	}
}

func BenchmarkPartitionB(b *testing.B) {
	for _, closure := range []bool{false, true} {
		g := benchGraph(b)
		name := "direct"
		if closure {
			name = "closure"
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p := g.PartitionB(0, nil, closure)
				if len(p.Sites) == 0 {
					b.Fatal("no sites")
				}
			}
			b.ReportMetric(float64(g.Pages())*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}
