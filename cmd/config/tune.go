package config

import (
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/planner/budget"
)

// Tune are the settings of tune.
type Tune struct {
	Journal string   `path:"directory" help:"the journal of run, instead of its store: the folder journal in its data directory"`
	Budget  []string `default:"0.0025,0.005,0.01,0.02,0.05,0.1,0.2,0.5" unit:"none" help:"fetches a day: as shares of the pages, 2% or 0.02, also above 100%; or their number, 5000/day or 200/hour"`
	Target  string   `help:"find the smallest budget for a target, e.g. coverage=0.8 or freshness=0.9, or the largest for update-rate=0.3"`
	Base    int      `default:"12" range:"[1,{last-week}]" help:"histories: weeks that are known; later ones are predicted, and only --check reads them"`
	Weeks   int      `help:"weeks to predict (default 40, or as many as the window has after the base)"`
	History int      `help:"histories: weekly states before the base that the policy may see"`
	Futures int      `default:"1" range:"[1,100]" help:"number of futures; 4 and more show the effect of chance, and take as many times as long"`
	Check   bool     `help:"histories: also replay the weeks after the base, and compare them with the prediction"`
	AtOnce  int      `key:"at-once" range:"[0,)" help:"how many runs work at the same time, at most; 0 for one a core"`
	HTML    string   `path:"any" help:"also write a report with charts to this file"`

	Unfit string // a warning, where not all of the usual weeks fit behind the base
}

func (c *Tune) check(r *Review) {
	if len(c.Budget) == 0 {
		r.Refuse("tune.budget", c.Budget, "one budget or more")
	}
	checkPaces("tune.budget", c.Budget, r)
	if _, err := tune.ParseTarget(c.Target); err != nil && c.Target != "" {
		r.Refuse("tune.target", c.Target,
			"a measure and a share: coverage=0.8, freshness=0.9, update-rate=0.3")
	}
	if checkKnown("tune", c.Base, 1, c.History, r) && c.Weeks != 0 {
		checkWeeks("tune", c.Base, 1, eval.WindowWeeks-c.Base, c.Weeks, r)
	}
}

// Paces returns the checked budgets.
func (c *Tune) Paces() []budget.Pace { return paces(c.Budget) }
