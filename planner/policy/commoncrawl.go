package policy

import (
	"math"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// commonCrawl is the generator score of Common Crawl, as its engineers describe it and as in the
// plugin scoring-adaptive that they gave to Apache Nutch: the page score, plus a term for each day
// since the last fetch, minus one for each day since a link to the page was last seen, minus one if
// the last fetch saw no change or no page. Pages with a score below a threshold are left out.
//
// Faithful: the terms, their signs, linear in the days; the weights of both kinds of days and of a
// failure, the plugin's defaults; the weight of a missing page, the example of its template; the
// threshold of 0, generate.min.score as shipped. Days count from the last visit; theirs count from
// the due time, one interval later for all pages, which moves only the threshold.
//
// Substitutes: the page score is 1/depth (theirs comes from the harmonic centrality of hosts and
// domains), and 1 for a start page as for an injected one. The penalty of an unmodified page is not
// published; that of a missing page replaces it. A link was last seen when a page that still has it
// was last visited, or else when the page was first fetched; start pages count as always seen. Left
// out: the limits by host and domain, the random factor in what becomes known, and MIME types. A
// budget that the threshold leaves goes to the oldest copies.
type commonCrawl struct {
	pages *planner.Pages
	seen  []uint32 // by page: when a link to it was last seen, unix seconds
}

// Weights of the generator score; a page score is at most 1.
const (
	perDayUnfetched = 0.01
	perDayUnseen    = 0.005
	ofUnmodified    = 0.5
	ofMissing       = 0.5
	perFailure      = 0.1
)

// alwaysSeen is the latest possible time.
const alwaysSeen = math.MaxUint32

func newCommonCrawl(s Settings) planner.Policy {
	return newGreedy(s, &commonCrawl{pages: s.Pages})
}

func (c *commonCrawl) begin(planner.Round) {
	g := c.pages.Graph
	c.seen = c.seen[:0]
	for p := range sitegraph.PageID(c.pages.Count()) {
		seen := c.pages.Memory(p).History.Epoch
		if g.Depth(p) == 1 {
			seen = alwaysSeen
		}
		c.seen = append(c.seen, seen)
	}
	for p := range c.seen {
		m := c.pages.Memory(sitegraph.PageID(p))
		if m.State != sitegraph.StateAlive {
			continue
		}
		for _, to := range g.Links(sitegraph.PageID(p)) {
			c.seen[to] = max(c.seen[to], m.History.Last)
		}
	}
}

// pageScore returns 1 for a start page, and less with each link on the way from there.
func (c *commonCrawl) pageScore(p sitegraph.PageID) float64 {
	depth := c.pages.Graph.Depth(p)
	if depth == 0 {
		depth = sitegraph.MaxDepth + 1
	}
	return 1 / float64(depth)
}

// unseen returns how many days ago a link to the page was last seen, some days after its last
// visit.
func (c *commonCrawl) unseen(p sitegraph.PageID, days float64) float64 {
	h := &c.pages.Memory(p).History
	seen := h.Epoch
	if int(p) < len(c.seen) {
		seen = c.seen[p]
	}
	const secondsPerDay = 24 * 60 * 60
	return max(days+(float64(h.Last)-float64(seen))/secondsPerDay, 0)
}

// penalty returns the penalty for the last visits. A missing page is one that was not there at a
// visit, and whose copy is still held.
func (c *commonCrawl) penalty(p sitegraph.PageID) float64 {
	m := c.pages.Memory(p)
	switch h := &m.History; {
	case m.Errors > 0:
		return perFailure * float64(m.Errors)
	case m.Tried > h.Last:
		return ofMissing
	case h.Visits > 1 && h.LastChange < h.Last:
		return ofUnmodified
	}
	return 0
}

func (c *commonCrawl) score(p sitegraph.PageID, days float64) float64 {
	waited := perDayUnfetched*days - perDayUnseen*c.unseen(p, days)
	return max(c.pageScore(p)+waited-c.penalty(p), 0)
}

func (c *commonCrawl) rate(sitegraph.PageID) float64 { return 0 }

func (c *commonCrawl) probability(sitegraph.PageID, float64) float64 { return math.NaN() }

func (c *commonCrawl) why(p sitegraph.PageID, days, _ float64) planner.Reason {
	return planner.Because(
		"page score %.2g, last visit %s ago, a link to it last seen %s ago",
		c.pageScore(p),
		days,
		c.unseen(p, days),
	)
}

func (c *commonCrawl) Observe(sitegraph.PageID, sitegraph.Verdict) {}
