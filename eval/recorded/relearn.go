package recorded

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/present"
	"github.com/recrawl/recrawl/planner/value"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/satstore/progress"
	"github.com/recrawl/recrawl/sitegraph"
)

// Relearnt is what the policy value learnt from the visits of a journal.
type Relearnt struct {
	Visits  int              `json:"visits"` // to pages that were compared with a copy, or had left
	Days    int              `json:"days"`   // on which there were some
	Torn    int              `json:"torn"`   // lines that cannot be read
	Adopted bool             `json:"adopted"`
	InPlace value.Adoption   `json:"in_place"`
	Lessons []planner.Lesson `json:"lessons"`
}

// Tables are what was learnt, for people.
func (r *Relearnt) Tables() []report.Table {
	return present.Lessons(r.Lessons)
}

// Finding says in a sentence from what was learnt, and whether it is better than what was known.
func (r *Relearnt) Finding() string {
	verdict := "nothing new was adopted"
	if r.Adopted {
		verdict = fmt.Sprintf("version %d of what was learnt in place was adopted",
			r.InPlace.Version)
	}
	return fmt.Sprintf("Learnt from %s on %s; %s.",
		report.Plural(r.Visits, "visit"), report.Plural(r.Days, "day"), verdict)
}

// Relearn shows the visits of a journal to the policy value, day by day, as if they were made now,
// and learns from them: weights of experts, the calibration, and a forest. The forest is adopted if
// it predicts the newest visits better. What the policy knew of probes and of the price stays. All
// of it is written into the store, where run finds it. The store must not be in use.
//
// The visits were chosen, so they are no fair sample of the pages. But what is learnt is what
// follows from the features of a page, and the features say why it was chosen, too. A probe stands
// for the pages that it was drawn from, and counts as the root of their number.
func Relearn(data string, seed uint64, tell progress.Func) (r *Relearnt, err error) {
	if _, err := os.Stat(journalOf(data)); err != nil {
		// before a store is made where there was none
		return nil, fmt.Errorf("read journal: %w", err)
	}
	store, err := satstore.Open(data, satstore.Options{Progress: tell})
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := store.Close(); err == nil {
			err = closed
		}
	}()
	graph := sitegraph.NewGraph()
	sources := map[sitegraph.PageID]bool{}
	err = store.Restore(graph, func(r *sitegraph.Record) {
		if r.State == sitegraph.StateSource {
			sources[r.Page] = true
		}
	})
	if err != nil {
		return nil, err
	}
	graph.Refresh()
	days, r, err := visitsByDay(data, graph, sources, tell)
	if err != nil {
		return nil, err
	}
	before := value.New(value.Settings{Corpus: planner.NewCorpus(graph), Mode: planner.Stream})
	if err := cycle.RecallLearnt(store, before); err != nil {
		return nil, err
	}
	t := newTeller(graph, seed, float64(r.Visits)/float64(max(len(days), 1)))
	t.policy.Replay(r.Visits, before)
	for i, day := range days {
		if err := tell.Report("days", i, len(days)); err != nil {
			return nil, err
		}
		t.tell(day)
	}
	// A forest may take longer than all that: nothing was written yet.
	if err := tell.Report("learning", len(days), len(days)); err != nil {
		return nil, err
	}
	t.policy.LearnNow()
	t.policy.GoOn(before)
	r.InPlace, r.Lessons = t.policy.InPlace(), t.policy.Lessons()
	r.Adopted = r.InPlace.Version > before.InPlace().Version
	if err := cycle.SaveLearnt(store, t.policy); err != nil {
		return nil, err
	}
	return r, store.Commit()
}

// journalOf is where the journal of a crawl is.
func journalOf(data string) string { return filepath.Join(data, "journal") }

// outcome is a visit of a journal.
type outcome struct {
	page      sitegraph.PageID
	at        time.Time
	verdict   sitegraph.Verdict
	drawnFrom int
}

// visitsByDay reads the visits that tell something, in the order of time.
func visitsByDay(
	data string,
	graph *sitegraph.Graph,
	sources map[sitegraph.PageID]bool,
	tell progress.Func,
) (days [][]outcome, r *Relearnt, err error) {
	r = &Relearnt{}
	var visits []outcome
	r.Torn, err = journal.Read(journalOf(data), tell, func(e *journal.Entry) {
		page, ok := graph.Lookup(e.URL)
		verdict := sitegraph.ParseVerdict(e.Verdict)
		if !ok || sources[page] || verdict == sitegraph.VerdictUnknown ||
			verdict == sitegraph.VerdictDoubted {
			return
		}
		visits = append(visits, outcome{page, e.Time, verdict, e.DrawnFrom})
		if verdict != sitegraph.VerdictFirst {
			r.Visits++
		}
	})
	if err == nil && r.Visits == 0 {
		err = fmt.Errorf("the journal in %s has no visit to a page that was known: there is "+
			"nothing to learn from yet", data)
	}
	// Visits that end at about the same time are not in order.
	slices.SortStableFunc(visits, func(a, b outcome) int { return a.at.Compare(b.at) })
	day := func(i int) time.Time { return visits[i].at.UTC().Truncate(24 * time.Hour) }
	for from, i := 0, 1; i <= len(visits); i++ {
		if i == len(visits) || day(i) != day(from) {
			days = append(days, visits[from:i])
			from = i
		}
	}
	r.Days = len(days)
	return days, r, err
}

// teller shows visits to a policy.
type teller struct {
	corpus  *planner.Corpus
	policy  *value.Policy
	records []sitegraph.Record
	rounds  int
}

func newTeller(graph *sitegraph.Graph, seed uint64, perDay float64) *teller {
	t := &teller{corpus: planner.NewCorpus(graph), records: make([]sitegraph.Record, graph.Pages())}
	for p := range t.records {
		page := sitegraph.PageID(p)
		t.records[p] = sitegraph.Record{Page: page, URL: graph.URL(page), State: sitegraph.StateNew}
		t.corpus.Remember(&t.records[p])
	}
	t.policy = value.New(value.Settings{Corpus: t.corpus, Mode: planner.Stream, Seed: seed,
		PerDay: perDay})
	return t
}

// tell shows the visits of a day.
func (t *teller) tell(day []outcome) {
	t.rounds++
	start := day[0].at.UTC().Truncate(24 * time.Hour)
	round := planner.Round{Number: t.rounds, Start: start, End: start.Add(24 * time.Hour),
		Budget: len(day)}
	t.corpus.Begin(round)
	t.policy.Begin(round)
	for _, v := range day {
		r := &t.records[v.page]
		switch hasCopy := r.State == sitegraph.StateAlive; {
		case hasCopy && v.verdict != sitegraph.VerdictFirst:
			t.policy.Asked(v.page, v.at, v.drawnFrom)
		case v.verdict == sitegraph.VerdictChanged || v.verdict == sitegraph.VerdictUnchanged ||
			v.verdict == sitegraph.VerdictBaseline:
			v.verdict = sitegraph.VerdictFirst // the journal does not reach back to the first visit
		}
		switch v.verdict {
		case sitegraph.VerdictFirst:
			r.State, r.History = sitegraph.StateAlive, sitegraph.Start(v.at)
		case sitegraph.VerdictChanged, sitegraph.VerdictUnchanged:
			r.History.See(v.at, v.verdict == sitegraph.VerdictChanged, time.Time{})
		case sitegraph.VerdictBaseline:
			r.History.Rebase(v.at)
		case sitegraph.VerdictLeft:
			r.State = sitegraph.StateGone
		}
		r.Tried = v.at
		t.corpus.Remember(r)
		t.policy.Observe(v.page, v.verdict)
	}
}
