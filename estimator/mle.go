package estimator

import "github.com/recrawl/recrawl/sitegraph"

// Group is a number of changed intervals of equal length.
type Group struct {
	Count, Days float64
}

// Grouped has the data that the likelihood of a Poisson rate needs: the sum of the intervals
// without a change, and the number of changed ones of each length.
type Grouped struct {
	Unchanged float64  // days
	Changed   [3]Group // unused ones are zero
}

// imaginaryDays is the length of the intervals that SmoothedMLE adds; the others bound the rate
// [LambdaLearnAndCrawl].
const (
	imaginaryDays = 0.5
	slowestSmooth = 0.0005
	fastestSmooth = 7
)

// FromHistory returns the intervals that a history still has. Of unchanged intervals it has the sum
// U; of changed intervals it has the number m, the sum T - U and the shortest. With up to two
// changes the intervals are exact. With more, FromHistory takes all changed intervals except the
// shortest as equally long. If they differ, a rate from them is too low. The error is below 5 % if
// the longest is at most twice their mean and fewer than two changes are expected in it.
//
// If Last-Modified dates a change, History.See splits the interval at that date. FromHistory does
// not know that the first part ended with the change: a rate from it is too low. Use LastModified.
func FromHistory(h sitegraph.History) Grouped {
	total := max(Days(h.Elapsed()), 0)
	unchanged := min(Days(seconds(h.Stable)), total)
	var g Grouped
	g.Unchanged = unchanged
	changed := total - unchanged
	if h.Changes == 0 || changed <= 0 {
		return g
	}
	mean := changed / float64(h.Changes)
	shortest := Days(seconds(h.MinInterval))
	if h.Changes == 1 || !(shortest > 0) || shortest >= mean {
		g.Changed[0] = Group{Count: float64(h.Changes), Days: mean}
		return g
	}
	others := float64(h.Changes) - 1
	g.Changed[0] = Group{Count: 1, Days: shortest}
	g.Changed[1] = Group{Count: others, Days: (changed - shortest) / others}
	return g
}

// smoothed adds the imaginary intervals; the last group must be free.
func (g Grouped) smoothed() Grouped {
	g.Unchanged += imaginaryDays
	g.Changed[2] = Group{Count: 1, Days: imaginaryDays}
	return g
}

func (g *Grouped) likelihood() likelihood { return likelihood{g.Unchanged, g.Changed[:]} }

// MLE returns the rate of maximum likelihood for intervals of any lengths [Cho 2003, irregular
// access]: the root of
//
//	sum over changed intervals t of t / (exp(rate*t) - 1)  =  sum of the unchanged ones.
//
// The left side falls with the rate, so there is one root. It is 0 if no change was seen, and
// FastestRate if all intervals changed, since the likelihood then grows without bound. It is never
// below Naive.
func (g Grouped) MLE() float64 { return g.likelihood().root() }

// SmoothedMLE returns MLE with one changed and one unchanged interval of half a day added, within
// [0.0005, 7] a day (Upadhyay et al.; LambdaLearnAndCrawl). So a page that never changed has a
// rate, which falls as the page is watched. Without intervals it is ln(2) / 0.5. Half a day is
// fixed: other units of time would change the result. The last group must be free, as FromHistory
// leaves it.
func (g Grouped) SmoothedMLE() float64 {
	g = g.smoothed()
	return inSmoothRange(g.likelihood().root())
}

// MLEFromHistory returns SmoothedMLE of the intervals of FromHistory.
func MLEFromHistory(h sitegraph.History) float64 { return FromHistory(h).SmoothedMLE() }

func inSmoothRange(rate float64) float64 { return min(max(rate, slowestSmooth), fastestSmooth) }

// Estimate returns MLE with its likelihood interval: the rates whose log-likelihood is at most 1.92
// below the maximum, half the 95 % point of chi-square. observations is the number of intervals.
func (g Grouped) Estimate(observations int) Estimate {
	return g.likelihood().estimate(max(observations, 0))
}

// SmoothedEstimate returns SmoothedMLE with the interval of the smoothed likelihood. For pages that
// change less than monthly the imaginary intervals raise it.
func (g Grouped) SmoothedEstimate(observations int) Estimate {
	g = g.smoothed()
	return g.likelihood().smoothedEstimate(max(observations, 0))
}

func (l likelihood) estimate(observations int) Estimate {
	unchanged, changed, days := l.sums()
	e := ofRate("mle", l.root(), observations)
	switch {
	case unchanged+days <= 0:
		return e.unknown()
	case changed == 0:
		e.Warning = "never seen to change: the rate is 0"
	case unchanged <= 0:
		e.Warning = "changed at every visit: any rate above the lower end is possible"
	}
	return e.between(l.interval(e.RatePerDay))
}

func (l likelihood) smoothedEstimate(observations int) Estimate {
	rate := l.root()
	e := ofRate("smoothed-mle", inSmoothRange(rate), observations)
	low, high := l.interval(rate)
	if observations == 0 {
		e.Warning = "visited once: the rate is that of the imaginary intervals"
	}
	return e.between(low, high)
}
