package config

import (
	"cmp"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/push"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/preferences"
)

// Validate checks values that depend on other settings, or on more than a tag says. hint says what
// to do if the help does not, and is "" otherwise.
func (c *Config) Validate(r *Review) (hint string) {
	c.checkBudgets(r)
	c.checkRound(r)
	c.checkNetwork(r)
	if c.Archive != "" && filepath.Clean(c.Archive) == filepath.Clean(c.Data) {
		r.Refuse("archive", c.Archive, "a directory of its own; it may be within that of --data")
	}
	if c.Archive != "" && c.Proxy != "" {
		r.Refuse("proxy", c.Proxy,
			"none beside --archive: an archive keeps what the server sent, not what a proxy "+
				"makes of it")
	}
	if c.Others == "-" {
		r.Refuse("others", c.Others, "a file: which addresses it has is remembered beside it")
	}
	if live := policy.LiveNames(); !slices.Contains(live, c.Policy) && !isProgram(c.Policy) {
		want := policy.Want(c.Policy)
		if slices.Contains(policy.Names(), c.Policy) {
			want += " (" + c.Policy + " works in evaluations only)"
		} else {
			hint = meant(c.Policy, live)
		}
		r.Refuse("policy", c.Policy, want)
	}
	if _, err := preferences.ParseObjective(c.Objective); err != nil {
		r.Refuse("objective", c.Objective,
			"changes, freshness or age, or weights from 0 to 1000, as changes=1,freshness=0.5")
	}
	if _, err := preferences.ParseMaxAges(c.MaxAge); err != nil {
		r.Refuse("max-age", strings.Join(c.MaxAge, " "),
			"an age with its unit, such as 30d or 12h, or ADDRESS=AGE, as "+
				"https://example.com/news/=1d")
	}
	if _, err := extract.ParseForms(c.Documents); err != nil {
		r.Refuse("documents", strings.Join(c.Documents, ","),
			"kinds of documents: "+strings.Join(extract.FormNames(), ", "))
	}
	hint = cmp.Or(hint, c.Eval.check(r), c.checkLeast(r))
	c.Survey.check(r)
	c.Bench.check(r)
	c.Import.check(r)
	c.Tune.check(r)
	c.Schedule.check(r)
	return hint
}

// meant returns a question with the name that a misspelt one probably means, or "".
func meant(name string, known []string) (hint string) {
	if near := Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// isProgram reports whether a policy names a program.
func isProgram(name string) bool { return policy.IsProgram(name) && len(policy.Command(name)) > 0 }

// checkLeast requires policies that estimate the worth of a visit.
func (c *Config) checkLeast(r *Review) (hint string) {
	if c.Least == 0 {
		return ""
	}
	for _, name := range append([]string{c.Policy}, c.Eval.Policy...) {
		if (slices.Contains(policy.Names(), name) || isProgram(name)) && !policy.GivesWorth(name) {
			r.Refuse("least-value", c.Least, "a policy that tells what a visit is worth, not "+name)
			hint = "these tell it: " + strings.Join(policy.WithWorth(), ", ")
		}
	}
	return hint
}

// checkRound requires whole rounds in a day, and in an hour with an hourly budget.
func (c *Config) checkRound(r *Review) {
	if c.Limits().Hourly() && (c.Round <= 0 || time.Hour%c.Round != 0) {
		r.Refuse("round", c.Round,
			"a period that divides an hour, since there is a budget of an hour")
	}
	if c.Round < time.Second || (24*time.Hour)%c.Round != 0 {
		r.Refuse("round", c.Round, "a period of a second or more that divides 24 hours")
	}
}

func (c *Config) checkNetwork(r *Review) {
	for _, text := range c.AllowNetwork {
		if _, err := netip.ParsePrefix(text); err != nil {
			r.Refuse("allow-network", text, "a prefix of addresses, such as 10.20.0.0/16 or fd00::/8")
		}
	}
	_, problems := fetch.NewHostTable(c.Hosts)
	for _, p := range problems {
		r.Refuse("hosts", p.Rule+": "+p.Value, p.Want)
	}
	if _, err := netip.ParseAddrPort(c.Resolver); err != nil && c.Resolver != "" {
		r.Refuse("resolver", c.Resolver, "an address and a port, such as 127.0.0.1:53")
	}
	for _, name := range c.Names {
		if want := access.CheckOwnName(name); want != "" {
			r.Refuse("listen-name", name, want)
		}
	}
	if want := push.CheckCallback(c.WebSub); want != "" && c.WebSub != "" {
		r.Refuse("websub-callback", c.WebSub, want)
	} else if c.WebSub != "" && c.Push == "" {
		r.Refuse("websub-callback", c.WebSub,
			"an address for hubs beside it: --push 127.0.0.1:8090")
	}
	if _, err := fetch.ParseProxy(c.Proxy); err != nil {
		r.Refuse("proxy", c.Proxy,
			"http://HOST:PORT, such as http://127.0.0.1:3128, without user and path")
	}
}

func (c *Survey) check(r *Review) {
	if c.Base < 0 || c.Base >= eval.WindowWeeks {
		return // the allowed weeks depend on it
	}
	for _, weeks := range c.Weeks {
		if err := papers.CheckPeriod(c.Base, weeks); err != nil {
			r.Refuse("survey.weeks", weeks, fmt.Sprintf("2 to %d (%v)",
				eval.LongestPeriod(c.Base), err))
		}
	}
}

// checkKnown requires a history in the window before the base, and a base of at least least. It
// returns false otherwise, because the allowed weeks depend on both.
func checkKnown(command string, base, least, history int, r *Review) bool {
	if base < least || base >= eval.WindowWeeks {
		return false
	}
	if history < 0 || history > base {
		r.Refuse(command+".history", history, "0 to the weeks before the base")
		return false
	}
	return true
}

// checkWeeks requires weeks that fit into the window after the base.
func checkWeeks(command string, base, least, most, weeks int, r *Review) {
	if weeks < least || weeks > most {
		r.Refuse(command+".weeks", weeks,
			fmt.Sprintf("%d to %d: the window of %d weeks is entered at week %d",
				least, most, eval.WindowWeeks, base))
	}
}
