package eval

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestHorizon checks that sweeps of a horizon are those of the protocol, and that its parts add up
// to them.
func TestHorizon(t *testing.T) {
	for _, seed := range seeds(4) {
		c, err := NewDataset(t.Context(), randomServers(rand.New(rand.NewPCG(seed, 12))),
			Options{Base: week})
		if err != nil {
			continue // no top page was alive
		}
		o := SnapshotOptions{Weeks: 3, Seed: seed, Spread: true, Thresholds: []float64{0.3}}
		want := snapshot(t, c, o, policy.Names()...)
		h, err := c.Horizon(3)
		if err != nil {
			t.Fatal(err)
		}
		if h.Totals() != want.Corpus {
			t.Errorf("totals %+v, want %+v; %s", h.Totals(), want.Corpus, repeat(t, seed))
		}
		alive, changed := 0, 0
		for p := range sitegraph.PageID(c.Graph().Pages()) {
			if h.Alive(p) {
				alive++
				if h.Changed(p) {
					changed++
				}
			}
		}
		if alive != want.Corpus.Pages || changed != want.Corpus.Changed {
			t.Errorf("%d pages alive, %d changed, want %+v; %s",
				alive, changed, want.Corpus, repeat(t, seed))
		}
		for i, policy := range policy.Names() {
			s, err := h.Sweep(t.Context(), o, policy)
			if err != nil {
				t.Fatal(err)
			}
			if asJSON(t, s.Result) != asJSON(t, want.Results[i]) {
				t.Errorf("%s: %+v, want %+v; %s",
					policy, s.Result, want.Results[i], repeat(t, seed))
			}
			var sum Tally
			for _, part := range s.ByServer() {
				sum.Pages += part.Pages
				sum.Changed += part.Changed
				sum.Fetched += part.Fetched
				sum.Found += part.Found
			}
			if (sum != Tally{alive, changed, s.Result.Fetched, s.Result.ChangedFetched}) {
				t.Errorf("%s: parts add up to %+v, want %+v; %s",
					policy, sum, s.Result, repeat(t, seed))
			}
			for k, before := 0, 0; k <= alive+1; k++ {
				found := s.Found(k)
				if found < before || found > before+1 || k >= s.Result.Fetched &&
					found != s.Result.ChangedFetched {
					t.Errorf("%s: %d found in %d visits after %d; %s",
						policy, found, k, before, repeat(t, seed))
				}
				before = found
			}
		}
	}
	c := tiny(t, Options{})
	if _, err := c.Horizon(200); err == nil || !strings.Contains(err.Error(), "beyond the window") {
		t.Errorf("200 weeks: %v", err)
	}
	h, err := c.Horizon(2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Sweep(t.Context(), SnapshotOptions{}, "nonsense"); err == nil {
		t.Error("an unknown policy is no error")
	}
}

// TestResamples checks that resamples have the same number of servers, and that a seed always draws
// the same.
func TestResamples(t *testing.T) {
	var first [][]int
	for times := range Resamples(7, 3) {
		sum := 0
		for _, n := range times {
			sum += n
		}
		if sum != 7 {
			t.Errorf("a corpus of %d servers, want 7: %v", sum, times)
		}
		first = append(first, append([]int(nil), times...))
	}
	if len(first) != resamples {
		t.Errorf("%d resamples, want %d", len(first), resamples)
	}
	i := 0
	for times := range Resamples(7, 3) {
		for s, n := range times {
			if first[i][s] != n {
				t.Fatalf("resample %d is %v, and was %v", i, times, first[i])
			}
		}
		if i++; i == 5 {
			break
		}
	}
}
