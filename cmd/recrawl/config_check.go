package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/value"
	"github.com/recrawl/recrawl/sitegraph"
)

// refuse notes that a key's value is not what is wanted.
type refuse func(key string, value any, want string)

// check reports all settings out of range at once: by the flag where one was given, else by
// the key, which stands in the file or, in capitals, in the environment.
func (c *Config) check(command string, from func(key string) origin) error {
	var problems []error
	bad := func(key string, value any, want string) {
		name := key + ":"
		if from(key) == fromFlag {
			name = "--" + setting{key: key}.flagName()
		}
		problems = append(problems, fmt.Errorf("%s %v: want %s", name, value, want))
	}
	c.checkOwn(bad)
	if by := from("budget"); c.Unlimited && by != fromDefault && by == from("unlimited") {
		bad("unlimited", c.Unlimited, "either a budget or no bound, not both")
	}
	c.Sites.check(bad)
	if c.Eval.Figures && from("eval.history") == fromDefault {
		c.Eval.History = max(0, min(figuresPast, c.Eval.Base))
	}
	c.Eval.check(bad)
	if c.Eval.Figures && from("eval.policy") == fromFlag {
		bad("eval.policy", strings.Join(c.Eval.Policy, ","), "no policies beside --figures, which has those of the paper")
	}
	ungrouped := false
	for _, group := range [][2]string{{"eval.group", c.Eval.Groups.Group}, {"eval.group-by", c.Eval.Groups.GroupBy}} {
		if !c.Eval.Figures && from(group[0]) == fromFlag {
			bad(group[0], group[1], "--figures beside it, which alone has groups")
			ungrouped = true
		}
	}
	c.Demo.check(bad)
	c.Survey.check(bad)
	c.Bench.check(bad)
	c.Tune.check(bad)
	hint := "recrawl " + command + " --help shows what is possible"
	if c.Eval.Figures && c.Eval.Protocol == "stream" {
		hint = "leave --protocol stream out: the figures compare single sweeps"
	}
	if ungrouped {
		hint = "add --figures, or leave the groups out: policies are compared on all servers together"
	}
	if command == "run" {
		if missing := c.missing(); len(missing) > 0 {
			problems = append(problems, missing...)
			hint = `for example: recrawl run --data crawl --user-agent "mybot/1.0 (+https://example.org/bot)" URL...`
		}
	}
	if len(problems) > 0 {
		return usageError{errors.Join(problems...), hint}
	}
	return nil
}

// missing is what run cannot do without.
func (c *Config) missing() (problems []error) {
	if c.Data == "" {
		problems = append(problems, errors.New("no data directory given: --data says where the planner's store is"))
	}
	if c.UserAgent == "" {
		problems = append(problems, errors.New("no user agent given: --user-agent names a contact, site owners must be able to reach you"))
	}
	return problems
}

func (c *Config) checkOwn(bad refuse) {
	c.checkBudgets(bad)
	if !(c.New >= 0 && c.New <= 1) {
		bad("new", c.New, "a share from 0 to 1")
	}
	if c.Round < time.Second || (24*time.Hour)%c.Round != 0 {
		bad("round", c.Round, "a period of a second or more that divides 24 hours")
	}
	if !(c.Alpha >= 0 && c.Alpha < 1) {
		bad("alpha", c.Alpha, "0 to below 1")
	}
	if c.Rounds < 0 {
		bad("rounds", c.Rounds, "0 or more")
	}
	if c.Delay < 0 {
		bad("delay", c.Delay, "0 or more")
	}
	if c.Workers < 1 || c.Workers > 10000 {
		bad("workers", c.Workers, "1 to 10000")
	}
	if c.Timeout <= 0 {
		bad("timeout", c.Timeout, "more than 0")
	}
	if c.MaxBody < 1 {
		bad("max-body", c.MaxBody, "1 byte or more")
	}
	c.checkNetwork(bad)
	if c.MaxPages < 1 {
		bad("max-pages", c.MaxPages, "1 or more")
	}
	if c.MinFree < 0 {
		bad("min-free", c.MinFree, "0 or more bytes")
	}
	if _, err := sitegraph.ParseChangeBy(c.Change); err != nil {
		bad("change", c.Change, "digest, text or main")
	}
	if live := livePolicies(); !slices.Contains(live, c.Policy) {
		want := "one of " + strings.Join(live, ", ")
		if slices.Contains(policy.Names(), c.Policy) {
			want += " (" + c.Policy + " works in evaluations only)"
		}
		bad("policy", c.Policy, want)
	}
	if c.Plan.Show < 1 {
		bad("plan.show", c.Plan.Show, "1 or more")
	}
}

// livePolicies are those that can decide what run visits: they need not know the future, work
// in a stream, and are denied nothing.
func livePolicies() []string {
	return slices.DeleteFunc(policy.StreamNames(), func(name string) bool {
		return policy.Reference(name) || value.WithoutOf(name) != value.WithoutNothing
	})
}

// windowWeeks is how long the window of a history is, as package eval has it.
const windowWeeks = 60

// figuresPast is how many weekly states before the base the figures show to methods that learn.
const figuresPast = 12

// usualPeriods are those of the tables of [LINK], in weekly snapshots.
var usualPeriods = []int{2, 4, 12, 24}

// fitting returns those of the usual weeks that the window has room for behind the base, or else
// the most it has room for; and what to say where some do not fit, "" if all do.
func fitting(usual []int, most, base int) (weeks []int, unfit string) {
	for _, w := range usual {
		if w <= most {
			weeks = append(weeks, w)
		}
	}
	if len(weeks) == len(usual) {
		return weeks, ""
	}
	if len(weeks) == 0 {
		weeks = []int{most}
	}
	return weeks, fmt.Sprintf("of the usual weeks (%s) not all fit behind week %d of a window of %d weeks; taken: %s; --weeks and --base choose others",
		commas(usual), base, windowWeeks, commas(weeks))
}

func commas(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
}

// checkKnown looks at a base of least weeks or more and a history before it. False: the base is bad,
// and what weeks may be hangs on it.
func checkKnown(command string, base, least, history int, bad refuse) bool {
	if base < least || base >= windowWeeks {
		bad(command+".base", base, fmt.Sprintf("%d to %d", least, windowWeeks-1))
		return false
	}
	if history < 0 || history > base {
		bad(command+".history", history, "0 to the weeks before the base")
	}
	return true
}

func (c *EvalConfig) check(bad refuse) {
	if c.Protocol != "snapshot" && c.Protocol != "stream" {
		bad("eval.protocol", c.Protocol, "snapshot or stream")
	}
	for _, b := range c.Budget {
		if !(b > 0 && b <= 1) {
			bad("eval.budget", b, "shares of the pages a day, above 0 and at most 1")
		}
	}
	if c.Sample < 1 {
		bad("eval.sample", c.Sample, "1 page a server or more")
	}
	for _, t := range c.Threshold {
		if !(t >= 0 && t <= 1) {
			bad("eval.threshold", t, "change rates from 0 to 1")
		}
	}
	if c.AtOnce < 0 {
		bad("eval.at-once", c.AtOnce, "0 or more")
	}
	switch {
	case c.Runs < 1:
		bad("eval.runs", c.Runs, "1 or more")
	case c.Runs > 1 && c.Protocol != "stream":
		bad("eval.runs", c.Runs, "1 in protocol snapshot: several runs are for --protocol stream")
	}
	c.checkPolicies(bad)
	c.checkCompared(bad)
	c.checkLearnt(bad)
	c.Groups.check("eval", bad)
	if c.Figures && c.Protocol == "stream" {
		bad("eval.figures", c.Figures, "protocol snapshot, not stream")
	}
	if !checkKnown("eval", c.Base, 0, c.History, bad) {
		return
	}
	least, most, usual := 1, windowWeeks-c.Base, []int{40}
	if c.Protocol == "snapshot" { // one snapshot compares nothing; the last may be at the window's end
		least, most, usual = 2, windowWeeks-c.Base+1, usualPeriods
	}
	if len(c.Weeks) == 0 {
		c.Weeks, c.unfit = fitting(usual, most, c.Base)
	}
	for _, w := range c.Weeks {
		if w < least || w > most {
			bad("eval.weeks", w, fmt.Sprintf("%d to %d: the window of %d weeks is entered at week %d", least, most, windowWeeks, c.Base))
		}
	}
}

func (c *EvalConfig) checkPolicies(bad refuse) {
	known := policy.Names()
	if c.Protocol == "stream" {
		known = policy.StreamNames()
	}
	for _, name := range c.Policy {
		if name != "all" && !slices.Contains(known, name) {
			bad("eval.policy", name, "all, or of "+strings.Join(known, ", "))
		}
	}
}

// ownPolicy is what a comparison is of, unless another is named.
const ownPolicy = "value"

// noComparison as a policy to compare stands for none.
const noComparison = "none"

// policies are those that take part, without the variants that --ablate adds. "all" are all but the variants of
// value; one that is named beside it takes part, too.
func (c *EvalConfig) policies() []string {
	if !slices.Contains(c.Policy, "all") {
		return c.Policy
	}
	all := policy.Names()
	if c.Protocol == "stream" {
		all = policy.StreamNames()
	}
	return slices.DeleteFunc(all, func(name string) bool {
		return slices.Contains(value.Ablations(), name) && !slices.Contains(c.Policy, name)
	})
}

// compared is the policy to set beside the others, "" for none.
func (c *EvalConfig) compared() string {
	switch {
	case c.Compare == noComparison:
		return ""
	case c.Compare == "" && slices.Contains(c.policies(), ownPolicy):
		return ownPolicy
	}
	return c.Compare
}

// variants are the compared policy without each kind of evidence that histories have, for --ablate.
func (c *EvalConfig) variants() []string {
	if !c.Ablate {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(value.Ablations()), func(name string) bool {
		w := value.WithoutOf(name)
		return !strings.HasPrefix(name, c.compared()+"-") || w.FromSources() ||
			c.Protocol == "stream" && policy.SweepOnly(name) || c.Protocol != "stream" && w.StreamsOnly()
	})
}

func (c *EvalConfig) checkCompared(bad refuse) {
	if c.Compare != "" && c.Compare != noComparison && !slices.Contains(c.policies(), c.Compare) {
		bad("eval.compare", c.Compare, "a policy that takes part (--policy), or none")
		return
	}
	if c.Ablate && len(c.variants()) == 0 {
		bad("eval.ablate", c.Ablate, "a compared policy of which a kind of evidence can be left out: "+ownPolicy)
	}
}

// mostFolds bounds the time that learning takes: a few seconds for each.
const mostFolds = 20

func (c *EvalConfig) checkLearnt(bad refuse) {
	if c.Folds != 0 && (c.Folds < 2 || c.Folds > mostFolds) {
		bad("eval.folds", c.Folds, fmt.Sprintf("2 to %d, or 0 for no learning", mostFolds))
	}
	if c.Folds != 0 && c.Model != "" {
		bad("eval.folds", c.Folds, "either folds or a file of parameters (--model), not both")
	}
	if !c.Figures && slices.ContainsFunc(c.policies(), policy.Learns) {
		return
	}
	if c.Folds != 0 {
		bad("eval.folds", c.Folds, "a policy that learns to take part: "+ownPolicy)
	}
	if c.Model != "" {
		bad("eval.model", c.Model, "a policy that learns to take part: "+ownPolicy)
	}
}

func (c *SitesConfig) check(bad refuse) {
	if c.Base < 0 || c.Base >= windowWeeks {
		bad("sites.base", c.Base, fmt.Sprintf("0 to %d", windowWeeks-1))
	}
	if !slices.Contains(partitionMethods, c.Method) {
		bad("sites.method", c.Method, "one of "+strings.Join(partitionMethods, ", "))
	}
}

func (c *DemoConfig) check(bad refuse) {
	if c.Weeks < 1 || c.Weeks > 48 {
		bad("demo.weeks", c.Weeks, "1 to 48")
	}
	if !(c.Budget > 0 && c.Budget <= 1) {
		bad("demo.budget", c.Budget, "a share of the pages a day, above 0 and at most 1")
	}
	if c.Pages < 100 || c.Pages > 100_000 {
		bad("demo.pages", c.Pages, "100 to 100000")
	}
}

// changeBy is Change, checked before.
func (c *Config) changeBy() sitegraph.ChangeBy {
	by, _ := sitegraph.ParseChangeBy(c.Change)
	return by
}
