package present

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// evidence has the contributions to the policy's probability of a change.
type evidence struct {
	Policy      string         `json:"policy"`
	At          time.Time      `json:"at"`
	Probability float64        `json:"probability"` // of a change since the last visit
	Start       float64        `json:"start"`       // log odds before any evidence
	Rebuilt     bool           `json:"rebuilt"`     // its server looks rebuilt since the last visit
	All         []contribution `json:"contributions"`
	Experts     []expert       `json:"experts,omitempty"` // their predictions were combined
}

type expert struct {
	Name        string  `json:"name"`
	Weight      float64 `json:"weight"`      // in the sum of log odds; it rests on earlier predictions
	Probability float64 `json:"probability"` // by this expert alone
}

type contribution struct {
	Evidence string  `json:"evidence"`
	Value    float64 `json:"value"`
	LogOdds  float64 `json:"log_odds"` // added
}

// evidenceOf returns the evidence of a policy on a page; nil if the policy has none.
func evidenceOf(policy planner.Policy, name string, page sitegraph.PageID, at time.Time) *evidence {
	explainer, ok := policy.(planner.Explainer)
	if !ok {
		return nil
	}
	c := explainer.Explain(page, at)
	e := &evidence{
		Policy:      name,
		At:          at,
		Probability: c.Probability,
		Start:       c.Start,
		Rebuilt:     c.Rebuilt,
		All:         []contribution{},
	}
	for _, x := range c.All {
		e.All = append(e.All, contribution(x))
	}
	for _, x := range c.Experts {
		e.Experts = append(e.Experts, expert(x))
	}
	return e
}

// shownEvidence bounds the contributions on the terminal; --json has all.
const shownEvidence = 12

func (e *evidence) table() report.Table {
	t := report.Table{
		Title: fmt.Sprintf("Evidence: %s gives it a probability of change of %.3f",
			e.Policy, e.Probability),
		Header: []string{"evidence", "value", "log odds"},
		Rows:   [][]string{{"(before any)", "", fmt.Sprintf("%+.2f", e.Start)}},
	}
	if e.Rebuilt {
		t.Note = "Its server looks rebuilt since its last visit."
	}
	shown := min(len(e.All), shownEvidence)
	for _, x := range e.All[:shown] {
		value, logOdds := fmt.Sprintf("%.4g", x.Value), fmt.Sprintf("%+.2f", x.LogOdds)
		t.Rows = append(t.Rows, []string{x.Evidence, value, logOdds})
	}
	if rest := e.All[shown:]; len(rest) > 0 {
		sum := 0.0
		for _, x := range rest {
			sum += x.LogOdds
		}
		others := fmt.Sprintf("%d others (--json)", len(rest))
		t.Rows = append(t.Rows, []string{others, "", fmt.Sprintf("%+.2f", sum)})
	}
	return t
}

// experts returns the predictions behind the probability; no rows for a single expert.
func (e *evidence) experts() report.Table {
	t := report.Table{
		Title:  "The combined predictions, each weighted by how well it predicted visits here",
		Header: []string{"prediction", "weight", "probability by it alone"},
	}
	for _, x := range e.Experts {
		t.Rows = append(t.Rows, []string{x.Name, fmt.Sprintf("%.2f", x.Weight), fmt.Sprintf("%.3f",
			x.Probability)})
	}
	return t
}
