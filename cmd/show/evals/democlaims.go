package evals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/demo"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// section shows the runs side by side.
func section(r *demo.Claims, budget float64) report.Section {
	var there []string
	for _, t := range r.There {
		if t.Files > 0 {
			there = append(there, words.Plural(t.Files, t.Kind)+" on "+words.Plural(t.Servers,
				"server"))
		}
	}
	note := "This web has neither feeds nor sitemaps; the first runs looked for some in vain."
	if len(there) > 0 {
		note = "On this web there are " + strings.Join(there, " and ") +
			". Visited are those that pages, robots.txt or a sitemap name, or /sitemap.xml, " +
			"at most " +
			words.Count(planner.MaxSources) +
			" of a server; a visit to one takes the place of a visit to a page."
	}
	withoutClaims := func(run demo.ClaimsRun) bool {
		return policy.WithoutPart(run.Policy) == "claims"
	}
	if slices.ContainsFunc(r.Runs, withoutClaims) {
		note += " sites-without-claims visits them too and finds new pages by them, but does not " +
			"go by what they claim."
	}
	note += " These are runs of one seed, and differ also by chance: recrawl demo --seeds 10 " +
		"has the mean of ten."
	return report.Section{
		Title:  "What feeds, sitemaps and Last-Modified are worth",
		Tables: []report.Table{worthTable(r, budget, note), provedTable(r)},
	}
}

// worthTable says what each run found.
func worthTable(r *demo.Claims, budget float64, note string) report.Table {
	t := report.Table{
		Title: fmt.Sprintf("The same budget with and without feeds, sitemaps and Last-Modified, "+
			"over HTTP: "+
			"%.3g %% of the pages a day", 100*budget),
		Header: []string{
			"policy", "feeds, sitemaps", "Last-Modified", "fetched", "of these sources",
			"refetched", "changed",
			"U", "C", "freshness", "discovered", "delay, days",
		},
		Note: note,
	}
	yes := map[bool]string{true: "yes", false: "no"}
	for _, run := range r.Runs {
		of := run.Result
		t.Rows = append(t.Rows, []string{
			run.Policy,
			yes[run.Sources],
			yes[run.LastModified],
			words.Count(of.Fetched),
			words.Count(of.Sources),
			words.Count(of.Refetched),
			words.Count(of.Changed),
			Decimals(of.UpdateRate),
			Decimals(of.Coverage),
			Decimals(of.Freshness),
			Decimals(of.Discovered),
			Tenths(of.DiscoveryDelayDays),
		})
	}
	return t
}

// provedTable shows how reliable the claims of each run proved.
func provedTable(r *demo.Claims) report.Table {
	t := report.Table{
		Title:  "What they claimed of the time since the last visit of a page, and how it proved",
		Header: append([]string{"policy", "claims of", "servers"}, ClaimColumns...),
	}
	for _, run := range r.Runs {
		for _, c := range run.Result.Claims {
			row := []string{run.Policy, c.Kind, words.Count(c.Servers)}
			t.Rows = append(t.Rows, append(row, ClaimCells(c.HintCounts)...))
		}
	}
	return t
}
