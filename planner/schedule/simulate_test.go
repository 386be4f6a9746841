package schedule

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"
)

func generated(t testing.TB, servers int, seed uint64) *Web {
	t.Helper()
	w, err := Generate(servers, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// [HIER 3.1]: the generated web has the published numbers for any seed.
func TestPublishedNumbers(t *testing.T) {
	seeds := []uint64{1, 2}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		got, want := generated(t, OfPaper.Servers, seed).Numbers(Second), OfPaper
		near := func(what string, got, want, tolerance float64) {
			if math.Abs(got/want-1) > tolerance {
				t.Errorf("seed %d: %s %v, published %v", seed, what, got, want)
			}
		}
		near("mean interval", got.MeanInterval, want.MeanInterval, 0.01)
		near("share within a minute", got.WithinMinute, want.WithinMinute, 0.05)
		near("mean download", got.MeanTook, want.MeanTook, 0.02)
		near("mean of longest", got.MeanLongest, want.MeanLongest, 0.02)
		near("downloads a day", got.PerDay, want.PerDay, 0.02)
		near("infeasible servers", float64(got.Infeasible), float64(want.Infeasible), 0.01)
		if got.Bound != want.Bound || got.BoundFeasible != want.BoundFeasible || got.Steady == 0 ||
			got.Steady >= 10 {
			t.Errorf("seed %d: bounds %d and %d, %d steadily infeasible",
				seed, got.Bound, got.BoundFeasible, got.Steady)
		}
	}
	if _, err := Generate(999, 1); err == nil {
		t.Error("999 servers are generated")
	}
}

// A web by hand: the missed periods of each server, and their causes.
func TestRun(t *testing.T) {
	w := &Web{PageBytes: 1e6}
	w.Add("fine.example", 10*Second, []uint32{1000})
	w.Add("slow.example", 10*Second, []uint32{25_000})
	w.Add("off.example", 0, []uint32{1})
	w.Add("uneven.example", 100*Second, []uint32{1000, 2000})
	got, err := Simulate(context.Background(), w, SimulateOptions{Policy: EDF, Least: Second,
		Duration: 1000 * Second})
	if err != nil {
		t.Fatal(err)
	}
	want := Simulated{Policy: "edf", Days: 1000. / 86400, Ideal: 210, Periods: 210,
		Downloads: 100 + 34 + 10, Missed: 66, Late: 1, By: Missed{ToServer: 66},
		PerDay: 144 / (1000. / 86400), Busy: (100 + 34*25 + 15) / 1000., Events: got.Events}
	want.Mbps = want.PerDay * 8 / 86400
	if got.By.ToServer > 66 || got.By.ToServer < 64 { // the last is not over
		t.Errorf("missed by %+v", got.By)
	}
	got.By = want.By
	if math.Abs(got.Busy-want.Busy) > 1e-9 || math.Abs(got.Mbps-want.Mbps) > 1e-9 {
		t.Errorf("%+v", got)
	}
	got.Busy, got.Mbps, got.PerDay = want.Busy, want.Mbps, want.PerDay
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Simulate(ctx, w, SimulateOptions{Policy: EDF, Duration: Day}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("a run that is stopped: %v", err)
	}
}

// [HIER fig. 7] in small: with ample connections EDF and FREQ miss nothing; with few SJF misses
// least; the same call gives the same result.
func TestPoliciesCompared(t *testing.T) {
	w := generated(t, 8203, 1).Feasible(Second)
	bound := Classify(w.Demands(Second), 0).Bound
	run := func(p Policy, connections int) Simulated {
		t.Helper()
		o := SimulateOptions{Policy: p, Connections: connections, Least: Second, Duration: Day / 2}
		r, err := Simulate(context.Background(), w, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	least := run(SJF, bound-1)
	for _, p := range Policies {
		if r := run(p, bound-1); r.Missed < least.Missed {
			t.Errorf("%s misses %d below the bound, sjf %d", p.Name(), r.Missed, least.Missed)
		}
	}
	if again := run(SJF, bound-1); !reflect.DeepEqual(again, least) {
		t.Errorf("not the same the second time: %+v and %+v", again, least)
	}
	for _, p := range []Policy{EDF, FREQ} {
		if r := run(p, 5*bound); r.Missed != 0 { // a small pool needs more than three times
			t.Errorf("%s misses %d with %d connections", p.Name(), r.Missed, 5*bound)
		}
	}
}

// In a separate pool, infeasible servers take nothing from the others.
func TestApart(t *testing.T) {
	w := generated(t, 8203, 1)
	o := SimulateOptions{Policy: EDF, Connections: 18, Least: Second, Duration: Day / 4}
	together, err := Simulate(context.Background(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Apart = 10
	apart, err := Simulate(context.Background(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	if apart.By.ToPool > together.By.ToPool || apart.Missed == 0 {
		t.Errorf("apart %+v, together %+v", apart, together)
	}
}

// corrected returns the web with the intervals of corrected demands.
func corrected(w *Web, demands []Demand) *Web {
	out := &Web{Took: w.Took, PageBytes: w.PageBytes, Servers: append([]WebServer(nil),
		w.Servers...)}
	for i := range out.Servers {
		out.Servers[i].Interval = demands[i].Load().Interval()
	}
	return out
}

// After a correction nothing is missed: the simulator agrees with Correct.
func TestCorrected(t *testing.T) {
	w := generated(t, 2000, 1)
	demands := w.Demands(Second)
	for _, c := range Correct(demands, Limits{Connections: 12, Headroom: 0.2}) {
		r, err := Simulate(context.Background(), corrected(w, c.Demands),
			SimulateOptions{Policy: EDF, Connections: 12, Least: Second, Duration: Day / 4})
		if err != nil {
			t.Fatal(err)
		}
		if r.Missed > 0 || r.Downloads == 0 {
			t.Errorf("%s: missed %d of %d after the correction: %+v",
				c.Name, r.Missed, r.Periods, r.By)
		}
	}
}

// The proved number of connections is enough, and the bound is needed.
func TestBetweenBounds(t *testing.T) {
	w := generated(t, 2000, 2).Feasible(Second)
	demands := w.Demands(Second)
	bound, proved := Classify(demands, 0).Bound, Prove(demands)
	if proved.Connections < bound {
		t.Fatalf("%d connections are proved, the bound is %d", proved.Connections, bound)
	}
	missed := func(connections int) int64 {
		t.Helper()
		r, err := Simulate(context.Background(), w, SimulateOptions{Policy: EDF,
			Connections: connections, Least: Second, Duration: Day / 4})
		if err != nil {
			t.Fatal(err)
		}
		return r.Missed
	}
	if n := missed(proved.Connections); n != 0 {
		t.Errorf("%d connections, proved enough, miss %d", proved.Connections, n)
	}
	t.Logf("bound %d, proved %d, infeasible by pauses %d",
		bound, proved.Connections, proved.Infeasible)
}

func BenchmarkSimulate(b *testing.B) {
	w := generated(b, OfPaper.Servers, 1).Feasible(Second)
	b.ResetTimer()
	events := int64(0)
	for b.Loop() {
		r, err := Simulate(context.Background(), w, SimulateOptions{Policy: EDF, Connections: 84,
			Least: Second, Duration: Day})
		if err != nil {
			b.Fatal(err)
		}
		events += r.Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
