package config

import (
	"math"
	"strings"

	"github.com/recrawl/recrawl/cmd/setting"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/preferences"
)

const wantBudget = "a number of fetches or bytes an hour or a day, as 1000/day, 50/hour or " +
	"2GB/day; --unlimited sets no bound"

// wantNumber is for a share of the pages, which eval and tune take.
const wantNumber = "a number of fetches, as 1000/day: shares of the pages are for eval and tune"

// CheckLimits wants budgets of which the fetches can be counted, one of a kind: 1,000/day is read
// as the two limits 1/day and 000/day.
func (c *Config) CheckLimits(r *setting.Review) {
	kinds := map[budget.Limit]bool{}
	for _, text := range c.Budget {
		l, err := budget.ParseLimit(text)
		if kind := (budget.Limit{Unit: l.Unit, Per: l.Per}); err == nil {
			if kinds[kind] {
				r.Refuse("budget", strings.Join(c.Budget, ","),
					"one limit of a kind; thousands have no comma, as 1000/day")
				return
			}
			kinds[kind] = true
		}
		if err != nil || l.Unit == budget.InFetches &&
			l.Amount*float64(planner.Day/l.Per) >= math.MaxInt32 {
			want := wantBudget
			if strings.HasSuffix(strings.TrimSpace(text), "%") {
				want = wantNumber
			}
			r.Refuse("budget", text, want)
		}
	}
}

// checkBudgets refuses budgets and weights that cannot be read or held.
func (c *Config) checkBudgets(r *setting.Review) {
	if len(c.Budget) == 0 && !c.Unlimited {
		r.Refuse("budget", "(empty)", wantBudget)
	}
	if by := r.From("budget"); c.Unlimited && by != setting.FromDefault &&
		by == r.From("unlimited") {
		r.Refuse("unlimited", c.Unlimited, "either a budget or no bound, not both")
	}
	c.CheckLimits(r)
	for _, text := range c.ServerBudget {
		if _, err := budget.ParseServerLimit(text); err != nil {
			r.Refuse("server-budget", text,
				"SERVER=BUDGET or a budget for each server, as 500/day, example.org=20MB/hour or "+
					"*.example.org=50/day")
		}
	}
	for _, text := range c.Weight {
		if _, err := preferences.ParseWeight(text); err != nil {
			_, want, _ := strings.Cut(err.Error(), "want ")
			r.Refuse("weight", text, want)
		}
	}
}

// Limits are all budgets; what cannot be read is left out, and refused by checkBudgets.
func (c *Config) Limits() budget.Limits {
	l, _ := budget.ParseLimits(c.Budget, c.ServerBudget)
	return l
}

// PerDay is the budget of all servers in fetches a day; planner.Unlimited if there is none.
func (c *Config) PerDay() float64 { return c.Limits().PerDay() }
