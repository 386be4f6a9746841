package evals

import (
	"fmt"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/demo"
	"github.com/recrawl/recrawl/eval/synth"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// DemoPage returns the result as a report.
func DemoPage(r *demo.Result) report.Page {
	page := report.Page{
		Title: "recrawl demo",
		Intro: fmt.Sprintf("%s over %d virtual weeks, %.3g %% of the pages a day.",
			r.Web, r.Run.Weeks, 100*r.Run.Budget),
	}
	views := []Run{StreamView(&r.Run, false)}
	page.Finding = StreamFinding(views)
	agree := fmt.Sprintf("identical, visit by visit (%d)", r.Agreement.Visits)
	if r.Agreement.Difference != "" {
		agree = "DIFFERENT: " + r.Agreement.Difference
	}
	http := report.Table{Title: "Over HTTP: " + r.Web, Header: []string{"what", "value"},
		Rows: [][]string{
			{"policy of the weeks", r.HTTP.Policy},
			{"visits", words.Count(r.HTTP.Visits)},
			{"requests, robots.txt included", words.Count(r.HTTP.Requests)},
			{"answered 304 not modified", words.Count(r.HTTP.NotModified)},
			{"servers, each on its own loopback address", words.Count(r.HTTP.Servers)},
			{"least virtual time between two requests to one server", fmt.Sprintf("%.1f s",
				r.HTTP.LeastGapSeconds)},
			{"pages in the store on disk", words.Count(r.HTTP.StorePages)},
			{"real time", fmt.Sprintf("%.1f s", r.HTTP.Seconds)},
			{"HTTP and replay", agree},
		}}
	if a := r.HTTP.Archive; a != nil {
		http.Rows = append(http.Rows,
			[]string{"archive", a.Directory},
			[]string{"captures in it, robots.txt included", words.Count(a.Captures)},
			[]string{"of them with the body of an earlier one", words.Count(a.Revisits)})
	}
	overHTTP := report.Section{Title: "The web over HTTP",
		Tables: []report.Table{http, topFirstTable(r)}}
	stream := streamSection(r.Run, Telling(views, eval.StreamMeasures))
	sweep := snapshotSection(r.Sweep,
		Telling([]Run{SnapshotView(&r.Sweep)}, eval.SnapshotMeasures))
	sweep.Title = "One sweep after a month"
	page.Sections = append(page.Sections, overHTTP, stream, sweep)
	if r.Claims != nil {
		page.Sections = append(page.Sections, section(r.Claims, r.Run.Budget))
	}
	if r.Comparison != nil {
		page.Sections = append(page.Sections,
			report.Section{Title: "The built-in web beside the paper's",
				Text: "How the synthetic web changes, in the form of tables 2 and 3 of DEWS2004 " +
					"5-B-02, " +
					"ours beside the paper's.",
				Tables: comparisonTables(*r.Comparison)})
	}
	return page
}

// topFirstTable shows the sweeps over HTTP beside those of the replay.
func topFirstTable(r *demo.Result) report.Table {
	t := report.Table{
		Title: fmt.Sprintf("Tops first, one sweep a month after the base, over HTTP: %d pages, "+
			"%d changed",
			r.Sweep.Corpus.Pages, r.Sweep.Corpus.Changed),
		Header: []string{"method", "sites", "tops", "fetched", "changed", "by replay", "visits"},
	}
	for _, s := range r.TopFirst {
		agree := "identical"
		if s.Difference != "" {
			agree = "DIFFERENT: " + s.Difference
		}
		t.Rows = append(t.Rows, []string{
			s.Method,
			words.Count(s.HTTP.Sites),
			words.Count(s.HTTP.Tops),
			words.Count(s.HTTP.Fetched),
			words.Count(s.HTTP.Changed),
			fmt.Sprintf("%d, %d", s.Replay.Fetched, s.Replay.Changed),
			agree,
		})
	}
	return t
}

// comparisonTables show tables 2 and 3 of a synthetic web: our value / the paper's.
func comparisonTables(c synth.Comparison) []report.Table {
	header := []string{"%, ours / paper"}
	for _, weeks := range synth.Periods {
		header = append(header, fmt.Sprintf("%d weeks", weeks))
	}
	updated := report.Table{Title: "Share of pages updated [LINK table 2]", Header: header}
	domains := []synth.Domain{synth.AC, synth.CO, synth.ED, synth.GR, synth.NE, synth.OR,
		synth.DomainUnknown}
	for _, d := range domains {
		name := d.String()
		if d == synth.DomainUnknown {
			name = "total"
		}
		updated.Rows = append(updated.Rows, besides(name, c.Updated[d], c.PaperUpdated[d]))
	}
	tops := report.Table{Title: "Classification by updates of top pages [LINK table 3]",
		Header: header}
	for row := range synth.TopRow(len(c.Tops)) {
		tops.Rows = append(tops.Rows, besides(row.String(), c.Tops[row], c.PaperTops[row]))
	}
	return []report.Table{updated, tops}
}

func besides(name string, ours, paper [4]float64) []string {
	row := []string{name}
	for i := range ours {
		row = append(row, fmt.Sprintf("%.1f / %.1f", ours[i], paper[i]))
	}
	return row
}
