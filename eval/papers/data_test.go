package papers

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/crashtest"
)

// realHistories is the folder beside the module: the histories are too large to be part of it.
var realHistories = filepath.Join("..", "..", "..", "shared", "data", "histories")

// TestRealFigures checks the 45 recorded servers. Counts are those of an independent evaluator, as
// in package eval; verdicts are the observed ones.
func TestRealFigures(t *testing.T) {
	if !crashtest.Long() {
		t.Skip("RECRAWL_LONG=1 reads 45 servers and makes all figures of them")
	}
	if _, err := os.Stat(realHistories); err != nil {
		t.Skipf("the recorded histories are not there: %v", err)
	}
	servers, err := history.ReadFiles(context.Background(), []string{realHistories}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := eval.NewDataset(t.Context(), servers, eval.Options{Base: 12 * week})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	f := figuresOf(t, c, FiguresOptions{Weeks: []int{2, 4, 12, 24}, Seed: 1})
	t.Logf("made in %v", time.Since(start))
	for i, want := range []struct {
		pages, changed, vanished int
		fetched                  map[string]int
	}{
		{37_979, 2_973, 4_678, map[string]int{"a": 25_307, "b": 26_063, "b-closure": 26_386,
			"c": 2_280, "c-closure": 2_437}},
		{37_977, 5_852, 4_680, map[string]int{"a": 30_209}},
		{37_864, 12_931, 4_793, map[string]int{"a": 32_111}},
		{37_458, 19_000, 5_199, map[string]int{"a": 32_797, "b": 29_777, "b-closure": 33_528,
			"c": 17_802, "c-closure": 21_623}},
	} {
		p := &f.Periods[i]
		if p.Pages != want.pages || p.Changed != want.changed || p.Vanished != want.vanished {
			t.Errorf("%d weeks: %d pages, %d changed, %d vanished, want %+v",
				p.Weeks, p.Pages, p.Changed, p.Vanished, want)
		}
		for policy, fetched := range want.fetched {
			if m := p.method(t, policy); m.Fetched != fetched {
				t.Errorf("%d weeks: %s fetches %d pages, want %d",
					p.Weeks, policy, m.Fetched, fetched)
			}
		}
	}
	for words, want := range map[string]Verdict{"sooner than random": Holds, "2 to 3 times": Fails,
		"A or B inside": Holds, "70 to 80 %": Untold} {
		i := slices.IndexFunc(f.Claims, func(c Claim) bool {
			return strings.Contains(c.Claim, words)
		})
		if i < 0 || f.Claims[i].Verdict != want {
			t.Errorf("claim %d with %q: want it, and that it %s", i, words, want)
		}
	}
}
