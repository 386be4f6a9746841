package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	daySeconds  = 24 * 60 * 60
	weekSeconds = 7 * daySeconds
)

// Survey is the survey of a corpus. The package comment defines the terms.
type Survey struct {
	Base      int           `json:"base"` // weeks after the window's start
	Change    string        `json:"change"`
	Weeks     []int         `json:"weeks"`
	Groups    []SurveyGroup `json:"groups"`
	Total     SurveyGroup   `json:"total"`
	Intervals []Intervals   `json:"intervals"`
	Warnings  []string      `json:"warnings"`
}

// SurveyOptions are the options of a survey.
type SurveyOptions struct {
	Weeks   []int                      // periods N: 2 or more snapshots, within the window
	GroupOf func(server string) string // nil: BySuffix
	Tick    func()                     // after each server, from any goroutine; may be nil
}

// CheckPeriod returns an error unless a period fits into the window.
func CheckPeriod(base, weeks int) error {
	if weeks < 2 {
		return fmt.Errorf("a period of %d weekly snapshots compares nothing; take 2 or more", weeks)
	}
	if base+weeks-1 > eval.WindowWeeks {
		return fmt.Errorf(
			"%d weekly snapshots from week %d on reach beyond the window of %d weeks; take %d or "+
				"fewer, or an earlier base",
			weeks,
			base,
			eval.WindowWeeks,
			eval.LongestPeriod(base),
		)
	}
	return nil
}

// NewSurvey surveys a corpus from its base on. The error is eval.ErrNoLinks if no history has
// links. It reads each page once a week and once a day, and for each period all links of its last
// snapshot; servers in parallel.
func NewSurvey(ctx context.Context, c *eval.Dataset, o SurveyOptions) (*Survey, error) {
	s := &Survey{Base: int(c.Base.Sub(history.WorldEpoch) / (weekSeconds * time.Second)),
		Change: c.Change.String(),
		Weeks:  slices.Clone(o.Weeks), Groups: []SurveyGroup{}, Warnings: []string{}}
	if len(o.Weeks) == 0 {
		return nil, fmt.Errorf("no periods to survey")
	}
	for _, weeks := range o.Weeks {
		if err := CheckPeriod(s.Base, weeks); err != nil {
			return nil, err
		}
	}
	if o.GroupOf == nil {
		o.GroupOf = BySuffix
	}
	found := make([]surveyed, len(c.World.Servers))
	pages := pagesByServer(c)
	machine.EachOnCores(len(found), func(i int) {
		if ctx.Err() != nil {
			return
		}
		found[i] = surveyServer(c, c.World.Servers[i], pages[i], o.Weeks)
		if o.Tick != nil {
			o.Tick()
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.warn(c, found); err != nil {
		return nil, err
	}
	s.sum(c, found, o)
	for _, p := range s.Total.Periods {
		if w := eval.AllVanished(p.Weeks, p.Pages, p.Vanished); w != "" {
			s.Warnings = append(s.Warnings, w)
		}
	}
	return s, nil
}

// sum adds up the servers, in order.
func (s *Survey) sum(c *eval.Dataset, found []surveyed, o SurveyOptions) {
	groups := map[string]*SurveyGroup{}
	total := newSurveyGroup("total", o.Weeks)
	all := newCensus(c)
	for i := range found {
		name := o.GroupOf(c.World.Servers[i].Name)
		if groups[name] == nil {
			groups[name] = newSurveyGroup(name, o.Weeks)
		}
		groups[name].add(&found[i].group)
		total.add(&found[i].group)
		all.add(found[i].census)
	}
	for _, g := range groups {
		g.finish()
		s.Groups = append(s.Groups, *g)
	}
	slices.SortFunc(s.Groups, func(a, b SurveyGroup) int { return strings.Compare(a.Name, b.Name) })
	total.finish()
	s.Total = *total
	s.Intervals = all.intervals()
}

// warn describes the servers with incomplete histories.
func (s *Survey) warn(c *eval.Dataset, found []surveyed) error {
	linkless, present := 0, 0
	for i := range found {
		name, g := c.World.Servers[i].Name, &found[i].group
		switch {
		case g.Absent > 0:
			s.Warnings = append(
				s.Warnings,
				fmt.Sprintf("%s has no page at week %d; it is left out", name, s.Base),
			)
		case found[i].linkless:
			linkless++
			s.Warnings = append(
				s.Warnings,
				fmt.Sprintf(
					"the history of %s has no links at week %d: only its start page is "+
						"surveyed, %d other pages are left out",
					name,
					s.Base,
					g.Unlinked,
				),
			)
		}
		present += g.Servers
	}
	if linkless == present {
		return eval.ErrNoLinks
	}
	return nil
}

// pagesByServer returns the base pages of each server of the world.
func pagesByServer(c *eval.Dataset) [][]sitegraph.PageID {
	place := make(map[string]int, len(c.World.Servers))
	for i, s := range c.World.Servers {
		place[s.Name] = i
	}
	pages := make([][]sitegraph.PageID, len(c.World.Servers))
	g := c.Graph()
	for _, p := range c.Pages {
		i := place[g.ServerName(g.Server(p))]
		pages[i] = append(pages[i], p)
	}
	return pages
}

// Intervals is the distribution of estimated access intervals: [SAT fig. 2]. Every base page is
// visited once a day from the base to the end of the window, and [SAT eq. 1] estimates its
// interval. For a page that left and came back the later visits count.
type Intervals struct {
	Unit  string `json:"unit"`  // day or hour: u
	Limit int    `json:"limit"` // T: intervals are clamped to 1..T units
	// LastModified means that visits got the time of a version [SAT footnote 2].
	LastModified bool            `json:"last_modified"`
	Days         int             `json:"days"`          // of visits after the first
	Pages        int             `json:"pages"`         // visited at least twice
	VisitedOnce  int             `json:"visited_once"`  // without an interval: in no share
	NeverChanged int             `json:"never_changed"` // of Pages; they have the longest interval
	Points       []IntervalPoint `json:"points"`        // by Interval, those with pages
}

// IntervalPoint is one interval with pages.
type IntervalPoint struct {
	Interval int         `json:"interval"` // units, rounded to the nearest
	Pages    int         `json:"pages"`    // f(tau)
	Share    eval.Number `json:"share"`    // share of the pages with at most this interval
	// Weighted is the same share of the visits in a unit, f(tau)/tau: a page that is visited every
	// tau units has one visit in tau units.
	Weighted eval.Number `json:"weighted"`
}

// scales are those of the figure. Without the time of a change daily visits cannot show that a page
// changes more than once a day, so hours need it.
var scales = []struct {
	unit         string
	length       time.Duration
	limit        int // 400 days, as in [SAT 4]
	lastModified bool
}{
	{"day", 24 * time.Hour, 400, false},
	{"day", 24 * time.Hour, 400, true},
	{"hour", time.Hour, 9600, true},
}

// census counts pages by interval.
type census struct {
	days   int
	scales [3]struct {
		pages, once, never int
		byInterval         map[int]int
	}
}

func newCensus(c *eval.Dataset) *census {
	window := eval.WindowWeeks * 7 * 24 * time.Hour
	n := &census{days: int(history.WorldEpoch.Add(window).Sub(c.Base) / (24 * time.Hour))}
	for i := range n.scales {
		n.scales[i].byInterval = map[int]int{}
	}
	return n
}

func (n *census) add(o *census) {
	for i := range n.scales {
		n.scales[i].pages += o.scales[i].pages
		n.scales[i].once += o.scales[i].once
		n.scales[i].never += o.scales[i].never
		for interval, pages := range o.scales[i].byInterval {
			n.scales[i].byInterval[interval] += pages
		}
	}
}

// visit counts one page by its daily visits.
func (n *census) visit(page *history.Page, base int64, by sitegraph.ChangeBy) {
	plain, told := visitDaily(page, base, n.days, by)
	for i, scale := range scales {
		h := plain
		if scale.lastModified {
			h = told
		}
		at := &n.scales[i]
		if h.Visits < 2 {
			at.once++
			continue
		}
		at.pages++
		if h.Changes == 0 {
			at.never++
		}
		limits := estimator.Limits{Min: scale.length,
			Max: time.Duration(scale.limit) * scale.length}
		// A page without a change grows from the longest interval, and stays there, as it would
		// after fifteen visits from any start.
		e := estimator.Interval(h, limits.Max, limits)
		at.byInterval[int(math.Round(float64(e.Interval)/float64(scale.length)))]++
	}
}

// visitDaily returns the history after daily visits, without and with Last-Modified. A test
// compares it with sitegraph.Record.Apply on the replayed world; alone it takes a tenth of the
// time.
func visitDaily(
	page *history.Page,
	base int64,
	days int,
	by sitegraph.ChangeBy,
) (plain, told sitegraph.History) {
	var held *history.Version // the copy
	next := 0
	for d := range int64(days) + 1 {
		now := base + d*daySeconds
		for next < len(page.Versions) && page.Versions[next].T <= now {
			next++
		}
		if next == 0 || !page.Versions[next-1].Alive() {
			held = nil
			continue
		}
		v, t := &page.Versions[next-1], time.Unix(now, 0)
		if held == nil {
			plain, told = sitegraph.Start(t), sitegraph.Start(t)
		} else {
			changed := v != held && held.Digests.Differ(v.Digests, by)
			plain.See(t, changed, time.Time{})
			told.See(t, changed, time.Unix(v.T, 0))
		}
		held = v
	}
	return plain, told
}

func (n *census) intervals() []Intervals {
	var all []Intervals
	for i, scale := range scales {
		at := &n.scales[i]
		r := Intervals{Unit: scale.unit, Limit: scale.limit, LastModified: scale.lastModified,
			Days:  n.days,
			Pages: at.pages, VisitedOnce: at.once, NeverChanged: at.never,
			Points: []IntervalPoint{}}
		visits := 0.0 // in a unit of time
		for interval, pages := range at.byInterval {
			r.Points = append(r.Points, IntervalPoint{Interval: interval, Pages: pages})
		}
		slices.SortFunc(r.Points, func(a, b IntervalPoint) int { return a.Interval - b.Interval })
		for _, p := range r.Points { // in order, because floating-point sums depend on it
			visits += float64(p.Pages) / float64(p.Interval)
		}
		pages, due := 0, 0.0
		for k := range r.Points {
			p := &r.Points[k]
			pages += p.Pages
			due += float64(p.Pages) / float64(p.Interval)
			p.Share, p.Weighted = Ratio(pages, at.pages), eval.Number(due/visits)
		}
		all = append(all, r)
	}
	return all
}
