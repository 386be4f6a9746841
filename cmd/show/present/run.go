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

// Run is what a run did.
type Run struct {
	Rounds    int `json:"rounds"`
	Visits    int `json:"visits"`
	First     int `json:"first"`   // pages fetched for the first time
	Changed   int `json:"changed"` // among the others
	Unchanged int `json:"unchanged"`
	Left      int `json:"left"`     // gone, moved or excluded
	Baseline  int `json:"baseline"` // could not be compared: the rule of the page is a new one
	Doubted   int `json:"doubted"`  // said to be gone, moved or excluded, which is not proved yet
	// Rejected are visits to pages that a filter of the user rejects, by filter; they are among
	// those that left or are doubted.
	Rejected map[string]int `json:"rejected"`
	Failed   int            `json:"failed"`
	Failures map[string]int `json:"failures"` // of these, by cause
	// NotAsked are pages that the user's settings refuse. They are in none of the others.
	NotAsked []notAsked `json:"not_asked"`
	// visits to feeds and sitemaps, in none of the six above
	Sources int `json:"sources"`
	// changed among refetches that told something; 0 if none
	UpdateRate float64 `json:"update_rate"`
	Known      int     `json:"known"`   // pages
	Waiting    int     `json:"waiting"` // new pages in line

	Refused  refused  `json:"refused"`
	Vanished vanished `json:"vanished"`
	Budget   budgets  `json:"budget"` // of the last round
	Hints    claims   `json:"hints"`

	Feasible feasible `json:"feasible"`

	few string // why no visit was made, where a round's share of the budget is below one; or ""
}

// NewRun is a run before any visit.
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

// EndRound takes how far the budgets of a round went. They are perDay fetches a day in all.
func (r *Run) EndRound(p *planner.Planner, round planner.Round, perDay float64) {
	r.Rounds++
	r.Budget = budgetsOf(p, round, perDay)
	r.few = tooFew(perDay, round.End.Sub(round.Start))
}

// tooFew says that the share that a round has of the budget of a day is below one visit, and what
// would help; "" if it is not.
func tooFew(perDay float64, round time.Duration) string {
	round = round.Round(time.Second) // live ones begin a nanosecond early
	share := perDay * round.Hours() / 24
	if perDay == planner.Unlimited || perDay <= 0 || share >= 1 || round <= 0 {
		return ""
	}
	enough := time.Duration(math.Ceil(86400/perDay)) * time.Second
	for enough < planner.Day && planner.Day%enough != 0 {
		enough += time.Second
	}
	text := fmt.Sprintf("a round of %s has %.2g visits of the budget of %g a day, so that one is "+
		"made about every %.0f rounds: ", shortSpan(round), share, perDay, math.Ceil(1/share))
	if enough > planner.Day {
		return text + "a larger --budget helps"
	}
	return text + "--round " + shortSpan(enough) + " or longer, or a larger --budget, helps"
}

// shortSpan is a span as a flag has it, without zeros behind.
func shortSpan(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Fetched reports whether any visit got a page, or found a copy good.
func (r *Run) Fetched() bool { return r.First+r.Changed+r.Unchanged+r.Baseline+r.Sources > 0 }

// End takes what is known at the end.
func (r *Run) End(p *planner.Planner, loop *crawl.Loop) {
	r.Refused, r.Vanished = refusedBy(loop), vanishedOf(loop)
	r.NotAsked = notAskedOf(p.Pages)
	r.Known, r.Waiting, r.Hints = knownPages(p), p.Waiting(), claimsOf(p.Pages)
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

// arePlural is "1 page is", "2 pages are".
func arePlural(n int, noun string) string {
	if n == 1 {
		return words.Plural(n, noun) + " is"
	}
	return words.Plural(n, noun) + " are"
}

// Tables are the run for people, its summary in front. Without a whole round there is nothing more.
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

// Rest is its status between two rounds, of which the next begins at that time.
func (r *Run) Rest(p *planner.Planner, next time.Time) string {
	return r.Status(p) + "; next round at " + words.UTC(next)
}

// Status is one line on how far the run is.
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
