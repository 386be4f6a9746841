package view

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
)

// Plan has the next visits.
type Plan struct {
	Finding  string    `json:"finding"`
	RoundEnd time.Time `json:"round_end"`
	Visits   []Planned `json:"visits"`
	Further  int       `json:"further"` // chosen visits that are not shown
}

// Planned is a coming visit.
type Planned struct {
	URL         string     `json:"url"`
	First       bool       `json:"first"`
	UnderWay    bool       `json:"under_way"`
	At          *time.Time `json:"at"` // earliest time, roughly; null: in a dry run
	Probability *float64   `json:"probability"`
	Value       *float64   `json:"value"`
	Reason      string     `json:"reason"`
}

// MostPlanned bounds the visits of a plan.
const MostPlanned = 10_000

// Plan returns the next visits: those of the dry run, or those that the loop has chosen, at the
// earliest times that politeness allows.
func (d *Desk) Plan(ctx context.Context, most int) (*Plan, error) {
	most = min(max(most, 1), MostPlanned)
	p := &Plan{Visits: []Planned{}}
	err := d.do(ctx, func() {
		g := d.o.Planner.Pages.Graph
		p.RoundEnd = d.o.Planner.Pages.Round().End.UTC()
		var chosen []crawl.Chosen
		if l := d.loop.Load(); l != nil {
			chosen, p.Further = l.Chosen(most)
		} else if d.o.Ahead != nil {
			visits := d.o.Ahead.Visits
			for _, v := range visits[:min(len(visits), most)] {
				chosen = append(chosen, crawl.Chosen{Visit: v})
			}
			p.Further = d.o.Ahead.Further + len(visits) - len(chosen)
		}
		for _, c := range chosen {
			v := Planned{URL: strings.Clone(g.URL(c.Visit.Page)), First: c.Visit.First,
				UnderWay: c.UnderWay}
			if !c.UnderWay {
				v.Probability, v.Value, v.Reason = number(c.Visit.Probability),
					number(c.Visit.Value), c.Visit.Reason.String()
			}
			if !c.At.IsZero() {
				at := c.At.UTC()
				v.At = &at
			}
			p.Visits = append(p.Visits, v)
		}
	})
	if err != nil {
		return nil, err
	}
	p.Finding = p.finding(d.Live())
	return p, nil
}

// planBox has the plan of a dry run, which is made only once.
type planBox struct {
	once sync.Once
	dry  *present.Plan
}

// Report returns the plan as the command plan prints it, with budgets and the worth of feeds and
// sitemaps. It lists at most most visits.
func (d *Desk) Report(ctx context.Context, most int) (*present.Plan, error) {
	most = min(max(most, 1), MostPlanned)
	var plan *present.Plan
	err := d.do(ctx, func() {
		l := d.loop.Load()
		if l == nil && d.o.Ahead != nil {
			d.plans.once.Do(func() {
				d.plans.dry = present.NewPlan(d.o.Ahead, d.o.Planner, d.o.Policy, d.o.PerDay)
			})
			plan = d.plans.dry.First(most)
			return
		}
		ahead := &crawl.Preview{Round: d.o.Planner.Pages.Round()}
		if l != nil {
			var chosen []crawl.Chosen
			chosen, ahead.Further = l.Chosen(most)
			for _, c := range chosen {
				if !c.UnderWay {
					ahead.Visits = append(ahead.Visits, c.Visit)
				}
			}
		}
		plan = present.UnderWay(ahead, d.o.Planner, d.o.Policy, d.o.PerDay)
	})
	return plan, err
}

// Inspection has the state of the store, and what the policy learnt from the visits of this store.
type Inspection struct {
	*present.Inspected
	Learnt []planner.Lesson `json:"learnt"`
}

// Page returns the inspection for people.
func (i *Inspection) Page() report.Page {
	page := i.Inspected.Page()
	page.Sections[0].Tables = append(page.Sections[0].Tables, present.Lessons(i.Learnt)...)
	return page
}

// Inspect looks at the store.
func (d *Desk) Inspect(ctx context.Context) (*Inspection, error) {
	i := &Inspection{Learnt: []planner.Lesson{}}
	var failed error
	err := d.do(ctx, func() {
		if i.Inspected, failed = present.Inspect(d.o.Store); failed != nil {
			return
		}
		if l, ok := d.o.Planner.Policy.(planner.Learner); ok {
			i.Learnt = append(i.Learnt, l.Lessons()...)
		}
	})
	if err == nil {
		err = failed
	}
	return i, err
}
