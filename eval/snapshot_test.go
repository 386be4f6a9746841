package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

func snapshot(t testing.TB, c *Dataset, o SnapshotOptions, policies ...string) SnapshotRun {
	t.Helper()
	run, err := c.Snapshot(context.Background(), o, policies, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestSnapshotTotals checks what one fetch can find a number of weekly snapshots after the base of
// the tiny corpus.
func TestSnapshotTotals(t *testing.T) {
	for _, test := range []struct {
		weeks                    int
		change                   sitegraph.ChangeBy
		pages, changed, vanished int
	}{
		{1, sitegraph.ChangeByBytes, 7, 0, 0}, // nothing to compare
		// Day 7: a/ B, a/1 C, a/2 A again, a/3 B (it had been gone), b/ A, b/1 C; b/2 is gone.
		{2, sitegraph.ChangeByBytes, 6, 4, 1},
		{2, sitegraph.ChangeByText, 6, 3, 1}, // a/1, a/3, b/1: only bytes differ on a/
		{2, sitegraph.ChangeByMain, 6, 1, 1}, // a/3
		{53, sitegraph.ChangeByBytes, 6, 4, 1},
	} {
		h := tiny(t, Options{Change: test.change}).newHorizon(test.weeks)
		want := SnapshotTotals{Servers: 2, Pages: test.pages, Changed: test.changed,
			Vanished: test.vanished}
		if h.totals != want {
			t.Errorf("N=%d by %v: %+v, want %+v", test.weeks, test.change, h.totals, want)
		}
	}
}

// seedWith returns a seed with which the first visits of a sweep have these outcomes.
func seedWith(t *testing.T, h *horizon, policy string, want ...fetched) uint64 {
	t.Helper()
	for seed := range uint64(1000) {
		order, err := h.sweep(context.Background(), sweepOf{policy: policy},
			SnapshotOptions{Seed: seed, Sample: 5})
		if err != nil {
			t.Fatal(err)
		}
		match := len(order) >= len(want)
		for i := 0; match && i < len(want); i++ {
			match = order[i] == want[i]
		}
		if match {
			return seed
		}
	}
	t.Fatalf("policy %s never begins with %v", policy, want)
	return 0
}

// TestSnapshotByHand has N = 2 on the tiny corpus: 6 pages, 4 changed; the clairvoyant's AUC is 1 -
// 4/12 = 2/3. Found after each visit, and areas in units of 1/6 * 1/4:
//
//	a, a/ first              C U C U C, stop     found 1 1 2 2 3     .5+1+1.5+2+2.5 + (3+4)/2 = 11    AUC 11/24
//	a, b/ first              U C C U C, stop     found 0 1 2 2 3     0+.5+1.5+2+2.5 + (3+4)/2 = 10    AUC 10/24
//	breadth-first, a/ first  C U C C U C         found 1 1 2 3 3 4   .5+1+1.5+2.5+3+3.5 = 12          AUC 12/24
//	breadth-first, b/ first  U C C C U C         found 0 1 2 3 3 4   0+.5+1.5+2.5+3+3.5 = 11          AUC 11/24
//
// Inside a (4 pages, 3 changed, best 5/8) all have C C U C: (.5+1.5+2+2.5)/12 = 13/24, gain
// (1/24)/(1/8) = 1/3. Inside b (2 pages, 1 changed, best 3/4): breadth-first has U C, 1/4, gain -1;
// a has U and a straight line, 1/4 too. Mean -1/3.
func TestSnapshotByHand(t *testing.T) {
	h := tiny(t, Options{}).newHorizon(2)
	a, b := fetched{0, true}, fetched{1, false}
	for _, test := range []struct {
		policy         string
		first          []fetched
		fetched, found int
		auc, gain, in  float64
		curve          [][2]float64
	}{
		{"clairvoyant", nil, 6, 4, 2. / 3, 1, 1,
			[][2]float64{{0, 0}, {1. / 6, .25}, {2. / 6, .5}, {3. / 6, .75}, {4. / 6, 1},
				{5. / 6, 1}, {1, 1}}},
		{"a", []fetched{a, b}, 5, 3, 11. / 24, -.25, -1. / 3,
			[][2]float64{{0, 0}, {1. / 6, .25}, {2. / 6, .25}, {3. / 6, .5}, {4. / 6, .5},
				{5. / 6, .75}, {1, 1}}},
		{"a", []fetched{b, a}, 5, 3, 10. / 24, -.5, -1. / 3,
			[][2]float64{{0, 0}, {1. / 6, 0}, {2. / 6, .25}, {3. / 6, .5}, {4. / 6, .5},
				{5. / 6, .75}, {1, 1}}},
		{"breadth-first", []fetched{a, b}, 6, 4, 12. / 24, 0, -1. / 3,
			[][2]float64{{0, 0}, {1. / 6, .25}, {2. / 6, .25}, {3. / 6, .5}, {4. / 6, .75},
				{5. / 6, .75}, {1, 1}}},
		{"breadth-first", []fetched{b, a}, 6, 4, 11. / 24, -.25, -1. / 3,
			[][2]float64{{0, 0}, {1. / 6, 0}, {2. / 6, .25}, {3. / 6, .5}, {4. / 6, .75},
				{5. / 6, .75}, {1, 1}}},
	} {
		t.Run(fmt.Sprint(test.policy, test.first), func(t *testing.T) {
			seed := seedWith(t, h, test.policy, test.first...)
			run := snapshot(t, h.Dataset, SnapshotOptions{Weeks: 2, Seed: seed}, test.policy)
			r := run.Results[0]
			wantInt(t, "fetched", r.Fetched, test.fetched)
			wantInt(t, "changed", r.ChangedFetched, test.found)
			wantNumber(t, "update rate", r.UpdateRate, float64(test.found)/float64(test.fetched))
			wantNumber(t, "coverage", r.Coverage, float64(test.found)/4)
			wantNumber(t, "AUC", r.AUC, test.auc)
			wantNumber(t, "gain", r.Gain, test.gain)
			wantNumber(t, "gain in servers", r.GainInServers, test.in)
			if len(r.Curve) != len(test.curve) {
				t.Fatalf("curve %v, want %v", r.Curve, test.curve)
			}
			for i, point := range r.Curve {
				if !near(point[0], test.curve[i][0]) || !near(point[1], test.curve[i][1]) {
					t.Errorf("curve %v, want %v", r.Curve, test.curve)
					break
				}
			}
			if run.Protocol != "snapshot" || run.Base != 1 || run.Weeks != 2 ||
				run.Change != "digest" || run.Seed != seed || run.Corpus != h.totals {
				t.Errorf("header %+v", run)
			}
		})
	}
}

// TestSnapshotUndefined checks that measures are undefined if no page or every page changed.
func TestSnapshotUndefined(t *testing.T) {
	r := snapshot(t, tiny(t, Options{}), SnapshotOptions{Weeks: 1}, "breadth-first").Results[0]
	wantInt(t, "fetched", r.Fetched, 7)
	for what, v := range map[string]Number{"coverage": r.Coverage, "AUC": r.AUC, "gain": r.Gain,
		"gain in servers": r.GainInServers} {
		wantNumber(t, what, v, math.NaN())
	}
	wantNumber(t, "update rate", r.UpdateRate, 0.)
	wantNumber(t, "gain where all changed", gain(0.5, 3, 3), math.NaN())
	wantNumber(t, "AUC of no pages", auc(nil, 0, 0), math.NaN())
	wantNumber(t, "AUC of no visits", auc(nil, 4, 2), 0.5) // a straight line
}

// TestCurveThinned checks that a thinned curve has about the requested number of points, and always
// its ends.
func TestCurveThinned(t *testing.T) {
	for _, test := range []struct{ visits, pages int }{{0, 10}, {1, 10}, {10, 10}, {199, 300},
		{200, 200}, {399, 399}, {399, 500}, {12345, 12345}} {
		order := make([]fetched, test.visits)
		for i := range order {
			order[i].changed = i%2 == 0
		}
		found := (test.visits + 1) / 2
		path := curve(order, test.pages, max(found, 1), 200)
		if len(path) > 203 {
			t.Errorf("%d visits: %d points", test.visits, len(path))
		}
		if test.visits <= 200 && len(path) < test.visits+1 {
			t.Errorf("%d visits: only %d points", test.visits, len(path))
		}
		if path[0] != [2]float64{} || path[len(path)-1] != [2]float64{1, 1} {
			t.Errorf("%d visits to %d pages: from %v to %v",
				test.visits, test.pages, path[0], path[len(path)-1])
		}
		for i := 1; i < len(path); i++ {
			if path[i][0] <= path[i-1][0] || path[i][1] < path[i-1][1] {
				t.Errorf("%d visits: %v after %v", test.visits, path[i], path[i-1])
			}
		}
	}
}

// slowAUC sums the area under the polyline through the points after each visit, and (1,1).
func slowAUC(order []fetched, pages, changed int) float64 {
	xs, ys := []float64{0}, []float64{0}
	for i := range order {
		found := 0
		for _, f := range order[:i+1] {
			if f.changed {
				found++
			}
		}
		xs, ys = append(xs, float64(i+1)/float64(pages)),
			append(ys, float64(found)/float64(changed))
	}
	xs, ys = append(xs, 1), append(ys, 1)
	area := 0.0
	for i := 1; i < len(xs); i++ {
		area += (xs[i] - xs[i-1]) * (ys[i] + ys[i-1]) / 2
	}
	return area
}

// slowGain compares with the AUC of an order that has the changed pages first.
func slowGain(order []fetched, pages, changed int) float64 {
	best := make([]fetched, pages)
	for i := range changed {
		best[i].changed = true
	}
	return (slowAUC(order, pages, changed) - 0.5) / (slowAUC(best, pages, changed) - 0.5)
}

// TestSnapshotAgainstSlow compares AUC, gain and gain in servers of all policies with slow ones on
// random corpora. It also checks that no page is visited twice or after it vanished, and that no
// AUC is above the clairvoyant's.
func TestSnapshotAgainstSlow(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		servers := randomServers(rng)
		o := Options{Base: week, Change: sitegraph.ChangeBy(rng.IntN(3)), History: rng.IntN(3)}
		c, err := NewDataset(t.Context(), servers, o)
		if err != nil {
			continue // no top page was alive
		}
		weeks := 2 + rng.IntN(4)
		h := c.newHorizon(weeks)
		slow := slowSnapshot(servers, o, weeks)
		if got := h.totals; got != slow.totals {
			t.Fatalf("totals %+v, want %+v; %s", got, slow.totals, repeat(t, seed))
		}
		best := math.NaN()
		run := snapshot(t, c, SnapshotOptions{Weeks: weeks, Seed: seed, Spread: true},
			append([]string{"clairvoyant"}, policy.Names()...)...)
		for _, r := range run.Results {
			order, err := h.sweep(t.Context(), sweepOf{policy: r.Policy},
				SnapshotOptions{Seed: seed, Sample: 5})
			if err != nil {
				t.Fatal(err)
			}
			wantInt(t, "fetched", r.Fetched, len(order))
			perServer := make([][]fetched, len(servers))
			found := 0
			for _, f := range order {
				name := c.graph.ServerName(f.server)
				s := slow.place[name]
				perServer[s] = append(perServer[s], f)
				if f.changed {
					found++
				}
			}
			wantInt(t, "changed among fetched", r.ChangedFetched, found)
			if slow.totals.Changed > 0 {
				wantNumber(t, "AUC", r.AUC, slowAUC(order, slow.totals.Pages, slow.totals.Changed))
				wantNumber(t, "coverage", r.Coverage, float64(found)/float64(slow.totals.Changed))
			}
			if slow.totals.Changed > 0 && slow.totals.Changed < slow.totals.Pages {
				wantNumber(t, "gain", r.Gain,
					slowGain(order, slow.totals.Pages, slow.totals.Changed))
			}
			sum, n := 0.0, 0
			for s, visits := range perServer {
				if len(visits) > slow.pages[s] {
					t.Errorf("%s: %d visits to %d pages of %s",
						r.Policy, len(visits), slow.pages[s], servers[s].Name)
				}
				if slow.changed[s] > 0 && slow.changed[s] < slow.pages[s] {
					sum += slowGain(visits, slow.pages[s], slow.changed[s])
					n++
				}
			}
			if n > 0 {
				wantNumber(t, "gain in servers", r.GainInServers, sum/float64(n))
			} else {
				wantNumber(t, "gain in servers", r.GainInServers, math.NaN())
			}
			if math.IsNaN(best) {
				best = float64(r.AUC)
			}
			if float64(r.AUC) > best+1e-12 {
				t.Errorf("%s has AUC %v, the clairvoyant %v", r.Policy, r.AUC, best)
			}
			if r.Policy == "clairvoyant" && !math.IsNaN(float64(r.Gain)) {
				wantNumber(t, "gain of the clairvoyant", r.Gain, 1.)
			}
			if t.Failed() {
				t.Fatalf("policy %s, %+v, N=%d; %s", r.Policy, o, weeks, repeat(t, seed))
			}
		}
	}
}

// slowTotals is the snapshot truth, computed directly from the histories.
type slowTotals struct {
	totals         SnapshotTotals
	place          map[string]int
	pages, changed []int // by server
}

func slowSnapshot(servers []*history.Server, o Options, weeks int) slowTotals {
	s := slowTotals{place: map[string]int{}, pages: make([]int, len(servers)),
		changed: make([]int, len(servers))}
	s.totals.Servers = len(servers)
	for i, server := range servers {
		s.place[server.Name] = i
		base := server.T0 + int64(o.Base.Seconds())
		for url := range slowBase(server, base) {
			before, after := slowState(server, url, base),
				slowState(server, url, base+int64(weeks-1)*7*daySeconds)
			switch {
			case after == nil:
				s.totals.Vanished++
				continue
			case before.Digests.Differ(after.Digests, o.Change):
				s.totals.Changed++
				s.changed[i]++
			}
			s.totals.Pages++
			s.pages[i]++
		}
	}
	return s
}

// TestRandomGainsNothing checks that the mean gain of random order over seeds is 0. On 180 pages,
// 1/3 of them changed, a gain has a standard deviation of about 0.09; 0.05 is 4 deviations of the
// mean of 50.
func TestRandomGainsNothing(t *testing.T) {
	var pages []*history.Page
	var links []string
	for i := range 179 {
		url := fmt.Sprint(tinyA, i)
		links = append(links, url)
		versions := []history.Version{shows(0, "A")}
		if i%3 == 0 {
			versions = append(versions, shows(8*daySeconds, "B"))
		}
		pages = append(pages, page(url, versions...))
	}
	pages = append([]*history.Page{page(tinyA, shows(0, "A", links...))}, pages...)
	c := newCorpus(t, []*history.Server{server("a.example", 0, pages...)}, Options{Base: week})
	var sum, squares float64
	const runs = 50
	for seed := range uint64(runs) {
		g := float64(snapshot(t, c, SnapshotOptions{Weeks: 2, Seed: seed},
			"random").Results[0].Gain)
		sum += g
		squares += g * g
	}
	mean := sum / runs
	deviation := math.Sqrt(squares/runs - mean*mean)
	if math.Abs(mean) > 0.05 || deviation < 0.03 || deviation > 0.2 {
		t.Errorf("gain of random over %d seeds: mean %.3f, standard deviation %.3f",
			runs, mean, deviation)
	}
}

// TestChangedWeekly checks that a page which changes and returns is changed by reading R1 (weekly
// comparisons), and not by R2 (one fetch).
func TestChangedWeekly(t *testing.T) {
	back := page("http://a.example/", shows(0, "A"), shows(8*daySeconds, "B"),
		shows(15*daySeconds, "A"))
	c := newCorpus(t, []*history.Server{server("a.example", 0, back)}, Options{})
	for weeks, want := range map[int][2]int{2: {0, 0}, 3: {1, 1}, 4: {0, 1}} {
		run := snapshot(t, c, SnapshotOptions{Weeks: weeks, Seed: 1}, "random")
		if got := [2]int{run.Corpus.Changed, run.ChangedWeekly}; got != want {
			t.Errorf("N = %d: changed by R2 and R1 %v, want %v", weeks, got, want)
		}
	}
}
