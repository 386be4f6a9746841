package policy

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// dueDriven visits a page when an interval since its last visit is over, earliest due first. It is
// the frame of the policies that know of each page an interval, updated at each visit. The budget
// is always used: if too little is due, those come early whose wait is over by the largest share.
// (What is due next would be the pages of short intervals, each day again: on 45 servers at 5 % a
// day that found 0.50 in the place of 0.55 of all changes for nutch, 0.56 of 0.61 for interval.)
// Intervals and due times are those of the Corpus.
type dueDriven struct {
	Settings `state:"same"`
	ties     rank.Ties
	ranking  rank.Heap[float64]
	rule     intervalRule
	moving   bool                      // due times move between visits
	failing  map[sitegraph.PageID]bool // proposed after a failed visit
}

// intervalRule is how one such policy updates intervals; in days.
type intervalRule interface {
	// first is the interval of a page visited once, at this budget's cycle of so many days.
	first(cycle float64) float64
	// next follows an interval at whose end the page had changed or not. The history has the
	// visit already.
	next(h sitegraph.History, interval float64, changed bool) float64
	// recovered is the interval after the first visit that succeeded after failures; false: that
	// of any other visit.
	recovered(cycle float64) (float64, bool)
	// remembered is the interval of a page with a history that this policy has not made.
	remembered(h sitegraph.History, cycle float64) float64
	// wait is the time from the last visit to the next; most often the interval.
	wait(p sitegraph.PageID, h sitegraph.History, interval float64) (days float64,
		why planner.Reason)
	// probability of a change within age; NaN where the rule has none.
	probability(h sitegraph.History, interval float64, age time.Duration) float64
}

func newDueDriven(s Settings, rule intervalRule) *dueDriven {
	return &dueDriven{
		Settings: s,
		ties:     rank.NewTies(s.Seed, s.Corpus.Graph.Scratch()),
		rule:     rule,
		failing:  map[sitegraph.PageID]bool{},
	}
}

// cycle is how long the budget takes to go through all pages, in days.
func (d *dueDriven) cycle() float64 { return estimator.Days(cycleDays(d.Corpus, d.PerDay)) }

// Begin gives a due time to pages that have none.
func (d *dueDriven) Begin(r planner.Round) {
	if by, ok := d.rule.(*byEstimate); ok {
		by.begin(r)
	}
	d.ranking.Fill(d.Corpus, d.ties.UpTo(d.Corpus), func(p sitegraph.PageID) (float64, bool) {
		m := d.Corpus.Memory(p)
		if m.Due == 0 || d.moving {
			due, wait := d.Due(p, m.History.LastVisit())
			m.Due, m.Interval = sitegraph.Unix32(due.When), float32(estimator.Days(wait))
		}
		return score(m, r), true
	})
}

// score ranks pages by their due times; below 1 are those not yet due at the round's end.
func score(m *planner.Memory, r planner.Round) float64 {
	end := sitegraph.Unix32(r.End)
	if m.Due > end {
		return float64(end-m.History.Last) / float64(m.Due-m.History.Last)
	}
	return 1 + float64(end-m.Due)
}

// Hinted moves the due time of a page, with a rule that goes by hints, as soon as one is heard.
func (d *dueDriven) Hinted(p sitegraph.PageID) {
	if d.moving && d.Corpus.Refetchable(p) {
		m := d.Corpus.Memory(p)
		due, _ := d.Due(p, m.History.LastVisit())
		m.Due = sitegraph.Unix32(due.When)
		d.ranking.Push(rank.Candidate[float64]{
			Score: score(m, d.Corpus.Round()),
			Tie:   d.ties.UpTo(d.Corpus)[p],
			Page:  p,
		})
	}
}

// interval is that in use for a page.
func (d *dueDriven) interval(m *planner.Memory) float64 {
	switch {
	case m.Interval > 0:
		return float64(m.Interval)
	case m.History.Visits <= 1:
		return d.rule.first(d.cycle())
	}
	return d.rule.remembered(m.History, d.cycle())
}

func (d *dueDriven) Next() (planner.Visit, bool) {
	best, ok := d.ranking.Pop(d.Corpus)
	// Moved by a hint since.
	for ok && d.moving && best.Score != score(d.Corpus.Memory(best.Page), d.Corpus.Round()) {
		best, ok = d.ranking.Pop(d.Corpus)
	}
	if !ok {
		return planner.Visit{}, false
	}
	m := d.Corpus.Memory(best.Page)
	if m.Errors > 0 {
		d.failing[best.Page] = true
	}
	due, end, interval := m.DueTime(), d.Corpus.Round().End, d.interval(m)
	reason := planner.Because("its interval of %.3g days is over", interval)
	if due.After(end) {
		reason = planner.Because("early, budget left: its interval is %.3g days", interval)
	}
	return planner.Visit{
		Page:        best.Page,
		Due:         due,
		Probability: d.rule.probability(m.History, interval, m.History.Age(end)),
		Value:       best.Score,
		Reason:      reason,
	}, true
}

// Observe updates the interval.
func (d *dueDriven) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	m := d.Corpus.Memory(p)
	switch verdict {
	case sitegraph.VerdictFirst:
		m.Interval = 0
	case sitegraph.VerdictChanged, sitegraph.VerdictUnchanged:
		m.Interval = float32(d.after(m, verdict == sitegraph.VerdictChanged, d.failing[p]))
	}
	delete(d.failing, p)
}

// after is the interval that follows a visit, which the history has already.
func (d *dueDriven) after(m *planner.Memory, changed, failing bool) float64 {
	if interval, anew := d.rule.recovered(d.cycle()); anew && failing {
		return interval
	}
	switch {
	case m.Interval > 0:
		return d.rule.next(m.History, float64(m.Interval), changed)
	case m.History.Visits == 2:
		return d.rule.next(m.History, d.rule.first(d.cycle()), changed)
	}
	return d.rule.remembered(m.History, d.cycle())
}

// Due is one interval after the last visit, not after now: a page that is late stays late. A
// page visited once is due uniformly over its first interval, so that pages that became
// known together are not all due together.
func (d *dueDriven) Due(p sitegraph.PageID, _ time.Time) (planner.Due, time.Duration) {
	m := d.Corpus.Memory(p)
	interval := d.interval(m)
	days := interval
	if m.History.Visits <= 1 {
		days *= float64(d.ties.UpTo(d.Corpus)[p])
	}
	wait, why := d.rule.wait(p, m.History, days)
	if m.History.Visits <= 1 && wait == days {
		why = planner.Because("seen once: due within its first interval of %.3g days", interval)
	}
	return planner.Due{
		When:   m.History.LastVisit().Add(estimator.FromDays(max(wait, 0))),
		Reason: why,
	}, estimator.FromDays(interval)
}

// byEstimate is [SAT eq. 1]: the interval is an estimate of the mean time between changes.
type byEstimate struct{ limits estimator.Limits }

func newInterval(s Settings) planner.Policy {
	return newDueDriven(s, &byEstimate{estimator.DefaultLimits})
}

// begin lets the shortest interval be that of a round, where it is shorter than a day: [SAT 4] has
// rounds of a day.
func (b *byEstimate) begin(r planner.Round) {
	if length := r.End.Sub(r.Start); length > 0 {
		b.limits.Min = min(length, estimator.DefaultLimits.Min)
	}
}

func (b *byEstimate) first(cycle float64) float64 { return cycle }

func (b *byEstimate) of(h sitegraph.History, previous float64) estimator.Estimate {
	return estimator.Interval(h, estimator.FromDays(previous), b.limits)
}

func (b *byEstimate) recovered(float64) (float64, bool) { return 0, false }

func (b *byEstimate) next(h sitegraph.History, interval float64, _ bool) float64 {
	return estimator.Days(b.of(h, interval).Interval)
}

func (b *byEstimate) remembered(h sitegraph.History, cycle float64) float64 {
	return estimator.Days(b.of(h, cycle).Interval)
}

func (b *byEstimate) wait(
	_ sitegraph.PageID,
	h sitegraph.History,
	interval float64,
) (float64, planner.Reason) {
	if warning := b.of(h, interval).Warning; warning != "" {
		return interval, planner.Because(warning)
	}
	return interval, planner.Because("its estimated interval is %.3g days [SAT eq. 1]", interval)
}

func (b *byEstimate) probability(h sitegraph.History, interval float64, age time.Duration) float64 {
	return b.of(h, interval).At(age).Probability
}

// unestimated is what the rules share whose interval says nothing of the page's rate.
type unestimated struct{}

func (unestimated) first(cycle float64) float64 { return cycle }

func (unestimated) recovered(float64) (float64, bool) { return 0, false }

func (unestimated) probability(sitegraph.History, float64, time.Duration) float64 {
	return math.NaN()
}
