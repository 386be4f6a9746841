package evals

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Run is one horizon or budget of an evaluation, for the reports of both protocols.
type Run struct {
	label      string  // "2 % a day"
	tick       string  // the same below an axis
	x          float64 // the budget, or the weeks of the horizon
	weeks      int
	servers    int
	results    []evalResult
	comparison *eval.Comparison // nil: nothing is compared
}

type evalResult struct {
	name, policy string
	measures
	stream *eval.StreamResult // nil in the snapshot protocol
}

// measures has the results of both protocols by name.
type measures interface {
	Measure(name string) eval.Number
	Interval(measure string) [2]eval.Number
}

// shortResampled explains the bars below the legends of charts.
const shortResampled = "5-95 %, 200 server samples"

// intervals explains the brackets in titles of tables, or why there are none.
func intervals(servers int) string {
	if servers < 2 {
		return "; no intervals: one server says nothing of others"
	}
	return "; intervals: 5 to 95 % of 200 samples of servers"
}

// measureNames are the names in tables; charts and texts write them out.
var measureNames = map[string]string{eval.Coverage: "C", eval.UpdateRate: "U",
	eval.Freshness:  "freshness",
	eval.Discovered: "discovered", eval.Gain: "gain", eval.GainInServers: "gain in servers"}

func Snapshot(runs []eval.SnapshotRun) report.Page {
	page := report.Page{Title: "recrawl: snapshot protocol",
		Intro: "Each policy decides the order in which the pages of one corpus are fetched " +
			"again, once. U is the update rate (changed among fetched), C the coverage (changed " +
			"fetched among all changed). The gain relates the area under the curve of coverage " +
			"against share fetched to random order (0) and to the clairvoyant, which knows what " +
			"changed (1); the gain in servers is its mean over the servers, each by itself."}
	var views []Run
	for i := range runs {
		views = append(views, SnapshotView(&runs[i]))
	}
	page.Finding = finding(views, eval.Gain, "reaches a gain of %s", Decimals)
	shown := Telling(views, eval.SnapshotMeasures)
	page.Sections = append(page.Sections, overview(views, eval.SnapshotMeasures, shown)...)
	for i, run := range runs {
		s := snapshotSection(run, shown)
		s.Tables = append(s.Tables, comparedWithAll(views[i], eval.SnapshotMeasures)...)
		if i == 0 {
			s.Tables[0].Note = absentNote(run.Absent, views[0])
		}
		page.Sections = append(page.Sections, s)
	}
	return page
}

func SnapshotView(run *eval.SnapshotRun) Run {
	v := Run{label: fmt.Sprintf("N = %d", run.Weeks), tick: fmt.Sprint(run.Weeks),
		x: float64(run.Weeks), servers: run.Corpus.Servers, comparison: run.Comparison}
	for i := range run.Results {
		r := &run.Results[i]
		v.results = append(v.results, evalResult{name: nameOf(*r), policy: r.Policy, measures: r})
	}
	return v
}

// snapshotSection shows one horizon; its chart has the shown policies.
func snapshotSection(run eval.SnapshotRun, shown []string) report.Section {
	t := report.Table{Title: fmt.Sprintf("N = %s: %s, %s, %d changed (%.1f "+
		"%%), %d in some weekly comparison, %d vanished; change by %s",
		words.Plural(run.Weeks, "week"), words.Plural(run.Corpus.Servers, "server"),
		words.Plural(run.Corpus.Pages, "page"), run.Corpus.Changed,
		100*float64(run.Corpus.Changed)/float64(max(run.Corpus.Pages, 1)), run.ChangedWeekly,
		run.Corpus.Vanished, run.Change),
		Header: []string{"policy", "fetched", "changed", "U", "C", "AUC", "gain",
			"gain in servers"}}
	chart := report.Chart{Title: fmt.Sprintf("Coverage against share fetched, N = %d weeks",
		run.Weeks),
		XLabel: "share of the pages fetched", YLabel: "share of the changed pages found",
		XPercent: true, YPercent: true, Diagonal: true}
	withSpread := len(run.Results) > 0 && run.Results[0].Spread != nil
	if withSpread {
		t.Header = append(t.Header, "U 5-95 %", "C 5-95 %")
	}
	for _, r := range run.Results {
		row := []string{nameOf(r), words.Count(r.Fetched), words.Count(r.ChangedFetched),
			Decimals(r.UpdateRate), Decimals(r.Coverage), Decimals(r.AUC), Decimals(r.Gain),
			Decimals(r.GainInServers)}
		if withSpread {
			row = append(row, span(r.Interval(eval.UpdateRate)), span(r.Interval(eval.Coverage)))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Best = bestRows(SnapshotView(&run), eval.Gain)
	t.BestBy = "largest gain, reference lines apart"
	for _, name := range shown {
		for _, r := range run.Results {
			if nameOf(r) != name {
				continue
			}
			s := report.Series{Name: name, Dashed: policy.Reference(r.Policy)}
			for _, point := range r.Curve {
				s.X, s.Y = append(s.X, point[0]), append(s.Y, point[1])
			}
			chart.Series = append(chart.Series, s)
		}
	}
	return report.Section{Title: fmt.Sprintf("N = %d weeks", run.Weeks), Tables: []report.Table{t},
		Charts: []report.Chart{chart}}
}

// nameOf returns the name of a policy, with its threshold if it has one.
func nameOf(r eval.SnapshotResult) string {
	if r.Threshold == 0 {
		return r.Policy
	}
	return fmt.Sprintf("%s >= %.3g", r.Policy, r.Threshold)
}

func Stream(runs []eval.StreamRun) report.Page {
	page := report.Page{Title: "recrawl: stream protocol",
		Intro: "Each policy has the same number of fetches a day and has to find out by itself " +
			"what changes. U is the update rate (changed among refetches), C the share of all " +
			"change events that were found. Freshness is the time average of the share of known " +
			"living pages whose copy is good; age is the mean number of days since the first " +
			"unseen change; \"found after\" is the mean number of hours after the first change " +
			"that the copy did not have; discovered is the share of new pages that became known."}
	severalLengths := slices.ContainsFunc(runs, func(r eval.StreamRun) bool {
		return r.Weeks != runs[0].Weeks
	})
	var views []Run
	for i := range runs {
		views = append(views, StreamView(&runs[i], severalLengths))
	}
	page.Finding = StreamFinding(views)
	shown := Telling(views, eval.StreamMeasures)
	page.Sections = append(page.Sections, overview(views, eval.StreamMeasures, shown)...)
	page.Sections = append(page.Sections, reliability(views, shown)...)
	for i, run := range runs {
		s := streamSection(run, shown)
		s.Tables = append(s.Tables, comparedWithAll(views[i], eval.StreamMeasures)...)
		s.Tables = append(s.Tables, weekTable(run))
		if i == 0 {
			s.Tables[0].Note = absentNote(run.Absent, views[0])
		}
		page.Sections = append(page.Sections, s)
	}
	return page
}

func StreamView(run *eval.StreamRun, severalLengths bool) Run {
	v := Run{label: eval.PerCent(run.Budget) + " a day", tick: eval.PerCent(run.Budget),
		x: run.Budget, weeks: run.Weeks, servers: run.Corpus.Servers, comparison: run.Comparison}
	if severalLengths {
		v.label += fmt.Sprintf(", %d weeks", run.Weeks)
	}
	for i := range run.Results {
		r := &run.Results[i]
		v.results = append(v.results, evalResult{name: r.Policy, policy: r.Policy, measures: r,
			stream: r})
	}
	return v
}

// absentNote says which facts histories lack, and what that means for the policies.
func absentNote(absent []string, run Run) string {
	if len(absent) == 0 {
		return ""
	}
	note := "Absent: histories have no feeds, no sitemaps and no headers such as Last-Modified, " +
		"so what these claim takes no part here (recrawl demo measures it over HTTP)"
	for _, of := range [...]struct{ policy, is string }{
		{"norconex", "its fixed least interval"},
		{"ncis", "greedy on the rate alone"},
	} {
		if slices.ContainsFunc(run.results, func(r evalResult) bool {
			return r.policy == of.policy
		}) {
			note += "; " + of.policy + " is " + of.is
		}
	}
	return note + "."
}

// streamSection shows one budget; its charts have the shown policies.
func streamSection(run eval.StreamRun, shown []string) report.Section {
	t := report.Table{Title: fmt.Sprintf("%s of the pages a day%s, %s: %s, %s, "+
		"%s in all, %s; change by %s",
		eval.PerCent(run.Budget), inRounds(run), words.Plural(run.Weeks, "week"),
		words.Plural(run.Corpus.Servers, "server"),
		words.Plural(run.Corpus.BasePages, "base page"),
		words.Plural(run.Corpus.Pages, "page"), words.Plural(run.Corpus.Events, "event"),
		run.Change),
		Header: []string{"policy", "fetched", "refetched", "changed", "U", "C", "freshness",
			"age, days", "found after, hours", "median", "discovered", "delay, days", "deletions",
			"delay, days", "visits for them"}}
	withSpread := len(run.Results) > 0 && run.Results[0].Spread != nil
	if withSpread {
		t.Header = append(t.Header, "C 5-95 %")
	}
	searched := slices.ContainsFunc(run.Results, func(r eval.StreamResult) bool {
		return r.SearchFreshness != 0
	})
	if searched {
		t.Header = append(t.Header, "search results")
		t.Note = "search results: time average of the share of copies that a search shows which " +
			"are good, each page counted by its weight in the list"
	}
	if run.Runs > 0 {
		t.Title += fmt.Sprintf("; means of %d runs, seeds %d to %d",
			run.Runs, run.Seed, run.Seed+uint64(run.Runs)-1)
		t.Header = append(t.Header, "C, all runs", "discovered, all runs")
	}
	for _, r := range run.Results {
		row := []string{r.Policy, words.Count(r.Fetched), words.Count(r.Refetched),
			words.Count(r.Changed), Decimals(r.UpdateRate), Decimals(r.Coverage),
			Decimals(r.Freshness), Tenths(r.MeanAgeDays), Tenths(r.DetectionDelayHours),
			Tenths(r.MedianDelayHours), Decimals(r.Discovered), Tenths(r.DiscoveryDelayDays),
			Decimals(r.DeletionsFound),
			Tenths(r.DeletionDelayDays), words.Count(r.DeletionVisits)}
		if withSpread {
			row = append(row, span(r.Interval(eval.Coverage)))
		}
		if searched {
			row = append(row, Decimals(r.SearchFreshness))
		}
		if run.Runs > 0 {
			row = append(row, span(r.Range(eval.Coverage)), span(r.Range(eval.Discovered)))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Best = bestRows(StreamView(&run, false), eval.Coverage)
	t.BestBy = "finds most, reference lines apart"
	t.Spare = []int{14, 13, 12, 11, 9, 2, 8, 7}
	if run.LeastValue > 0 {
		t.Header = append(t.Header, "left unused")
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], words.Count(run.Results[i].Unused))
		}
		t.Title += fmt.Sprintf("; no visit is worth less than %.3g", run.LeastValue)
	}
	return report.Section{Title: fmt.Sprintf("Budget %s a day, %d weeks",
		eval.PerCent(run.Budget), run.Weeks),
		Tables: []report.Table{t}, Charts: append(frontCharts(run), weekCharts(run, shown)...)}
}

// inRounds returns the length of rounds, unless it is a day.
func inRounds(run eval.StreamRun) string {
	if run.StepHours == 24 || run.StepHours == 0 {
		return ""
	}
	if run.StepHours == 1 {
		return " in rounds of an hour"
	}
	return fmt.Sprintf(" in rounds of %.3g hours", run.StepHours)
}

const (
	linesReadable = 8 // readers cannot distinguish more lines in a chart
	linesChosen   = 7 // as many as there are colours
)

// Telling returns the names of the policies that charts show. These are all if they are few. Else
// they are the compared one, the best published of each run, interval, the reference lines, and the
// best of our others.
func Telling(runs []Run, order []string) []string {
	var names []string
	if len(runs) == 0 || len(runs[0].results) <= linesReadable {
		for _, run := range runs[:min(len(runs), 1)] {
			for _, r := range run.results {
				names = append(names, r.name)
			}
		}
		return names
	}
	add := func(name string) {
		if !slices.Contains(names, name) && len(names) < linesChosen {
			names = append(names, name)
		}
	}
	named := func(policy string) {
		for _, r := range runs[0].results {
			if r.policy == policy {
				add(r.name)
				return
			}
		}
	}
	if c := runs[0].comparison; c != nil {
		named(c.Policy)
	}
	addBest := func(kind func(policy string) bool) {
		for _, run := range runs {
			if best := run.best(order[0], kind); best != nil {
				add(best.name)
			}
		}
	}
	addBest(policy.Published)
	named("interval")
	named("clairvoyant")
	named("true-rates")
	addBest(func(name string) bool {
		return !policy.Published(name) && !policy.Reference(name) &&
			policy.WithoutPart(name) == ""
	})
	return names
}

// best returns the result with the largest value among policies of a kind; nil: none.
func (r Run) best(measure string, kind func(policy string) bool) (best *evalResult) {
	most := eval.Number(math.Inf(-1))
	for i := range r.results {
		result := &r.results[i]
		if v := result.Measure(measure); kind(result.policy) && v > most {
			best, most = result, v
		}
	}
	return best
}

// bestRows returns the results with the largest value as shown, without reference lines. It returns
// none if there is no choice, or if the value is zero.
func bestRows(run Run, measure string) (rows []int) {
	own := func(name string) bool { return !policy.Reference(name) }
	best := run.best(measure, own)
	if best == nil || len(run.results) < 2 || !(best.Measure(measure) > 0) {
		return nil
	}
	for i := range run.results {
		r := &run.results[i]
		if own(r.policy) && Decimals(r.Measure(measure)) == Decimals(best.Measure(measure)) {
			rows = append(rows, i)
		}
	}
	return rows
}

func Decimals(v eval.Number) string { return Number(v, 3) }

func Tenths(v eval.Number) string { return Number(v, 1) }

// Number returns a value as text, with a dash if it is undefined.
func Number(v eval.Number, digits int) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, float64(v))
}

// span returns an interval as text, with a dash if there is none.
func span(s [2]eval.Number) string {
	if math.IsNaN(float64(s[0])) {
		return "-"
	}
	return strings.Join([]string{Decimals(s[0]), Decimals(s[1])}, "..")
}
