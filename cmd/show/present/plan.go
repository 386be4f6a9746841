package present

import (
	"fmt"
	"strings"
	"time"

	evaluated "github.com/recrawl/recrawl/cmd/show/evals"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Plan has the next visits of a round, with its budgets.
type Plan struct {
	RoundEnd time.Time `json:"round_end"`
	Visits   []visit   `json:"visits"`
	Further  int       `json:"further"` // visits of the round that are not shown
	Budget   budgets   `json:"budget"`
	Hints    claims    `json:"hints"`
	// NotAsked are pages that settings refused, those of the running process or of the last one.
	NotAsked []notAsked `json:"not_asked"`

	policy string
	short  bool   // the round is shorter than an hour
	none   string // why there is no visit
}

// visit is one line of a plan.
type visit struct {
	URL         string      `json:"url"`
	First       bool        `json:"first"`
	Due         *time.Time  `json:"due"`
	Probability eval.Number `json:"probability"`
	Value       eval.Number `json:"value"`
	Reason      string      `json:"reason"`
}

// NewPlan returns what a planner would do next, with a budget of perDay fetches a day. It must be
// the last use of the planner, as it asks for all that the round leaves out.
func NewPlan(ahead *crawl.Preview, p *planner.Planner, policy string, perDay float64) *Plan {
	plan := UnderWay(ahead, p, policy, perDay)
	if len(plan.Visits) == 0 {
		plan.none = "Nothing to visit: " + whyNone(ahead, p, policy, perDay)
	}
	if beyond := p.Beyond(); len(beyond) > 0 {
		plan.Budget.Beyond, plan.Budget.Unfit = unfitOf(beyond), unfitOf(p.Unfit())
	}
	return plan
}

// UnderWay returns the plan of the round under way, with the chosen visits. It changes nothing, and
// does not know what the round will leave out.
func UnderWay(ahead *crawl.Preview, p *planner.Planner, policy string, perDay float64) *Plan {
	plan := &Plan{
		RoundEnd: ahead.Round.End,
		Visits:   []visit{},
		Further:  ahead.Further,
		Budget:   budgetsOf(p, ahead.Round, perDay),
		Hints:    claimsOf(p.Pages),
		NotAsked: notAskedOf(p.Pages),
		policy:   policy,
		short:    ahead.Round.End.Sub(ahead.Round.Start) < time.Hour,
	}
	for _, v := range ahead.Visits {
		next := visit{
			URL:         p.Pages.Graph.URL(v.Page),
			First:       v.First,
			Probability: eval.Number(v.Probability),
			Value:       eval.Number(v.Value),
			Reason:      v.Reason.String(),
		}
		if !v.Due.IsZero() {
			next.Due = &v.Due
		}
		plan.Visits = append(plan.Visits, next)
	}
	if len(plan.Visits) == 0 {
		plan.none = "Nothing is chosen now: the visits of the round that ends " +
			words.UTC(ahead.Round.End) + " are made."
	}
	return plan
}

// Finding says in a sentence how many visits come until when, and how many changes they should
// find; or why none comes. It only counts the visits that are not shown.
func (p *Plan) Finding() string {
	if len(p.Visits) == 0 {
		return p.none + sayNotAsked(p.NotAsked)
	}
	first, changes := 0, 0.0
	for _, v := range p.Visits {
		if v.First {
			first++
		} else if n := float64(v.Probability); n > 0 { // only if it is known
			changes += n
		}
	}
	text := fmt.Sprintf("%s until %s", words.Plural(len(p.Visits)+p.Further, "visit"),
		words.UTC(p.RoundEnd))
	if text += " are planned"; len(p.Visits)+p.Further == 1 {
		text = strings.Replace(text, " are ", " is ", 1)
	}
	if first > 0 && p.Further == 0 {
		text += fmt.Sprintf(", %d to new pages", first)
	}
	if changes > 0 && p.Further == 0 {
		text += fmt.Sprintf("; they should find %.3g changes", changes)
	} else if changes > 0 {
		text += fmt.Sprintf("; the first %d should find %.3g changes", len(p.Visits), changes)
	}
	return text + "." + sayNotAsked(p.NotAsked)
}

// Tables returns the plan for people.
func (p *Plan) Tables() []report.Table {
	if len(p.Visits) > 0 {
		return append([]report.Table{p.visitTable()}, p.Budget.tables()...)
	}
	if len(p.Budget.Unfit) > 0 {
		return p.Budget.tables()
	}
	return nil
}

func (p *Plan) visitTable() report.Table {
	t := report.Table{
		Title: fmt.Sprintf(
			"The next %s by policy %s, in the round that ends %s",
			words.Plural(len(p.Visits), "visit"),
			p.policy,
			words.UTC(p.RoundEnd),
		),
		Header: []string{"#", "p(changed)", "due (UTC)", "page", "reason, as of then"},
	}
	layout := "2006-01-02 15:04"
	if p.short {
		layout = time.DateTime
	}
	for i, v := range p.Visits {
		due := "-"
		if v.Due != nil {
			due = v.Due.UTC().Format(layout)
		}
		t.Rows = append(t.Rows, []string{
			words.Count(i + 1),
			evaluated.Decimals(v.Probability),
			due,
			v.URL,
			v.Reason,
		})
	}
	if p.Further > 0 {
		t.Note = fmt.Sprintf("%s more in this round; --show shows them.",
			words.Plural(p.Further, "visit"))
	}
	return t
}

// First returns the plan with at most most visits.
func (p *Plan) First(most int) *Plan {
	short := *p
	if n := len(p.Visits); n > most {
		short.Visits, short.Further = p.Visits[:most], p.Further+n-most
	}
	return &short
}
