package lab

import (
	"context"
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/bench"
	"github.com/recrawl/recrawl/fetch/quarantine"
	"github.com/recrawl/recrawl/sitegraph/words"
)

func benchFetch(ctx context.Context, p *core.Program, _ []string) error {
	c := bench.Settings(p.Config().Fetch)
	return benchmark(p, c.HTML, func(tick func(string, int, int)) (*bench.Result, error) {
		return bench.Run(ctx, bench.Options{Settings: c, Again: quarantine.Again(), Tick: tick})
	}, fetchPage)
}

// fetchPage returns the report of a measurement.
func fetchPage(r *bench.Result) report.Page {
	page := report.Page{
		Title:   "recrawl: bench fetch",
		Finding: fetchFinding(r),
		Intro: fmt.Sprintf("%s pages of %.1f KB (%.1f KB with gzip) at %s, %d at a time, by each "+
			"client in %s.",
			grouped(r.Pages), r.PageBytes/1000, r.GzipBytes/1000,
			words.Plural(r.Servers, "server"), r.Parallel, words.Plural(r.Rounds, "round")),
		Sections: []report.Section{{Title: "Cost of a page",
			Tables: []report.Table{clients(r), required(r)}, Charts: fetchCharts(r)}},
	}
	if r.InFlight != nil {
		page.Sections = append(page.Sections,
			report.Section{Title: "Memory", Tables: []report.Table{inFlight(r.InFlight)}})
	}
	page.Sections = append(page.Sections,
		report.Section{Title: "Conditions", Tables: []report.Table{conditions(r)}})
	return page
}

// fetchFinding returns a sentence that compares the processor time of clients for a page.
func fetchFinding(r *bench.Result) string {
	var says []string
	for _, q := range r.Requirements {
		says = append(says, fmt.Sprintf("%s takes %s times the processor time of %s",
			q.Of, ratio(q.Ratio), q.To))
	}
	if len(says) == 0 {
		return ""
	}
	return "For a page, " + strings.Join(says, ", ") + "."
}

func wholeMegabytes(v int64) string { return fmt.Sprintf("%.0f", float64(v)/1e6) }
func ratio(r bench.Ratio) string    { return fmt.Sprintf("%.2f", r.Median) }

func spread(r bench.Ratio) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", r.Median, r.From, r.To)
}

func clients(r *bench.Result) report.Table {
	t := report.Table{
		Title: fmt.Sprintf("CPU of the client for each of %s pages, us", grouped(r.Pages)),
		Header: []string{"client", "CPU us", "x raw", "x colly", "pages/s", "peak MB",
			"server CPU us", "requests"},
		Note: "Medians. The servers use the same processors, and other work lowers pages/s. " +
			"Requests include robots.txt and missing pages.",
	}
	for _, c := range r.Clients {
		t.Rows = append(t.Rows, []string{c.Name, fmt.Sprintf("%.0f", c.CPUMicros), ratio(c.ToRaw),
			ratio(c.ToColly), fmt.Sprintf("%.0f", c.PagesPerSecond),
			wholeMegabytes(c.Peak), fmt.Sprintf("%.0f", c.ServerMicros), grouped(int(c.Requests))})
	}
	return t
}

func fetchVerdict(met bool) string {
	if met {
		return "yes"
	}
	return "no"
}

func required(r *bench.Result) report.Table {
	t := report.Table{Title: "CPU for a page, one client compared with another",
		Header: []string{"of", "to", "ratio", "at most", "met"},
		Note:   "Medians over the rounds, with the least and the most."}
	for _, q := range r.Requirements {
		t.Rows = append(t.Rows, []string{q.Of, q.To, spread(q.Ratio), fmt.Sprintf("%.2f", q.Most),
			fetchVerdict(q.Met)})
	}
	return t
}

func inFlight(v *bench.InFlight) report.Table {
	return report.Table{
		Title:  "Memory with visits under way",
		Header: []string{"under way", "known servers", "visits", "s", "peak MB", "at most", "met"},
		Rows: [][]string{{grouped(int(v.Reached)), grouped(v.Known), grouped(int(v.Visits)),
			fmt.Sprintf("%.0f", v.Seconds),
			wholeMegabytes(v.Peak), wholeMegabytes(v.Most), fetchVerdict(v.Met)}},
		Note: "Under way: the largest number that the servers counted.",
	}
}

func conditions(r *bench.Result) report.Table {
	t := report.Table{Title: "Conditions", Header: []string{"what", "value"}, Rows: [][]string{
		{"processors", fmt.Sprint(r.Processors)},
		{"load average, before and after", fmt.Sprintf("%.1f, %.1f", r.Load[0], r.Load[1])},
	}}
	for _, c := range r.Clients {
		t.Rows = append(t.Rows, []string{c.Name, c.About})
	}
	return t
}

// fetchCharts returns a line for each client over the rounds, which shows the effect of other work.
func fetchCharts(r *bench.Result) []report.Chart {
	chart := report.Chart{Title: "CPU a page by round", XLabel: "round", YLabel: "us", XFree: true,
		YFree: true}
	for _, c := range r.Clients {
		s := report.Series{Name: c.Name}
		for i, run := range c.Runs {
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, 1e6*run.CPU/float64(r.Pages))
		}
		chart.Series = append(chart.Series, s)
	}
	return []report.Chart{chart}
}
