package survey

import (
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// Intervals is the distribution of estimated access intervals: [SAT fig. 2]. Every base page
// is visited once a day from the base to the window's end, and [SAT eq. 1] estimates its
// interval. Of a page that left and came back the visits since then count.
type Intervals struct {
	Unit  string `json:"unit"`  // day or hour: u
	Limit int    `json:"limit"` // T: intervals are clamped to 1..T units
	// Visits were told when the version appeared [SAT footnote 2].
	LastModified bool            `json:"last_modified"`
	Days         int             `json:"days"`          // of visits after the first
	Pages        int             `json:"pages"`         // visited twice or more
	VisitedOnce  int             `json:"visited_once"`  // have no interval: in no share
	NeverChanged int             `json:"never_changed"` // of Pages; they have the longest interval
	Points       []IntervalPoint `json:"points"`        // by Interval, those with pages only
}

// IntervalPoint is one interval with pages.
type IntervalPoint struct {
	Interval int         `json:"interval"` // units, rounded to the nearest
	Pages    int         `json:"pages"`    // f(tau)
	Share    eval.Number `json:"share"`    // of the pages with this interval or a shorter one
	// Weighted is the same share among the visits of a unit, f(tau)/tau: of a page that is
	// visited every tau units one visit in tau units falls due.
	Weighted eval.Number `json:"weighted"`
}

// scales are those of the figure. Without the time of change a daily visit cannot tell that
// a page changes more often than daily: hours make sense only with it.
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
		// A page never seen to change grows from the longest interval: it stays there, as
		// after fifteen visits it would be, whatever it began with.
		e := estimator.Interval(h, limits.Max, limits)
		at.byInterval[int(math.Round(float64(e.Interval)/float64(scale.length)))]++
	}
}

// visitDaily returns what daily visits tell, without and with Last-Modified. It does what
// sitegraph.Record.Apply does with observations of the replayed world, which a test checks;
// by itself it takes a tenth of the time.
func visitDaily(
	page *history.Page,
	base int64,
	days int,
	by sitegraph.ChangeBy,
) (plain, told sitegraph.History) {
	var held *history.Version // our copy
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
		for _, p := range r.Points { // in order: floating-point sums hang on it
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
