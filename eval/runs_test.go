package eval

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestRuns checks that several runs give the mean of single runs with their seeds, on the same
// resampled corpora.
func TestRuns(t *testing.T) {
	const runs = 3
	for _, seed := range seeds(2) {
		c := newCorpus(t, randomServers(rand.New(rand.NewPCG(seed, 10))),
			Options{Base: week, History: 1})
		o := StreamOptions{Weeks: 3, Budget: 0.1, New: 0.25, Seed: seed, Spread: true, Runs: runs}
		policies := []string{"sites", "cho-adaptive"}
		all, err := c.Stream(t.Context(), o, policies, nil)
		if err != nil {
			t.Fatal(err)
		}
		if all.Runs != runs {
			t.Errorf("%d runs are reported", all.Runs)
		}
		near := func(got, want float64) bool {
			return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) < 1e-12
		}
		for k, policy := range policies {
			of := &all.Results[k]
			var mean StreamResult // sums of shares
			var calibrated, asked reliability
			weeks := make([]WeekPoint, len(of.Weekly))
			draws := make([]float64, resamples)
			least, most := math.Inf(1), math.Inf(-1)
			for run := range uint64(runs) {
				one := o
				one.Seed, one.Runs = seed+run, 0
				alone, err := c.Stream(t.Context(), one, []string{policy}, nil)
				if err != nil {
					t.Fatal(err)
				}
				r := &alone.Results[0]
				for _, sum := range []struct{ to, of *Number }{
					{&mean.Coverage, &r.Coverage}, {&mean.UpdateRate, &r.UpdateRate},
					{&mean.Freshness, &r.Freshness}, {&mean.Discovered, &r.Discovered},
					{&mean.MeanAgeDays, &r.MeanAgeDays}, {&mean.DeletionsFound, &r.DeletionsFound},
					{&mean.DiscoveryDelayDays, &r.DiscoveryDelayDays},
				} {
					*sum.to += *sum.of / runs
				}
				mean.Fetched, mean.Refetched = mean.Fetched+r.Fetched, mean.Refetched+r.Refetched
				mean.Changed, mean.NewFetched = mean.Changed+r.Changed, mean.NewFetched+r.NewFetched
				for w, point := range r.Weekly {
					weeks[w].Coverage += point.Coverage / runs
					weeks[w].Freshness += point.Freshness / runs
					weeks[w].Changed += point.Changed
					weeks[w].Refetched += point.Refetched
				}
				calibrated.merge(&r.visited)
				asked.merge(&r.unvisited)
				least, most = min(least, float64(r.Coverage)), max(most, float64(r.Coverage))
				if got := of.Runs[run]; got != r.measures(one.Seed) {
					t.Errorf("%s, seed %d: kept as %+v, alone %+v; %s",
						policy, one.Seed, got, r.measures(one.Seed), repeat(t, seed))
				}
				one = o
				one.run = int(run) // with its own seed, on the servers drawn by the first
				drawn, err := c.stream(t.Context(), c.replayed(), c.newTruth(o.Weeks*7), one,
					policy, nil)
				if err != nil {
					t.Fatal(err)
				}
				for d, x := range drawn.draws[Coverage] {
					draws[d] += x / runs
				}
			}
			for name, pair := range map[string][2]Number{
				"coverage":       {of.Coverage, mean.Coverage},
				"update rate":    {of.UpdateRate, mean.UpdateRate},
				"freshness":      {of.Freshness, mean.Freshness},
				"discovered":     {of.Discovered, mean.Discovered},
				"age":            {of.MeanAgeDays, mean.MeanAgeDays},
				"deletions":      {of.DeletionsFound, mean.DeletionsFound},
				"delay":          {of.DiscoveryDelayDays, mean.DiscoveryDelayDays},
				"least coverage": {of.Range(Coverage)[0], Number(least)},
				"most":           {of.Range(Coverage)[1], Number(most)},
			} {
				// not defined in each run: see TestMeanOf
				if !near(float64(pair[0]), float64(pair[1])) && !math.IsNaN(float64(pair[1])) {
					t.Errorf("%s: %s is %v, in the mean of the runs %v; %s",
						policy, name, pair[0], pair[1], repeat(t, seed))
				}
			}
			for name, pair := range map[string][2]int{"fetched": {of.Fetched, mean.Fetched},
				"refetched":    {of.Refetched, mean.Refetched},
				"changed":      {of.Changed, mean.Changed},
				"first visits": {of.NewFetched, mean.NewFetched}} {
				if math.Abs(float64(pair[0])-float64(pair[1])/runs) > 0.5 {
					t.Errorf("%s: %d %s, %d in all runs; %s",
						policy, pair[0], name, pair[1], repeat(t, seed))
				}
			}
			for w, got := range of.Weekly {
				if want := weeks[w]; !near(float64(got.Coverage), float64(want.Coverage)) ||
					!near(float64(got.Freshness), float64(want.Freshness)) ||
					got.Changed != want.Changed || got.Refetched != want.Refetched {
					t.Errorf("%s: week %d is %+v, in the mean of the runs %+v; %s",
						policy, w+1, got, want, repeat(t, seed))
				}
			}
			if policy == "sites" && (!reflect.DeepEqual(of.Calibration, calibrated.calibration()) ||
				!reflect.DeepEqual(of.CalibrationUnvisited, asked.calibration()) ||
				of.Calibration.Count < runs ||
				of.CalibrationUnvisited.Count <= of.Calibration.Count/runs) {
				t.Errorf("calibration of %+v and %+v, in all runs %+v and %+v; %s",
					of.Calibration, of.CalibrationUnvisited, calibrated.calibration(),
					asked.calibration(), repeat(t, seed))
			}
			if got, want := of.Spread[Coverage], Interval(draws); !near(float64(got[0]),
				float64(want[0])) || !near(float64(got[1]), float64(want[1])) {
				t.Errorf("%s: on the resampled corpora coverage is %v, in the mean of the "+
					"runs %v; %s", policy, got, want, repeat(t, seed))
			}
		}
	}
}

// TestMerge checks that the calibration of several runs is that of all their probabilities.
func TestMerge(t *testing.T) {
	var one, other, all reliability
	for i := range 30 {
		p, changed := float64(i)/30, i%3 == 0
		all.add(p, changed)
		if i%2 == 0 {
			one.add(p, changed)
		} else {
			other.add(p, changed)
		}
	}
	one.merge(&other)
	got, want := one.calibration(), all.calibration()
	if got.Count != 30 || math.Abs(float64(got.Brier-want.Brier)) > 1e-12 ||
		math.Abs(float64(got.LogLoss-want.LogLoss)) > 1e-12 ||
		math.Abs(float64(got.ECE-want.ECE)) > 1e-12 {
		t.Errorf("merged %+v, at once %+v", got, want)
	}
}

// TestMeanOf checks that a mean is over the runs with a defined value.
func TestMeanOf(t *testing.T) {
	undefined := Number(math.NaN())
	got := meanOf([]StreamResult{{DiscoveryDelayDays: 2, Coverage: undefined},
		{DiscoveryDelayDays: undefined, Coverage: undefined},
		{DiscoveryDelayDays: 5, Coverage: undefined}}, 7)
	if got.DiscoveryDelayDays != 3.5 || !math.IsNaN(float64(got.Coverage)) {
		t.Errorf("the mean of 2, nothing and 5 is %v, of nothing %v",
			got.DiscoveryDelayDays, got.Coverage)
	}
}

// TestRange checks that Range ignores runs with an undefined value.
func TestRange(t *testing.T) {
	undefined := Number(math.NaN())
	r := StreamResult{Runs: []RunMeasures{{Coverage: undefined}, {Coverage: 0.5}, {Coverage: 0.25},
		{Coverage: undefined}}}
	if got := r.Range(Coverage); got != [2]Number{0.25, 0.5} {
		t.Errorf("range %v", got)
	}
	r.Runs = r.Runs[:1]
	if got := r.Range(Coverage); !math.IsNaN(float64(got[0])) || !math.IsNaN(float64(got[1])) {
		t.Errorf("range of nothing is %v", got)
	}
}
