package view

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Survey is one look at every page.
type Survey struct {
	At      time.Time // end of the survey; zero: none yet
	Took    time.Duration
	Pages   int // without feeds and sitemaps
	Alive   int // with a copy
	New     int // never fetched
	Left    int // gone, moved, excluded
	Failing int // of the pages above, those whose last visit failed
	Sources int // feeds and sitemaps

	Overdue   int       // pages that are overdue, as Desk.late says
	OldestDue time.Time // of these
	OldestURL string
	Due       []DueBucket
	NoDue     int // pages with a copy and without a due time

	Promised int                     // pages with a greatest age (--max-age)
	TooOld   int                     // of these, those whose copy is older
	Ages     [len(AgeBounds) + 1]int // copies by age, by AgeBounds

	Fresh   *Spread              // predicted share of up-to-date copies; nil: not known yet
	Sampled int                  // pages on which Fresh rests
	Rate    estimator.ChangeRate // of all pages together
	Servers []ServerRow

	sample []sampled // pages from all servers, for the priors of estimates
}

// AgeBounds are the bounds of the ages of copies.
var AgeBounds = [...]time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour, 3 * 24 * time.Hour,
	7 * 24 * time.Hour, 30 * 24 * time.Hour, 90 * 24 * time.Hour, 365 * 24 * time.Hour}

// Spread is a value with the 5th and 95th percentile over resamples of the servers.
type Spread struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// DueBucket counts the pages that are due within a span of time.
type DueBucket struct {
	From  time.Time `json:"from"`  // zero: no lower bound
	Until time.Time `json:"until"` // exclusive; zero: no upper bound
	Pages int       `json:"pages"`
}

// ServerRow is a server in a list.
type ServerRow struct {
	Name         string `json:"server"`
	Pages        int    `json:"pages"` // without feeds and sitemaps
	Alive        int    `json:"alive"`
	New          int    `json:"new"`
	Left         int    `json:"left"`
	Failing      int    `json:"failing"`
	Overdue      int    `json:"overdue"`
	present.Rate        // of its pages together
	// Fresh is the share of up-to-date copies that planner.Fresh predicts; null: not known yet.
	Fresh     *float64  `json:"fresh"`
	Visits    int       `json:"visits"` // conclusive visits to the known pages
	Changes   int       `json:"changes"`
	LastVisit time.Time `json:"last_visit"` // zero: none
	NextDue   time.Time `json:"next_due"`   // zero: none
	Resting   bool      `json:"resting"`    // a user paused it
}

// sampled is a page that other pages are compared with.
type sampled struct {
	server  sitegraph.ServerID
	history sitegraph.History
}

const (
	// lookFor bounds a look of a survey, and lookShare is the share of time for looks. Looks of the
	// first survey are longer and take a larger share: until it ends nothing is known of all pages.
	lookFor    = 2 * time.Millisecond
	firstFor   = 8 * time.Millisecond
	lookShare  = 20
	firstShare = 4
	// askedPages bounds the pages whose freshness a survey asks of the planner, at some
	// microseconds each. Beside them it asks for askedOfServer pages of each server, up to twice
	// askedPages in all. sampledPages bounds the pages that are kept for priors.
	askedPages    = 50_000
	askedOfServer = 4
	sampledPages  = 50_000
	resamples     = 200
)

// surveyor is a survey under way.
type surveyor struct {
	*Survey
	now     time.Time
	next    sitegraph.PageID
	within  time.Duration // duration of a look
	step    int           // one page in so many is asked for
	servers []tallied
}

// tallied has the sums of a server.
type tallied struct {
	rate  estimator.ChangeRate
	fresh float64 // sum over the asked pages with known freshness
	asked int     // number of these pages
}

// Survey looks at every page once, and keeps the result for all questions. Its error is ErrEnded,
// or ErrBusy if the context ends.
func (d *Desk) Survey(ctx context.Context) error {
	began := time.Now()
	s := &surveyor{Survey: &Survey{}, now: began}
	s.Due = dueBuckets(began)
	share := time.Duration(lookShare)
	s.within = lookFor
	switch {
	case !d.Live():
		share = 1 // there is no loop to hold up
	case d.survey.Load().At.IsZero():
		share, s.within = firstShare, firstFor
	}
	for done := false; !done; {
		from := time.Now()
		var within time.Duration
		if err := d.do(ctx, func() {
			at := time.Now()
			done = s.look(d)
			within = time.Since(at)
		}); err != nil {
			return err
		}
		if done {
			break
		}
		pause := share*within - time.Since(from)
		select {
		case <-time.After(max(pause, 0)):
		case <-d.ended:
			return ErrEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.end(d)
	s.At, s.Took = time.Now(), time.Since(began)
	d.order.of(s.Survey, usualColumn, true) // so that no request waits for it
	d.survey.Store(s.Survey)
	return nil
}

// look takes in some pages. It returns true after the last one.
func (s *surveyor) look(d *Desk) (done bool) {
	c := d.o.Planner.Pages
	pages := sitegraph.PageID(c.Count())
	if s.step == 0 {
		s.step = 1 + int(pages)/askedPages
		s.sample = make([]sampled, 0, min(int(pages), sampledPages))
	}
	for began := time.Now(); s.next < pages; s.next++ {
		s.page(d, s.next)
		if s.next%256 == 255 && time.Since(began) > s.within {
			s.next++
			return s.next >= pages
		}
	}
	return true
}

func (s *surveyor) page(d *Desk, id sitegraph.PageID) {
	p := d.o.Planner
	c := p.Pages
	m, server := c.Memory(id), c.Graph.Server(id)
	for int(server) >= len(s.Servers) {
		s.Servers = append(s.Servers,
			ServerRow{Name: strings.Clone(c.Graph.ServerName(sitegraph.ServerID(len(s.Servers))))})
		s.servers = append(s.servers, tallied{})
	}
	row := &s.Servers[server]
	if m.State == sitegraph.StateSource {
		s.Sources++
		return
	}
	s.Pages++
	row.Pages++
	row.Visits += int(m.History.Visits)
	row.Changes += int(m.History.Changes)
	if t := time.Unix(int64(m.Tried), 0).UTC(); m.Tried > 0 && t.After(row.LastVisit) {
		row.LastVisit = t
	}
	if m.Errors > 0 {
		s.Failing++
		row.Failing++
	}
	switch {
	case m.State == sitegraph.StateNew:
		s.New++
		row.New++
	case m.State.Left():
		s.Left++
		row.Left++
	}
	if m.State != sitegraph.StateAlive {
		return
	}
	s.Alive++
	row.Alive++
	s.due(d, id, m, row)
	s.age(p, id, m, server)
	if int(id)%s.step == 0 {
		s.sample = append(s.sample, sampled{server, m.History})
	}
}

func (s *surveyor) due(d *Desk, id sitegraph.PageID, m *planner.Memory, row *ServerRow) {
	due := m.DueTime()
	if due.IsZero() {
		s.NoDue++
		return
	}
	if row.NextDue.IsZero() || due.Before(row.NextDue) {
		row.NextDue = due
	}
	if d.late(s.now.Sub(due)) {
		s.Overdue++
		row.Overdue++
		if s.OldestDue.IsZero() || due.Before(s.OldestDue) {
			s.OldestDue, s.OldestURL = due, strings.Clone(d.o.Planner.Pages.Graph.URL(id))
		}
	}
	i, _ := slices.BinarySearchFunc(s.Due, due, func(b DueBucket, t time.Time) int {
		if !b.Until.IsZero() && !t.Before(b.Until) {
			return -1
		}
		return 1
	})
	s.Due[min(i, len(s.Due)-1)].Pages++
}

func (s *surveyor) age(p *planner.Planner, id sitegraph.PageID, m *planner.Memory,
	server sitegraph.ServerID) {
	age := m.History.Age(s.now)
	i := 0
	for i < len(AgeBounds) && age > AgeBounds[i] {
		i++
	}
	s.Ages[i]++
	if t, ok := p.Deadline(id); ok {
		s.Promised++
		if t.Before(s.now) {
			s.TooOld++
		}
	}
	of := &s.servers[server]
	of.rate.Add(estimator.Seen(m.History))
	if int(id)%s.step != 0 && (of.asked >= askedOfServer || s.Sampled >= 2*askedPages) {
		return
	}
	if fresh := p.Fresh(id, s.now); !math.IsNaN(fresh) {
		of.fresh += fresh
		of.asked++
		s.Sampled++
	}
}

// end computes the results. The survey looks at no more pages.
func (s *surveyor) end(d *Desk) {
	fresh, copies := make([]float64, len(s.Servers)), make([]float64, len(s.Servers))
	for i := range s.Servers {
		row, of := &s.Servers[i], &s.servers[i]
		s.Rate.Add(of.rate)
		row.Rate = present.RateOf(of.rate)
		if of.asked > 0 {
			share := of.fresh / float64(of.asked)
			row.Fresh = &share
			fresh[i], copies[i] = share*float64(row.Alive), float64(row.Alive)
		}
		row.Resting = d.o.Rules.restsNamed(row.Name)
	}
	s.Fresh = resample(fresh, copies)
}

// resample returns a mean over pages, and its spread over resamples of their servers; nil if there
// are no pages.
func resample(sums, counts []float64) *Spread {
	var with []int
	total, n := 0.0, 0.0
	for i := range counts {
		if counts[i] > 0 {
			with = append(with, i)
			total, n = total+sums[i], n+counts[i]
		}
	}
	if n == 0 {
		return nil
	}
	draw := rand.New(rand.NewPCG(1, uint64(len(with))))
	means := make([]float64, resamples)
	for k := range means {
		sum, count := 0.0, 0.0
		for range with {
			i := with[draw.IntN(len(with))]
			sum, count = sum+sums[i], count+counts[i]
		}
		means[k] = sum / count
	}
	slices.Sort(means)
	return &Spread{total / n, means[resamples/20], means[resamples-1-resamples/20]}
}

// dueBuckets returns the buckets: due already, 24 of an hour, 30 of a day, and later.
func dueBuckets(now time.Time) []DueBucket {
	now = now.UTC()
	list := []DueBucket{{Until: now}}
	for from := now; from.Before(now.Add(24 * time.Hour)); {
		until := from.Add(time.Hour)
		list = append(list, DueBucket{From: from, Until: until})
		from = until
	}
	for day := 1; day < 30; day++ {
		from := now.AddDate(0, 0, day)
		list = append(list, DueBucket{From: from, Until: from.AddDate(0, 0, 1)})
	}
	return append(list, DueBucket{From: now.AddDate(0, 0, 30)})
}

// ServerColumns are the columns by which a list of servers can be sorted.
var ServerColumns = []string{"server", "pages", "alive", "new", "left", "failing", "overdue",
	"changes_per_day", "fresh", "visits", "changes", "last_visit", "next_due"}

// usualColumn is the column that sorts a list unless a request names one: the largest number first.
const usualColumn = "overdue"

// compareKnown puts unknown values before all others.
func compareKnown(a, b *float64) int {
	value := func(v *float64) float64 {
		if v == nil {
			return math.Inf(-1)
		}
		return *v
	}
	return cmp.Compare(value(a), value(b))
}

// compareRows orders two servers by a column, ascending.
func compareRows(a, b *ServerRow, column string) int {
	switch column {
	case "pages":
		return cmp.Compare(a.Pages, b.Pages)
	case "alive":
		return cmp.Compare(a.Alive, b.Alive)
	case "new":
		return cmp.Compare(a.New, b.New)
	case "left":
		return cmp.Compare(a.Left, b.Left)
	case "failing":
		return cmp.Compare(a.Failing, b.Failing)
	case "overdue":
		return cmp.Compare(a.Overdue, b.Overdue)
	case "changes_per_day":
		return compareKnown(a.PerDay, b.PerDay)
	case "fresh":
		return compareKnown(a.Fresh, b.Fresh)
	case "visits":
		return cmp.Compare(a.Visits, b.Visits)
	case "changes":
		return cmp.Compare(a.Changes, b.Changes)
	case "last_visit":
		return a.LastVisit.Compare(b.LastVisit)
	case "next_due":
		return a.NextDue.Compare(b.NextDue)
	}
	return strings.Compare(a.Name, b.Name)
}
