package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/budget"
)

// Prediction is what several budgets buy. Budgets are shares of the pages a day.
type Prediction struct {
	Source     string     `json:"source"` // histories, store or journal
	Servers    int        `json:"servers"`
	Pages      int        `json:"pages"`
	Policy     string     `json:"policy"`
	Base       int        `json:"base"`
	Weeks      int        `json:"weeks"`
	History    int        `json:"history"`
	New        float64    `json:"new"`
	Change     string     `json:"change"`
	Futures    int        `json:"futures"`
	Seed       uint64     `json:"seed"`
	PerDay     Range      `json:"changes_per_day"`
	Curve      []Point    `json:"curve"`
	Knee       *Point     `json:"knee"`
	Target     *Answer    `json:"target"`
	Politeness Politeness `json:"politeness"`
	Check      *Check     `json:"check,omitempty"`
	Warnings   []string   `json:"warnings"`
}

// Evidence is what a prediction rests on.
type Evidence struct {
	Name   string // histories, store or journal
	Source Source
	Doubts []string // what of it could not be read
}

// Request is what a prediction is asked for.
type Request struct {
	Budgets []float64
	Target  Target        // without a measure: none
	Delay   time.Duration // between two visits to a server
	// Check are histories that also tell the weeks after the base, to compare with; nil: none.
	Check []*history.Server
	// Progress begins a bar of so many steps, 0 if that is not known.
	Progress func(what string, steps int) Bar
}

// Bar tells how far work has come. It may be called by many goroutines.
type Bar interface {
	Step()
	StepOf(part string, last bool)
	End()
}

// Predict draws futures and tries the budgets on them.
func Predict(ctx context.Context, of Evidence, o Options, r Request) (*Prediction, error) {
	o = of.Source.Limit(o)
	draws := r.Progress("drawing futures", o.Futures)
	f, err := New(ctx, of.Source, o, draws.Step)
	draws.End()
	if err != nil {
		return nil, err
	}
	p := &Prediction{Source: of.Name, Servers: len(f.Changes), Pages: f.Pages, Policy: o.Policy,
		Base:  o.Base,
		Weeks: o.Weeks, History: o.History, New: o.New, Change: o.Change.String(),
		Futures: o.Futures, Seed: o.Seed,
		PerDay: f.PerDay, Warnings: slices.Concat([]string{}, of.Doubts, of.Source.Doubts())}
	curve := func(budgets []float64, limits budget.Limits) ([]Point, error) {
		bar := r.Progress("days", o.Futures*len(budgets)*7*o.Weeks)
		defer bar.End()
		return f.Curve(ctx, budgets, limits, daysOf(bar))
	}
	if p.Curve, err = curve(r.Budgets, Limits(r.Delay)); err != nil {
		return nil, err
	}
	if r.Target.Measure != "" {
		if err := p.solve(ctx, f, r); err != nil {
			return nil, err
		}
	}
	if at, ok := Knee(p.Curve); ok {
		p.Knee = &p.Curve[at]
	}
	if p.Politeness, err = f.Politeness(p.recommended(), r.Delay, curve); err != nil {
		return nil, err
	}
	if r.Check != nil {
		err = p.check(ctx, f, r)
	}
	return p, err
}

func (p *Prediction) solve(ctx context.Context, f *Forecast, r Request) error {
	bar := r.Progress("days for the target", 0)
	defer bar.End()
	answer, curve, err := f.Solve(ctx, r.Target, p.Curve, Limits(r.Delay), daysOf(bar))
	p.Target, p.Curve = &answer, curve
	return err
}

// check replays what came.
func (p *Prediction) check(ctx context.Context, f *Forecast, r Request) error {
	bar := r.Progress("days of the replay", len(p.Curve)*7*p.Weeks)
	defer bar.End()
	check, err := f.Check(ctx, r.Check, p.Curve, Limits(r.Delay), daysOf(bar))
	p.Check = &check
	return err
}

func daysOf(bar Bar) func(eval.Progress) {
	return func(at eval.Progress) { bar.StepOf(fmt.Sprintf("%.3g %%", 100*at.Budget), at.Last) }
}

// recommended is the budget of which politeness is told: that of the target, or of the knee, or the
// largest.
func (p *Prediction) recommended() float64 {
	switch {
	case p.Target != nil && !math.IsNaN(float64(p.Target.Budget.Value)):
		return float64(p.Target.Budget.Value)
	case p.Knee != nil:
		return p.Knee.Budget
	}
	return p.Curve[len(p.Curve)-1].Budget
}
