package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/budget"
)

// Prediction is the prediction for several budgets. Budgets are shares of the pages a day.
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
	Daily      Range      `json:"found_by_daily_visits"` // found by a visit a day to each page
	Curve      []Point    `json:"curve"`
	Knee       *Point     `json:"knee"`
	InForce    *Point     `json:"in_force"` // the current budget of a run; null: not known
	Target     *Answer    `json:"target"`
	Politeness Politeness `json:"politeness"`
	Check      *Check     `json:"check,omitempty"`
	Warnings   []string   `json:"warnings"`
}

// Evidence is the basis of a prediction.
type Evidence struct {
	Name   string // histories, store or journal
	Source Source
	Doubts []string // its unreadable parts
}

// Request asks for a prediction.
type Request struct {
	Budgets []budget.Pace
	Target  Target        // without a measure: none
	Delay   time.Duration // between two visits to a server
	// InForce is the current budget of a run, in fetches a day; 0: not known.
	InForce float64
	// Check are histories with the weeks after the base, to compare with; nil: none.
	Check []*history.Server
	// Progress starts the bar of the whole prediction, with a number of steps.
	Progress func(what string, steps int) Bar
}

// Bar shows the progress of work. Goroutines may share it.
type Bar interface {
	Step()
	StepOf(part string, last bool)
	End()
}

// course is the single bar of a prediction, which never goes back. Each stage has a part of its
// steps; those that a stage does not need count as done at its end.
type course struct {
	mu        sync.Mutex
	bar       Bar
	done, end int
}

// stage starts a stage with at most this many steps.
func (c *course) stage(steps int) { c.end = c.done + steps }

// step counts a step of a running part, up to the steps of the stage.
func (c *course) step(part string, last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done < c.end {
		c.done++
		c.bar.StepOf(part, last)
	}
}

// over counts the rest of the stage.
func (c *course) over() {
	for ; c.done < c.end; c.done++ {
		c.bar.Step()
	}
}

func (c *course) day(at eval.Progress) { c.step(fmt.Sprintf("%.3g %%", 100*at.Budget), at.Last) }

// steps returns the most steps of a prediction, if a check replays a number of days.
func (r *Request) steps(o Options, replayed int) int {
	tries := len(r.Budgets) + mostDelays
	if r.InForce > 0 {
		tries++
	}
	if r.Target.Measure != "" {
		tries += mostTries
	}
	total := o.Futures * (1 + tries*7*o.Weeks)
	if r.Check != nil {
		total += replayed
	}
	return total
}

// shares returns all budgets as shares of a number of pages a day, rising and each once.
func (r *Request) shares(pages int) (all []float64) {
	for _, p := range r.Budgets {
		all = append(all, p.Of(pages))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Predict draws futures and tries the budgets on them.
func Predict(ctx context.Context, of Evidence, o Options, r Request) (*Prediction, error) {
	o = of.Source.Limit(o)
	days := 7 * o.Weeks
	replayed := (len(r.Budgets) + mostTries) * days
	c := &course{bar: r.Progress("predicting, days", r.steps(o, replayed))}
	defer c.bar.End()
	c.stage(o.Futures)
	drawn := 0
	f, err := New(ctx, of.Source, o, func() {
		drawn++
		c.step("drawing futures", drawn == o.Futures)
	})
	if err != nil {
		return nil, err
	}
	p := &Prediction{Source: of.Name, Servers: len(f.Changes), Pages: f.Pages, Policy: o.Policy,
		Base:  o.Base,
		Weeks: o.Weeks, History: o.History, New: o.New, Change: o.Change.String(),
		Futures: o.Futures, Seed: o.Seed,
		PerDay: f.PerDay, Daily: f.Daily,
		Warnings: slices.Concat([]string{}, of.Doubts, of.Source.Doubts())}
	curve := func(budgets []float64, limits budget.Limits) ([]Point, error) {
		return f.Curve(ctx, budgets, limits, c.day)
	}
	budgets := r.shares(f.Pages)
	c.stage(len(budgets) * o.Futures * days)
	if p.Curve, err = curve(budgets, Limits(r.Delay)); err != nil {
		return nil, err
	}
	if r.InForce > 0 {
		c.over()
		c.stage(o.Futures * days)
		now, err := curve([]float64{r.InForce / float64(f.Pages)}, Limits(r.Delay))
		if err != nil {
			return nil, err
		}
		p.InForce = &now[0]
	}
	if r.Target.Measure != "" {
		c.over()
		c.stage(mostTries * o.Futures * days)
		answer, solved, err := f.Solve(ctx, r.Target, p.Curve, Limits(r.Delay), c.day)
		if err != nil {
			return nil, err
		}
		p.Target, p.Curve = &answer, solved
	}
	if at, ok := Knee(p.Curve); ok {
		p.Knee = &p.Curve[at]
	}
	c.over()
	c.stage(mostDelays * o.Futures * days)
	share := p.recommended()
	var known *Point
	if at := slices.IndexFunc(p.Curve, func(q Point) bool { return q.Budget == share }); at >= 0 {
		known = &p.Curve[at]
	}
	if p.Politeness, err = f.Politeness(share, r.Delay, known, curve); err != nil {
		return nil, err
	}
	c.over()
	if r.Check != nil {
		c.stage(replayed)
		check, err := f.Check(ctx, r.Check, p.Curve, Limits(r.Delay), c.day)
		if err != nil {
			return nil, err
		}
		p.Check = &check
		c.over()
	}
	return p, nil
}

// recommended returns the budget for the report on politeness: that of the target, or of the knee,
// or the largest.
func (p *Prediction) recommended() float64 {
	switch {
	case p.Target != nil && !math.IsNaN(float64(p.Target.Budget.Value)):
		return float64(p.Target.Budget.Value)
	case p.Knee != nil:
		return p.Knee.Budget
	}
	return p.Curve[len(p.Curve)-1].Budget
}
