package config

import (
	"math"
	"strings"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/preferences"
)

const wantBudget = "a number of fetches or bytes an hour or a day, for example 1000/day, 50/hour or " +
	"2GB/day, or a share of the known pages a day, such as 2%; --unlimited sets no bound"

// leastOfShare is the least budget of a share of the known pages a day: a new crawl knows few.
const leastOfShare = 100

// isShare reports whether a budget is a share of the known pages a day.
func isShare(text string) bool { return strings.HasSuffix(strings.TrimSpace(text), "%") }

// Share returns the share of the known pages that may be fetched a day; 0: no budget is a share.
func (c *Config) Share() (share float64) {
	for _, text := range c.Budget {
		if isShare(text) {
			pace, _ := budget.ParsePace(text)
			share = pace.Share
		}
	}
	return share
}

// paces returns the readable ones of some budgets.
func paces(budgets []string) (all []budget.Pace) {
	for _, text := range budgets {
		if p, err := budget.ParsePace(text); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// checkPaces refuses budgets of the setting key that cannot be read.
func checkPaces(key string, budgets []string, r *Review) {
	for _, text := range budgets {
		if _, err := budget.ParsePace(text); err != nil {
			r.Refuse(key, text, err.Error())
		}
	}
}

// CheckLimits checks that budgets are readable and different in kind: 1,000/day would be read as
// the two limits 1/day and 000/day.
func (c *Config) CheckLimits(r *Review) {
	kinds := map[budget.Limit]bool{}
	shares := 0
	for _, text := range c.Budget {
		if isShare(text) {
			if _, err := budget.ParsePace(text); err != nil {
				r.Refuse("budget", text, wantBudget)
			} else if shares++; shares > 1 {
				r.Refuse("budget", strings.Join(c.Budget, ","), "one share of the pages")
			}
			continue
		}
		l, err := budget.ParseLimit(text)
		if kind := (budget.Limit{Unit: l.Unit, Per: l.Per}); err == nil {
			if kinds[kind] {
				r.Refuse("budget", strings.Join(c.Budget, ","),
					"one limit of a kind; thousands have no comma: 1000/day")
				return
			}
			kinds[kind] = true
		}
		if err != nil || l.Unit == budget.InFetches &&
			l.Amount*float64(planner.Day/l.Per) >= math.MaxInt32 {
			r.Refuse("budget", text, wantBudget)
		}
	}
}

// checkBudgets refuses budgets and weights that are unreadable or contradictory.
func (c *Config) checkBudgets(r *Review) {
	if len(c.Budget) == 0 && !c.Unlimited {
		r.Refuse("budget", "(empty)", wantBudget)
	}
	if by := r.From("budget"); c.Unlimited && by != FromDefault &&
		by == r.From("unlimited") {
		r.Refuse("unlimited", c.Unlimited, "either a budget or no bound, not both")
	}
	c.CheckLimits(r)
	for _, text := range c.ServerBudget {
		if _, err := budget.ParseServerLimit(text); err != nil {
			r.Refuse("server-budget", text,
				"SERVER=BUDGET or a budget for each server, such as 500/day, example.org=20MB/hour or "+
					"*.example.org=50/day; a share of the pages is for --budget")
		}
	}
	for _, text := range c.RequisiteBudget {
		if _, err := budget.ParseLimit(text); err != nil {
			r.Refuse("requisite-budget", text,
				"bytes or fetches an hour or a day, such as 1GB/day or 5000/day")
		}
	}
	for _, text := range c.Weight {
		if _, err := preferences.ParseWeight(text); err != nil {
			_, want, _ := strings.Cut(err.Error(), "want ")
			r.Refuse("weight", text, want)
		}
	}
}

// Limits returns all readable budgets; checkBudgets refuses the others. A share is that of
// KnownPages.
func (c *Config) Limits() budget.Limits {
	l, _ := budget.ParseLimits(c.Budget, c.ServerBudget)
	if share := c.Share(); share > 0 {
		l.All = append(l.All, budget.Limit{Unit: budget.InFetches, Per: budget.Day,
			Amount: min(max(math.Ceil(share*float64(c.KnownPages)), leastOfShare), math.MaxInt32)})
	}
	return l
}

// RequisiteLimits returns the readable budgets of requisites; checkBudgets refuses the others.
func (c *Config) RequisiteLimits() []budget.Limit {
	l, _ := budget.ParseLimits(c.RequisiteBudget, nil)
	return l.All
}

// PerDay returns the budget of all servers in fetches a day, or planner.Unlimited.
func (c *Config) PerDay() float64 { return c.Limits().PerDay() }
