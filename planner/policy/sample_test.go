package policy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// sampledServers are servers with the same number of pages, all with a copy. A share of them
// changed since.
type sampledServers struct {
	*testing.T
	pages   *planner.Pages
	planner *planner.Planner
	changed map[sitegraph.PageID]bool
}

func newSampledServers(t *testing.T, policy string, s Settings, pages int,
	shares ...float64) *sampledServers {
	t.Helper()
	w := &sampledServers{T: t, changed: map[sitegraph.PageID]bool{}}
	g := sitegraph.NewGraph()
	w.pages = planner.NewPages(g)
	for server, share := range shares {
		for i := range pages {
			p := g.Add(fmt.Sprintf("http://s%d.example/p%d", server, i))
			w.changed[p] = float64(i) < share*float64(pages)
			w.pages.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
				History: sitegraph.Start(simtest.At(0))})
		}
	}
	s.Pages = w.pages
	p, err := New(policy, s)
	if err != nil {
		t.Fatal(err)
	}
	w.planner = planner.New(w.pages, p, planner.Options{})
	return w
}

// round returns the visits of a round: samples, and the others in order.
func (w *sampledServers) round(number, budget int) (samples map[int]int, rest []sitegraph.PageID) {
	samples = map[int]int{}
	w.planner.Begin(planner.Round{Number: number, Start: simtest.At(number - 1),
		End: simtest.At(number), Budget: budget})
	for v, ok := w.planner.Next(); ok; v, ok = w.planner.Next() {
		if strings.HasPrefix(v.Reason.String(), "sample") {
			if len(rest) > 0 {
				w.Fatalf("round %d: a sample after %d visits by samples", number, len(rest))
			}
			samples[int(w.pages.Graph.Server(v.Page))]++
		} else {
			rest = append(rest, v.Page)
		}
		verdict, m := sitegraph.VerdictUnchanged, w.pages.Memory(v.Page)
		m.History.Last, m.Tried = sitegraph.Unix32(simtest.At(number)),
			sitegraph.Unix32(simtest.At(number))
		if w.changed[v.Page] {
			verdict = sitegraph.VerdictChanged
		}
		w.planner.Policy.Observe(v.Page, verdict)
	}
	return samples, rest
}

// servers lists the servers of visits, runs of one as one.
func (w *sampledServers) servers(pages []sitegraph.PageID) (order []int) {
	for _, p := range pages {
		if s := int(w.pages.Graph.Server(p)); len(order) == 0 || order[len(order)-1] != s {
			order = append(order, s)
		}
	}
	return order
}

// The size of Cho and Ntoulas 2002 for evenly spread rates: sqrt(n r/(1-r)).
func TestSampleSize(t *testing.T) {
	for _, c := range []struct {
		pages int
		share float64
		want  int
	}{{100, 0.5, 10}, {100, 0.1, 3}, {10_000, 0.01, 10}, {400, 0.8, 40}, {5, 0.001, 1}, {5, 1, 5},
		{1, 0.5, 1}} {
		if got := sampleSize(c.pages, c.share); got != c.want {
			t.Errorf("%d samples of %d pages at a share of %g, want %d",
				got, c.pages, c.share, c.want)
		}
	}
}

// sqrt(n) samples of each server, half of it reached by a sweep; then whole servers by falling rate
// of their samples. Any sample ranks servers right if all or none of their pages changed.
func TestChoGreedy(t *testing.T) {
	for seed := range uint64(20) {
		w := newSampledServers(t, "cho-greedy", Settings{Mode: planner.Sweep, Seed: seed}, 16, 0, 1,
			0)
		samples, rest := w.round(1, planner.Unlimited)
		if len(samples) != 3 || samples[0] != 4 || samples[1] != 4 || samples[2] != 4 {
			t.Fatalf("seed %d: samples by server %v, want 4 of each", seed, samples)
		}
		if len(rest) != 3*12 || w.servers(rest)[0] != 1 || len(w.servers(rest)) != 3 {
			t.Fatalf("seed %d: then servers %v, want all of 1 first and each once",
				seed, w.servers(rest))
		}
	}
}

// A stream begins a round through the servers each week, with other samples, over all pages in
// turn.
func TestChoGreedyWeeks(t *testing.T) {
	w := newSampledServers(t, "cho-greedy", Settings{Mode: planner.Stream, Seed: 1, PerDay: 2}, 50,
		0.1, 0.9)
	sampledWeeks := map[int]int{} // 2 * 7 of 100 pages: sqrt(50 * 0.14/0.86) = 2.85
	for day := 1; day <= 35; day++ {
		samples, _ := w.round(day, 2)
		for _, n := range samples {
			sampledWeeks[day/7] += n
		}
	}
	for week := range 5 {
		if sampledWeeks[week] != 6 {
			t.Errorf("week %d: %d samples, want 3 of each of 2 servers", week, sampledWeeks[week])
		}
	}
}

// Wilson's interval at 90 %, by hand: four changes of four leave rates above 4/(4+1.645^2) =
// 0.5965, none of four those below 0.4035, and two of four 0.5 -+ 0.3171.
func TestTellsFrom(t *testing.T) {
	z := 1.645 * 1.645
	for _, c := range []struct {
		visits, changed int
		low, high       float64
	}{{4, 4, 4 / (4 + z), 1}, {4, 0, 0, z / (4 + z)},
		{4, 2, 0.5 - 1.645/(4+z)*math.Sqrt(1+z/4), 0.5 + 1.645/(4+z)*math.Sqrt(1+z/4)}} {
		g := &sampled{seen: outcomes{c.visits, c.changed}}
		for _, threshold := range []float64{0.001, 0.1, 0.3, 0.45, 0.55, 0.7, 0.9, 0.999} {
			if got, want := g.tellsFrom(threshold), threshold < c.low ||
				threshold > c.high; got != want {
				t.Errorf("%d of %d: told from %g: %v, want %v",
					c.changed, c.visits, threshold, got, want)
			}
		}
	}
	if (&sampled{}).tellsFrom(0.5) {
		t.Error("a group without samples is told from a rate")
	}
}

// Adaptive sampling spends its visits on servers near the marginal one.
func TestChoAdaptive(t *testing.T) {
	clear, near, right := 0, 0, 0
	for seed := range uint64(20) {
		w := newSampledServers(t, "cho-adaptive", Settings{Mode: planner.Sweep, Seed: seed}, 60, 1,
			0.5, 0.5, 0)
		samples, rest := w.round(1, planner.Unlimited)
		clear += samples[0] + samples[3]
		near += samples[1] + samples[2]
		visits := len(rest)
		for _, n := range samples {
			visits += n
		}
		if visits != 240 {
			t.Fatalf("seed %d: %d visits to 240 pages", seed, visits)
		}
		order := w.servers(rest)
		if order[0] == 0 {
			right++
		}
		if !slices.Contains(order, 0) || order[len(order)-1] != 3 {
			t.Errorf("seed %d: servers in the order %v, want 3 last", seed, order)
		}
	}
	if right < 15 { // a server in between may come first if its few samples all changed
		t.Errorf("the server of which all changed comes first with %d seeds of 20", right)
	}
	if clear*2 > near {
		t.Errorf("%d samples of servers that are easy to tell, %d of those that are not",
			clear, near)
	}
}

// Tan and Mitra 2010: pages of different kinds on the same server are different clusters. Those of
// the changed kind come before the others once a few are sampled.
func TestTanMitra(t *testing.T) {
	for seed := range uint64(10) {
		g := sitegraph.NewGraph()
		pages := planner.NewPages(g)
		w := &sampledServers{T: t, pages: pages, changed: map[sitegraph.PageID]bool{}}
		for i := range 120 {
			url := fmt.Sprintf("http://s.example/%d/%d/%d", 2000+i%9, i%12, 10_000+i)
			if i%2 == 0 {
				url = "http://s.example/topics/" + strings.Repeat("x", 1+i%5) +
					string(rune('a'+i/5)) + "/"
			}
			p := g.Add(url)
			w.changed[p] = i%2 == 1
			pages.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
				History: sitegraph.Start(simtest.At(0))})
		}
		policy, err := New("tan-mitra", Settings{Pages: pages, Mode: planner.Sweep, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		w.planner = planner.New(pages, policy, planner.Options{})
		samples, rest := w.round(1, planner.Unlimited)
		if len(rest)+samples[0] != pages.Count() {
			t.Fatalf("seed %d: %d samples and %d others of %d pages",
				seed, samples[0], len(rest), pages.Count())
		}
		mixed := false
		for i := 1; i < len(rest); i++ {
			mixed = mixed || w.changed[rest[i]] && !w.changed[rest[i-1]]
		}
		if mixed {
			t.Errorf("seed %d: a page of the kind that changed comes after one of the other", seed)
		}
		if samples[0] > pages.Count()/2 {
			t.Errorf("seed %d: %d samples of %d pages", seed, samples[0], pages.Count())
		}
	}
}

// Clusters have each page once, in the order of the pages, and units give all features the same
// weight.
func TestClusters(t *testing.T) {
	w := simtest.NewWorld(3, 3, 60, false)
	m := newSim(t, w, rand.New(rand.NewPCG(3, 0)), "tan-mitra",
		Settings{Mode: planner.Sweep, Seed: 3}, planner.Options{})
	var pages []sitegraph.PageID
	for p := range sitegraph.PageID(m.Pages.Count()) {
		pages = append(pages, p)
	}
	slices.Reverse(pages)
	groups := clustersOf(m.Pages)(pages)
	var all []sitegraph.PageID
	for _, group := range groups {
		if !slices.IsSortedFunc(group, func(a, b sitegraph.PageID) int { return int(b - a) }) {
			t.Errorf("a cluster in the order %v", group)
		}
		all = append(all, group...)
	}
	slices.Sort(all)
	slices.Reverse(all)
	if !slices.Equal(all, pages) || len(groups) < 2 {
		t.Errorf("%d clusters of %d pages, with %d in them", len(groups), len(pages), len(all))
	}
	// One round of Lloyd's method by hand: 1 and 3 are nearest to the first centre, 9 and 13 to the
	// second, and none to the third, which stays.
	centers := []clusterPoint{{0}, {10}, {100}}
	improve(centers, []clusterPoint{{1}, {9}, {3}, {13}})
	if centers[0][0] != 2 || centers[1][0] != 11 || centers[2][0] != 100 {
		t.Errorf("centers %v, want 2, 11 and 100", centers)
	}
	points := []clusterPoint{{1, 5}, {3, 5}, {5, 5}}
	if scale := unitsOf(points); math.Abs(scale[0]-math.Sqrt(3./8)) > 1e-12 || scale[1] != 0 {
		t.Errorf("units %v, want 1/sqrt(8/3) and 0", scale[:2])
	}
}
