package main

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// evidenceResult is what the policy's probability is made of, as it is printed.
type evidenceResult struct {
	Policy      string               `json:"policy"`
	At          time.Time            `json:"at"`
	Probability float64              `json:"probability"` // of a change since the last visit
	Start       float64              `json:"start"`       // log odds before any evidence
	Rebuilt     bool                 `json:"rebuilt"`     // its server looks rebuilt since then
	All         []contributionResult `json:"contributions"`
}

type contributionResult struct {
	Evidence string  `json:"evidence"`
	Value    float64 `json:"value"`
	LogOdds  float64 `json:"log_odds"` // added
}

// evidence tells what the policy makes of a page, nil where it is none that can.
func (o *opened) evidence(policy string, p sitegraph.PageID, at time.Time) *evidenceResult {
	explainer, ok := o.policy.(planner.Explainer)
	if !ok {
		return nil
	}
	c := explainer.Explain(p, at)
	r := &evidenceResult{Policy: policy, At: at, Probability: c.Probability, Start: c.Start, Rebuilt: c.Rebuilt, All: []contributionResult{}}
	for _, x := range c.All {
		r.All = append(r.All, contributionResult(x))
	}
	return r
}

// shownEvidence is how many contributions the terminal gets; --json has all.
const shownEvidence = 12

func (p *program) printEvidence(r *evidenceResult) error {
	if r == nil {
		return nil
	}
	if _, err := fmt.Fprintln(p.stdout); err != nil {
		return err
	}
	t := report.Table{Title: fmt.Sprintf("Evidence: %s gives it a probability of change of %.3f", r.Policy, r.Probability),
		Header: []string{"evidence", "value", "log odds"}, Rows: [][]string{{"(before any)", "", fmt.Sprintf("%+.2f", r.Start)}}}
	if r.Rebuilt {
		t.Note = "Its server looks rebuilt since its last visit."
	}
	rest, sum := 0, 0.0
	for i, x := range r.All {
		if i >= shownEvidence {
			rest++
			sum += x.LogOdds
			continue
		}
		t.Rows = append(t.Rows, []string{x.Evidence, fmt.Sprintf("%.4g", x.Value), fmt.Sprintf("%+.2f", x.LogOdds)})
	}
	if rest > 0 {
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%d others (--json)", rest), "", fmt.Sprintf("%+.2f", sum)})
	}
	return t.Text(p.stdout)
}
