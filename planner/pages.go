package planner

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// Memory is what the planner keeps in memory of one page: 56 bytes.
type Memory struct {
	History  sitegraph.History
	Due      uint32  // when the page is due next, in unix seconds; 0: unknown
	Tried    uint32  // time of the last attempt, in unix seconds; 0: none
	Interval float32 // days; last estimate of the time between changes; 0: none
	State    sitegraph.State
	Errors   uint8  // failures in a row
	queued   bool   // queued at the frontier, or at its server's limits
	size     uint8  // class of the copy's size; 0: unknown
	mark     uint16 // round in which it was proposed, modulo 2^16; 0: never
	misses   uint8  // the record's Misses
	leftBy   uint8  // why it left, or may leave: bits
}

const (
	leftByRobots = 1 << iota
	leftByFilter
)

// Lost reports whether a page that had a copy was no longer there at Tried or before. That holds
// even if a link has named the page since, and it waits to be fetched again.
func (m *Memory) Lost() bool {
	return m.History.Visits > 0 && m.State != sitegraph.StateAlive &&
		m.State != sitegraph.StateSource
}

// NeverThere reports whether an address was visited and never held a page.
func (m *Memory) NeverThere() bool {
	return (m.State == sitegraph.StateGone || m.State == sitegraph.StateNew) && m.Tried != 0 &&
		m.Errors == 0 &&
		m.History.Visits == 0
}

// LastInformative returns when a visit last compared the page with its copy, or found that it left,
// in unix seconds; 0: never.
func (m *Memory) LastInformative() uint32 {
	if m.Lost() {
		return m.Tried
	}
	return m.History.Last
}

// Pages is all that a policy may know: the graph of the last snapshots, the memory of each page,
// and the claims of feeds and sitemaps.
type Pages struct {
	Graph *sitegraph.Graph
	pages []Memory
	alive []int32            // by server: pages with a copy
	left  []sitegraph.PageID // all pages that left, and some that came back
	round Round
	// thaws counts the images through which the pages came here. It separates the proposals of one
	// process from those of the next.
	thaws     int
	meanBytes float64 // of an image to be thawed; 0: none
	latest    uint32  // no visit was later: unix seconds
	// Values of the round for Eligible, which is called for each page in each round.
	mark       uint16 // of the round: never 0, which means none
	start, end int64  // unix seconds

	skip   func(sitegraph.PageID) bool // of the planner's options
	watch  func(url string) bool       // of the planner's options
	denied denials
	price  budget.Price
	Hints  *Hints // claims of feeds, sitemaps and headers
	caps   *Caps  // of the planner; nil: none
	ages   *aging // of the planner; nil: none

	judging judging

	weights   *preferences.Weights // nil: 1 for all pages
	weight    []float64
	weightSum float64
	turns     turns
	play      play
}

// NewPages returns a corpus over a graph. Its pages are unknown until Remember.
func NewPages(g *sitegraph.Graph) *Pages {
	c := &Pages{Graph: g}
	c.Hints = NewHints(g, c)
	c.Begin(Round{})
	return c
}

func (c *Pages) grow() {
	if n := c.Graph.Pages(); n > len(c.pages) {
		c.pages = arena.Grow(c.Graph.Scratch(), c.pages, n)
		c.weigh()
	}
}

// Remember stores a record, at the start and after each visit. The queue gets its due time.
func (c *Pages) Remember(r *sitegraph.Record) {
	c.remember(r)
	c.put(r.Page)
}

func (c *Pages) remember(r *sitegraph.Record) {
	c.grow()
	m := &c.pages[r.Page]
	c.count(r.Page, m.State, r.State)
	m.History, m.State, m.Errors = r.History, r.State, r.Errors
	m.misses, m.leftBy = r.Misses, 0
	if r.ByRobots {
		m.leftBy |= leftByRobots
	}
	if r.ByFilter {
		m.leftBy |= leftByFilter
	}
	m.Due, m.Tried = sitegraph.Unix32(r.Due), sitegraph.Unix32(r.Tried)
	m.Interval = float32(estimator.Days(r.Interval))
	m.size = budget.SizeClass(r.Size)
	c.latest = max(c.latest, m.latest())
}

// latest returns the time of the last visit or attempt, in unix seconds.
func (m *Memory) latest() uint32 { return max(m.History.Last, m.Tried) }

// count updates alive and left when the state of a page changes.
func (c *Pages) count(p sitegraph.PageID, before, after sitegraph.State) {
	if before == after {
		return
	}
	s := c.Graph.Server(p)
	c.alive = arena.Grow(nil, c.alive, int(s)+1)
	switch {
	case after == sitegraph.StateAlive:
		c.alive[s]++
	case before == sitegraph.StateAlive:
		c.alive[s]--
	}
	if after.Left() && !before.Left() {
		c.left = append(c.left, p)
	}
}

// Alive returns how many pages of a server have a copy.
func (c *Pages) Alive(s sitegraph.ServerID) int {
	if int(s) >= len(c.alive) {
		return 0
	}
	return int(c.alive[s])
}

// eachLeft calls yield with each page that left.
func (c *Pages) eachLeft(yield func(p sitegraph.PageID)) {
	slices.Sort(c.left)
	c.left = slices.DeleteFunc(slices.Compact(c.left), func(p sitegraph.PageID) bool {
		return !c.pages[p].State.Left()
	})
	for _, p := range c.left {
		yield(p)
	}
}

// NotAfter sets times of visits that are more than slack after now to now, since a wrong clock
// noted them. Call it between two rounds. It looks at all pages, if there may be such times.
func (c *Pages) NotAfter(now time.Time, slack time.Duration) {
	late := sitegraph.Unix32(now)
	if c.latest <= late {
		return
	}
	c.latest = 0
	for _, m := range c.memories() {
		if m.latest() > late { // of hardly any page
			r := sitegraph.Record{History: m.History, Tried: time.Unix(int64(m.Tried), 0)}
			r.NotAfter(now, slack)
			m.History, m.Tried = r.History, sitegraph.Unix32(r.Tried)
		}
		c.latest = max(c.latest, m.latest())
	}
}

// memories iterates over all pages in order, and leaves them in their file.
func (c *Pages) memories() iter.Seq2[sitegraph.PageID, *Memory] {
	const together = 1024 // pages, about as many as are loaded at once
	return func(yield func(sitegraph.PageID, *Memory) bool) {
		pace := arena.Pace{Alone: true}
		for i := range c.pages {
			if i%together == 0 {
				pace.Read(c.Graph.Scratch(), 1)
			}
			if !yield(sitegraph.PageID(i), &c.pages[i]) {
				return
			}
		}
	}
}

// Count returns the number of known pages, with or without a copy.
func (c *Pages) Count() int { return len(c.pages) }

// URL returns the address of a page.
func (c *Pages) URL(p sitegraph.PageID) string { return c.Graph.URL(p) }

// LastTried returns when any page was last visited, in unix seconds; 0: never. It looks at all
// pages.
func (c *Pages) LastTried() uint32 {
	last := uint32(0)
	for _, m := range c.memories() {
		last = max(last, m.Tried)
	}
	return last
}

// LastVisit returns when a page was last compared with its copy, in unix seconds; 0: never.
func (c *Pages) LastVisit(p sitegraph.PageID) uint32 { return c.pages[p].History.Last }

// Memory returns what is known of a page. The pointer is valid until a page is added.
func (c *Pages) Memory(p sitegraph.PageID) *Memory { return &c.pages[p] }

// Begin starts a round, and makes room for new pages.
func (c *Pages) Begin(r Round) {
	c.grow()
	c.round = r
	c.mark = uint16((r.Number+c.thaws)%math.MaxUint16) + 1
	c.start, c.end = r.Start.Unix(), r.End.Unix()
}

// Round returns the last round that was begun.
func (c *Pages) Round() Round { return c.round }

// Eligible reports whether a page may be proposed in this round: it was not yet proposed or visited
// in it, and is not waiting after failures.
func (c *Pages) Eligible(p sitegraph.PageID) bool {
	m := &c.pages[p]
	if c.taken(m) {
		return false
	}
	return m.Errors == 0 && m.misses == 0 || int64(m.Tried)+int64(c.wait(p)/time.Second) <= c.end
}

// wait returns how long a page waits after its last visit if that failed, or if the server answered
// that the page cannot be fetched. The greatest age of the page bounds it.
func (c *Pages) wait(p sitegraph.PageID) time.Duration {
	m, wait := &c.pages[p], time.Duration(0)
	if m.Errors > 0 {
		wait = BackOff(m.Errors)
	}
	if m.State == sitegraph.StateAlive {
		wait = max(wait, sitegraph.MissWait(m.misses, m.leftBy&leftByRobots != 0))
	}
	return c.within(p, wait)
}

// within bounds the wait for the next visit to a page by the greatest age of its copy. Pages that a
// filter rejects have none.
func (c *Pages) within(p sitegraph.PageID, wait time.Duration) time.Duration {
	if age := c.MaxAge(p); age > 0 && !c.Rejected(p) {
		return min(wait, age)
	}
	return wait
}

// MaxAge returns the greatest age that is promised for the copy of a page; 0: none. An address that
// never held a page has one only if somebody watches it, since dead links are many.
func (c *Pages) MaxAge(p sitegraph.PageID) time.Duration {
	if c.ages == nil || int(p) >= len(c.ages.age) || c.ages.age[p] == 0 ||
		c.pages[p].History.Visits == 0 && (c.watch == nil || !c.watch(c.Graph.URL(p))) {
		return 0
	}
	return time.Duration(c.ages.age[p]) * time.Second
}

// Forbidden reports whether a page left, or may leave, because of robots.txt.
func (c *Pages) Forbidden(p sitegraph.PageID) bool {
	m := &c.pages[p]
	return m.leftBy&leftByRobots != 0 &&
		(m.State == sitegraph.StateExcluded || m.State == sitegraph.StateAlive && m.misses > 0)
}

// Rejected reports whether a page left because a filter of the user rejects it.
func (c *Pages) Rejected(p sitegraph.PageID) bool {
	m := &c.pages[p]
	return m.leftBy&leftByFilter != 0 && m.State == sitegraph.StateExcluded
}

// PerhapsDenied reports whether a page left, or may leave, for a reason that Memory does not have.
func (c *Pages) PerhapsDenied(p sitegraph.PageID) bool {
	m := &c.pages[p]
	return m.leftBy == 0 &&
		(m.State == sitegraph.StateExcluded || m.State == sitegraph.StateAlive && m.misses > 0)
}

// taken reports whether a page was proposed or visited in this round.
func (c *Pages) taken(m *Memory) bool { return m.mark == c.mark || int64(m.Tried) > c.start }

// Outside reports whether a page must not be visited, whatever the policy proposes. It may still
// count in partitions.
func (c *Pages) Outside(p sitegraph.PageID) bool {
	return c.skip != nil && c.skip(p) || c.Aside(p) || c.weights != nil && c.weight[p] == 0
}

// Refetchable reports whether a page has a copy and may be proposed in this round.
func (c *Pages) Refetchable(p sitegraph.PageID) bool {
	return c.pages[p].State == sitegraph.StateAlive && c.Eligible(p)
}

// Prior returns the change rate of all pages together, as a prior for each.
func (c *Pages) Prior() estimator.GammaPoisson {
	var changes, days float64
	for _, m := range c.memories() {
		if m.State == sitegraph.StateSource {
			continue
		}
		changes += float64(m.History.Changes)
		days += estimator.Days(m.History.Elapsed())
	}
	return estimator.PooledPrior(changes, days)
}

// Propose marks a page as taken in this round.
func (c *Pages) Propose(p sitegraph.PageID) { c.pages[p].mark = c.mark }

// BackOff returns the wait after n failures in a row: an hour, doubled with each, at most 30 days.
func BackOff(n uint8) time.Duration {
	const longest = 30 * 24 * time.Hour
	if n > 10 {
		return longest
	}
	return min(time.Hour<<(n-1), longest)
}

// Reached reports whether links lead to a page within MaxDepth, or a feed or sitemap names it.
func (c *Pages) Reached(p sitegraph.PageID) bool {
	return c.Graph.Depth(p) > 0 || c.Hints.Listed(p)
}

// DueTime returns when the page is due; the zero time: unknown.
func (m *Memory) DueTime() time.Time {
	if m.Due == 0 {
		return time.Time{}
	}
	return time.Unix(int64(m.Due), 0).UTC()
}

// SetWeights sets the user's weights; nil: 1 for all pages. Call it before the first round.
func (c *Pages) SetWeights(w *preferences.Weights) {
	c.weights, c.weight, c.weightSum = w, nil, 0
	c.weigh()
}

// weigh finds the weights of new pages.
func (c *Pages) weigh() {
	if c.weights == nil {
		return
	}
	for p := len(c.weight); p < len(c.pages); p++ {
		w := c.weights.Of(c.Graph.URL(sitegraph.PageID(p)))
		c.weight = append(c.weight, w)
		c.weightSum += w
	}
}

// Weight returns what a change of a page is worth to the user: 1 unless a rule sets another weight,
// 0 for a page that must not be fetched. With rules it takes 8 bytes a page.
func (c *Pages) Weight(p sitegraph.PageID) float64 {
	if c.weights == nil {
		return 1
	}
	return c.weight[p]
}

// Weighted reports whether there are rules, so that pages may have different weights.
func (c *Pages) Weighted() bool { return c.weights != nil }

// heaviest returns the largest weight that a page may have.
func (c *Pages) heaviest() float64 {
	if c.weights == nil {
		return 1
	}
	return c.weights.Most()
}

// MeanWeight returns the mean weight of all pages.
func (c *Pages) MeanWeight() float64 {
	if c.weights == nil || len(c.weight) == 0 {
		return 1
	}
	return c.weightSum / float64(len(c.weight))
}
