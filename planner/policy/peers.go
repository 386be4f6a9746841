package policy

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Peers are the rules of programs in use with their defaults: nutch and stormcrawler adapt an
// interval to each page, the others have one for all. docs/reference/policies.md has source,
// version and departures.
var Peers = []string{"stormcrawler-default", "stormcrawler", "nutch-default", "nutch",
	"calendar-weekly", "calendar-monthly", "changedetection", "firecrawl-daily"}

// fixedInterval visits each page some days after its last visit, whatever was seen. Pages for which
// the budget has no room are late, the longest late first. The budget beyond the rule stays unused.
type fixedInterval struct {
	unestimated
	days float64
}

func newFixed(interval time.Duration) func(Settings) planner.Policy {
	return func(s Settings) planner.Policy {
		p := newDueDriven(s, fixedInterval{days: interval.Hours() / 24})
		p.strict = s.Mode == planner.Stream
		return p
	}
}

func (f fixedInterval) first(float64) float64 { return f.days }

func (f fixedInterval) next(sitegraph.History, float64, bool) float64 { return f.days }

func (f fixedInterval) remembered(sitegraph.History, float64) float64 { return f.days }

func (f fixedInterval) wait(sitegraph.PageID, sitegraph.History, float64) (
	float64, planner.Reason) {
	return f.days, planner.Because("each page is due every %s", f.days)
}

// calendar crawls all pages at the start of each period, breadth-first, whatever was seen. Periods
// count from the start of 1970. An unfinished crawl goes on when the next is due. The next one then
// leaves out the pages visited since.
type calendar struct {
	breadthFirst
	period int64 // seconds
}

func newCalendar(period time.Duration) func(Settings) planner.Policy {
	return func(s Settings) planner.Policy {
		return &calendar{breadthFirst{cycling: newCycling(s)}, int64(period / time.Second)}
	}
}

func (c *calendar) Begin(r planner.Round) {
	if c.left.Len() > 0 {
		return
	}
	before := int64(math.MaxInt64)
	if c.Mode != planner.Sweep {
		before = r.End.Unix() / c.period * c.period
	}
	c.startCycle(before)
}

func (c *calendar) Next() (planner.Visit, bool) { return c.turn() }
