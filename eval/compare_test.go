package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// Resampled corpora are built literally here: a server drawn n times becomes n servers with other
// names. Each gets the visits of the original, and everything is counted the slow way.

// copyOf returns a copy of a server with another name, and a function that renames its URLs.
func copyOf(s *history.Server, n int) (*history.Server, func(url string) string) {
	name := fmt.Sprintf("copy%d-%s", n, s.Name)
	rename := func(url string) string {
		if rest, ok := strings.CutPrefix(url, "http://"+s.Name+"/"); ok {
			return "http://" + name + "/" + rest
		}
		return url
	}
	var pages []*history.Page
	for _, p := range s.Pages {
		twin := page(rename(p.URL), slices.Clone(p.Versions)...)
		for i := range twin.Versions {
			v := &twin.Versions[i]
			v.Links = slices.Clone(v.Links)
			for k := range v.Links {
				v.Links[k] = rename(v.Links[k])
			}
		}
		pages = append(pages, twin)
	}
	return server(name, s.T0, pages...), rename
}

// literal returns a drawn corpus and the log of visits to it. times is by place in servers.
func literal(servers []*history.Server, log []step, times []int) (
	drawn []*history.Server, visits []step) {
	renames := map[string][]func(string) string{}
	for s, server := range servers {
		for n := range times[s] {
			twin, rename := copyOf(server, n)
			drawn = append(drawn, twin)
			renames[server.Name] = append(renames[server.Name], rename)
		}
	}
	for _, v := range log {
		for _, rename := range renames[sitegraph.ServerName(v.url)] {
			twin := v
			twin.url = rename(v.url)
			visits = append(visits, twin)
		}
	}
	return drawn, visits
}

func TestStreamDrawsAgainstSlow(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, seed := range seeds(10) {
		rng := rand.New(rand.NewPCG(seed, 21))
		servers := randomServers(rng)
		options := Options{Base: week * time.Duration(rng.IntN(3)),
			Change: sitegraph.ChangeBy(rng.IntN(3))}
		c, err := NewDataset(t.Context(), servers, options)
		if err != nil {
			continue // no top page was alive
		}
		ran++
		o := StreamOptions{Weeks: 2, Budget: []float64{0.2, 0.6, 1}[rng.IntN(3)], New: 0.25,
			Seed: seed, Compare: "ebayes"}
		names := []string{"interval", "ebayes", "c-closure"}
		run, err := c.Stream(t.Context(), o, names, nil)
		if err != nil {
			t.Fatal(err)
		}
		corpora := resampled(len(servers), seed)
		slow := map[string]draws{}
		for _, name := range names {
			_, log := logged(t, c, o, name)
			slow[name] = draws{}
			for _, times := range corpora {
				drawn, visits := literal(c.World.Servers, log, times)
				r := newSlowRun(drawn, options, o.Weeks*7)
				result := r.measure(visits)
				for _, m := range StreamMeasures {
					slow[name][m] = append(slow[name][m], float64(result.Measure(m)))
				}
				if r.problem != "" {
					t.Fatalf("%s; %s", r.problem, repeat(t, seed))
				}
			}
		}
		checkPairs(t, run.Comparison, StreamMeasures, slow)
		if t.Failed() {
			t.Fatal(repeat(t, seed))
		}
	}
	if ran == 0 {
		t.Error("no corpus had a page at its base")
	}
}

func TestSnapshotDrawsAgainstSlow(t *testing.T) {
	ran := 0
	for _, seed := range seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 22))
		c, err := NewDataset(t.Context(), randomServers(rng),
			Options{Base: week, History: rng.IntN(2)})
		if err != nil {
			continue // no top page was alive
		}
		ran++
		o := SnapshotOptions{Weeks: 2 + rng.IntN(3), Seed: seed, Compare: "ebayes"}
		names := []string{"a", "ebayes", "server-sample+a", "clairvoyant"}
		run := snapshot(t, c, o, names...)
		h := c.newHorizon(o.Weeks)
		slow := map[string]draws{}
		for _, name := range names {
			order, err := h.sweep(t.Context(), sweepOf{policy: name},
				SnapshotOptions{Seed: seed, Sample: 5})
			if err != nil {
				t.Fatal(err)
			}
			slow[name] = slowSnapshotDraws(h, order, seed)
		}
		checkPairs(t, run.Comparison, SnapshotMeasures, slow)
		if t.Failed() {
			t.Fatal(repeat(t, seed))
		}
	}
	if ran == 0 {
		t.Error("no corpus had a page at its base")
	}
}

// slowSnapshotDraws repeats each visit as often as its server was drawn.
func slowSnapshotDraws(h *horizon, order []fetched, seed uint64) draws {
	d := draws{}
	add := func(measure string, v Number) { d[measure] = append(d[measure], float64(v)) }
	for _, times := range resampled(h.graph.Servers(), seed) {
		var drawn []fetched
		pages, changed, found := 0, 0, 0
		for _, f := range order {
			for range times[f.server] {
				drawn = append(drawn, f)
				if f.changed {
					found++
				}
			}
		}
		var inServers []float64
		for s, n := range times {
			var own []fetched
			for _, f := range order {
				if int(f.server) == s {
					own = append(own, f)
				}
			}
			pages, changed = pages+n*h.alive[s], changed+n*h.updated[s]
			if h.updated[s] > 0 && h.updated[s] < h.alive[s] {
				for range n {
					inServers = append(inServers, slowGain(own, h.alive[s], h.updated[s]))
				}
			}
		}
		add(GainInServers, slowMean(inServers))
		add(Coverage, ratio(found, changed))
		add(UpdateRate, ratio(found, len(drawn)))
		if changed > 0 && changed < pages {
			add(Gain, Number(slowGain(drawn, pages, changed)))
		} else {
			add(Gain, Number(math.NaN()))
		}
	}
	return d
}

// checkPairs compares a whole comparison with the result of slow draws.
func checkPairs(t *testing.T, c *Comparison, measures []string, slow map[string]draws) {
	t.Helper()
	if c == nil || len(c.With) != len(slow)-1 {
		t.Fatalf("comparison %+v", c)
	}
	bounds := func(values []float64) [2]float64 {
		values = slices.DeleteFunc(values, math.IsNaN)
		if len(values) == 0 {
			return [2]float64{math.NaN(), math.NaN()}
		}
		slices.Sort(values)
		n := float64(len(values) - 1)
		return [2]float64{values[int(n*0.05+0.5)], values[int(n*0.95+0.5)]}
	}
	for _, o := range c.With {
		for _, m := range measures {
			var differences, ratios []float64
			for i, v := range slow[c.Policy][m] {
				other := slow[o.Policy][m][i]
				differences = append(differences, v-other)
				if other > 0 {
					ratios = append(ratios, v/other)
				}
			}
			p, d, r := o.Measures[m], bounds(differences), bounds(ratios)
			for i, end := range []string{"5", "95"} {
				if a, b := float64(p.DifferenceSpread[i]), d[i]; !nearly(a, b) {
					t.Errorf("%s of %s less %s: %s %% at %v, want %v",
						m, c.Policy, o.Policy, end, a, b)
				}
				if a, b := float64(p.RatioSpread[i]), r[i]; !nearly(a, b) {
					t.Errorf("%s of %s over %s: %s %% at %v, want %v",
						m, c.Policy, o.Policy, end, a, b)
				}
			}
			wantNumber(t, "difference", p.Difference, p.Value-p.Other)
		}
	}
}

// nearly allows for sums in another order.
func nearly(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*max(1, math.Abs(a))
}

// TestCompare checks which policy is the best published one, and which are left out.
func TestCompare(t *testing.T) {
	nan := Number(math.NaN())
	of := func(policy string, coverage, freshness Number, drawn ...float64) contender {
		return contender{policy: policy, values: map[string]Number{Coverage: coverage,
			Freshness: freshness}, draws: draws{Coverage: drawn}}
	}
	all := []contender{
		of("interval", 0.2, nan, 0.1, 0.3),
		of("clairvoyant", 0.9, 0.9, 0.9, 0.9), // a reference line
		of("shape", 0.6, 0.8, 0.6, 0.6),       // one of this project
		of("c", 0.4, 0.3, 0.4, 0.4),
		of("c-closure", 0.4, 0.35, 0, math.NaN()),
		of("ebayes", 0.5, 0.2, 0.2, 0.6),
		of("sites-without-tops", 0.45, 0.2, 0.25, 0.5),
	}
	measures := []string{Coverage, Freshness}
	c, err := compare("ebayes", []string{"sites-without-tops", "ebayes-groups"}, measures, all)
	if err != nil {
		t.Fatal(err)
	}
	// the first of two with 0.4; ebayes is also published
	if b := c.Best[Coverage]; b.Policy != "c" {
		t.Errorf("best published by coverage: %+v", b)
	}
	if b := c.Best[Freshness]; b.Policy != "c-closure" || b.Value != 0.2 || b.Other != 0.35 ||
		!near(b.Difference, -0.15) {
		t.Errorf("best published by freshness: %+v", b)
	}
	var names []string
	for _, o := range c.With {
		names = append(names, o.Policy)
		if o.Reference != (o.Policy == "clairvoyant") ||
			o.Published != (o.Policy != "clairvoyant" && o.Policy != "shape") {
			t.Errorf("%+v", o)
		}
	}
	if !slices.Equal(names, []string{"interval", "clairvoyant", "shape", "c", "c-closure"}) {
		t.Errorf("compared with %v", names)
	}
	p := c.With[0].Measures[Coverage]
	if !near(p.Ratio, 2.5) || !near(p.DifferenceSpread[0], 0.1) ||
		!near(p.DifferenceSpread[1], 0.3) || !near(p.RatioSpread[0], 2.) ||
		!near(p.RatioSpread[1], 2.) {
		t.Errorf("against interval: %+v", p)
	}
	p = c.With[4].Measures[Coverage] // once 0 and once undefined
	if p.DifferenceSpread != [2]Number{0.2, 0.2} || !math.IsNaN(float64(p.RatioSpread[0])) {
		t.Errorf("against c-closure: %+v", p)
	}
	if len(c.Without) != 1 || c.Without[0].Part != "tops" ||
		!near(c.Without[0].Measures[Coverage].Difference, 0.05) {
		t.Errorf("without evidence: %+v", c.Without)
	}

	mean := Mean([]Paired{c.With[0].Measures[Coverage], c.With[3].Measures[Coverage]})
	if !near(mean.Value, 0.5) || !near(mean.Other, 0.3) || !near(mean.Difference, 0.2) ||
		!near(mean.DifferenceSpread[0], 0.2-0.25) || !near(mean.DifferenceSpread[1], 0.25) {
		t.Errorf("mean %+v", mean)
	}
	if _, err := compare("value?", nil, measures, all); err == nil ||
		!strings.Contains(err.Error(), "takes no part") {
		t.Errorf("a policy that is not there: %v", err)
	}
}

// TestCompareNobody checks that a comparison with a policy which takes no part is an error.
func TestCompareNobody(t *testing.T) {
	c := tiny(t, Options{})
	if _, err := c.Stream(t.Context(), StreamOptions{Weeks: 1, Budget: 1, Compare: "ebayes"},
		[]string{"interval"}, nil); err == nil {
		t.Error("stream: no error")
	}
	if _, err := c.Snapshot(t.Context(), SnapshotOptions{Weeks: 2, Compare: "ebayes"},
		[]string{"a"}, nil); err == nil {
		t.Error("snapshot: no error")
	}
}

// TestStreams checks that several concurrent budgets give the same as each alone, and that every
// day is reported once.
func TestStreams(t *testing.T) {
	c := newCorpus(t, generatedServers(2, 60), Options{Base: week})
	var all []StreamOptions
	for _, weeks := range []int{1, 2} {
		for _, budget := range []float64{0.05, 0.2} {
			all = append(all, StreamOptions{Weeks: weeks, Budget: budget, New: 0.25, Seed: 3,
				Spread: true, Compare: "interval"})
		}
	}
	names := []string{"interval", "c", "clairvoyant"}
	want := make([]string, len(all))
	for i, o := range all {
		run, err := c.Stream(t.Context(), o, names, nil)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = asJSON(t, run)
		for k := range run.Results {
			r := &run.Results[k]
			if w := r.Weekly[len(r.Weekly)-1]; !near(w.Coverage, r.Coverage) {
				t.Errorf("%s: coverage %v to the last week, %v in all",
					r.Policy, w.Coverage, r.Coverage)
			}
			wantNumber(t, "interval", r.Interval(Freshness)[1], r.Spread[Freshness][1])
		}
	}
	for _, atOnce := range []int{0, 1, 2} {
		told := make(chan Progress, 1000)
		runs, err := c.Streams(t.Context(), all, names, atOnce, func(p Progress) { told <- p })
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			if got := asJSON(t, runs[i]); got != want[i] {
				t.Errorf("%d at once\n%s\nalone\n%s", atOnce, got, want[i])
			}
		}
		close(told)
		days, last := map[Progress]int{}, 0
		for p := range told {
			days[p]++
			if p.Last {
				last++
			}
		}
		wantInt(t, "days told", len(days), 3*2*(7+14)) // no day twice, or there would be fewer
		wantInt(t, "last days", last, 3*4)
	}
	if _, err := c.Streams(t.Context(), all, []string{"nonsense"}, 1,
		func(Progress) {}); err == nil {
		t.Error("an unknown policy: no error")
	}
}
