package present

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/planner/crawl"
	servers "github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// feasible says whether all pages can be visited as often as they change.
type feasible struct {
	Wanted   float64 `json:"wanted_per_day"`   // visits
	Possible float64 `json:"possible_per_day"` // of these, visits that servers and politeness allow
	Budget   float64 `json:"budget_per_day"`   // 0: none
	// Value is the weight of the copies that would be good if all visits were made.
	Value    float64 `json:"value"`
	ToLimits float64 `json:"lost_to_servers"` // least share of the value
	ToBudget float64 `json:"lost_to_budget"`
	Workers  int     `json:"workers"`
	Need     float64 `json:"need"` // least number of workers
	// Infeasible has the servers whose visits do not all fit, with what would help each. Large
	// sites come with the days of one pass.
	Infeasible []papers.ServerReport `json:"infeasible"`
	Large      []papers.Large        `json:"large"`
	// Policy is the order of the servers at the end: edf, or sjf if workers are scarce.
	Policy string `json:"policy"`
}

func noFeasible() feasible {
	return feasible{Infeasible: []papers.ServerReport{}, Large: []papers.Large{},
		Policy: servers.EDF.Name()}
}

// passDays is the wanted duration, in days, of a pass over the pages of an address.
const passDays = 7

// Judge computes which of the wanted visits can be made, with a budget of visits a day; 0 or less:
// none. It looks at all pages.
func (r *Run) Judge(loop *crawl.Loop, workers int, perDay float64) {
	f := noFeasible()
	f.Policy = cmp.Or(r.Feasible.Policy, f.Policy)
	f.Workers, f.Budget = workers, max(perDay, 0)
	demands := loop.Demands()
	classes := servers.Classify(demands, workers)
	f.Need = classes.Need
	for _, t := range classes.Totals {
		f.Wanted += t.Wanted
		f.Value += t.Value
	}
	possible := servers.Afford(demands, 0)
	f.Possible, f.ToLimits = possible.Visits, possible.LostValue
	if f.Budget > 0 && f.Budget < f.Possible {
		f.ToBudget = max(servers.Afford(demands, f.Budget).LostValue-f.ToLimits, 0)
	}
	for i := range demands {
		if v := &classes.Verdicts[i]; v.Class.Infeasible() {
			f.Infeasible = append(f.Infeasible, papers.ServerReport{Server: demands[i].Name,
				Pages: demands[i].Number(), Verdict: *v, Cures: servers.Cures(&demands[i], v, 0)})
		}
	}
	slices.SortStableFunc(f.Infeasible, func(a, b papers.ServerReport) int {
		return cmp.Or(cmp.Compare(b.LostValue, a.LostValue), cmp.Compare(a.Server, b.Server))
	})
	f.Large = papers.LargeOf(demands, passDays)
	r.Feasible = f
}

// Lookout judges a run now and then, and says in time if it cannot make all wanted visits.
type Lookout struct {
	run  *Run
	next time.Time
	rest time.Duration // time until the look after the next
	said string
}

const (
	firstLook = time.Minute
	// longestLook bounds the time between two looks at all pages, which doubles each time.
	longestLook = 10 * time.Minute
)

// NewLookout returns a lookout for a run that begins now.
func NewLookout(r *Run, now time.Time) *Lookout {
	return &Lookout{run: r, next: now.Add(firstLook)}
}

// Look judges the run if it is time to (see Judge). It returns the message that the run has become
// too tight, or "".
func (l *Lookout) Look(now time.Time, loop *crawl.Loop, workers int, perDay float64) string {
	if now.Before(l.next) {
		return ""
	}
	l.rest = min(max(2*l.rest, firstLook), longestLook)
	l.next = now.Add(l.rest)
	l.run.Judge(loop, workers, perDay)
	before := l.said
	if l.said = l.run.TooTight(); before != "" {
		return ""
	}
	return l.said
}

// Dispatched takes in the order of servers from now on, and returns a message.
func (r *Run) Dispatched(d crawl.Dispatch) string {
	switch {
	case d.CutOff > 0:
		return fmt.Sprintf("few servers remained to be visited: %s returned, and others "+
			"chosen", words.Plural(d.CutOff, "visit"))
	case d.Scarce:
		r.Feasible.Policy = servers.SJF.Name()
		return fmt.Sprintf("%d workers are too few for the chosen visits, which need %.3g: servers "+
			"with the shortest downloads come first", d.Workers, d.Need)
	}
	r.Feasible.Policy = servers.EDF.Name()
	return fmt.Sprintf("%d workers suffice again for the chosen visits, which need %.3g: the visit "+
		"that must begin earliest goes first", d.Workers, d.Need)
}

// TooTight returns which wishes cannot be met, and why; "" if all can.
func (r *Run) TooTight() string {
	f := &r.Feasible
	text := ""
	if f.Possible < 0.95*f.Wanted {
		text = fmt.Sprintf("politeness and the servers allow %s of the %s visits a day that the "+
			"changes need: %s cannot be kept fresh",
			words.Significant(f.Possible, 3), words.Significant(f.Wanted, 3),
			words.Plural(len(f.Infeasible), "server"))
	}
	if f.ToBudget > 0 {
		possible, budget := words.Significant(f.Possible, 3), words.Significant(f.Budget, 3)
		if text != "" {
			text += fmt.Sprintf("; of these %s the budget allows %s", possible, budget)
		} else {
			text = fmt.Sprintf("the changes need %s visits a day, and the budget is %s", possible,
				budget)
		}
	}
	if text == "" || f.Value == 0 {
		return text
	}
	return text + fmt.Sprintf("; at best the number of up-to-date copies is %.0f %% of the number "+
		"with all of these visits", 100*(f.Value-f.ToLimits-f.ToBudget)/f.Value)
}

func (f *feasible) tables() []report.Table {
	var tables []report.Table
	if len(f.Infeasible) > 0 {
		t := report.Table{Title: "Servers that cannot answer all wanted visits",
			Header: []string{"server", "why", "pages", "visits a day", "given up", "lost value",
				"what would help"}}
		for i := range f.Infeasible[:min(len(f.Infeasible), shownServers)] {
			s := &f.Infeasible[i]
			t.Rows = append(t.Rows, []string{s.Server, s.Class.String(), words.Count(s.Pages),
				fmt.Sprintf("%.0f", s.Wanted), fmt.Sprintf("%.0f", s.Lost), fmt.Sprintf("%.3g",
					s.LostValue),
				fmt.Sprintf("%s: %.3g %s", s.Cures[0].What, s.Cures[0].Value, s.Cures[0].Unit)})
		}
		if more := len(f.Infeasible) - shownServers; more > 0 {
			t.Note = fmt.Sprintf("And %d more, in --json. ", more)
		}
		t.Note += "recrawl schedule report has details."
		tables = append(tables, t)
	}
	if len(f.Large) > 0 {
		t := report.Table{Title: fmt.Sprintf("Large sites: one pass over all pages takes more "+
			"than %d days", passDays), Header: []string{"address", "pages", "visits a day", "days"}}
		for i := range f.Large[:min(len(f.Large), shownServers)] {
			l := &f.Large[i]
			t.Rows = append(t.Rows, []string{l.Address, words.Count(l.Pages), fmt.Sprintf("%.0f",
				l.PerDay), fmt.Sprintf("%.3g", l.Days)})
		}
		tables = append(tables, t)
	}
	return tables
}
