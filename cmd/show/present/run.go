package present

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Run says what a run did.
type Run struct {
	Rounds    int `json:"rounds"`
	Visits    int `json:"visits"`
	First     int `json:"first"`   // pages fetched for the first time
	Changed   int `json:"changed"` // of the other pages
	Unchanged int `json:"unchanged"`
	Left      int `json:"left"`     // gone, moved or excluded
	Baseline  int `json:"baseline"` // not compared: the rule of the page is new
	Doubted   int `json:"doubted"`  // gone, moved or excluded by an answer, but without proof yet
	// Rejected counts visits to pages that a filter of the user rejects, by filter. Left and
	// Doubted count them, too.
	Rejected map[string]int `json:"rejected"`
	Failed   int            `json:"failed"`
	Failures map[string]int `json:"failures"` // of these, by cause
	// NotAsked are pages that settings of the user refuse. The other counts leave them out.
	NotAsked []notAsked `json:"not_asked"`
	// Sources counts visits to feeds and sitemaps, which the six counts above leave out.
	Sources int `json:"sources"`
	// UpdateRate is the share of conclusive refetches that found a change; 0 without any.
	UpdateRate float64 `json:"update_rate"`
	Known      int     `json:"known"`   // pages
	Waiting    int     `json:"waiting"` // new pages that wait for their first visit

	Refused  refused  `json:"refused"`
	Vanished vanished `json:"vanished"`
	Budget   budgets  `json:"budget"` // of the last round
	Hints    claims   `json:"hints"`

	Feasible feasible `json:"feasible"`

	few string // why no visit was made if a round's share of the budget is below one; or ""
}

// NewRun returns a run without visits.
func NewRun() *Run {
	return &Run{Rejected: map[string]int{}, Failures: map[string]int{}, NotAsked: []notAsked{},
		Budget: noBudgets(), Hints: noClaims(),
		Vanished: noVanished(), Feasible: noFeasible()}
}

// See counts a visit.
func (r *Run) See(e *crawl.Event) {
	r.Visits++
	if e.Record.State == sitegraph.StateSource {
		r.Sources++
		return
	}
	if e.Observation.Filter != "" {
		r.Rejected[e.Observation.Filter]++
	}
	switch e.Verdict {
	case sitegraph.VerdictFirst:
		r.First++
	case sitegraph.VerdictChanged:
		r.Changed++
	case sitegraph.VerdictUnchanged:
		r.Unchanged++
	case sitegraph.VerdictLeft:
		r.Left++
	case sitegraph.VerdictDoubted:
		r.Doubted++
	case sitegraph.VerdictBaseline:
		r.Baseline++
	default:
		r.Failed++
		CountCause(r.Failures, CauseOf(&e.Observation))
	}
	if told := r.Changed + r.Unchanged; told > 0 {
		r.UpdateRate = float64(r.Changed) / float64(told)
	}
}

// EndRound takes in how far the budgets of a round went. perDay is the budget in fetches a day.
func (r *Run) EndRound(p *planner.Planner, round planner.Round, perDay float64) {
	r.Rounds++
	r.Budget = budgetsOf(p, round, perDay)
	r.few = tooFew(perDay, round.End.Sub(round.Start))
}

// tooFew says that a round's share of the daily budget is below one visit, and what would help; ""
// if the share suffices.
func tooFew(perDay float64, round time.Duration) string {
	round = round.Round(time.Second) // live rounds begin a nanosecond early
	share := perDay * round.Hours() / 24
	if perDay == planner.Unlimited || perDay <= 0 || share >= 1 || round <= 0 {
		return ""
	}
	enough := time.Duration(math.Ceil(86400/perDay)) * time.Second
	for enough < planner.Day && planner.Day%enough != 0 {
		enough += time.Second
	}
	text := fmt.Sprintf("a round of %s gets %.2g visits from the budget of %g a day, so one visit is "+
		"made about every %.0f rounds: ", words.Duration(round), share, perDay, math.Ceil(1/share))
	if enough > planner.Day {
		return text + "a larger --budget helps"
	}
	return text + "--round " + words.Duration(enough) + " or longer, or a larger --budget, helps"
}

// Fetched reports whether any visit got a page, or confirmed a copy.
func (r *Run) Fetched() bool { return r.First+r.Changed+r.Unchanged+r.Baseline+r.Sources > 0 }

// End takes in what is known at the end.
func (r *Run) End(p *planner.Planner, loop *crawl.Loop) {
	r.Refused, r.Vanished = refusedBy(loop), vanishedOf(loop)
	r.NotAsked = notAskedOf(p.Pages)
	r.Known, r.Waiting, r.Hints = knownPages(p), p.Waiting(), claimsOf(p.Pages)
}

// RefusedAll reports whether settings refuse all known pages for their address or port, so that a
// run with these settings can fetch nothing.
func (r *Run) RefusedAll(p *planner.Planner) bool {
	refused := 0
	for _, d := range p.Pages.Denied() {
		if d.By != sitegraph.DeniedByGuard { // a guard may refuse a page for a time
			refused += d.Pages
		}
	}
	return r.Visits == 0 && refused > 0 && refused == knownPages(p)
}

// Finding says in a sentence what the run did.
func (r *Run) Finding() string {
	known := arePlural(r.Known, "page") + " known."
	switch {
	case r.Visits == 0 && len(r.NotAsked) > 0:
		return "No visit was made; " + known + sayNotAsked(r.NotAsked)
	case r.Visits == 0 && r.few != "":
		return "No visit was made: " + r.few + "; " + known
	case r.Visits == 0:
		return "No visit was due or allowed; " + known
	}
	text := fmt.Sprintf("%s found", words.Plural(r.Visits, "visit"))
	var found []string
	if r.First > 0 {
		found = append(found, words.Plural(r.First, "new page"))
	}
	if again := r.Changed + r.Unchanged; again > 0 {
		found = append(found, fmt.Sprintf("%d changed of %d seen again", r.Changed, again))
	}
	if r.Left > 0 {
		found = append(found, fmt.Sprintf("%d gone, moved or excluded", r.Left))
	}
	if len(found) == 0 {
		found = append(found, "nothing that counts")
	}
	text += " " + strings.Join(found, ", ")
	if r.Failed > 0 {
		text += fmt.Sprintf("; %d failed: %s", r.Failed, sayCauses(r.Failures))
	}
	return text + "; " + known + sayNotAsked(r.NotAsked)
}

// arePlural returns "1 page is" or "2 pages are".
func arePlural(n int, noun string) string {
	if n == 1 {
		return words.Plural(n, noun) + " is"
	}
	return words.Plural(n, noun) + " are"
}

// Tables returns the run for people, its summary in front. Before the first whole round there is
// only the summary.
func (r *Run) Tables() []report.Table {
	summary := []report.Table{{Note: r.summary()}}
	if r.Rounds == 0 {
		return summary
	}
	if len(r.Rejected) > 0 {
		summary = append(summary, report.Table{Title: "Pages that filters reject",
			Header: []string{"filter", "visits"}, Rows: mostFirst(r.Rejected)})
	}
	return slices.Concat(summary, r.Budget.tables(), r.Feasible.tables(), r.Hints.tables(),
		r.Refused.tables(), r.Vanished.tables())
}

func (r *Run) summary() string {
	baseline := ""
	if r.Baseline > 0 {
		baseline = fmt.Sprintf(", %d not compared under a new rule", r.Baseline)
	}
	return fmt.Sprintf(
		"%s, %s: %d first, %d changed, %d unchanged, %d left, %d doubted, %d failed%s\n"+
			"update rate %.3f; %s known, %d new waiting",
		words.Plural(r.Rounds, "round"),
		words.Plural(r.Visits, "visit"),
		r.First,
		r.Changed,
		r.Unchanged,
		r.Left,
		r.Doubted,
		r.Failed,
		baseline,
		r.UpdateRate,
		words.Plural(r.Known, "page"),
		r.Waiting,
	)
}

// Rest returns the status of the run between two rounds. The next begins at next.
func (r *Run) Rest(p *planner.Planner, next time.Time) string {
	return r.Status(p) + "; next round at " + words.UTC(next)
}

// Status returns one line on the progress of the run.
func (r *Run) Status(p *planner.Planner) string {
	left := "no budget to keep"
	if p.Left() != planner.Unlimited {
		left = fmt.Sprintf("%d of the budget left", p.Left())
	}
	rejected := 0
	for _, n := range r.Rejected {
		rejected += n
	}
	byFilters := ""
	if rejected > 0 {
		byFilters = fmt.Sprintf(", %d rejected by filters", rejected)
	}
	return fmt.Sprintf(
		"%s done: %s, %d first, %d changed (%.0f %%), %d failed%s; %s, %s known, %d waiting",
		words.Plural(r.Rounds, "round"),
		words.Plural(r.Visits, "visit"),
		r.First,
		r.Changed,
		100*r.UpdateRate,
		r.Failed,
		byFilters,
		left,
		words.Plural(knownPages(p), "page"),
		p.Waiting(),
	)
}
