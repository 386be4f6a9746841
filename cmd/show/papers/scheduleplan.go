package papers

import (
	"fmt"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/schedule"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// SchedulePlanPage is the plan as a table.
func SchedulePlanPage(p *schedule.Plan) report.Page {
	t := report.Table{Title: fmt.Sprintf("What %s takes: %s from %s, %d infeasible left out",
		p.Target, words.Plural(p.Servers, "server"), p.Source, p.Infeasible),
		Header: []string{"", "value", "5 to 95 %"}}
	row := func(name string, r schedule.Range) {
		t.Rows = append(
			t.Rows,
			[]string{name, schedule.Short(float64(r.Value)), fmt.Sprintf("%s to %s",
				schedule.Short(float64(r.Low)), schedule.Short(float64(r.High)))},
		)
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
	finding := fmt.Sprintf(
		"%s takes about %s connections (%s are proved to suffice), %s Mbps "+
			"and %s nodes.",
		p.Target,
		schedule.Short(
			float64(p.Ample.Value),
		),
		words.Count(p.Proved),
		schedule.Short(float64(p.Mbps.Value)),
		schedule.Short(float64(p.Nodes.Value)),
	)
	return report.Page{Title: "What a target takes", Finding: finding, Intro: t.Title,
		Sections: []report.Section{{Title: "Plan", Tables: []report.Table{t}}}}
}
