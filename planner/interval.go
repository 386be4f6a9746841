package planner

import (
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph"
)

// interval visits a page when the interval estimated by [SAT eq. 1] is over, earliest due
// first. The budget is always used: if too little is due, what is due next comes early.
type interval struct {
	Settings
	ties    ties
	ranking ranking
	limits  estimator.Limits
}

func newInterval(s Settings) Policy {
	return &interval{Settings: s, ties: ties{seed: s.Seed}, limits: estimator.DefaultLimits}
}

// firstInterval is that of a page of which nothing is known: one cycle at this budget.
func (v *interval) firstInterval() time.Duration { return cycleDays(v.Corpus, v.PerDay) }

// Begin gives a due time to pages that have none.
func (v *interval) Begin(Round) {
	v.ranking.fill(v.Corpus, v.ties.upTo(v.Corpus), func(p sitegraph.PageID) (float64, bool) {
		m := v.Corpus.Memory(p)
		if m.Due == 0 {
			due, wait := v.Due(p, m.History.LastVisit())
			m.Due, m.Interval = unix32(due.When), float32(estimator.Days(wait))
		}
		return -float64(m.Due), true
	})
}

func (v *interval) estimate(m *Memory) estimator.Estimate {
	previous := estimator.FromDays(float64(m.Interval))
	if previous == 0 {
		previous = v.firstInterval()
	}
	return estimator.Interval(m.History, previous, v.limits)
}

func (v *interval) Next() (Visit, bool) {
	best, ok := v.ranking.pop(v.Corpus)
	if !ok {
		return Visit{}, false
	}
	m := v.Corpus.Memory(best.page)
	due, end := dueTime(m), v.Corpus.Round().End
	reason := because("its interval of %.1f days is over", float64(m.Interval))
	if due.After(end) {
		reason = because("early, budget left: its interval is %.1f days", float64(m.Interval))
	}
	e := v.estimate(m).At(m.History.Age(end))
	return Visit{Page: best.page, Due: due, Probability: e.Probability, Value: best.score, Reason: reason}, true
}

func (v *interval) Observe(sitegraph.PageID, sitegraph.Verdict) {}

// Due is one estimated interval on. A page visited once is due uniformly over its first
// interval, so that pages that became known together are not all due together.
func (v *interval) Due(p sitegraph.PageID, _ time.Time) (Due, time.Duration) {
	m := v.Corpus.Memory(p)
	last := m.History.LastVisit() // not now: a page that is late stays late
	if m.History.Visits <= 1 {
		first := v.firstInterval()
		wait := time.Duration(float64(first) * float64(v.ties.upTo(v.Corpus)[p]))
		return Due{last.Add(wait), because("seen once: due within its first interval of %.1f days", estimator.Days(first))}, first
	}
	e := v.estimate(m)
	reason := because("its estimated interval is %.1f days [SAT eq. 1]", estimator.Days(e.Interval))
	if e.Warning != "" {
		reason = because(e.Warning)
	}
	return Due{last.Add(e.Interval), reason}, e.Interval
}
