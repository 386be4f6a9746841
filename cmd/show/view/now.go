package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Now is how a run goes.
type Now struct {
	At time.Time `json:"at"`
	// when the planner told what it knows; earlier than At while it is busy
	Looked   time.Time `json:"looked"`
	Live     bool      `json:"live"` // a loop runs; false: a store that stands still
	Began    time.Time `json:"began"`
	Policy   string    `json:"policy"`
	Finding  string    `json:"finding"` // all this in a sentence
	Stalled  string    `json:"stalled"` // why no visits are made; "": they are
	Total    Counts    `json:"total"`   // since it began
	Hour     Counts    `json:"hour"`    // of the last 60 minutes
	Rate     float64   `json:"update_rate"`
	PerMin   float64   `json:"visits_per_minute"` // of the last whole minutes, 5 at most
	Round    RoundNow  `json:"round"`
	Limits   []Limit   `json:"limits"`
	Known    int       `json:"known"`   // pages
	Waiting  int       `json:"waiting"` // new pages in line
	UnderWay int       `json:"under_way"`
	Chosen   int       `json:"chosen"` // visits that wait for their turn
	Price    float64   `json:"price"`  // what the last visit that fits into the budget is worth
	// Refused are addresses that the bounds on discovery did not let become known, since it began.
	Refused int `json:"refused"`
	// Traffic is what the store read and wrote for records, over all processes.
	Traffic crawl.Traffic `json:"store"`
	// Schedule says whether visits are made when they are due, and OnSchedule whether nine in ten
	// are within a round; null: it is not known yet.
	Schedule   string           `json:"schedule"`
	OnSchedule *bool            `json:"on_schedule"`
	Failures   map[string]int64 `json:"failures"` // since it began, by cause
	// what of what is wanted cannot be had; "": all can, or not judged yet
	TooTight string    `json:"too_tight"`
	Surveyed time.Time `json:"surveyed"` // when all pages were looked at last; zero: not yet
}

// RoundNow is the budget of the round under way.
type RoundNow struct {
	Number int       `json:"number"`
	End    time.Time `json:"end"`
	Made   int       `json:"made"`
	Budget *int      `json:"budget"` // fetches of the round; null: no bound
	Left   *int      `json:"left"`   // of these, not yet chosen
}

// Limit is how much of a budget beside that is used.
type Limit struct {
	Name    string `json:"limit"`
	Used    int64  `json:"used"`
	Granted int64  `json:"granted"` // up to the end of the round
}

// lookWithin is how long Now waits for the loop: a page should be there in 300 ms.
const lookWithin = 200 * time.Millisecond

// Now looks at the run. Where the loop is busy, what it would tell is as it was last (Looked). It
// is ErrBusy if it never told anything.
func (d *Desk) Now(ctx context.Context) (*Now, error) {
	within, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	at := time.Now()
	n, err := d.lookNow(within, at)
	if last := d.lastNow.Load(); errors.Is(err, ErrBusy) && last != nil {
		again := *last
		again.At, n, err = at.UTC(), &again, nil
	}
	if err != nil {
		return nil, err
	}
	d.count(n, at)
	return n, nil
}

// lookNow is what the planner tells.
func (d *Desk) lookNow(ctx context.Context, at time.Time) (*Now, error) {
	n := &Now{Looked: at.UTC(), At: at.UTC(), Live: d.Live(), Began: d.began.UTC(),
		Policy: d.o.Policy, Limits: []Limit{}, Failures: map[string]int64{}}
	err := d.do(ctx, func() {
		p := d.o.Planner
		r := p.Pages.Round()
		n.Round = RoundNow{Number: r.Number, End: r.End.UTC(), Made: p.Made()}
		if left := p.Left(); left != planner.Unlimited {
			whole := left + p.Made()
			n.Round.Budget, n.Round.Left = &whole, &left
		}
		for _, u := range p.Uses() {
			n.Limits = append(n.Limits, Limit{u.Limit.String(), u.Used, u.Granted})
		}
		n.Known, n.Waiting, n.Price = p.Pages.Count()-p.KnownSources(), p.Waiting(), p.Price()
		if l := d.loop.Load(); l != nil {
			n.UnderWay, n.Chosen = l.Busy()
			n.Traffic = l.Traffic()
			by, _ := l.Refused(0)
			for _, x := range by {
				n.Refused += x.Count
			}
		}
		if d.o.Run != nil {
			n.TooTight = d.o.Run.TooTight()
		}
	})
	if err != nil {
		return nil, err
	}
	d.lastNow.Store(n)
	again := *n
	return &again, nil
}

// count adds what was counted of visits.
func (d *Desk) count(n *Now, at time.Time) {
	n.Surveyed = d.survey.Load().At.UTC()
	n.Hour, n.PerMin, n.Failures = Counts{}, 0, map[string]int64{}
	minutes := d.tally.series(at, 1, 60) // the last one is not over
	for i := range minutes {
		n.Hour.add(&minutes[i].Counts)
	}
	whole := min(max(int(at.Sub(d.began)/time.Minute), 1), 5)
	for _, m := range minutes[59-whole : 59] {
		n.PerMin += float64(m.Visits) / float64(whole)
	}
	if at.Sub(d.began) < time.Minute {
		n.PerMin = float64(n.Hour.Visits)
	}
	d.tally.mu.Lock()
	defer d.tally.mu.Unlock()
	n.Total, n.Stalled = d.tally.total, d.tally.stalled
	n.Rate = n.Total.UpdateRate()
	for kind, count := range d.tally.failed {
		n.Failures[kind] = count
	}
	n.Finding = n.finding()
	n.Schedule, n.OnSchedule = d.schedule()
}

// Cause is why visits failed.
type Cause struct {
	Cause  string
	Visits int64
}

// Causes are those of the failures, the commonest first.
func (n *Now) Causes() (list []Cause) {
	for cause, visits := range n.Failures {
		list = append(list, Cause{cause, visits})
	}
	slices.SortFunc(list, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(a.Cause, b.Cause))
	})
	return list
}

// promptShare is the share of refetches that begin within a round of their due time where a run is
// on schedule.
const promptShare = 0.9

// schedule says whether visits are made when they are due. The tally is locked.
func (d *Desk) schedule() (text string, on *bool) {
	lags := d.tally.lags.all
	switch {
	case !d.Live():
		return "This crawl is not running.", nil
	case len(lags) == 0:
		return "It is not known yet: no page was fetched again.", nil
	}
	prompt := 0
	for _, lag := range lags {
		if lag <= d.o.Round {
			prompt++
		}
	}
	is := float64(prompt) >= promptShare*float64(len(lags))
	return fmt.Sprintf("%.0f %% of the last %s began within a round (%s) of their due time.",
		100*float64(prompt)/float64(len(lags)), Counted(len(lags), "refetch"),
		words.Span(d.o.Round)), &is
}

// PerDay is the budget in fetches a day; planner.Unlimited: none.
func (d *Desk) PerDay() float64 { return d.o.PerDay }

// Budget is the budget a day as text.
func (d *Desk) Budget() string {
	if d.o.PerDay == planner.Unlimited {
		return "no bound"
	}
	return budget.Limit{Amount: d.o.PerDay, Unit: budget.InFetches, Per: planner.Day}.String()
}

// Activity is visits over time.
type Activity struct {
	Step   int      `json:"step_minutes"`
	Series []Minute `json:"series"` // the oldest first; those without a visit too
}

// Activity is the visits of the last hours, at most 24, by spans of so many minutes.
func (d *Desk) Activity(hours, step int) *Activity {
	hours, step = min(max(hours, 1), 24), min(max(step, 1), 60)
	return &Activity{step, d.tally.series(time.Now(), step, hours*60/step)}
}

// Visits are the last ones that were made, the newest first, and those of them that failed.
func (d *Desk) Visits() (all, failed []Visit) {
	d.tally.mu.Lock()
	defer d.tally.mu.Unlock()
	return d.tally.visits.newest(), d.tally.failures.newest()
}

// Freshness is how well the copies keep up with their pages.
type Freshness struct {
	At      time.Time `json:"at"` // of the survey; zero: none was made yet
	Finding string    `json:"finding"`
	Copies  int       `json:"copies"`
	// Fresh is the predicted share of the copies that are up to date; null: it is not known yet.
	Fresh        *Spread   `json:"fresh"`
	Sampled      int       `json:"sampled"` // pages that it rests on
	present.Rate           // of all pages together
	Overdue      int       `json:"overdue"`
	Oldest       time.Time `json:"oldest_due"` // zero: nothing is overdue
	OldestOf     string    `json:"oldest_url"`
	Promised     int       `json:"promised"` // copies with a greatest age
	TooOld       int       `json:"too_old"`  // of these
	Ages         []AgeBand `json:"ages"`
	// Lag is the time from due to visit, of the visits since the run began; the percentiles are of
	// the last 4096. Null: there is none.
	Lag *Lag `json:"lag"`
}

// AgeBand is how many copies are of some age.
type AgeBand struct {
	From   float64 `json:"from_days"`
	Until  float64 `json:"until_days"` // 0: any
	Copies int     `json:"copies"`
}

// Lag is how late visits are.
type Lag struct {
	Visits  int64   `json:"visits"`
	InHour  float64 `json:"within_hour"` // share of them that was no later than an hour
	P50     float64 `json:"p50_seconds"`
	P90     float64 `json:"p90_seconds"`
	P99     float64 `json:"p99_seconds"`
	Longest float64 `json:"longest_seconds"`
}

// Freshness is that of the last survey.
func (d *Desk) Freshness() *Freshness {
	s := d.survey.Load()
	f := &Freshness{At: s.At.UTC(), Copies: s.Alive, Fresh: s.Fresh, Sampled: s.Sampled,
		Rate: present.RateOf(s.Rate), Overdue: s.Overdue,
		Oldest: s.OldestDue.UTC(), OldestOf: s.OldestURL, Promised: s.Promised, TooOld: s.TooOld,
		Ages: []AgeBand{}, Lag: d.lag()}
	from := 0.0
	for i, copies := range s.Ages {
		band := AgeBand{From: from, Copies: copies}
		if i < len(AgeBounds) {
			band.Until = AgeBounds[i].Hours() / 24
		}
		from = band.Until
		f.Ages = append(f.Ages, band)
	}
	f.Finding = f.finding()
	return f
}

func (d *Desk) lag() *Lag {
	d.tally.mu.Lock()
	list, visits, late := slices.Clone(d.tally.lags.all), d.tally.lagged, d.tally.late
	d.tally.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	at := func(share float64) float64 { return list[int(share*float64(len(list)-1))].Seconds() }
	return &Lag{visits, 1 - float64(late)/float64(visits), at(0.5), at(0.9), at(0.99), at(1)}
}

// LagHistogram is how late visits were since the run began: how many by LagBounds, each with those
// of the bounds before it, all, and the sum in seconds.
func (d *Desk) LagHistogram() (cumulative []uint64, all uint64, seconds float64) {
	d.tally.mu.Lock()
	defer d.tally.mu.Unlock()
	sum := int64(0)
	for _, n := range d.tally.buckets {
		sum += n
		cumulative = append(cumulative, uint64(sum))
	}
	return cumulative, uint64(d.tally.lagged), d.tally.lagSum
}

// DueTimes is when pages are due.
type DueTimes struct {
	At      time.Time   `json:"at"` // of the survey; zero: none was made yet
	Finding string      `json:"finding"`
	Buckets []DueBucket `json:"buckets"`
	NoDue   int         `json:"without"` // copies without a due time
}

// DueTimes are those of the last survey.
func (d *Desk) DueTimes() *DueTimes {
	s := d.survey.Load()
	t := &DueTimes{At: s.At.UTC(), Buckets: slices.Clone(s.Due), NoDue: s.NoDue}
	if t.Buckets == nil {
		t.Buckets = []DueBucket{}
	}
	t.Finding = t.finding()
	return t
}

// ServersQuery says which servers are wanted, and in which order.
type ServersQuery struct {
	Search     string // part of the name
	Sort       string // one of ServerColumns; "": the most overdue first
	Descending bool
	Offset     int
	Limit      int // 50 if not set, 1000 at most
}

// ServerList is a part of a list of servers.
type ServerList struct {
	At      time.Time   `json:"at"` // of the survey; zero: none was made yet
	Known   int         `json:"known"`
	Found   int         `json:"found"` // that fit the search
	Offset  int         `json:"offset"`
	Servers []ServerRow `json:"servers"`
}

// Servers lists servers of the last survey.
func (d *Desk) Servers(q ServersQuery) *ServerList {
	s := d.survey.Load()
	if q.Sort == "" {
		q.Sort, q.Descending = usualColumn, true
	}
	rows := d.order.of(s, q.Sort, q.Descending)
	l := &ServerList{At: s.At.UTC(), Known: len(rows), Found: len(rows), Offset: max(q.Offset, 0),
		Servers: []ServerRow{}}
	if q.Limit <= 0 {
		q.Limit = 50
	}
	q.Limit = min(q.Limit, 1000)
	if q.Search != "" {
		rows = matching(s, rows, q.Search)
		l.Found = len(rows)
	}
	for _, i := range rows[min(l.Offset, len(rows)):min(l.Offset+q.Limit, len(rows))] {
		l.Servers = append(l.Servers, s.Servers[i])
	}
	return l
}

// sortRows are the rows in an order; ties stay as in byName, which has them by name.
func sortRows(s *Survey, byName []int32, column string, descending bool) []int32 {
	rows := slices.Clone(byName)
	sign := 1
	if descending {
		sign = -1
	}
	slices.SortStableFunc(rows, func(a, b int32) int {
		return sign * compareRows(&s.Servers[a], &s.Servers[b], column)
	})
	return rows
}

// Totals are the visits since the run began, and those that failed by cause.
func (d *Desk) Totals() (total Counts, failed map[string]int64) {
	d.tally.mu.Lock()
	defer d.tally.mu.Unlock()
	return d.tally.total, maps.Clone(d.tally.failed)
}

// Surveyed is the last survey. It must not be changed.
func (d *Desk) Surveyed() *Survey { return d.survey.Load() }
