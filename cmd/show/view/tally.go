package view

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	minutesKept = 24 * 60
	visitsKept  = 60
	lagsKept    = 4096
)

// Visit is a visit that was made.
type Visit struct {
	Time        time.Time `json:"t"`
	URL         string    `json:"url"`
	Server      string    `json:"server"`
	First       bool      `json:"first"`
	Outcome     string    `json:"outcome"`
	Verdict     string    `json:"verdict"`
	Status      int       `json:"status"`
	Detail      string    `json:"detail"`
	Reason      string    `json:"reason"`
	Probability *float64  `json:"probability"` // of a change, as planned; null: unknown
	Bytes       int64     `json:"bytes"`       // from the network
	Millis      int64     `json:"ms"`
}

// Counts are numbers of visits.
type Counts struct {
	Visits    int64 `json:"visits"`
	First     int64 `json:"first"`
	Changed   int64 `json:"changed"` // of the refetches
	Unchanged int64 `json:"unchanged"`
	// Left counts pages that were found gone, moved or excluded, or doubtful
	Left   int64 `json:"left"`
	Failed int64 `json:"failed"`
	Other  int64 `json:"other"` // feeds, sitemaps, and visits that could not be compared
	// Expected is the sum of the policy's probabilities of a change, over the refetches that showed
	// whether the page changed. Found is the number of these that found a change.
	Expected float64 `json:"expected"`
	Found    int64   `json:"found"`
	Bytes    int64   `json:"bytes"` // from the network
}

// UpdateRate returns changed / (changed + unchanged), or 0 without such visits.
func (c *Counts) UpdateRate() float64 {
	if told := c.Changed + c.Unchanged; told > 0 {
		return float64(c.Changed) / float64(told)
	}
	return 0
}

func (c *Counts) add(x *Counts) {
	c.Visits += x.Visits
	c.First += x.First
	c.Changed += x.Changed
	c.Unchanged += x.Unchanged
	c.Left += x.Left
	c.Failed += x.Failed
	c.Other += x.Other
	c.Expected += x.Expected
	c.Found += x.Found
	c.Bytes += x.Bytes
}

// Minute has the visits of a minute, or of a longer span that begins with it.
type Minute struct {
	Start time.Time `json:"t"`
	Counts
}

// tally has the counts of the visits of the loop.
type tally struct {
	mu       sync.Mutex
	total    Counts
	minutes  [minutesKept]Minute // by minute, modulo their number
	visits   ring[Visit]
	failures ring[Visit]
	failed   map[string]int64 // by cause
	lags     ring[time.Duration]
	late     int64 // delays of more than an hour
	lagged   int64
	lagSum   float64               // seconds
	buckets  [len(LagBounds)]int64 // by LagBounds
	stalled  string
}

// LagBounds are the bounds, in seconds, of the histogram of times from due to visit. The last
// bucket, beyond the bounds, has the longer times.
var LagBounds = [...]float64{60, 600, 3600, 6 * 3600, 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600,
	30 * 24 * 3600}

// ring keeps the last of many values.
type ring[T any] struct {
	all  []T
	next int
}

func (r *ring[T]) put(v T, most int) {
	if len(r.all) < most {
		r.all = append(r.all, v)
		return
	}
	r.all[r.next] = v
	r.next = (r.next + 1) % most
}

// newest returns the values, the last one first.
func (r *ring[T]) newest() []T {
	list := append(slices.Clone(r.all[r.next:]), r.all[:r.next]...)
	slices.Reverse(list)
	return list
}

func (t *tally) stall(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stalled = ""
	if why != nil {
		t.stalled = why.Error()
	}
}

// countsOf returns the counts of one visit.
func countsOf(e *crawl.Event) Counts {
	c := Counts{Visits: 1, Bytes: max(e.Observation.Transferred, e.Observation.Size)}
	p := e.Visit.Probability
	told := !e.Visit.First && !math.IsNaN(p)
	switch {
	case e.Record.State == sitegraph.StateSource, e.Verdict == sitegraph.VerdictBaseline:
		c.Other = 1
	case e.Verdict == sitegraph.VerdictFirst:
		c.First = 1
	case e.Verdict == sitegraph.VerdictChanged:
		c.Changed = 1
		if told {
			c.Expected, c.Found = p, 1
		}
	case e.Verdict == sitegraph.VerdictUnchanged:
		c.Unchanged = 1
		if told {
			c.Expected = p
		}
	case e.Verdict == sitegraph.VerdictLeft, e.Verdict == sitegraph.VerdictDoubted:
		c.Left = 1
	default:
		c.Failed = 1
	}
	return c
}

func (t *tally) see(e *crawl.Event) {
	c, o := countsOf(e), &e.Observation
	v := Visit{
		Time: o.Time.UTC(), URL: strings.Clone(e.Record.URL),
		Server: strings.Clone(sitegraph.ServerName(e.Record.URL)),
		First:  e.Visit.First, Outcome: o.Outcome.String(), Verdict: e.Verdict.String(),
		Status: o.Status, Detail: o.Detail,
		Reason: e.Visit.Reason.String(), Bytes: c.Bytes, Millis: o.Elapsed.Milliseconds(),
	}
	if p := e.Visit.Probability; !math.IsNaN(p) {
		v.Probability = &p
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total.add(&c)
	t.minute(o.Time).add(&c)
	t.visits.put(v, visitsKept)
	if c.Failed > 0 {
		t.failures.put(v, visitsKept)
		present.CountCause(t.failed, present.CauseOf(o))
	}
	if !e.Visit.Due.IsZero() && !e.Visit.First {
		t.lag(max(o.Time.Sub(e.Visit.Due), 0))
	}
}

func (t *tally) lag(lag time.Duration) {
	t.lags.put(lag, lagsKept)
	t.lagged++
	t.lagSum += lag.Seconds()
	if lag > time.Hour {
		t.late++
	}
	for i, bound := range LagBounds {
		if lag.Seconds() <= bound {
			t.buckets[i]++
			break
		}
	}
}

// minute returns the counts of the minute of a moment. It forgets the counts of earlier days at
// their place.
func (t *tally) minute(at time.Time) *Counts {
	start := at.UTC().Truncate(time.Minute)
	m := &t.minutes[(start.Unix()/60)%minutesKept]
	if !m.Start.Equal(start) {
		if m.Start.After(start) {
			return &Counts{} // the visit is a day old
		}
		*m = Minute{Start: start}
	}
	return &m.Counts
}

// series returns the last spans up to now, of span minutes each, the oldest first.
func (t *tally) series(now time.Time, span, most int) []Minute {
	t.mu.Lock()
	defer t.mu.Unlock()
	step := time.Duration(span) * time.Minute
	last := now.UTC().Truncate(step)
	list := make([]Minute, most)
	for i := range list {
		list[i].Start = last.Add(-time.Duration(most-1-i) * step)
	}
	for i := range t.minutes {
		m := &t.minutes[i]
		k := most - 1 - int(last.Sub(m.Start.Truncate(step))/step)
		if !m.Start.IsZero() && k >= 0 && k < most {
			list[k].add(&m.Counts)
		}
	}
	return list
}
