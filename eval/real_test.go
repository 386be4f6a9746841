package eval

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/crashtest"
)

// realCorpus reads the 45 recorded servers at week 12 once.
var realCorpus = sync.OnceValues(func() (*Dataset, error) {
	servers, err := history.ReadFiles(context.Background(), []string{realHistories}, nil)
	if err != nil {
		return nil, err
	}
	return NewDataset(context.Background(), servers, Options{Base: 12 * week})
})

// realHistories is the folder beside the module: the histories are too large to be part of it.
var realHistories = filepath.Join("..", "..", "shared", "data", "histories")

func recorded(t testing.TB) *Dataset {
	t.Helper()
	if testing.Short() {
		t.Skip("reads 45 servers")
	}
	if _, err := os.Stat(realHistories); err != nil {
		t.Skipf("the recorded histories are not there: %v", err)
	}
	c, err := realCorpus()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRealSnapshots compares with an independent evaluator on the same histories. Pages and changes
// must be equal; policies break ties differently, so areas agree only roughly.
func TestRealSnapshots(t *testing.T) {
	t.Parallel()
	c := recorded(t)
	wantInt(t, "servers", len(c.World.Servers), 45)
	wantInt(t, "base pages", len(c.Pages), 42_657)
	for _, test := range []struct {
		weeks, pages, changed, vanished int
		fetchedA                        int     // for method a
		coverageA                       float64 // to three digits
		gainA, gainBreadthFirst         float64
	}{
		{2, 37_979, 2_973, 4_678, 25_307, 0.939, 0.559, 0.537},
		{4, 37_977, 5_852, 4_680, 30_209, 0.994, 0.365, 0.442},
		{12, 37_864, 12_931, 4_793, 32_111, 0.999, 0.314, 0.415},
		{24, 37_458, 19_000, 5_199, 32_797, 0.998, 0.128, 0.238},
	} {
		if test.weeks > 4 && !crashtest.Long() {
			continue
		}
		run := snapshot(t, c, SnapshotOptions{Weeks: test.weeks, Seed: 1}, "a", "breadth-first")
		want := SnapshotTotals{Servers: 45, Pages: test.pages, Changed: test.changed,
			Vanished: test.vanished}
		if run.Corpus != want {
			t.Errorf("N=%d: %+v, want %+v", test.weeks, run.Corpus, want)
		}
		a, breadthFirst := run.Results[0], run.Results[1]
		if a.Fetched != test.fetchedA || math.Abs(float64(a.Coverage)-test.coverageA) > 0.0005 {
			t.Errorf("N=%d: a fetches %d pages with coverage %.4f, want %d and %.3f",
				test.weeks, a.Fetched, float64(a.Coverage), test.fetchedA, test.coverageA)
		}
		if math.Abs(float64(a.Gain)-test.gainA) > 0.05 ||
			math.Abs(float64(breadthFirst.Gain)-test.gainBreadthFirst) > 0.02 {
			t.Errorf(
				"N=%d: gain of a %.3f, want about %.3f; of breadth-first %.3f, want about %.3f",
				test.weeks,
				float64(a.Gain), test.gainA, float64(breadthFirst.Gain), test.gainBreadthFirst)
		}
	}
}

// TestRealSites compares exactly determined sets with an independent evaluator: pages fetched, and
// coverage to three digits. Methods inside whole servers fetch the same as the method alone.
func TestRealSites(t *testing.T) {
	t.Parallel()
	c := recorded(t)
	type figures struct {
		fetched  int
		coverage float64
	}
	for weeks, want := range map[int]map[string]figures{
		2: {"b": {26_063, 0.891}, "b-closure": {26_386, 0.944}, "c": {2_280, 0.743},
			"c-closure": {2_437, 0.796},
			"c-then-b":  {26_063, 0.891}, "c-then-b-closure": {26_386, 0.944},
			"server-true": {37_979, 1}, "server-true+a": {25_307, 0.939},
			"server-true+b-closure": {26_386, 0.944}},
		24: {"b": {29_777, 0.801}, "b-closure": {33_528, 0.996}, "c": {17_802, 0.773},
			"c-closure": {21_623, 0.970},
			"c-then-b":  {29_777, 0.801}, "c-then-b-closure": {33_528, 0.996},
			"server-true": {37_458, 1}, "server-true+a": {32_797, 0.998},
			"server-true+b-closure": {33_528, 0.996}},
	} {
		if weeks > 4 && !crashtest.Long() {
			continue
		}
		policies := slices.Sorted(maps.Keys(want))
		for i, r := range snapshot(t, c, SnapshotOptions{Weeks: weeks, Seed: 1},
			policies...).Results {
			policy, figures := policies[i], want[policies[i]]
			if r.Fetched != figures.fetched ||
				math.Abs(float64(r.Coverage)-figures.coverage) > 0.0005 {
				t.Errorf("N=%d: %s fetches %d pages with coverage %.4f, want %d and %.3f",
					weeks, policy, r.Fetched, float64(r.Coverage), figures.fetched,
					figures.coverage)
			}
		}
	}
}

func TestRealStream(t *testing.T) {
	if !crashtest.Long() {
		t.Skip("RECRAWL_LONG=1 plays 40 weeks of 45 servers")
	}
	c := recorded(t)
	truth := c.newTruth(40 * 7)
	wantInt(t, "pages", len(truth.pages), 57_576)
	wantInt(t, "events", truth.events, 205_216)
	r, err := c.StreamOn(t.Context(), c.replayed(),
		StreamOptions{Weeks: 40, Budget: 0.01, New: 0.25, Seed: 1}, "interval", nil)
	if err != nil {
		t.Fatal(err)
	}
	wantInt(t, "fetched", r.Fetched, 119_439)
	if math.Abs(float64(r.Coverage)-0.2098) > 0.01 ||
		math.Abs(float64(r.UpdateRate)-0.3930) > 0.02 ||
		math.Abs(float64(r.Freshness)-0.7667) > 0.03 {
		t.Errorf("interval at 1 %%: coverage %.4f, update rate %.4f, freshness %.4f; want about "+
			"0.2098, 0.3930, 0.7667",
			float64(r.Coverage), float64(r.UpdateRate), float64(r.Freshness))
	}
}
