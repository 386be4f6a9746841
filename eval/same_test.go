package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
)

// results returns the results of all policies in both protocols, as JSON.
func results(t *testing.T, servers []*history.Server, o Options, seed uint64) []byte {
	t.Helper()
	c := newCorpus(t, servers, o)
	snapshot, err := c.Snapshot(t.Context(), SnapshotOptions{Weeks: 3, Seed: seed, Spread: true},
		policy.Names(), nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.Stream(t.Context(), StreamOptions{Weeks: 2, Budget: 0.3, New: 0.25, Seed: seed,
		Spread: true}, policy.Names(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent([]any{snapshot, stream}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSameSeedSameBytes(t *testing.T) {
	servers := randomServers(rand.New(rand.NewPCG(7, 7)))
	o := Options{Base: week, History: 1}
	first := results(t, servers, o, 7)
	if again := results(t, servers, o, 7); !bytes.Equal(first, again) {
		t.Errorf("a second run differs\n%s\n%s", first, again)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, cores := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(cores)
		if again := results(t, servers, o, 7); !bytes.Equal(first, again) {
			t.Errorf("a run on %d cores differs\n%s\n%s", cores, first, again)
		}
	}
	if other := results(t, servers, o, 8); bytes.Equal(bytes.Replace(other, []byte(`"seed": 8`),
		[]byte(`"seed": 7`), -1), first) {
		t.Error("another seed makes no difference")
	}
}

// TestForecastChangesNothing checks that storing forecasts does not change choices.
func TestForecastChangesNothing(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(2) {
		c := newCorpus(t, randomServers(rand.New(rand.NewPCG(seed, 9))),
			Options{Base: week, History: 1})
		o := StreamOptions{Weeks: 3, Budget: 0.3, New: 0.25, Seed: seed}
		for _, policy := range policiesOf(seed) {
			visits := func(forecast bool) (of []planner.Visit) {
				stage := c.replayed()
				stage.Forecast = forecast
				stage.Log = func(e *crawl.Event) {
					v := e.Visit
					v.Due = time.Time{} // what was stored
					of = append(of, v)
					if forecast && (e.Record.Due.IsZero() || e.Record.Reason == "") {
						t.Errorf("%s: nothing is kept of when page %d is due; %s",
							policy, v.Page, repeat(t, seed))
					}
				}
				if _, err := c.StreamOn(t.Context(), stage, o, policy, nil); err != nil {
					t.Fatal(err)
				}
				return of
			}
			with, without := visits(true), visits(false)
			if !slices.EqualFunc(with, without, func(a, b planner.Visit) bool {
				return fmt.Sprint(a) == fmt.Sprint(b)
			}) {
				t.Errorf("%s makes other visits if its forecasts are kept: %v and %v; %s",
					policy, with, without, repeat(t, seed))
			}
		}
	}
}

// TestServersAreAligned checks that servers with different t0 are aligned on t - t0: moving whole
// histories changes nothing.
func TestServersAreAligned(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(5) {
		servers := randomServers(rand.New(rand.NewPCG(seed, 8)))
		o := Options{Base: week, History: 1}
		if _, err := NewDataset(t.Context(), servers, o); err != nil {
			continue // no top page was alive
		}
		var moved []*history.Server
		for i, s := range servers {
			shift := int64(12345 + 8_000_000*i)
			var pages []*history.Page
			for _, p := range s.Pages {
				p = page(p.URL, slices.Clone(p.Versions)...)
				for k := range p.Versions {
					p.Versions[k].T += shift
				}
				pages = append(pages, p)
			}
			moved = append(moved, server(s.Name, s.T0+shift, pages...))
		}
		if a, b := results(t, servers, o, seed), results(t, moved, o, seed); !bytes.Equal(a, b) {
			t.Fatalf("moved histories give other results; %s\n%s\n%s", repeat(t, seed), a, b)
		}
	}
}

func TestNumberJSON(t *testing.T) {
	for _, test := range []struct {
		value Number
		json  string
	}{{0, "0"}, {0.1, "0.1"}, {1, "1"}, {-1. / 3, "-0.3333333333333333"}, {1e-7, "1e-07"},
		{1e300, "1e+300"}, {Number(math.NaN()), "null"}} {
		b, err := json.Marshal(test.value)
		if err != nil || string(b) != test.json {
			t.Errorf("%v is written %s, want %s (%v)", float64(test.value), b, test.json, err)
		}
		back := Number(42)
		if err := json.Unmarshal(b, &back); err != nil || !near(back, test.value) {
			t.Errorf("%s is read %v (%v)", b, back, err)
		}
	}
	if b, err := json.Marshal(Number(math.Inf(1))); err != nil || string(b) != "null" {
		t.Errorf("infinity is written %s (%v)", b, err)
	}
	var n Number
	if err := json.Unmarshal([]byte(`"x"`), &n); err == nil {
		t.Error("a string is read as a number")
	}
	wantNumber(t, "1/0", ratio(1, 0), math.NaN())
	wantNumber(t, "1/4", ratio(1, 4), 0.25)
}

// TestResultJSON checks that a result with undefined values survives JSON.
func TestResultJSON(t *testing.T) {
	nan := Number(math.NaN())
	in := SnapshotResult{Policy: "random", AUC: nan, Gain: 0.5, GainInServers: nan,
		Curve:  [][2]float64{{0, 0}, {1, 1}},
		Spread: Spread{Coverage: {nan, 1}, UpdateRate: {0, 0.25}}}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out SnapshotResult
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(out)
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("%s became %s (%v)", b, again, err)
	}
	wantNumber(t, "AUC", out.AUC, nan)
	wantNumber(t, "spread", out.Spread[Coverage][0], nan)
	wantNumber(t, "spread", out.Spread[Coverage][1], 1.)
}

// spreadOf resamples tallies.
func spreadOf(servers []tally, seed uint64) Spread {
	d := draws{}
	d.addTallies(resampled(len(servers), seed), servers)
	return d.spread()
}

func TestSpread(t *testing.T) {
	same := slices.Repeat([]tally{{fetched: 10, found: 3, all: 4}}, 12)
	s := spreadOf(same, 1)
	if s[Coverage] != [2]Number{0.75, 0.75} || s[UpdateRate] != [2]Number{0.3, 0.3} {
		t.Errorf("of equal servers: %+v", s)
	}

	rng := rand.New(rand.NewPCG(9, 9))
	var mixed, half []tally
	found, all := 0, 0
	for range 30 {
		f := 2 * (20 + rng.IntN(20))
		mixed = append(mixed, tally{fetched: 200, found: f, all: 100})
		half = append(half, tally{fetched: 200, found: f / 2, all: 100})
		found, all = found+f, all+100
	}
	s = spreadOf(mixed, 1)
	value := Number(float64(found) / float64(all))
	if !(s[Coverage][0] < value && value < s[Coverage][1]) {
		t.Errorf("coverage %v does not lie within %v", value, s[Coverage])
	}
	// one server: deviation 0.115; of 30: 0.021, times 3.3: 0.07
	if width := s[Coverage][1] - s[Coverage][0]; width > 0.15 {
		t.Errorf("spread %v is too wide", s[Coverage])
	}
	if again := spreadOf(mixed, 1); asJSON(t, again) != asJSON(t, s) {
		t.Errorf("the same seed gives %+v and %+v", s, again)
	}
	if other := spreadOf(mixed, 2); asJSON(t, other) == asJSON(t, s) {
		t.Error("another seed draws the same corpora")
	}
	// Both policies are measured on the same draws: half the finds, half the bounds.
	if h := spreadOf(half, 1); !near(2*h[Coverage][0], s[Coverage][0]) ||
		!near(2*h[Coverage][1], s[Coverage][1]) {
		t.Errorf("half the finds: %v, all: %v", h[Coverage], s[Coverage])
	}
	none := spreadOf([]tally{{}, {}}, 1)
	wantNumber(t, "coverage without changes", none[Coverage][0], math.NaN())
	wantNumber(t, "update rate without visits", none[UpdateRate][1], math.NaN())
}

func TestPercentiles(t *testing.T) {
	var values []float64
	for i := range 200 {
		values = append(values, float64(199-i), math.NaN())
	}
	if p := Interval(values); p != [2]Number{10, 189} { // of 0..199, NaN left out
		t.Errorf("%v", p)
	}
	if p := Interval([]float64{7}); p != [2]Number{7, 7} {
		t.Errorf("of one: %v", p)
	}
}

// TestSpreadOfRuns checks that the tallies of a spread add up to the result.
func TestSpreadOfRuns(t *testing.T) {
	c := tiny(t, Options{})
	run, err := c.Stream(t.Context(), StreamOptions{Weeks: 1, Budget: 4, New: 0.5, Spread: true},
		[]string{"interval"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// All 5 events of a and 2 of b are found: whatever is drawn, coverage is 1. Refetches:
	// a 4, 4 (a/3 gone), 3 and 4 each on days 4 to 7; b 3 each day. Rates: 5/27, 2/21.
	s := run.Results[0].Spread
	if s[Coverage] != [2]Number{1, 1} || !near(s[UpdateRate][0], 2./21) ||
		!near(s[UpdateRate][1], 5./27) {
		t.Errorf("stream: %+v", s)
	}
	h := c.newHorizon(2)
	order, err := h.sweep(t.Context(), sweepOf{policy: "breadth-first"},
		SnapshotOptions{Seed: 1, Sample: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.tallies(order); !slices.Equal(got, []tally{{4, 3, 3}, {2, 1, 1}}) {
		t.Errorf("snapshot: %+v", got)
	}
}
