package config

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/policy"
)

// Eval has the settings of eval.
type Eval struct {
	Protocol string   `default:"snapshot" oneof:"snapshot, stream" help:"snapshot: one sweep N-1 weeks after the base; stream: a daily budget over weeks"`
	Policy   []string `default:"all" names:"{any-policy}" help:"policies to compare, or all; peers: sites and the rules of other programs; exec:COMMAND: a program of yours. Variants of sites (sites-without-tops and so on) take part if named"`
	Weeks    []int    `help:"horizons N of the snapshot protocol (default 2,4,12,24), or length of the stream (default 40)"`
	Budget   []string `default:"2%" unit:"none" help:"stream: fetches a day: as a share of the base pages, 2% or 0.02, also above 100%; or their number, 5000/day or 200/hour"`

	Step time.Duration `default:"24h" help:"stream: length of a round, e.g. 1h; divides 24 hours. The budget is still that of a day"`

	Base      int       `default:"12" range:"[0,{last-week}]" help:"weeks after the start of a server's window at which the policies begin"`
	History   int       `help:"weekly states before the base that the policies may see"`
	Warm      int       `range:"[0,{last-week}]" help:"stream: compare a start with captures of this number of weeks before the base with one without, e.g. --warm 52 --base 52 --weeks 4; 0: no comparison"`
	WarmEvery []int     `key:"warm-every" default:"4,1" range:"[1,)" want:"1 week or more" help:"with --warm: weeks between two captures of a page"`
	Spread    bool      `help:"add the 5th and 95th percentile over 200 resamples of the servers; --figures always has them"`
	Compare   string    `names:"{any-policy}" help:"compare this policy with all others, on the same 200 resamples of the servers; none: no comparison (default sites, if it takes part)"`
	Ablate    bool      `help:"also run sites without each of its parts, to measure their worth"`
	Runs      int       `default:"1" range:"[1,)" help:"stream: number of runs of each policy, with seeds from --seed on; results are their means"`
	AtOnce    int       `key:"at-once" range:"[0,)" help:"stream: how many policies run at the same time, at most; each takes memory; 0 for one a core"`
	Sample    int       `default:"5" range:"[1,)" want:"1 page a server or more" help:"pages that server-sample fetches first, of each server; default 1 with --protocol stream"`
	Threshold []float64 `default:"0" range:"[0,1]" want:"change rates from 0 to 1" help:"snapshot: least change rates of the servers that server-* policies visit, one run for each"`
	Figures   bool      `help:"snapshot: make the figures of [LINK] on these histories, and say which of its claims hold"`
	Group     string    `path:"any" help:"figures: a file that puts servers into groups, a line each: server group"`
	GroupBy   string    `key:"group-by" default:"suffix" oneof:"suffix, server, none" help:"figures, without --group: suffix (org, co.jp), server, or none"`
	HTML      string    `path:"any" help:"also write a report with figures to this file"`
	SVG       string    `path:"any" help:"also draw coverage against budget (or horizon), policy by policy, into this file"`

	Unfit string // a warning if some of the usual weeks do not fit after the base
}

// check refuses contradictory settings. hint is "" if the help says more.
func (c *Eval) check(r *Review) (hint string) {
	if checkKnown("eval", c.Base, 0, c.History, r) {
		least, most, _ := eval.Lengths(c.Protocol, c.Base)
		for _, weeks := range c.Weeks {
			checkWeeks("eval", c.Base, least, most, weeks, r)
		}
	}
	if c.Warm > 0 && (c.Protocol != "stream" || c.Warm > c.Base) {
		r.Refuse("eval.warm", c.Warm, "--protocol stream, and a --base that is no earlier")
	}
	if c.Runs > 1 && c.Protocol != "stream" {
		r.Refuse("eval.runs", c.Runs,
			"1 in protocol snapshot: several runs are for --protocol stream")
	}
	if c.Step < time.Minute || (24*time.Hour)%c.Step != 0 {
		r.Refuse("eval.step", c.Step, "a minute or more that divides 24 hours")
	}
	if c.Step != 24*time.Hour && c.Protocol != "stream" {
		r.Refuse("eval.step", c.Step,
			"24h in protocol snapshot, which has one round: add --protocol stream")
	}
	if c.SVG != "" && (c.Figures || c.Protocol == "stream" && len(c.Budget) < 2 ||
		c.Protocol == "snapshot" && len(c.Weeks) == 1) {
		r.Refuse("eval.svg", c.SVG,
			"several budgets or horizons to draw a line through: --budget 0.01,0.02,0.05")
	}
	checkPaces("eval.budget", c.Budget, r)
	hint = c.checkPolicies(r)
	if c.Figures {
		return c.checkFigures(r)
	}
	for _, group := range [][2]string{{"eval.group", c.Group}, {"eval.group-by", c.GroupBy}} {
		if r.From(group[0]) == FromFlag {
			r.Refuse(group[0], group[1], "--figures beside it, which alone has groups")
			hint = "add --figures, or leave the groups out: policies are compared on all servers " +
				"together"
		}
	}
	return hint
}

// Shares returns the checked budgets as shares of a number of pages a day.
func (c *Eval) Shares(pages int) (shares []float64) {
	for _, p := range paces(c.Budget) {
		shares = append(shares, p.Of(pages))
	}
	return shares
}

func (c *Eval) checkFigures(r *Review) (hint string) {
	if r.From("eval.policy") == FromFlag {
		r.Refuse("eval.policy", strings.Join(c.Policy, ","),
			"no policies beside --figures, which has those of the paper")
	}
	if c.Protocol == "stream" {
		r.Refuse("eval.figures", c.Figures, "protocol snapshot, not stream")
		hint = "leave --protocol stream out: the figures compare single sweeps"
	}
	return hint
}

// checkPolicies refuses unknown policies, with a hint to the one that was probably meant.
func (c *Eval) checkPolicies(r *Review) (hint string) {
	known, policies := policy.Names(), c.Lineup().Policies()
	for _, name := range c.Policy {
		if name != "all" && name != eval.Peers && !isProgram(name) &&
			!slices.Contains(known, name) {
			r.Refuse("eval.policy", name, "all, peers, or "+policy.Want(name))
			hint = cmp.Or(hint, meant(name, known))
		}
	}
	switch {
	case c.Compare != "" && c.Compare != "none" && !slices.Contains(policies, c.Compare):
		r.Refuse("eval.compare", c.Compare, "a policy that takes part (--policy), or none")
	case c.Ablate && len(c.Lineup().Variants()) == 0:
		r.Refuse("eval.ablate", c.Ablate,
			"the policy to be compared that has parts to leave out: "+eval.OwnPolicy)
	}
	return hint
}

// Lineup returns the policies that take part, and the compared one.
func (c *Eval) Lineup() *eval.Lineup {
	return &eval.Lineup{Protocol: c.Protocol, Named: c.Policy, Compare: c.Compare, Ablate: c.Ablate}
}

// Thresholds returns the given thresholds above 0; none: the usual ones.
func (c *Eval) Thresholds() []float64 {
	return slices.DeleteFunc(slices.Clone(c.Threshold), func(t float64) bool { return t == 0 })
}
