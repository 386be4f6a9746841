package eval

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// crawled returns a stage of the recorded world after Crawl.
func crawled(t *testing.T, c *Dataset) Stage {
	t.Helper()
	stage := c.Empty()
	if err := c.Crawl(t.Context(), stage); err != nil {
		t.Fatal(err)
	}
	if err := stage.Remember(); err != nil {
		t.Fatal(err)
	}
	return stage
}

// asJSON compares printed results: NaN is not equal to itself.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSweepOn checks that sweeps in another world give the same as the protocol, for every policy
// in turn on one stage, and that a stream after them gives the same as on a fresh stage.
func TestSweepOn(t *testing.T) {
	for _, seed := range seeds(6) {
		c, err := NewDataset(t.Context(), randomServers(rand.New(rand.NewPCG(seed, 11))),
			Options{Base: week})
		if err != nil {
			continue // no top page was alive
		}
		o := SnapshotOptions{Weeks: 3, Seed: seed, Thresholds: []float64{0.2}}
		stage := crawled(t, c)
		want := snapshot(t, c, o, policy.Names()...)
		for i, policy := range policy.Names() {
			visits := 0
			stage.Log = func(*crawl.Event) { visits++ }
			got, err := c.SweepOn(t.Context(), stage, o, policy)
			if err != nil {
				t.Fatal(err)
			}
			if got.Fetched != visits {
				t.Errorf("%s: %d fetched, %d logged; %s",
					policy, got.Fetched, visits, repeat(t, seed))
			}
			if a, b := asJSON(t, got), asJSON(t, want.Results[i]); a != b {
				t.Errorf("%s\non a stage  %s\nby protocol %s\n%s", policy, a, b, repeat(t, seed))
			}
		}
		stage.Log, stage.Clock = nil, crawl.NewVirtualClock(c.Base)
		stream := StreamOptions{Weeks: 2, Budget: 0.3, New: 0.25, Seed: seed}
		got, err := c.StreamOn(t.Context(), stage, stream, "interval", nil)
		if err != nil {
			t.Fatal(err)
		}
		fresh, _ := logged(t, c, stream, "interval")
		if a, b := asJSON(t, got), asJSON(t, fresh); a != b {
			t.Errorf("a stream after sweeps\n%s\nwithout\n%s\n%s", a, b, repeat(t, seed))
		}
	}
}

// TestSweepForgets checks that a sweep leaves the store unchanged.
func TestSweepForgets(t *testing.T) {
	c := tiny(t, Options{})
	stage := crawled(t, c)
	if _, err := c.SweepOn(t.Context(), stage, SnapshotOptions{Weeks: 2},
		"breadth-first"); err != nil {
		t.Fatal(err)
	}
	for p := range sitegraph.PageID(stage.Graph.Pages()) {
		var r sitegraph.Record
		if err := stage.Store.Load(p, &r); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(r, stage.Records[p]) {
			t.Errorf("after the sweep %+v, before %+v", r, stage.Records[p])
		}
	}
}

func TestSweepOnRefuses(t *testing.T) {
	c := tiny(t, Options{})
	stage := crawled(t, c)
	for _, test := range []struct {
		name   string
		change func(stage *Stage, o *SnapshotOptions, policy *string)
		words  string
	}{
		{"fetch time beyond the window", func(_ *Stage, o *SnapshotOptions, _ *string) {
			o.Weeks = 61
		}, "61 weekly snapshots from week 1 on reach beyond the window of 60 weeks"},
		{"unknown policy", func(_ *Stage, _ *SnapshotOptions, policy *string) { *policy = "guess" },
			`unknown policy "guess"`},
		{"a stage without crawl", func(s *Stage, _ *SnapshotOptions, _ *string) { *s = c.Empty() },
			"knows 0 pages, that of the histories"},
		{"a crawl of another web", func(s *Stage, _ *SnapshotOptions, _ *string) {
			s.Graph = sitegraph.NewGraph()
			for p := range c.Graph().Pages() {
				s.Graph.Add("http://z.example/" + strings.Repeat("x", p))
			}
		}, "page 0 of the base crawl is http://z.example/ in this world and http://a.example/ in " +
			"the histories"},
	} {
		o, policy, on := SnapshotOptions{Weeks: 2}, "a", stage
		test.change(&on, &o, &policy)
		if _, err := c.SweepOn(t.Context(), on, o, policy); err == nil ||
			!strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v, want %q", test.name, err, test.words)
		}
	}
}
