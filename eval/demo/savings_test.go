package demo

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/satstore/crashtest"
)

// PageOf is evals.SavingsPage; that package imports this one.
var PageOf func(*Savings) report.Page

// TestReached checks the least share without loss, by hand.
func TestReached(t *testing.T) {
	shares := []float64{0.5, 1, 1.5}
	for _, c := range []struct {
		differences []float64
		want        float64
	}{
		{[]float64{-0.1, 0.1, 0.2}, 0.75},
		{[]float64{0.1, 0.1, 0.2}, 0.5},    // at least
		{[]float64{-0.3, -0.2, -0.1}, 1.5}, // at most
		{[]float64{0.1, -0.1, 0.1}, 1.25},  // a lucky run does not count
		{[]float64{-0.1, 0, 0.1}, 1},
	} {
		if got := reached(shares, c.differences); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %g, want %g", c.differences, got, c.want)
		}
	}
}

// TestSavingsByHand checks means, spreads and savings of two seeds. One seed has no interval, and
// seeds with an undefined measure do not count.
func TestSavingsByHand(t *testing.T) {
	nan := eval.Number(math.NaN())
	w := WebSaving{Web: "w"}
	for _, base := range []float64{0.5, 0.7} {
		of := func(share, gain float64) Outcome {
			return Outcome{Requests: int(1000 * share), Changed: 1,
				Coverage:  eval.Number(base + gain),
				Freshness: eval.Number(base - gain), Discovered: nan}
		}
		w.Without = append(w.Without, of(1, 0))
		w.With = append(w.With, []Outcome{of(0.4, -0.3), of(0.6, -0.1), of(0.8, 0.1),
			of(1, base/5), of(1.25, 0.3), of(1, 0.02), of(1, -0.02)})
	}
	w.sum(1)
	if len(w.Gains) != 9 || len(w.Savings) != 2 {
		t.Fatalf("%d gains, %d savings", len(w.Gains), len(w.Savings))
	}
	near := func(what string, got eval.Number, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 1e-9 {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
	g := w.Gains[0]
	near("without", g.Without, 0.6)
	near("with", g.With, 0.72)
	near("difference", g.Difference, 0.12)
	near("spread", g.Spread, 0.04/math.Sqrt2)
	near("lower end", g.Interval[0], 0.1)
	near("upper end", g.Interval[1], 0.14)
	if g.Signals != AllSignals || g.Measure != eval.Coverage ||
		!math.IsNaN(float64(w.Gains[2].Difference)) {
		t.Errorf("%+v, %+v", g, w.Gains[2])
	}
	near("of one signal", w.Gains[3].Difference, 0.02)
	near("of another", w.Gains[6].Difference, -0.02)
	near("saved at equal coverage", w.Savings[0].Saved, 0.3)
	near("requests", w.Savings[0].Without, 1000)
	near("saved at equal freshness", w.Savings[1].Saved, -0.25) // less at the full budget

	w.Without, w.With = w.Without[:1], w.With[:1]
	w.sum(1)
	if one := w.Gains[0]; !math.IsNaN(float64(one.Interval[0])) ||
		!math.IsNaN(float64(one.Spread)) {
		t.Errorf("one seed has %+v", one)
	}
	w.Without[0].Changed = 0
	w.sum(1)
	if !math.IsNaN(float64(w.Savings[0].Saved)) {
		t.Errorf("a web without changes saves %v", w.Savings[0].Saved)
	}
}

// TestSignalsDoNotLose checks on the small built-in web that the mean difference over the seeds is
// at least -0.01.
func TestSignalsDoNotLose(t *testing.T) {
	if testing.Short() {
		t.Skip("crawls 24 webs over HTTP")
	}
	t.Parallel()
	r, err := Save(t.Context(), Options{Seed: 1, Pages: 300, Policy: "sites", Weeks: 12,
		Budget: 0.02, New: 0.25, Progress: untold}, 3)
	if err != nil {
		t.Fatal(err)
	}
	checkNoLoss(t, r, 3)
	again, err := Save(t.Context(), Options{Seed: 1, Pages: 300, Policy: "sites", Weeks: 12,
		Budget: 0.02, New: 0.25, Progress: untold}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := r.Webs[0].With[0]; !slices.Equal(again.Webs[0].With[0], want) {
		t.Errorf("the same seed found %+v, want %+v", again.Webs[0].With[0], want)
	}
}

// TestSignalsDoNotLoseOnSites checks the same on each recorded site.
func TestSignalsDoNotLoseOnSites(t *testing.T) {
	if !crashtest.Long() {
		t.Skip("serves four sites 320 times, ten minutes; set RECRAWL_LONG")
	}
	recordedSites(t, "") // skips without them
	r, err := Save(t.Context(), Options{Seed: 1, Policy: "sites", Weeks: 24, Budget: 0.02,
		New: 0.25, Sites: filepath.Join("..", "..", "..", "shared", "data", "sites"),
		Progress: untold}, 10)
	if err != nil {
		t.Fatal(err)
	}
	checkNoLoss(t, r, 10)
}

func checkNoLoss(t *testing.T, r *Savings, seeds int) {
	t.Helper()
	const loss = 0.01
	for _, w := range r.Webs {
		if len(w.Without) != seeds || len(w.With) != seeds {
			t.Errorf("%s: %d and %d runs, want %d", w.Web, len(w.Without), len(w.With), seeds)
		}
		for _, g := range w.Gains {
			if g.Signals == AllSignals && g.Measure != eval.Discovered && g.Difference < -loss {
				t.Errorf("%s: %s %.4f with signals, %.4f without", w.Web, g.Measure,
					float64(g.With), float64(g.Without))
			}
		}
		for k, without := range w.Without {
			for i, with := range w.With[k] {
				if i < len(Shares) && Shares[i] == 1 && with.Requests != without.Requests {
					t.Errorf("%s: %d requests with signals, %d without", w.Web, with.Requests,
						without.Requests)
				}
			}
			if without.Sources > 0 {
				t.Errorf("%s: %d visits to sources without signals", w.Web, without.Sources)
			}
		}
	}
	page := PageOf(r)
	if len(page.Sections) != 1 || len(page.Sections[0].Tables[0].Rows) != 9*len(r.Webs) ||
		len(page.Sections[0].Tables[1].Rows) != 2*len(r.Webs) {
		t.Errorf("the page has %+v", page.Sections)
	}
}
