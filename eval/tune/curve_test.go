package tune

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/budget"
)

// curve returns points with the given coverages at the budgets, with a spread of a tenth up and
// down.
func curve(budgets []float64, coverage ...float64) (points []Point) {
	for i, b := range budgets {
		y := eval.Number(coverage[i])
		r := Range{y, y - 0.1, y + 0.1}
		points = append(points,
			Point{Budget: b, Coverage: r, Freshness: r, UpdateRate: Range{1 - y, 0.9 - y, 1.1 - y}})
	}
	return points
}

func TestKnee(t *testing.T) {
	even := []float64{0.1, 0.2, 0.3, 0.4, 0.5}
	for _, c := range []struct {
		name     string
		coverage []float64
		budgets  []float64
		want     int // -1: none
	}{
		{"bend in the middle", []float64{0.3, 0.6, 0.65, 0.7, 0.75}, even, 1},
		{"saturates at once", []float64{0.9, 0.9, 0.9, 0.9, 0.9}, even, 0},
		{"straight", []float64{0.1, 0.2, 0.3, 0.4, 0.5}, even, -1},
		{"steeper and steeper", []float64{0.01, 0.05, 0.1, 0.3, 0.9}, even, -1},
		{"budgets by doubling", []float64{0.3, 0.5, 0.8, 0.85, 0.9},
			[]float64{0.01, 0.02, 0.04, 0.08, 0.16}, 2},
		{"nothing found", []float64{0, 0, 0, 0, 0}, even, -1},
		{"undefined", []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}, even,
			-1},
		{"one point", []float64{0.5}, even[:1], -1},
		{"none", nil, nil, -1},
	} {
		at, ok := Knee(curve(c.budgets, c.coverage...))
		if ok != (c.want >= 0) || ok && at != c.want {
			t.Errorf("%s: knee at %d, %v; want %d", c.name, at, ok, c.want)
		}
	}
}

func TestTarget(t *testing.T) {
	points := curve([]float64{0.1, 0.2, 0.4}, 0.2, 0.4, 0.5)
	nan := math.NaN()
	for _, c := range []struct {
		target           string
		value, low, high float64
	}{
		{"coverage=0.4", 0.2, 0.15, 0.4},     // the upper end has .4 at .15, the lower at .4
		{"coverage=10%", 0.05, 1. / 30, 0.1}, // from zero on
		{"coverage=0.45", 0.3, 0.175, nan},   // the lower end does not reach it
		{"coverage=0.9", nan, nan, nan},
		{"freshness=0.1", 0.1, 0.1, 0.1}, // unknown below the smallest budget
		{"freshness=0.3", 0.15, 0.1, 0.2},
		{"update-rate=0.7", 0.15, 0.1, 0.2},
		{"update-rate=0.5", 0.4, 0.2, 0.4},
		{"update-rate=0.95", nan, nan, nan},
	} {
		target, err := ParseTarget(c.target)
		if err != nil {
			t.Errorf("%s: %v", c.target, err)
			continue
		}
		got := target.answer(points, 1000)
		for _, x := range [][2]float64{{float64(got.Budget.Value), c.value},
			{float64(got.Budget.Low), c.low}, {float64(got.Budget.High), c.high}} {
			if math.Abs(x[0]-x[1]) > 1e-9 || math.IsNaN(x[0]) != math.IsNaN(x[1]) {
				t.Errorf("%s: budget %+v, want %g (%g to %g)", c.target, got.Budget, c.value, c.low,
					c.high)
				break
			}
		}
		if want := 1000 * c.value; math.Abs(float64(got.PerDay)-want) > 1e-9 {
			t.Errorf("%s: %g fetches a day, want %g", c.target, got.PerDay, want)
		}
	}
}

func TestParseTargetRefuses(t *testing.T) {
	for _, s := range []string{"", "coverage", "coverage=", "coverage=0", "coverage=1.1",
		"coverage=101%", "coverage=-0.1", "coverage=nan", "coverage=much", "age=0.5", "=0.5"} {
		if target, err := ParseTarget(s); err == nil {
			t.Errorf("%q was taken for %v", s, target)
		}
	}
}

// busyAndCalm returns two servers over two futures of two days: busy has 4, 0, 2, 2 changes, calm
// 1, 1, 0, 0.
func busyAndCalm() []Load {
	future := func(busy, calm []int) []eval.ServerChanges {
		return []eval.ServerChanges{{Server: "busy", Pages: 5, Daily: busy},
			{Server: "calm", Pages: 3, Daily: calm}}
	}
	return loads([][]eval.ServerChanges{future([]int{4, 0}, []int{1, 1}),
		future([]int{2, 2}, []int{0, 0})})
}

func TestReach(t *testing.T) {
	all := busyAndCalm()
	const hour = time.Hour
	for _, c := range []struct {
		delay          time.Duration
		visits         float64
		crowded, short int
		beyond, late   float64
	}{
		{0, math.Inf(1), 0, 0, 0, 0},
		{4 * hour, 6, 0, 0, 0, 0},
		{8 * hour, 3, 1, 0, 0, 0.1},          // the fourth change of a day
		{12 * hour, 2, 2, 0, 0, 0.2},         // two a day just suffice in the long run
		{24 * hour, 1, 2, 1, 0.4, 0.3 + 0.2}, // busy: 4 of 8 beyond; late 3, 1 and 1
	} {
		got := ReachOf(all, c.delay)
		if got.Delay != c.delay || got.Visits != c.visits || got.Crowded != c.crowded ||
			got.Short != c.short ||
			math.Abs(got.Beyond-c.beyond) > 1e-9 || math.Abs(got.Late-c.late) > 1e-9 {
			t.Errorf("delay %v: %+v, want %+v", c.delay, got, c)
		}
	}
	if delay, server := Feasible(all); delay != 12*hour || server != "busy" {
		t.Errorf("feasible up to %v for %s, want 12 h for busy", delay, server)
	}
	if delay, server := Prompt(all); delay != 24*hour/5 || server != "busy" {
		t.Errorf("prompt up to %v for %s, want a fifth of a day for busy", delay, server)
	}
	if quiet, _ := Feasible(all[:0]); quiet != math.MaxInt64 {
		t.Errorf("without servers feasible up to %v only", quiet)
	}
	if busiest := Busiest(all, 10); len(busiest) != 2 || busiest[0].Server != "busy" ||
		busiest[0].PerDay != 2 {
		t.Errorf("busiest are %+v", busiest)
	}
}

// TestFeasibleIsWhereReachEnds checks that no change is out of reach up to the feasible delay, and
// that some are above it.
func TestFeasibleIsWhereReachEnds(t *testing.T) {
	t.Parallel()
	m := learn(t, synthetic(t), 20)
	f, err := New(t.Context(), m, Options{Policy: "ebayes", Base: 20, Weeks: 20, Futures: 1,
		Seed: 1}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	delay, server := Feasible(f.Changes)
	if server == "" {
		t.Fatal("nothing changes")
	}
	if r := ReachOf(f.Changes, delay); r.Beyond > 1e-9 || r.Short != 0 {
		t.Errorf("at the feasible delay %v: %+v", delay, r)
	}
	if r := ReachOf(f.Changes, delay*11/10); r.Beyond <= 0 || r.Short == 0 {
		t.Errorf("beyond the feasible delay %v: %+v", delay, r)
	}
}

// TestDelayBinds checks that a delay which allows two visits a day to a server costs coverage that
// no budget recovers: the result stays below the limit of ReachOf.
func TestDelayBinds(t *testing.T) {
	visits, err := LearnVisits(visited(poissonWeb(3, 1, 4, 200), 30))
	if err != nil {
		t.Fatal(err)
	}
	f, free := predict(t, visits, Options{Policy: "ebayes", Base: InformedWeeks,
		History: InformedWeeks, Weeks: 10, Futures: 1, Seed: 1}, []float64{0.5})
	delay := 12 * time.Hour
	bound, err := f.Curve(t.Context(), []float64{0.5}, Limits(delay), func(eval.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	reach := ReachOf(f.Changes, delay)
	if c := float64(bound[0].Coverage.Value); c <= 0 || c >= float64(free[0].Coverage.Value) ||
		c > 1-reach.Beyond+1e-9 {
		t.Errorf("coverage %.3f with the delay, %.3f without; %.3f are beyond reach",
			c, free[0].Coverage.Value, reach.Beyond)
	}
	none, err := f.Curve(t.Context(), []float64{0.5}, Limits(0), func(eval.Progress) {})
	if err != nil || none[0].Coverage != free[0].Coverage {
		t.Errorf("without a delay coverage is %v, %v; want %v",
			none[0].Coverage, err, free[0].Coverage)
	}
}

// TestSolve checks that the budget found for a target reaches it.
func TestSolve(t *testing.T) {
	t.Parallel()
	m := learn(t, synthetic(t), 20)
	f, points := predict(t, m, Options{Policy: "ebayes", Base: 20, Weeks: 20, New: 0.25, Futures: 2,
		Seed: 1}, []float64{0.01, 0.1})
	target := Target{eval.Coverage, float64(points[0].Coverage.Value+points[1].Coverage.Value) / 2}
	answer, more, err := f.Solve(t.Context(), target, points, budget.Limits{},
		func(eval.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(more) <= len(points) {
		t.Errorf("%d points after %d: nothing was tried", len(more), len(points))
	}
	for i := range more[1:] {
		if more[i].Budget >= more[i+1].Budget {
			t.Errorf("budgets are not rising: %g, %g", more[i].Budget, more[i+1].Budget)
		}
	}
	tried, err := f.Curve(t.Context(), []float64{float64(answer.Budget.Value)}, budget.Limits{},
		func(eval.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(tried[0].Coverage.Value); math.Abs(got-target.Value) > 0.02 {
		t.Errorf("budget %g for coverage %.3f yields %.3f", answer.Budget.Value, target.Value, got)
	}
}

// TestShares checks that numbers of fetches become shares of the pages, each budget once.
func TestShares(t *testing.T) {
	r := Request{Budgets: []budget.Pace{{Share: 2}, {PerDay: 10}, {Share: 0.5}, {PerDay: 50}}}
	if got := r.shares(100); !slices.Equal(got, []float64{0.1, 0.5, 2}) {
		t.Errorf("shares %v, want 0.1, 0.5 and 2", got)
	}
}
