package policy

import (
	"math"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// gamma is the selection model of [NICT eq. 1]: alpha + (1-alpha) (1 - exp(-age/tau)). alpha is the
// importance of the page, in proportion to its weight, and tau the mean update interval of [SAT eq.
// 1]. For a new page tau is the time from its Last-Modified to its visit. For another page that
// never changed it is the time it was watched plus the mean interval of all pages: days watched by
// changes seen, or one cycle of the budget before there were any. At alpha 0 the largest values
// come first. Above 0, gamma is a probability of selection, and pages are drawn with it as their
// weight: as an order, a large alpha would only shuffle quiet pages.
type gamma struct {
	*pageRates
	alpha  float64
	perDay float64
	mean   float64 // days between changes, of all pages
	// unmodified has, for pages visited once with a modification time, the days from it to the
	// visit.
	unmodified map[sitegraph.PageID]float32
}

func newGamma(s Settings) planner.Policy {
	g := &gamma{pageRates: &pageRates{pages: s.Pages}, alpha: s.Alpha, perDay: s.PerDay,
		unmodified: map[sitegraph.PageID]float32{}}
	g.estimate = func(p sitegraph.PageID) float64 { return 1 / g.tau(p) }
	policy := newGreedy(s, g)
	policy.drawn = s.Alpha > 0
	return policy
}

func (g *gamma) begin(r planner.Round) {
	var all tallied
	for p := range sitegraph.PageID(g.pages.Count()) {
		all.add(&g.pages.Memory(p).History)
	}
	if g.mean = estimator.Days(cycleDays(g.pages, g.perDay)); all.changes > 0 {
		g.mean = all.days / all.changes
	}
	g.pageRates.begin(r)
	for p := range g.of { // the mean moved
		if g.pages.Memory(sitegraph.PageID(p)).History.Changes == 0 {
			g.pageRates.Observe(sitegraph.PageID(p), sitegraph.VerdictUnknown)
		}
	}
}

func (g *gamma) tau(p sitegraph.PageID) float64 {
	h := g.pages.Memory(p).History
	if days, said := g.unmodified[p]; said {
		limits := estimator.DefaultLimits
		return min(max(float64(days), estimator.Days(limits.Min)), estimator.Days(limits.Max))
	}
	if h.Changes == 0 {
		return estimator.Days(h.Elapsed()) + g.mean
	}
	return estimator.Days(estimator.Interval(h, 0, estimator.DefaultLimits).Interval)
}

// Observe notes the modification time of a new page.
func (g *gamma) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	delete(g.unmodified, p)
	last := g.pages.LastVisit(p)
	if at := g.pages.Hints.Modified(p); verdict == sitegraph.VerdictFirst && at > 0 && at <= last {
		g.unmodified[p] = float32(last-at) / float32(planner.Day.Seconds())
	}
	g.pageRates.Observe(p, verdict)
}

// importance returns alpha for a page of mean weight.
func (g *gamma) importance(p sitegraph.PageID) float64 {
	return min(g.alpha*g.pages.Weight(p)/g.pages.MeanWeight(), 1)
}

func (g *gamma) score(p sitegraph.PageID, days float64) float64 {
	if g.alpha == 0 {
		return g.rate(p) * days // ranks like the probability
	}
	alpha := g.importance(p)
	return alpha + (1-alpha)*g.probability(p, days)
}

func (g *gamma) why(p sitegraph.PageID, days, score float64) planner.Reason {
	if g.alpha > 0 {
		return planner.Because(
			"drawn with weight %.3g: updated each %s, last visit %s ago",
			score,
			1/g.rate(p),
			days,
		)
	}
	return planner.Because("updated each %s, last visit %s ago", 1/g.rate(p), days)
}

// gp4c is a score function found by genetic programming (Santos et al. 2013, 2015), the first of
// their published best ones for the rate of changes: cho^2 * t + gad, without a constant. cho is
// the bias-reduced change rate a visit, and t the age in days (theirs has the time of the last
// visit instead). gad counts the changes of the last 32 cycles (their windowed form) with weights
// that halve from cycle to cycle. Their cycles are days; here they are weeks, since a History has
// weeks. The score of a page that changed lately falls for a while as it ages.
type gp4c struct{ pages *planner.Pages }

func newGP4C(s Settings) planner.Policy { return newGreedy(s, gp4c{s.Pages}) }

func (gp4c) begin(planner.Round) {}

// cho returns the estimate of [Cho 2003] a visit.
func cho(h *sitegraph.History) float64 {
	if h.Visits <= 1 {
		return 0
	}
	intervals := int(h.Visits) - 1
	return estimator.BiasReduced(int(h.Changes), intervals, float64(intervals))
}

// gad returns the sum over the page's last m weeks, at most 32, of 2^(j-1) c_j / (2^m - 1), where j
// = m is the week that ends now, some days after the last visit. A week without a visit counts as
// one without a change.
func gad(h *sitegraph.History, days float64) float64 {
	const secondsPerDay = 24 * 60 * 60
	now := h.Last + uint32(min(max(days, 0), longestWait)*secondsPerDay)
	later := sitegraph.Week(now) - sitegraph.Week(h.Last)
	weeks := min(sitegraph.Week(now)-sitegraph.Week(h.Epoch)+1, 32)
	_, changed := h.WeeksBefore(sitegraph.Week(now))
	if later >= 32 {
		return 0
	}
	sum := 0.0
	for k := range weeks {
		if changed>>k&1 == 1 {
			sum += math.Ldexp(1, -int(k)-1)
		}
	}
	return sum / (1 - math.Ldexp(1, -int(weeks))) // numerator and denominator by 2^m
}

func (g gp4c) score(p sitegraph.PageID, days float64) float64 {
	h := &g.pages.Memory(p).History
	c := cho(h)
	return c*c*days + gad(h, days)
}

func (g gp4c) rate(sitegraph.PageID) float64 { return 0 }

func (g gp4c) probability(sitegraph.PageID, float64) float64 { return math.NaN() }

func (g gp4c) why(p sitegraph.PageID, days, _ float64) planner.Reason {
	h := &g.pages.Memory(p).History
	return planner.Because(
		"%.3g changes a visit estimated, %.3g lately, last visit %s ago",
		cho(h),
		gad(h, days),
		days,
	)
}

func (gp4c) Observe(sitegraph.PageID, sitegraph.Verdict) {}
