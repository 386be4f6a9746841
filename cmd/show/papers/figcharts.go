package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// drawn names the methods that charts show: those of [LINK]. Tables show all methods.
var drawn = append([]string{papers.Whole}, papers.PaperPolicies...)

// bars describes the error bars of a chart.
const bars = "5th to 95th percentile"

// addBar appends a point and its interval to a series.
func addBar(s *report.Series, x, y float64, of papers.Interval) {
	s.X, s.Y = append(s.X, x), append(s.Y, y)
	s.Low, s.High = append(s.Low, float64(of[0])), append(s.High, float64(of[1]))
}

func figure5(f *papers.Figures) report.Chart {
	return overPeriods(f, "Update rate by period [LINK fig. 5]", "update rate", papers.UpdateRate,
		papers.UpdateRateOf)
}

func figure6(f *papers.Figures) report.Chart {
	return overPeriods(f, "Coverage by period [LINK fig. 6]", "coverage", papers.Coverage,
		papers.CoverageOf)
}

// overPeriods returns a chart over the periods, with a line for each method.
func overPeriods(f *papers.Figures, title, label string, value func(*papers.Result) float64,
	of func(*papers.Spread) papers.Interval) report.Chart {
	c := report.Chart{Title: title, XLabel: "weeks", YLabel: label, YPercent: true, Bars: bars}
	for i, m := range f.Periods[0].Methods {
		if !slices.Contains(drawn, m.Policy) {
			continue
		}
		s := report.Series{Name: m.Policy, Dashed: m.Policy == papers.Whole}
		for _, p := range f.Periods {
			r := &p.Methods[i].Result
			addBar(&s, float64(p.Weeks), value(r), of(r.Spread))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func figure7(f *papers.Figures) report.Chart {
	return overGroups(f, "Update rate by group, "+groupWeeks(f)+" [LINK fig. 7]", "update rate",
		papers.UpdateRate, papers.UpdateRateOf)
}

func figure8(f *papers.Figures) report.Chart {
	return overGroups(f, "Coverage by group, "+groupWeeks(f)+" [LINK fig. 8]", "coverage",
		papers.Coverage, papers.CoverageOf)
}

// mostNames limits the groups in a chart, which shows the largest.
const mostNames = 12

// overGroups returns a chart with a mark for each method and group, side by side in a group.
func overGroups(f *papers.Figures, title, label string, value func(*papers.Result) float64,
	of func(*papers.Spread) papers.Interval) report.Chart {
	c := report.Chart{Title: title, XLabel: "group of servers", YLabel: label, YPercent: true,
		Bars: bars}
	groups := f.Groups
	if len(groups) > mostNames {
		groups = slices.Clone(groups)
		slices.SortStableFunc(groups, func(a, b papers.Group) int { return b.Pages - a.Pages })
		groups = groups[:mostNames]
		slices.SortFunc(groups,
			func(a, b papers.Group) int { return strings.Compare(a.Name, b.Name) })
		c.Title += fmt.Sprintf(" (the %d largest)", mostNames)
	}
	for _, g := range groups {
		c.XNames = append(c.XNames, g.Name)
	}
	for i, m := range f.Periods[0].Methods {
		if !slices.Contains(drawn, m.Policy) {
			continue
		}
		s := report.Series{Name: m.Policy, Points: true}
		for x, g := range groups {
			aside := 0.14 * (float64(len(c.Series)) - float64(len(drawn)-1)/2)
			r := &g.Methods[i].Result
			addBar(&s, float64(x)+aside, value(r), of(r.Spread))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// collected returns an empty chart for [LINK fig. 9, 14 to 18]. The diagonal is random order.
func collected(title string) report.Chart {
	return report.Chart{
		Title:    title,
		XLabel:   "coverage of the changed pages",
		YLabel:   "share of all pages fetched",
		XPercent: true,
		YPercent: true,
		Diagonal: true,
	}
}

// add appends the coverage and share of a result to a series, with a label.
func add(s *report.Series, r *papers.Result, label string) {
	s.X = append(s.X, float64(r.Coverage))
	s.Y = append(s.Y, float64(r.Share))
	s.Labels = append(s.Labels, label)
}

// points returns the points of the methods A, B and C.
func points(p *papers.Period) []report.Series {
	var all []report.Series
	for _, m := range p.Methods {
		if slices.Contains(papers.PaperPolicies, m.Policy) {
			s := report.Series{Name: m.Policy, Points: true}
			add(&s, &m.Result, "")
			all = append(all, s)
		}
	}
	return all
}

func figure9(f *papers.Figures, p *papers.Period) report.Chart {
	c := collected("Breadth-first and the methods, " + words.Plural(p.Weeks, "week") +
		" [LINK fig. 9]")
	depths := report.Series{Name: "breadth-first, by depth", Points: true}
	for _, d := range p.Depths {
		add(&depths, &d.Result, fmt.Sprint(d.Depth))
	}
	c.Series = append([]report.Series{depths}, points(p)...)
	return c
}

func figure12(f *papers.Figures) report.Chart {
	c := overThresholds(f, "Update rate of servers by rate [LINK fig. 12]", "update rate",
		func(t *papers.Threshold) eval.Number { return t.UpdateRate })
	c.Series = append(c.Series, report.Series{Name: "lower bound", X: f.Thresholds, Y: f.Thresholds,
		Dashed: true})
	return c
}

func figure13(f *papers.Figures) report.Chart {
	return overThresholds(f, "Coverage of servers by rate [LINK fig. 13]", "coverage",
		func(t *papers.Threshold) eval.Number { return t.Coverage })
}

// overThresholds returns a chart over the least change rates, with a line for each period.
func overThresholds(f *papers.Figures, title, label string,
	value func(t *papers.Threshold) eval.Number) report.Chart {
	c := report.Chart{
		Title:    title,
		XLabel:   "least change rate of a server",
		YLabel:   label,
		XPercent: true,
		YPercent: true,
	}
	for _, p := range f.Periods {
		s := report.Series{Name: words.Plural(p.Weeks, "week")}
		for _, t := range p.Thresholds[0].Points {
			s.X, s.Y = append(s.X, t.Threshold), append(s.Y, float64(value(&t)))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// eachPeriod returns a chart for each period.
func eachPeriod(f *papers.Figures, draw func(*papers.Figures,
	*papers.Period) report.Chart) []report.Chart {
	var all []report.Chart
	for i := range f.Periods {
		all = append(all, draw(f, &f.Periods[i]))
	}
	return all
}

// paperFigures maps a period in weeks to the number of its figure in [LINK].
var paperFigures = map[int]string{2: "14", 4: "15", 12: "16", 24: "17"}

func figure14(f *papers.Figures, p *papers.Period) report.Chart {
	number := paperFigures[p.Weeks]
	if number == "" {
		number = "14 to 17"
	}
	c := collected(
		fmt.Sprintf("Servers by rate and the methods, %s [LINK fig. %s]",
			words.Plural(p.Weeks, "week"), number),
	)
	c.Series = append(curves(p)[:1], points(p)...)
	return c
}

func figure18(f *papers.Figures, p *papers.Period) report.Chart {
	c := collected(fmt.Sprintf("Methods inside servers by rate, %s [LINK fig. 18]",
		words.Plural(p.Weeks, "week")))
	c.Series = curves(p)
	return c
}

// curves returns lines of server-true, alone and with each method, from the highest threshold down.
func curves(p *papers.Period) []report.Series {
	var all []report.Series
	for _, policy := range p.Thresholds {
		s := report.Series{Name: policy.Policy}
		for i := len(policy.Points) - 1; i >= 0; i-- {
			t := &policy.Points[i]
			label := ""
			if policy.Policy == papers.ByServers(papers.Whole) {
				label = rates(&policy, i)
			}
			add(&s, &t.Result, label)
		}
		all = append(all, s)
	}
	return all
}

// rates returns the label of point i: the thresholds that select the same servers. Points that
// coincide share one label, at the highest threshold.
func rates(b *papers.ByServer, i int) string {
	at := b.Points[i]
	if i+1 < len(b.Points) && b.Points[i+1].Servers == at.Servers {
		return ""
	}
	first := i
	for first > 0 && b.Points[first-1].Servers == at.Servers {
		first--
	}
	if first == i {
		return leastRateOf(at.Threshold)
	}
	return strings.TrimSuffix(leastRateOf(b.Points[first].Threshold), " %") + "-" +
		leastRateOf(at.Threshold)
}
