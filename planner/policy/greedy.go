package policy

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// greedy visits the pages with the highest scores. It is the frame of all policies that give each
// page a score which rises with the time since its last visit.
//
// Pages that always score 0 come when all others are finished, the oldest copy first.
type greedy struct {
	Settings `state:"same"`
	planner.EachRound
	scorer
	ties    planner.Ties
	ranking planner.Heap[float64]
	drawn   bool // scores are weights of a random draw, not an order
}

// scorer has the score of one such policy.
type scorer interface {
	// begin learns from all pages together. It is called first in each round.
	begin(r planner.Round)
	// score returns the score of a page some days after its last visit: 0 or more, larger first,
	// never falling with the days.
	score(p sitegraph.PageID, days float64) float64
	// rate returns the changes a day behind the score.
	rate(p sitegraph.PageID) float64
	// probability returns that of a change within days; NaN if the method has none.
	probability(p sitegraph.PageID, days float64) float64
	// why returns the reason behind a score.
	why(p sitegraph.PageID, days, score float64) planner.Reason
	// Observe learns the outcome of a visit, like that of a Policy.
	Observe(p sitegraph.PageID, verdict sitegraph.Verdict)
}

func newGreedy(s Settings, by scorer) *greedy {
	return &greedy{Settings: s, scorer: by, ties: planner.NewTies(s.Seed, s.Pages.Graph.Scratch())}
}

// longestWait bounds due times, in days.
const longestWait = 400

func (g *greedy) Begin(r planner.Round) {
	g.begin(r)
	g.ranking.Reset()
}

func (g *greedy) Offer(pages []sitegraph.PageID) {
	r := g.Pages.Round()
	g.ranking.Add(g.Pages, g.ties.UpTo(g.Pages), pages, func(p sitegraph.PageID) float64 {
		return g.standing(p, r)
	})
}

// standing returns the rank of a page in a round.
func (g *greedy) standing(p sitegraph.PageID, r planner.Round) float64 {
	days := g.age(p, r.End)
	score := g.score(p, days)
	switch {
	case !(score > 0):
		return -1 / (1 + days)
	case g.drawn:
		// The largest of log(u) / weight is each page with probability weight / sum (Efraimidis,
		// Spirakis 2006); made positive.
		u := planner.Tie(g.Seed+uint64(r.Number)*0x9e3779b97f4a7c15, g.Pages.Graph.URL(p))
		return -1 / (math.Log(max(u, 1e-300)) / score)
	}
	return score
}

func (g *greedy) age(p sitegraph.PageID, now time.Time) float64 {
	return estimator.Days(g.Pages.Memory(p).History.Age(now))
}

func (g *greedy) Next() (planner.Visit, bool) {
	best, ok := g.ranking.Pop(g.Pages)
	if !ok {
		return planner.Visit{}, false
	}
	p := best.Page
	days := g.age(p, g.Pages.Round().End)
	score := g.score(p, days)
	v := planner.Visit{
		Page:        p,
		Probability: g.probability(p, days),
		Value:       score,
		Reason:      g.why(p, days, score),
	}
	if !(score > 0) {
		v.Reason = planner.Because("not wanted; oldest copy, %s, budget left", days)
	}
	return v, true
}

// Probability returns the probability of any page, for evaluations.
func (g *greedy) Probability(p sitegraph.PageID, at time.Time) float64 {
	return g.probability(p, g.age(p, at))
}

// Due returns the next round; the interval is that of the rate.
func (g *greedy) Due(p sitegraph.PageID, now time.Time) (planner.Due, time.Duration) {
	due, interval := g.EachRound.Due(p, now)
	if rate := g.rate(p); rate > 0 {
		interval = estimator.FromDays(1 / rate)
	}
	return due, interval
}
