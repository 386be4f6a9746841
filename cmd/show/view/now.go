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

// Now says how a run goes.
type Now struct {
	At time.Time `json:"at"`
	// time of the figures of the planner; earlier than At while the loop is busy
	Looked   time.Time `json:"looked"`
	Live     bool      `json:"live"` // true if a loop runs
	Began    time.Time `json:"began"`
	Policy   string    `json:"policy"`
	Finding  string    `json:"finding"` // the result in a sentence
	Stalled  string    `json:"stalled"` // why no visits are made; "": visits are made
	Total    Counts    `json:"total"`   // since the run began
	Hour     Counts    `json:"hour"`    // of the last 60 minutes
	Rate     float64   `json:"update_rate"`
	PerMin   float64   `json:"visits_per_minute"` // mean of the last whole minutes, at most 5
	Round    RoundNow  `json:"round"`
	Limits   []Limit   `json:"limits"`
	Known    int       `json:"known"`   // known pages
	Waiting  int       `json:"waiting"` // new pages that wait for their first visit
	UnderWay int       `json:"under_way"`
	Chosen   int       `json:"chosen"` // chosen visits that wait for their turn
	Price    float64   `json:"price"`  // worth of the last visit that fits into the budget
	// Refused counts the addresses that the bounds on discovery kept out since the run began.
	Refused int `json:"refused"`
	// Traffic counts what all processes read and wrote of records in the store.
	Traffic crawl.Traffic `json:"store"`
	// Schedule says whether visits are made when they are due. OnSchedule is true if nine in ten
	// are made within a round; null: not known yet.
	Schedule   string           `json:"schedule"`
	OnSchedule *bool            `json:"on_schedule"`
	Failures   map[string]int64 `json:"failures"` // since the run began, by cause
	// TooTight says which wishes cannot be met; "": all can, or not known yet
	TooTight string    `json:"too_tight"`
	Surveyed time.Time `json:"surveyed"` // end of the last survey; zero: none yet
}

// RoundNow is the budget of the round under way.
type RoundNow struct {
	Number int       `json:"number"`
	End    time.Time `json:"end"`
	Made   int       `json:"made"`
	Budget *int      `json:"budget"` // fetches of the round; null: no bound
	Left   *int      `json:"left"`   // of these, those not yet chosen
}

// Limit is a further budget, and how much of it is used.
type Limit struct {
	Name    string `json:"limit"`
	Used    int64  `json:"used"`
	Granted int64  `json:"granted"` // up to the end of the round
}

// lookWithin bounds the wait of Now for the loop: a page should be there in 300 ms.
const lookWithin = 200 * time.Millisecond

// Now looks at the run. If the loop is busy, the figures of the planner are those of the last look
// (Looked). It is ErrBusy if there was none.
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

// lookNow reads the figures of the planner.
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

// count adds the counts of visits.
func (d *Desk) count(n *Now, at time.Time) {
	n.Surveyed = d.survey.Load().At.UTC()
	n.Hour, n.PerMin, n.Failures = Counts{}, 0, map[string]int64{}
	minutes := d.tally.series(at, 1, 60) // the last minute is not over
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

// Cause is a cause of failed visits, with their number.
type Cause struct {
	Cause  string
	Visits int64
}

// Causes returns the causes of failures, the commonest first.
func (n *Now) Causes() (list []Cause) {
	for cause, visits := range n.Failures {
		list = append(list, Cause{cause, visits})
	}
	slices.SortFunc(list, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(a.Cause, b.Cause))
	})
	return list
}

// promptShare: a run is on schedule if this share of its refetches begins within a round of the due
// time. Overdue pages count as refetches that do not.
const promptShare = 0.9

// late reports whether more than a round has passed since a due time. A visit is then late, and a
// page without a visit is overdue. A page that became due in the present round is not overdue.
func (d *Desk) late(since time.Duration) bool { return since > d.o.Round }

// schedule says whether visits are made when they are due. The caller holds the lock of the tally.
func (d *Desk) schedule() (text string, on *bool) {
	lags := d.tally.lags.all
	switch {
	case !d.Live():
		return "This crawl is not running.", nil
	case len(lags) == 0:
		return "It is not known yet, because no page was fetched again.", nil
	}
	prompt := 0
	for _, lag := range lags {
		if !d.late(lag) {
			prompt++
		}
	}
	overdue := d.survey.Load().Overdue
	text = fmt.Sprintf("%.0f %% of the last %s began within a round (%s) of their due time",
		100*float64(prompt)/float64(len(lags)), Counted(len(lags), "refetch"),
		words.Span(d.o.Round))
	if overdue > 0 {
		text += "; " + Counted(overdue, "page") + " overdue"
	}
	is := float64(prompt) >= promptShare*float64(len(lags)+overdue)
	return text + ".", &is
}

// PerDay returns the budget in fetches a day; planner.Unlimited: none.
func (d *Desk) PerDay() float64 { return d.o.PerDay }

// Budget returns the budget a day as text.
func (d *Desk) Budget() string {
	if d.o.PerDay == planner.Unlimited {
		return "no bound"
	}
	return budget.Limit{Amount: d.o.PerDay, Unit: budget.InFetches, Per: planner.Day}.String()
}

// Activity is visits over time.
type Activity struct {
	Step   int      `json:"step_minutes"`
	Series []Minute `json:"series"` // the oldest first, also minutes without a visit
}

// Activity returns the visits of the last hours, at most 24. Each entry covers step minutes.
func (d *Desk) Activity(hours, step int) *Activity {
	hours, step = min(max(hours, 1), 24), min(max(step, 1), 60)
	return &Activity{step, d.tally.series(time.Now(), step, hours*60/step)}
}

// Visits returns the last visits, and the last failed ones, the newest first.
func (d *Desk) Visits() (all, failed []Visit) {
	d.tally.mu.Lock()
	defer d.tally.mu.Unlock()
	return d.tally.visits.newest(), d.tally.failures.newest()
}

// Freshness says how well the copies keep up with their pages.
type Freshness struct {
	At      time.Time `json:"at"` // time of the survey; zero: none yet
	Finding string    `json:"finding"`
	Copies  int       `json:"copies"`
	// Fresh is the predicted share of up-to-date copies; null: not known yet.
	Fresh        *Spread   `json:"fresh"`
	Sampled      int       `json:"sampled"` // pages on which Fresh rests
	present.Rate           // of all pages together
	Overdue      int       `json:"overdue"`
	Oldest       time.Time `json:"oldest_due"` // zero: none is overdue
	OldestOf     string    `json:"oldest_url"`
	Promised     int       `json:"promised"` // copies with a greatest age
	TooOld       int       `json:"too_old"`  // of these, copies that are older
	Ages         []AgeBand `json:"ages"`
	// Lag is the time from due to visit, for visits since the run began; its percentiles are of the
	// last 4096 visits. Null: there is none.
	Lag *Lag `json:"lag"`
}

// AgeBand counts the copies of some age.
type AgeBand struct {
	From   float64 `json:"from_days"`
	Until  float64 `json:"until_days"` // 0: no bound
	Copies int     `json:"copies"`
}

// Lag says how late visits are.
type Lag struct {
	Visits  int64   `json:"visits"`
	InHour  float64 `json:"within_hour"` // share of the visits that were at most an hour late
	P50     float64 `json:"p50_seconds"`
	P90     float64 `json:"p90_seconds"`
	P99     float64 `json:"p99_seconds"`
	Longest float64 `json:"longest_seconds"`
}

// Freshness returns the freshness of the last survey.
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

// LagHistogram returns the delays of visits since the run began. cumulative has the number of
// delays up to each of LagBounds, all their number, and seconds their sum.
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

// DueTimes says when pages are due.
type DueTimes struct {
	At      time.Time   `json:"at"` // time of the survey; zero: none yet
	Finding string      `json:"finding"`
	Buckets []DueBucket `json:"buckets"`
	NoDue   int         `json:"without"` // copies without a due time
}

// DueTimes returns the due times of the last survey.
func (d *Desk) DueTimes() *DueTimes {
	s := d.survey.Load()
	t := &DueTimes{At: s.At.UTC(), Buckets: slices.Clone(s.Due), NoDue: s.NoDue}
	if t.Buckets == nil {
		t.Buckets = []DueBucket{}
	}
	t.Finding = t.finding(s.Overdue)
	return t
}

// ServersQuery chooses servers and their order.
type ServersQuery struct {
	Search     string // part of the name
	Sort       string // one of ServerColumns; "": the most overdue first
	Descending bool
	Offset     int
	Limit      int // 0: 50; at most 1000
}

// ServerList is a part of a list of servers.
type ServerList struct {
	At      time.Time   `json:"at"` // time of the survey; zero: none yet
	Known   int         `json:"known"`
	Found   int         `json:"found"` // servers that match the search
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

// sortRows sorts the rows. Ties keep the order of byName.
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

// Totals returns the counts of visits since the run began, and the failed visits by cause.
func (d *Desk) Totals() (total Counts, failed map[string]int64) {
	d.tally.mu.Lock()
	defer d.tally.mu.Unlock()
	return d.tally.total, maps.Clone(d.tally.failed)
}

// Surveyed returns the last survey. The caller must not change it.
func (d *Desk) Surveyed() *Survey { return d.survey.Load() }
