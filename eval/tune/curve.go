package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/budget"
)

// Knee returns the bend of a coverage curve: the point highest above the straight line from zero to
// the largest budget, with both axes scaled to it (Satopaa et al. 2011, Kneedle, without
// smoothing). Up to it a fetch gains more than the mean, beyond it less. It depends on the largest
// budget. It returns false without a bend, or with fewer than two points.
func Knee(points []Point) (at int, ok bool) {
	if len(points) < 2 {
		return 0, false
	}
	last := points[len(points)-1]
	best := 1e-9 // for rounding
	for i, p := range points {
		above := float64(p.Coverage.Value/last.Coverage.Value) - p.Budget/last.Budget
		if above > best {
			at, best, ok = i, above, true
		}
	}
	return at, ok
}

// Target is a target for a measure, reached by the smallest possible budget.
type Target struct {
	Measure string
	Value   float64
}

// ParseTarget reads "coverage=0.8" or "coverage=80%".
func ParseTarget(s string) (Target, error) {
	name, text, ok := strings.Cut(s, "=")
	name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
	if !ok || !slices.Contains(Measures, name) {
		return Target{}, fmt.Errorf(
			"target %q: want a measure (%s), = and a share, for example coverage=0.8",
			s,
			strings.Join(Measures, ", "),
		)
	}
	text, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(text, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 1) {
		return Target{}, fmt.Errorf("target %q: want a share above 0 and at most 1, for example 0.8 or 80%%",
			s)
	}
	return Target{name, v}, nil
}

func (t Target) String() string {
	return t.Measure + "=" + strconv.FormatFloat(t.Value, 'g', -1, 64)
}

// reaches returns the budget at which a measure, linear between the points, first reaches the
// target, or false. Coverage starts at 0 with no budget. Other measures are unknown below the
// smallest budget, so they reach it there at the earliest. The update rate falls with the budget,
// so for it the largest budget counts.
func (t Target) reaches(points []Point, of func(Range) eval.Number) (float64, bool) {
	if t.Measure == eval.UpdateRate {
		for i := len(points) - 1; i >= 0; i-- {
			y := float64(of(points[i].UpdateRate))
			if y < t.Value {
				continue
			}
			if i+1 == len(points) {
				return points[i].Budget, true
			}
			next := float64(of(points[i+1].UpdateRate))
			return between(points[i].Budget, y, points[i+1].Budget, next, t.Value), true
		}
		return 0, false
	}
	for i := range points {
		y := float64(of(points[i].Measure(t.Measure)))
		if !(y >= t.Value) {
			continue
		}
		switch {
		case i > 0:
			before := float64(of(points[i-1].Measure(t.Measure)))
			return between(points[i-1].Budget, before, points[i].Budget, y, t.Value), true
		case t.Measure == eval.Coverage:
			return between(0, 0, points[i].Budget, y, t.Value), true
		}
		return points[i].Budget, true
	}
	return 0, false
}

// between returns the x at which the line through two points has the value y.
func between(x0, y0, x1, y1, y float64) float64 {
	if y0 == y1 {
		return x0
	}
	return x0 + (x1-x0)*(y-y0)/(y1-y0)
}

// Answer is the budget for a target, undefined if no examined budget reaches it. Low and High are
// where the ends of the spread reach it.
type Answer struct {
	Target string      `json:"target"`
	Budget Range       `json:"budget"` // share of the base pages a day
	PerDay eval.Number `json:"per_day"`
}

// mostTries limits the budgets that Solve tries.
const mostTries = 4

// closeToTarget is near enough: a tenth of the narrowest observed spread.
const closeToTarget = 0.005

// Solve finds the smallest budget for a target (for an update rate: the largest). Between examined
// budgets it tries the one on a straight line, a few times at most: each try takes a run on each
// future. It adds the tried points to the curve.
func (f *Forecast) Solve(
	ctx context.Context,
	t Target,
	points []Point,
	limits budget.Limits,
	tick func(eval.Progress),
) (Answer, []Point, error) {
	for range mostTries {
		b, ok := t.reaches(points, mean)
		if !ok || slices.ContainsFunc(points, func(p Point) bool { return near(p.Budget, b) }) {
			break
		}
		more, err := f.Curve(ctx, []float64{b}, limits, tick)
		if err != nil {
			return Answer{}, nil, err
		}
		at := sort.Search(len(points), func(i int) bool { return points[i].Budget > b })
		points = slices.Insert(points, at, more[0])
		if math.Abs(float64(more[0].Measure(t.Measure).Value)-t.Value) < closeToTarget {
			break
		}
	}
	return t.answer(points, f.Pages), points, nil
}

// near means within a hundredth: budgets need not be more exact.
func near(a, b float64) bool { return a > 0.99*b && a < 1.01*b }

func mean(r Range) eval.Number { return r.Value }

func (t Target) answer(points []Point, pages int) Answer {
	budget := func(of func(Range) eval.Number) eval.Number {
		if b, ok := t.reaches(points, of); ok {
			return eval.Number(b)
		}
		return undefined
	}
	a := Answer{
		Target: t.String(),
		Budget: Range{
			budget(mean),
			budget(func(r Range) eval.Number { return r.High }),
			budget(func(r Range) eval.Number { return r.Low }),
		},
	}
	if t.Measure == eval.UpdateRate {
		a.Budget.Low, a.Budget.High = a.Budget.High, a.Budget.Low
	}
	a.PerDay = a.Budget.Value * eval.Number(pages)
	return a
}
