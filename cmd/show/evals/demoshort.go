package evals

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/demo"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// ShortOnScreen returns the page of a demo with one small table for a terminal, of what each policy
// found; the other tables stay in the report.
func ShortOnScreen(page report.Page, r *demo.Result) report.Page {
	t := report.Table{
		Title: fmt.Sprintf("%s of the same web, %s a day for each policy",
			words.Plural(r.Run.Weeks, "week"), words.Plural(perDay(r), "fetch")),
		Header: []string{"policy", "changes found", "fetches that found one", "new pages found"},
	}
	results := slices.Clone(r.Run.Results)
	slices.SortStableFunc(results, func(a, b eval.StreamResult) int {
		return cmp.Compare(b.Coverage, a.Coverage)
	})
	for i := range results {
		of := &results[i]
		name := of.Policy
		if policy.Reference(name) {
			name += " (knows the future)"
		}
		t.Rows = append(t.Rows, []string{name, ofHundred(of.Coverage), ofHundred(of.UpdateRate),
			ofHundred(of.Discovered)})
	}
	sections := []report.Section{{Title: "What was gained", Tables: []report.Table{t}}}
	for _, s := range page.Sections {
		s.Tables = slices.Clone(s.Tables)
		for i := range s.Tables {
			s.Tables[i].PageOnly = true
		}
		sections = append(sections, s)
	}
	page.Sections = sections
	return page
}

// perDay returns how many fetches a day a demo makes.
func perDay(r *demo.Result) int {
	return int(math.Round(r.Run.Budget * float64(r.Run.Corpus.BasePages)))
}

// DemoClosing returns three sentences for a new reader: the gain or loss of the policy, the file to
// open, and the next command. html is the name of the report, or "".
func DemoClosing(r *demo.Result, html string) []string {
	var own, random, best *eval.StreamResult
	for i := range r.Run.Results {
		switch of := &r.Run.Results[i]; {
		case of.Policy == r.HTTP.Policy:
			own = of
		case of.Policy == "random":
			random = of
		case policy.Published(of.Policy) && (best == nil || of.Coverage > best.Coverage):
			best = of
		}
	}
	gained := fmt.Sprintf("With %s a day for %s, recrawl (policy %s) found %s of the changes",
		words.Plural(perDay(r), "fetch"), words.Plural(r.Run.Corpus.BasePages, "page"), own.Policy,
		ofHundred(own.Coverage))
	if random != nil {
		gained += fmt.Sprintf("; fetches in random order would have found %s",
			ofHundred(random.Coverage))
	}
	switch {
	case best == nil:
	case best.Coverage > own.Coverage:
		gained += fmt.Sprintf(", and here the published policy %s finds more, %s, since %s of fetches "+
			"tell %s too little: recrawl demo --full has a larger web",
			best.Policy, ofHundred(best.Coverage), words.Plural(r.Run.Weeks, "week"), own.Policy)
	default:
		gained += fmt.Sprintf(", and the best published policy here, %s, %s", best.Policy,
			ofHundred(best.Coverage))
	}
	open := "type recrawl demo --open for a dashboard over the same web as it would stand today."
	if html != "" && html != "-" {
		open = fmt.Sprintf("Open %s in a browser for the curves, or %s", html, open)
	} else {
		open = "T" + open[1:]
	}
	return []string{gained + ".", open, "For a site of your own, type recrawl run --data crawl " +
		"--user-agent \"mybot/1.0 (you@example.org)\" https://example.org/ with your contact and " +
		"address."}
}
