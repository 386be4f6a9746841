package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// SimulationPage returns the simulation as tables and the figures 6 to 8 of [HIER].
func SimulationPage(s *papers.Simulation) report.Page {
	page := report.Page{
		Title:   "Schedules simulated",
		Finding: simulationFinding(s),
		Intro: fmt.Sprintf(
			"%s from %s over %.4g simulated days, with at least %.4g s between two visits to one. "+
				"A period of a server is missed if no download began in it. "+
				"Values are means over %s; in brackets the least and the largest.",
			words.Plural(s.Numbers.Servers, "server"), s.Source, s.Days, s.Delay,
			words.Plural(s.Webs, "web")),
	}
	for i := range s.Sets {
		page.Sections = append(page.Sections, section(s, &s.Sets[i]))
	}
	if len(s.Claims) > 0 {
		page.Sections = append(page.Sections, report.Section{Title: "Published statements",
			Tables: []report.Table{ClaimsTable("What [HIER 3] states, and what was measured",
				overWebs, s.Claims)}}, Comparisons(s.Claims))
	}
	return page
}

// simulationFinding names for each policy the fewest connections with which it misses least.
func simulationFinding(s *papers.Simulation) string {
	var says []string
	for i := range s.Sets {
		r := &s.Sets[i]
		var of []string
		for _, policy := range policies(r) {
			best := least(r, policy)
			of = append(of, fmt.Sprintf("%s misses %s %% with %s",
				strings.ToUpper(policy), percentOf(best.Share),
				words.Plural(best.Connections, "connection")))
		}
		says = append(says, fmt.Sprintf("%s servers, at best: %s.",
			strings.ToUpper(r.Name[:1])+r.Name[1:], strings.Join(of, ", ")))
	}
	return strings.Join(says, "\n")
}

// least returns the point at which a policy misses least, with the fewest connections.
func least(r *papers.SetResult, policy string) *papers.Point {
	var best *papers.Point
	for i := range r.Points {
		p := &r.Points[i]
		if p.Policy == policy && (best == nil || p.Missed.Value < best.Missed.Value ||
			p.Missed.Value == best.Missed.Value && p.Connections < best.Connections) {
			best = p
		}
	}
	return best
}

func section(s *papers.Simulation, r *papers.SetResult) report.Section {
	t := report.Table{Title: fmt.Sprintf("%s servers: %s, bound %d, need %s, ideal %s downloads",
		strings.ToUpper(r.Name[:1])+r.Name[1:], words.Count(r.Servers), r.Bound, r.Need, r.Ideal),
		Header: []string{"policy", "connections", "of the bound", "missed", "share, %",
			"downloads a day", "Mbps"}}
	for i := range r.Points {
		p := &r.Points[i]
		t.Rows = append(t.Rows, []string{p.Policy, words.Count(p.Connections), fmt.Sprintf("%.2f",
			float64(p.Connections)/float64(max(r.Bound, 1))), p.Missed.String(), percentOf(p.Share),
			p.PerDay.String(), p.Mbps.String()})
	}
	if len(r.Points) == 1 {
		run := &r.Points[0].Runs[0]
		t.Note = fmt.Sprintf("Lost to the pool %d, to long downloads %d, to pauses %d. %s missed "+
			"a period. %.1f connections were busy on average; %d events.",
			run.By.ToPool, run.By.ToServer, run.By.ToPoliteness, words.Plural(run.Late, "server"),
			run.Busy, run.Events)
	}
	section := report.Section{Title: t.Title, Tables: []report.Table{t}}
	if charts := simulationCharts(s, r); len(r.Points) > 1 {
		section.Charts = charts
	}
	return section
}

// percentOf returns a range of shares as text in percent.
func percentOf(r papers.Range) string {
	return papers.Range{Value: 100 * r.Value, Low: 100 * r.Low, High: 100 * r.High}.String()
}

// SimulationFigures returns the charts by names such as figure-6, with their numbers in [HIER].
func SimulationFigures(s *papers.Simulation) map[string]report.Chart {
	all := map[string]report.Chart{}
	if r := s.Set(papers.AllServers); r != nil {
		all["figure-6"] = missedChart(s, r, "6")
	}
	if r := s.Set(papers.FeasibleServers); r != nil {
		all["figure-7"] = missedChart(s, r, "7")
		all["figure-8"] = speedChart(s, r)
	}
	return all
}

func simulationCharts(s *papers.Simulation, r *papers.SetResult) []report.Chart {
	if r.Name == papers.AllServers {
		return []report.Chart{missedChart(s, r, "6")}
	}
	return []report.Chart{missedChart(s, r, "7"), speedChart(s, r)}
}

// positions spaces numbers of connections evenly on an axis, because they span decades.
func positions(r *papers.SetResult) (names []string, at map[int]float64) {
	var all []int
	for i := range r.Points {
		all = append(all, r.Points[i].Connections)
	}
	slices.Sort(all)
	at = map[int]float64{}
	for i, c := range slices.Compact(all) {
		names = append(names, words.Count(c))
		at[c] = float64(i)
	}
	return names, at
}

// boundAt returns the place of the bound on the axis of positions, or NaN if it lies outside.
func boundAt(r *papers.SetResult, at map[int]float64) float64 {
	var below, above int
	for c := range at {
		if c <= r.Bound && c > below {
			below = c
		}
		if c >= r.Bound && (above == 0 || c < above) {
			above = c
		}
	}
	switch {
	case below == 0 || above == 0:
		return math.NaN()
	case below == above:
		return at[below]
	}
	return at[below] + (at[above]-at[below])*float64(r.Bound-below)/float64(above-below)
}

// powers returns the logarithm to base 10 for an axis. Values below 1 are drawn at 0.
func powers(v float64) float64 { return math.Log10(math.Max(v, 1)) }

func missedChart(s *papers.Simulation, r *papers.SetResult, figure string) report.Chart {
	names, at := positions(r)
	chart := report.Chart{Title: fmt.Sprintf("[HIER fig. %s] Missed downloads, %s servers",
		figure, r.Name), XLabel: "connections", YLabel: "missed, powers of ten", XNames: names}
	for _, policy := range policies(r) {
		line := report.Series{Name: strings.ToUpper(policy)}
		for i := range r.Points {
			if p := &r.Points[i]; p.Policy == policy {
				line.X, line.Y = append(line.X, at[p.Connections]),
					append(line.Y, powers(float64(p.Missed.Value)))
			}
		}
		chart.Series = append(chart.Series, line)
	}
	ideal := powers(float64(r.Ideal.Value))
	bound := boundAt(r, at)
	return withLines(chart, bound, ideal, r.Bound, "all missed")
}

// withLines adds the bound and a level to a chart as lines of reference.
func withLines(chart report.Chart, bound, level float64, of int, name string) report.Chart {
	last := float64(len(chart.XNames) - 1)
	chart.Series = append(chart.Series,
		report.Series{Name: fmt.Sprintf("bound %d", of), X: []float64{bound, bound},
			Y: []float64{0, level}, Dashed: true},
		report.Series{Name: name, X: []float64{0, last}, Y: []float64{level, level}, Dashed: true})
	return chart
}

func policies(r *papers.SetResult) (names []string) {
	for i := range r.Points {
		if name := r.Points[i].Policy; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func speedChart(s *papers.Simulation, r *papers.SetResult) report.Chart {
	names, at := positions(r)
	chart := report.Chart{Title: "[HIER fig. 8] Mean throughput, " + r.Name + " servers",
		XLabel: "connections", YLabel: "Mbps", XNames: names}
	for _, policy := range policies(r) {
		line := report.Series{Name: strings.ToUpper(policy)}
		for i := range r.Points {
			if p := &r.Points[i]; p.Policy == policy {
				line.X, line.Y = append(line.X, at[p.Connections]),
					append(line.Y, float64(p.Mbps.Value))
			}
		}
		chart.Series = append(chart.Series, line)
	}
	const published = 8.7
	return withLines(chart, boundAt(r, at), published, r.Bound, "8.7 Mbps, as published")
}
