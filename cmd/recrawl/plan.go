package main

import (
	"bufio"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/present"
	"github.com/recrawl/recrawl/eval/report"
)

func (p *program) planCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan --data DIRECTORY",
		Short: "The next visits, with value and reason",
		Long: `plan shows which pages run would visit next, in this order, and why: what is left to do in
the current round or, where nothing is, in the next one. Give it the settings of run.
Nothing is fetched and nothing is written. A real run learns from each outcome, so
later visits may differ. Below stands how far the budgets go, and what does not fit. The directory must not be in use: recrawl checkpoint makes a copy
while run goes on.`,
		Example: "  recrawl plan --data crawl --show 50\n  recrawl plan --data crawl --policy interval --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.plan()
		},
	}
	addSettings(cmd)
	return cmd
}

// plannedVisit is one line of a plan.
type plannedVisit struct {
	URL         string      `json:"url"`
	First       bool        `json:"first"`
	Due         *time.Time  `json:"due"`
	Probability eval.Number `json:"probability"`
	Value       eval.Number `json:"value"`
	Reason      string      `json:"reason"`
}

// planResult is the plan with its budgets, for --report.
type planResult struct {
	RoundEnd time.Time      `json:"round_end"`
	Visits   []plannedVisit `json:"visits"`
	Further  int            `json:"further"` // visits of the round that are not shown
	Budget   budgetResult   `json:"budget"`
	Hints    hintsResult    `json:"hints"`
}

func (p *program) plan() (err error) {
	o, err := p.open(true)
	if err != nil {
		return err
	}
	defer o.store.Close() // nothing was written
	upcoming, round, err := o.upcoming(&p.config, p.config.Plan.Show)
	if err != nil {
		return err
	}
	budget := o.budgets(round)
	if beyond := o.plan.Beyond(); len(beyond) > 0 {
		budget.Beyond, budget.Unfit = unfitOf(beyond), unfitOf(o.plan.Unfit())
	}
	visits := []plannedVisit{}
	for _, v := range upcoming {
		visit := plannedVisit{URL: o.corpus.Graph.URL(v.Page), First: v.First, Probability: eval.Number(v.Probability),
			Value: eval.Number(v.Value), Reason: v.Reason.String()}
		if !v.Due.IsZero() {
			visit.Due = &v.Due
		}
		visits = append(visits, visit)
	}
	if p.json && p.config.Plan.Report {
		return p.printJSON(planResult{round.End, visits, o.further, budget, o.hints()})
	}
	if p.json {
		return p.printJSON(visits)
	}
	t := report.Table{Title: fmt.Sprintf("The next %s by policy %s, in the round that ends %s", report.Plural(len(visits), "visit"), p.config.Policy, inUTC(round.End)),
		Header: []string{"#", "p(changed)", "due (UTC)", "page", "reason"}}
	for i, v := range visits {
		due := "-"
		if v.Due != nil {
			due = v.Due.UTC().Format(time.DateOnly)
		}
		t.Rows = append(t.Rows, []string{report.Count(i + 1), present.Decimals(v.Probability), due, v.URL, v.Reason})
	}
	if o.further > 0 {
		t.Note = fmt.Sprintf("%s more in this round; --show shows them.", report.Plural(o.further, "visit"))
	}
	if len(visits) == 0 {
		t = report.Table{Note: o.nothing(&p.config)}
	}
	w := bufio.NewWriter(p.stdout)
	tables := []report.Table{t}
	if len(visits) > 0 || len(budget.Unfit) > 0 {
		tables = append(tables, budget.tables(p.config.perDay())...)
	}
	for i, t := range tables {
		if i > 0 {
			w.WriteByte('\n')
		}
		if err := t.Text(w); err != nil {
			return err
		}
	}
	return w.Flush()
}

// inUTC is a moment as it is printed: rounds are those of days in UTC.
func inUTC(t time.Time) string { return t.UTC().Format(time.DateTime) + " UTC" }
