package papers

import (
	"fmt"
	"math"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/papers"
	scheduler "github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// shown limits the servers in text. The page lists ten times as many, and JSON lists all.
const shown = 20

// SchedulePage returns the report as tables and the figures 3 to 5 of [HIER].
func SchedulePage(r *papers.ScheduleReport) report.Page {
	page := report.Page{Title: "What can be kept", Finding: scheduleFinding(r),
		Intro: fmt.Sprintf("%s on %s, from %s.",
			words.Plural(r.Pages, "page"), words.Plural(r.Servers, "server"), r.Source)}
	page.Sections = append(page.Sections, report.Section{Title: "Classes", Text: summary(r),
		Tables: []report.Table{classTable(r)}})
	if len(r.Infeasible) > 0 {
		page.Sections = append(page.Sections, report.Section{Title: "Servers whose intervals " +
			"cannot be kept", Tables: []report.Table{serverTable(r, shown, false),
			serverTable(r, 10*shown, true), cureTable(r)}})
	}
	if len(r.Large) > 0 {
		page.Sections = append(page.Sections,
			report.Section{Title: "Large sites", Tables: []report.Table{largeTable(r)}})
	}
	page.Sections = append(page.Sections,
		report.Section{Title: "Corrections", Tables: []report.Table{correctionTable(r)}},
		report.Section{Title: "Distributions", Charts: scheduleCharts(r)})
	if len(r.Warnings) > 0 {
		page.Sections = append(page.Sections,
			report.Section{Title: "To be doubted", Text: strings.Join(r.Warnings, "\n\n")})
	}
	return page
}

// scheduleFinding returns the number of servers whose intervals cannot be kept, with the causes.
func scheduleFinding(r *papers.ScheduleReport) string {
	var why []string
	for c := scheduler.Feasible + 1; c < scheduler.Classes; c++ {
		if n := r.Feasible.Totals[c].Servers; n > 0 {
			verb := "are"
			if n == 1 {
				verb = "is"
			}
			why = append(why, fmt.Sprintf("%d %s %s", n, verb, c))
		}
	}
	if len(why) == 0 {
		return fmt.Sprintf("The intervals of all %s can be kept.",
			words.Plural(r.Servers, "server"))
	}
	return fmt.Sprintf("The intervals of %d of %s can be kept; %s.",
		r.Feasible.Totals[scheduler.Feasible].Servers, words.Plural(r.Servers, "server"),
		strings.Join(why, ", "))
}

func summary(r *papers.ScheduleReport) string {
	f := r.Feasible
	text := fmt.Sprintf("At least %d connections are needed (%.3g by the sum of e/I; %d without "+
		"infeasible servers). About %d miss no period, and %d provably suffice.",
		f.Bound, f.Need, f.BoundOf, scheduler.Ample*f.Bound, r.Sufficient.Connections)
	switch {
	case f.Connections == 0:
		return text
	case f.Need > float64(f.Connections):
		return text + fmt.Sprintf(" The pool has %d, which is too few: use %s until the "+
			"schedule is corrected.", f.Connections, strings.ToUpper(r.Policy))
	}
	return text + fmt.Sprintf(" The pool has %d: use %s.", f.Connections, strings.ToUpper(r.Policy))
}

func classTable(r *papers.ScheduleReport) report.Table {
	t := report.Table{Title: fmt.Sprintf("Servers by whether their intervals can be kept: bound %d, "+
		"about %d for no miss, %d proved", r.Feasible.Bound, scheduler.Ample*r.Feasible.Bound,
		r.Sufficient.Connections),
		Header: []string{"class", "servers", "visits a day", "lost", "value", "lost"}}
	for c := scheduler.Feasible; c < scheduler.Classes; c++ {
		of := &r.Feasible.Totals[c]
		t.Rows = append(t.Rows, []string{c.String(), words.Count(of.Servers),
			papers.Short(of.Wanted), papers.Short(of.Lost), papers.Short(of.Value),
			papers.Short(of.LostValue)})
	}
	t.Note = "Value: the weight of the pages with a good copy if all intervals are kept. Lost: the " +
		"least value that the servers, their pauses or the pool make impossible."
	return t
}

func serverTable(r *papers.ScheduleReport, most int, pageOnly bool) report.Table {
	t := report.Table{Title: "Servers whose intervals cannot be kept, the most valuable loss first",
		PageOnly: pageOnly,
		Header: []string{"server", "class", "pages", "I, s", "e/I mean", "e/I longest",
			"visits a day", "lost", "lost value"}}
	for i := range r.Infeasible[:min(len(r.Infeasible), most)] {
		s := &r.Infeasible[i]
		t.Rows = append(t.Rows, []string{s.Server, s.Class.String(), words.Count(s.Pages),
			papers.Short(s.Interval.Seconds()), papers.Short(s.Mean), papers.Short(s.Max),
			papers.Short(s.Wanted), papers.Short(s.Lost), papers.Short(s.LostValue)})
	}
	if more := len(r.Infeasible) - most; more > 0 {
		t.Note = fmt.Sprintf("And %d more; --json has all.", more)
	}
	return t
}

func cureTable(r *papers.ScheduleReport) report.Table {
	t := report.Table{Title: "Any one of these would help them",
		Header: []string{"server", "cure", "", "visits a day", "worth"}}
	for i := range r.Infeasible[:min(len(r.Infeasible), 5)] {
		for _, c := range r.Infeasible[i].Cures {
			t.Rows = append(t.Rows, []string{r.Infeasible[i].Server, c.What,
				papers.Short(c.Value) + " " + c.Unit, papers.Short(c.Visits),
				papers.Short(c.Worth)})
		}
	}
	t.Note = "Visits and worth are gains; negative ones are given up. Other servers can use the " +
		"budget that these leave."
	return t
}

func largeTable(r *papers.ScheduleReport) report.Table {
	t := report.Table{Title: fmt.Sprintf("Large sites: one pass over all pages takes more than %s",
		words.Plural(int(math.Round(r.Days)), "day")),
		Header: []string{"address", "servers", "pages", "visits a day", "days",
			"sufficient delay, s"}}
	for i := range r.Large[:min(len(r.Large), shown)] {
		l := &r.Large[i]
		delay := "none"
		if l.Delay > 0 {
			delay = papers.Short(l.Delay)
		}
		t.Rows = append(t.Rows, []string{l.Address, words.Shorten(l.Servers, 2, ", "),
			words.Count(l.Pages), papers.Short(math.Floor(l.PerDay)), papers.Short(l.Days), delay})
	}
	t.Note = "Servers behind one address take turns. A shorter delay needs an agreement with " +
		"the site."
	return t
}

func correctionTable(r *papers.ScheduleReport) report.Table {
	t := report.Table{Title: "Corrections after which all intervals are kept, the least loss first",
		Header: []string{"correction", "by", "need", "visits a day", "given up", "pages dropped",
			"value", "lost value", "kept"}}
	for i := range r.Corrections {
		c := &r.Corrections[i]
		kept := "yes"
		if !c.Kept {
			kept = "no"
		}
		t.Rows = append(t.Rows, []string{c.Name, papers.Short(c.Parameter) + " " + c.Unit,
			papers.Short(c.Need), papers.Short(c.Visits), papers.Short(c.Lost),
			words.Count(c.Dropped), papers.Short(c.Value), papers.Short(c.LostValue), kept})
	}
	t.Note = "stretch: one factor for all intervals; stretch-each: one factor for each server; " +
		"floor: a lower limit of all intervals; drop: the pages of the least value are left " +
		"out; optimal: the most value within all limits."
	return t
}

func scheduleCharts(r *papers.ScheduleReport) []report.Chart {
	return []report.Chart{
		cumulative("[HIER fig. 3] Intervals of servers, 1/L", decadesOfTime,
			curve("1/L", &r.Interval)),
		cumulative("[HIER fig. 4] Downloads of servers", decadesOfTime, curve("mean", &r.MeanTook),
			curve("longest", &r.LongestTook)),
		cumulative("[HIER fig. 5] Utilisation of servers, e/I", decadesOfUse,
			curve("by the mean download", &r.MeanUse), curve("by the longest", &r.LongestUse)),
	}
}

type decades struct {
	first int // power of ten of the first name
	names []string
	label string
}

var (
	decadesOfTime = decades{-3, []string{"1 ms", "10 ms", "0.1 s", "1 s", "10 s", "100 s", "17 min",
		"2.8 h", "1.2 d", "12 d", "116 d", "3 y"}, "time"}
	decadesOfUse = decades{-9, []string{"1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "0.001",
		"0.01", "0.1", "1", "10", "100"}, "utilisation"}
)

func curve(name string, d *papers.Distribution) report.Series {
	s := report.Series{Name: name}
	const points = 200 // about the most points of a curve
	n := len(d.Sorted)
	for i := 0; i < n; i += max(n/points, 1) {
		s.X, s.Y = append(s.X, d.Sorted[i]), append(s.Y, float64(i+1)/float64(n))
	}
	if n > 0 {
		s.X, s.Y = append(s.X, d.Sorted[n-1]), append(s.Y, 1)
	}
	return s
}

// cumulative returns a chart of the share of servers at or below a value, over powers of ten.
func cumulative(title string, by decades, lines ...report.Series) report.Chart {
	for i := range lines {
		for k, v := range lines[i].X {
			lines[i].X[k] = min(max(math.Log10(max(v, 1e-12))-float64(by.first), 0),
				float64(len(by.names)-1))
		}
	}
	return report.Chart{Title: title, XLabel: by.label, YLabel: "servers at or below",
		YPercent: true, XNames: by.names, Series: lines}
}

// SchedulePlanPage returns the plan as a table.
func SchedulePlanPage(p *papers.Plan) report.Page {
	t := report.Table{Title: fmt.Sprintf("What %s takes: %s from %s, %d infeasible left out",
		p.Target, words.Plural(p.Servers, "server"), p.Source, p.Infeasible),
		Header: []string{"", "value", "5 to 95 %"}}
	row := func(name string, r papers.Range) {
		t.Rows = append(t.Rows, []string{name, papers.Short(float64(r.Value)),
			fmt.Sprintf("%s to %s", papers.Short(float64(r.Low)), papers.Short(float64(r.High)))})
	}
	row("visits a day", p.PerDay)
	row("connections: certainly too few below", p.Bound)
	if p.Simulated != nil {
		row("connections: least without a miss in the simulation", *p.Simulated)
	}
	row("connections: about none missed (3 times the bound)", p.Ample)
	t.Rows = append(t.Rows, []string{"connections: proved to suffice", words.Count(p.Proved), ""})
	row("bandwidth, Mbps", p.Mbps)
	row("nodes, by "+p.By, p.Nodes)
	t.Note = fmt.Sprintf("All intervals times %.3g. The spread is over %d resamples of the "+
		"servers, that of the simulation the least and the largest of three.", p.Factor,
		p.Resamples)
	finding := fmt.Sprintf("%s takes about %s connections (%s are proved to suffice), %s Mbps "+
		"and %s nodes.", p.Target, papers.Short(float64(p.Ample.Value)), words.Count(p.Proved),
		papers.Short(float64(p.Mbps.Value)), papers.Short(float64(p.Nodes.Value)))
	return report.Page{Title: "What a target takes", Finding: finding, Intro: t.Title,
		Sections: []report.Section{{Title: "Plan", Tables: []report.Table{t}}}}
}
