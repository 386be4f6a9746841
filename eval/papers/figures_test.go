package papers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *Period) method(t *testing.T, name string) Method {
	t.Helper()
	i := slices.IndexFunc(p.Methods, func(m Method) bool { return m.Policy == name })
	if i < 0 {
		t.Fatalf("no method %s in %+v", name, p.Methods)
	}
	return p.Methods[i]
}

func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12
}

// TestByHand checks every figure of two servers, counted by hand.
func TestByHand(t *testing.T) {
	f := figuresOf(t, corpusOf(t, 0, byHand()...),
		FiguresOptions{Weeks: []int{2}, Thresholds: []float64{0.25, 0.5, 0.8},
			GroupOf: func(server string) string { return server[:1] }, Seed: 1})
	p := &f.Periods[0]
	if p.Servers != 2 || p.Changing != 2 || p.Pages != 12 || p.Changed != 7 || p.Vanished != 1 {
		t.Errorf("totals %+v", p)
	}
	// Tops of a: / /n/ /s/ /d/ on a.org and / on b.org. /, /n/ and /d/ change: so members /n/1,
	// /n/2, /d/1 on a.org, and not /old, which has vanished.
	for _, want := range []struct {
		policy         string
		fetched, found int
	}{
		{Whole, 12, 7},
		{"a", 8, 5},
		{"b", 8, 5},
		{"b-closure", 8, 5},
		{"c", 8, 5}, // / changed, so /n/ and /s/ are checked; /n/ did, so /d/
		{"c-closure", 8, 5},
	} {
		m := p.method(t, want.policy)
		if m.Fetched != want.fetched || m.ChangedFetched != want.found ||
			!near(float64(m.Share), float64(want.fetched)/12) ||
			!near(float64(m.UpdateRate), float64(want.found)/float64(want.fetched)) ||
			!near(float64(m.Coverage), float64(want.found)/7) {
			t.Errorf("%s: %+v, want %d fetched, %d found", want.policy, m, want.fetched, want.found)
		}
	}
	// Breadth-first: 2 pages of depth 1 (1 changed), 5 of depth 2 (/n/ and /1 did), 3 of depth 3
	// (/n/1 and /s/1), /d/, /d/1.
	for d, want := range [][2]int{{2, 1}, {7, 3}, {10, 5}, {11, 6}, {12, 7}, {12, 7}} {
		if r := p.Depths[d]; r.Depth != d+1 || r.Fetched != want[0] || r.ChangedFetched != want[1] {
			t.Errorf("depth %d: %+v, want %v", d+1, r, want)
		}
	}
	// With 8 pages: all of depths 1 and 2, and one of three of depth 3, two of which changed.
	// Servers by rate: a.org has 6 of 8 pages changed, b.org 1 of 4.
	a := p.method(t, "a")
	if !near(float64(a.BreadthFirst), (3+2./3)/7) || !near(float64(a.ServerTrue), 6./7) {
		t.Errorf("with as many pages as a: breadth-first %v, server-true %v",
			a.BreadthFirst, a.ServerTrue)
	}
	for i, want := range []struct{ servers, fetched, found, fetchedA, foundA int }{{2, 12, 7, 8, 5},
		{1, 8, 6, 7, 5}, {0, 0, 0, 0, 0}} {
		alone, withA := p.Thresholds[0].Points[i], p.Thresholds[1].Points[i]
		if p.Thresholds[1].Policy != "server-true+a" || alone.Servers != want.servers ||
			alone.Fetched != want.fetched || alone.ChangedFetched != want.found ||
			withA.Fetched != want.fetchedA || withA.ChangedFetched != want.foundA {
			t.Errorf("least rate %v: %+v, with a %+v, want %+v",
				alone.Threshold, alone, withA, want)
		}
	}
	if last := p.Thresholds[0].Points[2]; !math.IsNaN(float64(last.UpdateRate)) ||
		last.Coverage != 0 {
		t.Errorf("no server: %+v", last)
	}
	if len(f.Groups) != 2 || f.Groups[0].Name != "a" || f.Groups[0].Pages != 8 ||
		f.Groups[1].Changed != 1 ||
		f.Groups[0].Methods[1].Fetched != 7 || f.Groups[1].Methods[1].Fetched != 1 ||
		f.Groups[1].Methods[1].Coverage != 0 {
		t.Errorf("groups %+v", f.Groups)
	}
}

// TestAsPoliciesDo compares every number of random servers with that of the policies themselves.
func TestAsPoliciesDo(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(12) {
		c := corpusOf(t, 1, randomServers(seed)...)
		f := figuresOf(t, c, FiguresOptions{Weeks: []int{3, 6}, Seed: seed, Sample: 3})
		for _, p := range f.Periods {
			o := eval.SnapshotOptions{Weeks: p.Weeks, Seed: seed, Spread: true, Sample: 3}
			run := snapshot(t, c, o, slices.Concat(SitePolicies, rated)...)
			if run.Corpus.Pages != p.Pages || run.Corpus.Changed != p.Changed ||
				run.Corpus.Vanished != p.Vanished {
				t.Errorf("totals %+v, want %+v; %s", p, run.Corpus, repeat(t, seed))
			}
			for i, want := range run.Results {
				var got Result
				if i < len(SitePolicies) {
					m := p.method(t, want.Policy)
					got = m.Result
					if m.Spread == nil || asJSON(t, m.Spread.Coverage) != asJSON(t,
						want.Spread[eval.Coverage]) ||
						asJSON(t, m.Spread.UpdateRate) != asJSON(t, want.Spread[eval.UpdateRate]) {
						t.Errorf("%s: spread %v, want %v; %s",
							want.Policy, m.Spread, want.Spread, repeat(t, seed))
					}
					if got.Fetched != want.Fetched || got.ChangedFetched != want.ChangedFetched ||
						!near(float64(got.Coverage), float64(want.Coverage)) ||
						!near(float64(got.UpdateRate), float64(want.UpdateRate)) {
						t.Errorf("%s: %+v, want %+v; %s", want.Policy, got, want, repeat(t, seed))
					}
				} else if r := p.Rates[i-len(SitePolicies)]; r.Policy != want.Policy ||
					!near(float64(r.Gain), float64(want.Gain)) {
					t.Errorf("%s: %+v, want gain %v; %s",
						want.Policy, r, want.Gain, repeat(t, seed))
				}
			}
			o.Spread, o.Thresholds = false, f.Thresholds
			for _, policy := range p.Thresholds {
				for i, want := range snapshot(t, c, o, policy.Policy).Results {
					got := policy.Points[i]
					if got.Threshold != want.Threshold || got.Fetched != want.Fetched ||
						got.ChangedFetched != want.ChangedFetched {
						t.Errorf("%s at %v: %+v, want %d and %d; %s", policy.Policy, want.Threshold,
							got, want.Fetched, want.ChangedFetched, repeat(t, seed))
					}
				}
			}
		}
	}
}

func snapshot(t *testing.T, c *eval.Dataset, o eval.SnapshotOptions,
	policies ...string) eval.SnapshotRun {
	t.Helper()
	run, err := c.Snapshot(t.Context(), o, policies, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestCutOrders compares depths and cut orders with the orders of the policies: equal at whole
// steps, and on average over the seeds inside them.
func TestCutOrders(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(4) {
		c := corpusOf(t, 1, randomServers(seed)...)
		p := figuresOf(t, c, FiguresOptions{Weeks: []int{4}, Seed: seed}).Periods[0]
		h, err := c.Horizon(4)
		if err != nil {
			t.Fatal(err)
		}
		const orders = 400
		a := p.method(t, "a")
		sum, sumByServers := 0., 0.
		for s := range uint64(orders) {
			breadthFirst, err := h.Sweep(t.Context(), eval.SnapshotOptions{Seed: s},
				"breadth-first")
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range p.Depths {
				if got := breadthFirst.Found(d.Fetched); got != d.ChangedFetched {
					t.Fatalf("depth %d: %d of %d pages changed, breadth-first finds %d; %s",
						d.Depth, d.ChangedFetched, d.Fetched, got, repeat(t, seed))
				}
			}
			byServers, err := h.Sweep(t.Context(), eval.SnapshotOptions{Seed: s}, "server-true")
			if err != nil {
				t.Fatal(err)
			}
			sum += float64(breadthFirst.Found(a.Fetched)) / orders
			sumByServers += float64(byServers.Found(a.Fetched)) / orders
		}
		if changed := float64(p.Changed); p.Changed > 0 &&
			(math.Abs(sum/changed-float64(a.BreadthFirst)) > 0.03 ||
				math.Abs(sumByServers/changed-float64(a.ServerTrue)) > 0.03) {
			t.Errorf("with as many pages as a: breadth-first %.3f and server-true %.3f, on "+
				"average %.3f and %.3f; %s",
				float64(a.BreadthFirst), float64(a.ServerTrue), sum/changed, sumByServers/changed,
				repeat(t, seed))
		}
	}
}

// TestResampleIsACorpus checks that a resample equals a corpus with each server repeated.
func TestResampleIsACorpus(t *testing.T) {
	for _, seed := range seeds(6) {
		servers := randomServers(seed)
		c := corpusOf(t, 1, servers...)
		o := FiguresOptions{Weeks: []int{5}, Thresholds: usualThresholds, Seed: seed}
		periods, err := count(t.Context(), c, o)
		if err != nil {
			t.Fatal(err)
		}
		draw := resampled(c.Graph().Servers(), seed)[int(seed)%200]
		var copies []*history.Server
		for s, n := range draw {
			for k := range n {
				name := fmt.Sprintf("copy%d.%s", k, c.World.Servers[s].Name)
				copies = append(copies, renamed(c.World.Servers[s], name))
			}
		}
		drawn, err := count(t.Context(), corpusOf(t, 1, copies...), o)
		if err != nil {
			t.Fatal(err)
		}
		p, q := periods[0], drawn[0]
		for name, of := range map[string]func(p *counted) statistic{
			"update rate": func(p *counted) statistic { return p.updateRate("c") },
			"coverage":    func(p *counted) statistic { return p.coverage("b") },
			"breadth-first": func(p *counted) statistic {
				return p.coverageOf((*counted).breadthFirst, "a")
			},
			"servers by rate": func(p *counted) statistic {
				return p.coverageOf((*counted).byServers, "c")
			},
			"above random": func(p *counted) statistic { return p.aboveRandom },
			"coverage at least rate": func(p *counted) statistic {
				return p.thresholdCoverage(0.3)
			},
			"rate at least rate": func(p *counted) statistic { return p.thresholdRate(0.3) },
			"combined": func(p *counted) statistic {
				return p.combined("a", usualThresholds)
			},
		} {
			if got, want := of(p)(draw), of(q)(q.once()); math.Abs(got-want) > 1e-9 ||
				math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("%s: %v resampled, %v of a corpus; %s", name, got, want, repeat(t, seed))
			}
		}
	}
}

// TestSpreadOfGroups checks that intervals of a group equal those of its statistics on the whole
// draws. Groups are computed alone for speed.
func TestSpreadOfGroups(t *testing.T) {
	for _, seed := range seeds(6) {
		c := corpusOf(t, 1, randomServers(seed)...)
		groupOf := func(server string) string { return server[len(server)-3:] }
		f := figuresOf(t, c, FiguresOptions{Weeks: []int{4}, Seed: seed, GroupOf: groupOf})
		periods, err := count(t.Context(), c, FiguresOptions{Weeks: []int{4}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		p, d := periods[0], resampled(c.Graph().Servers(), seed)
		for _, g := range groupsOf(c, groupOf) {
			i := slices.IndexFunc(f.Groups, func(shown Group) bool { return shown.Name == g.name })
			if i < 0 {
				continue
			}
			others := func(of statistic) statistic { // as if the others were never drawn
				return func(times []int) float64 {
					left := make([]int, len(times))
					for _, s := range g.servers {
						left[s] = times[s]
					}
					return of(left)
				}
			}
			for k, m := range f.Groups[i].Methods {
				for name, want := range map[string][2]Interval{
					"update rate": {m.Spread.UpdateRate,
						d.interval(others(p.updateRate(m.Policy)))},
					"coverage": {m.Spread.Coverage, d.interval(others(p.coverage(m.Policy)))},
					"breadth-first": {m.BreadthFirstSpread,
						d.interval(others(p.coverageOf((*counted).breadthFirst, m.Policy)))},
					"server-true": {m.ServerTrueSpread,
						d.interval(others(p.coverageOf((*counted).byServers, m.Policy)))},
				} {
					for end := range 2 {
						if got, want := float64(want[0][end]),
							float64(want[1][end]); math.Abs(got-want) > 1e-9 ||
							math.IsNaN(got) != math.IsNaN(want) {
							t.Errorf("%s of %s in %s, method %d: %v, want %v; %s",
								name, m.Policy, g.name, k, got, want, repeat(t, seed))
						}
					}
				}
			}
		}
	}
}

// BenchmarkSpread resamples as many servers as [LINK] had, in as many groups as there are suffixes.
func BenchmarkSpread(b *testing.B) {
	const servers, groups = 17_000, 300
	rng := rand.New(rand.NewPCG(1, 2))
	p := &counted{weeks: 4, methods: map[string]tallies{}, depths: make([]tallies, servers)}
	for s := range p.depths {
		p.depths[s] = make(tallies, sitegraph.MaxDepth)
		for d := range p.depths[s] {
			p.depths[s][d].Pages = rng.IntN(20)
			p.depths[s][d].Changed = rng.IntN(1 + p.depths[s][d].Pages)
		}
	}
	for _, m := range append([]string{Whole}, SitePolicies...) {
		p.methods[m] = make(tallies, servers)
		for s := range p.methods[m] {
			t := eval.Tally{Pages: 100, Changed: rng.IntN(100), Fetched: 1 + rng.IntN(100)}
			t.Found = rng.IntN(1 + min(t.Changed, t.Fetched))
			p.methods[m][s] = t
		}
	}
	p.sortByRate()
	all := make([]group, groups)
	for s := range servers {
		all[s%groups].servers = append(all[s%groups].servers, s)
	}
	for b.Loop() {
		d := resampled(servers, 1)
		f := &Figures{}
		for _, g := range all {
			f.addGroup(g, p, d)
		}
		r := p.shares(p.once(), FiguresOptions{Thresholds: usualThresholds})
		p.spread(&r, FiguresOptions{Thresholds: usualThresholds}, d)
		judge([]Claim{inGroups(p, all)}, d)
	}
}
