package policy

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// greedy visits the pages with the highest scores. It is the frame of all policies that give
// each page a score which rises with the time since its last visit.
//
// A page that scores 0, which no wait changes, comes when all others are through, the oldest copy
// first.
type greedy struct {
	Settings `state:"same"`
	planner.Forecasts
	scorer
	ties    rank.Ties
	ranking rank.Heap[float64]
	drawn   bool // scores are weights of a random draw, not an order
	// score of the last page that fitted into the budget, smoothed; NaN: not known
	threshold float64
	lowest    float64 // of this round; drawn: their mean
	visits    int     // of this round, to pages with a score
}

// scorer is one such policy's score.
type scorer interface {
	// begin learns what all pages together tell. Called once a round, before all else.
	begin(r planner.Round)
	// score of a page so many days after its last visit: 0 or more, larger first, never
	// falling with the days.
	score(p sitegraph.PageID, days float64) float64
	// rate is the changes a day behind the score.
	rate(p sitegraph.PageID) float64
	// probability of a change within days; NaN where the method has none.
	probability(p sitegraph.PageID, days float64) float64
	// why says what the score rests on.
	why(p sitegraph.PageID, days, score float64) planner.Reason
	// Observe tells the outcome of a visit, as a Policy is told it.
	Observe(p sitegraph.PageID, verdict sitegraph.Verdict)
}

func newGreedy(s Settings, by scorer) *greedy {
	return &greedy{Settings: s, scorer: by, ties: rank.NewTies(s.Seed, s.Corpus.Graph.Scratch()),
		threshold: math.NaN()}
}

// longestWait bounds due times in days: a page that never comes to the threshold is looked at
// by the store about once a year.
const longestWait = 400

func (g *greedy) Begin(r planner.Round) {
	g.begin(r)
	switch {
	case math.IsNaN(g.threshold):
		g.threshold = g.firstThreshold()
	case g.visits > 0:
		g.threshold += 0.3 * (g.lowest - g.threshold) // about three rounds of memory
	}
	g.lowest, g.visits = 0, 0
	g.ranking.Fill(g.Corpus, g.ties.UpTo(g.Corpus), func(p sitegraph.PageID) (float64, bool) {
		return g.standing(p, r), true
	})
}

// standing is what a page is ranked by in a round.
func (g *greedy) standing(p sitegraph.PageID, r planner.Round) float64 {
	days := g.age(p, r.End)
	score := g.score(p, days)
	switch {
	case !(score > 0):
		return -1 / (1 + days)
	case g.drawn:
		// The largest of log(u) / weight is each page with probability weight / sum
		// (Efraimidis, Spirakis 2006); made positive.
		u := rank.Tie(g.Seed+uint64(r.Number)*0x9e3779b97f4a7c15, g.Corpus.Graph.URL(p))
		return -1 / (math.Log(max(u, 1e-300)) / score)
	}
	return score
}

// firstThreshold stands in until a round has shown where the budget ends: the mean score after
// one cycle through all pages.
func (g *greedy) firstThreshold() float64 {
	cycle := estimator.Days(cycleDays(g.Corpus, g.PerDay))
	sum, n := 0.0, 0
	for p := range sitegraph.PageID(g.Corpus.Pages()) {
		if g.Corpus.Memory(p).State == sitegraph.StateAlive {
			sum += g.score(p, cycle)
			n++
		}
	}
	return sum / float64(max(n, 1))
}

func (g *greedy) age(p sitegraph.PageID, now time.Time) float64 {
	return estimator.Days(g.Corpus.Memory(p).History.Age(now))
}

func (g *greedy) Next() (planner.Visit, bool) {
	best, ok := g.ranking.Pop(g.Corpus)
	if !ok {
		return planner.Visit{}, false
	}
	p := best.Page
	days := g.age(p, g.Corpus.Round().End)
	score := g.score(p, days)
	v := planner.Visit{
		Page:        p,
		Due:         g.Corpus.Memory(p).DueTime(),
		Probability: g.probability(p, days),
		Value:       score,
		Reason:      g.why(p, days, score),
	}
	if !(score > 0) {
		v.Reason = planner.Because("not wanted; oldest copy, %.3g days, budget left", days)
		return v, true
	}
	g.visits++
	if g.drawn {
		g.lowest += (score - g.lowest) / float64(g.visits)
	} else {
		g.lowest = score
	}
	return v, true
}

// Probability is that of any page, for evaluations.
func (g *greedy) Probability(p sitegraph.PageID, at time.Time) float64 {
	return g.probability(p, g.age(p, at))
}

// Due is the moment at which the page's score reaches that of the last page which fitted
// into the budget.
func (g *greedy) Due(p sitegraph.PageID, now time.Time) (planner.Due, time.Duration) {
	var interval time.Duration
	if rate := g.rate(p); rate > 0 {
		interval = estimator.FromDays(1 / rate)
	}
	h := &g.Corpus.Memory(p).History
	days := g.ageAt(p)
	reason := planner.Because("its score then reaches %.2g, where the budget ends", g.threshold)
	if days >= longestWait {
		reason = planner.Because(
			"it does not come to the score of %.2g, where the budget ends, for long",
			g.threshold,
		)
	}
	return planner.Due{When: h.LastVisit().Add(estimator.FromDays(days)), Reason: reason}, interval
}

// ageAt is the age in days at which the page's score reaches the threshold, to a second.
func (g *greedy) ageAt(p sitegraph.PageID) float64 {
	const second = 1.0 / (24 * 60 * 60)
	low, high := 0.0, float64(longestWait)
	if !(g.score(p, high) >= g.threshold) {
		return high
	}
	for high-low > second {
		if middle := (low + high) / 2; g.score(p, middle) >= g.threshold {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
