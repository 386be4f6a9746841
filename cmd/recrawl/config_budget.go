package main

import (
	"math"
	"strings"

	"github.com/recrawl/recrawl/cmd/recrawl/setting"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
)

const wantBudget = "a number of fetches or bytes an hour or a day, as 1000/day, 50/hour or 2GB/day; --unlimited sets no bound"

// checkLimits wants budgets of which the fetches can be counted.
func (c *Config) checkLimits(r *setting.Review) {
	for _, text := range c.Budget {
		l, err := budget.ParseLimit(text)
		if err != nil || l.Unit == budget.InFetches && l.Amount*float64(planner.Day/l.Per) >= math.MaxInt32 {
			r.Refuse("budget", text, wantBudget)
		}
	}
}

// checkBudgets reads budgets and weights; later calls of limits and weights find them good.
func (c *Config) checkBudgets(r *setting.Review) {
	if len(c.Budget) == 0 && !c.Unlimited {
		r.Refuse("budget", "(empty)", wantBudget)
	}
	if by := r.From("budget"); c.Unlimited && by != setting.FromDefault && by == r.From("unlimited") {
		r.Refuse("unlimited", c.Unlimited, "either a budget or no bound, not both")
	}
	c.checkLimits(r)
	for _, text := range c.ServerBudget {
		if _, err := budget.ParseServerLimit(text); err != nil {
			r.Refuse("server-budget", text, "SERVER=BUDGET or a budget for each server, as 500/day, example.org=20MB/hour or *.example.org=50/day")
		}
	}
	for _, text := range c.Weight {
		if _, err := planner.ParseWeight(text); err != nil {
			_, want, _ := strings.Cut(err.Error(), "want ")
			r.Refuse("weight", text, want)
		}
	}
}

// limits are all budgets, checked before: what cannot be read is left out.
func (c *Config) limits() (l budget.Limits) {
	for _, text := range c.Budget {
		if x, err := budget.ParseLimit(text); err == nil {
			l.All = append(l.All, x)
		}
	}
	for _, text := range c.ServerBudget {
		if x, err := budget.ParseServerLimit(text); err == nil {
			l.Servers = append(l.Servers, x)
		}
	}
	return l
}

// perDay is the budget of all servers in fetches a day; planner.Unlimited if there is none.
func (c *Config) perDay() float64 { return c.limits().PerDay() }

// pace is about how many fetches a day the budgets allow, for policies that plan ahead.
func (c *Config) pace(corpus *planner.Corpus) float64 {
	fetches, bytes := c.perDay(), c.limits().BytesPerDay()
	if bytes == planner.Unlimited {
		return fetches
	}
	fromBytes := bytes / corpus.MeanBytes()
	if fetches == planner.Unlimited {
		return fromBytes
	}
	return min(fetches, fromBytes)
}

// largestSource is what is read of a feed or sitemap, as package fetch has it.
const largestSource = 16_000_000

// mostBytes is what any visit may take: a page or a source as large as is kept, the header, and
// robots.txt, as they come over the network.
func (c *Config) mostBytes() int64 { return max(c.MaxBody, largestSource) + 2<<20 }

// weights are what changes are worth; nil: all the same.
func (c *Config) weights() *planner.Weights {
	var rules []planner.WeightRule
	for _, text := range c.Weight {
		if r, err := planner.ParseWeight(text); err == nil {
			rules = append(rules, r)
		}
	}
	return planner.NewWeights(rules)
}
