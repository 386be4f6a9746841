package learn

import (
	"math/rand/v2"
	"time"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/value"
	"github.com/recrawl/recrawl/sitegraph"
)

// knower is a policy that tells what it knows of a page. What the planner tells it, a collector
// must pass on.
type knower interface {
	planner.Policy
	planner.Discoverer
	planner.Expecter
	planner.Hinter
	Row(p sitegraph.PageID, at time.Time, row *value.Row)
	ScoreAll()
}

// collector looks over a policy's shoulder and keeps examples.
type collector struct {
	knower
	kind    int // of web
	corpus  *planner.Corpus
	oracle  policy.Oracle
	random  *rand.Rand
	chosen  float64 // share of the visits that become examples
	drawn   float64 // pages drawn at random for each visit
	explore float64 // share of visits to pages drawn at random, instead of those wanted
	add     func(kind int, server string, row []float32, changed, chosen bool)
	row     value.Row
	owed    float64
}

func (c *collector) Next() (planner.Visit, bool) {
	if c.random.Float64() < c.explore {
		if p, ok := c.draw(); ok {
			c.keep(p, c.chosen, false)
			return planner.Visit{Page: p}, true
		}
	}
	v, ok := c.knower.Next()
	if !ok {
		return v, ok
	}
	c.keep(v.Page, c.chosen, true)
	for c.owed += c.drawn; c.owed >= 1; c.owed-- {
		if p, ok := c.draw(); ok {
			c.keep(p, 1, false)
		}
	}
	return v, true
}

// draw returns a page that could be visited.
func (c *collector) draw() (sitegraph.PageID, bool) {
	for range 20 {
		if p := sitegraph.PageID(c.random.IntN(c.corpus.Pages())); c.corpus.Refetchable(p) {
			return p, true
		}
	}
	return sitegraph.NoPage, false
}

func (c *collector) keep(p sitegraph.PageID, share float64, chosen bool) {
	if c.random.Float64() >= share {
		return
	}
	c.Row(p, c.corpus.Round().End, &c.row)
	g := c.corpus.Graph
	c.add(c.kind, g.ServerName(g.Server(p)), c.row[:value.Features], c.oracle(p), chosen)
}

// examples of one protocol, by server.
type examples struct {
	logodds.Examples
	mode    planner.Mode
	servers []string
	kinds   []int  // of web
	chosen  []bool // by the policy; the others were drawn at random
	before  int    // those of earlier rounds
}

func (e *examples) add(kind int, server string, row []float32, changed, chosen bool) {
	e.Examples.Add(row, changed, 1)
	e.servers = append(e.servers, server)
	e.kinds = append(e.kinds, kind)
	e.chosen = append(e.chosen, chosen)
}
