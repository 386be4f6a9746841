package estimator

import "github.com/recrawl/recrawl/sitegraph"

// Group is a number of changed intervals of equal length.
type Group struct {
	Count, Days float64
}

// Grouped is what the likelihood of a Poisson rate needs of many access intervals: of those
// without a change only their sum, of those with one how many there were of each length.
type Grouped struct {
	Unchanged float64  // days
	Changed   [3]Group // unused ones are zero
}

// imaginary are the intervals of half a day that SmoothedMLE adds, and the range in
// which it looks for the rate [LambdaLearnAndCrawl].
const (
	imaginaryDays = 0.5
	slowestSmooth = 0.0005
	fastestSmooth = 7
)

// FromHistory tells from a history what it still knows of its intervals: the sum U of the
// unchanged ones, the number m of changed ones, their sum T - U, and the shortest of
// them. It is exact for two changes or fewer. Beyond that the others count as equally long,
// and the rate comes out low where they were not: by less than 5 % if the longest is at most
// twice the mean and has fewer than two changes in the mean. An interval that
// Last-Modified ended early counts as History.See splits it, though it changed at its very
// end: the rate comes out low, and LastModified is better.
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

// MLE is the rate of greatest likelihood for intervals of any lengths [Cho 2003, irregular access]:
// the root of
//
//	sum over changed intervals t of t / (exp(rate*t) - 1)  =  sum of the unchanged ones.
//
// The left side falls with the rate, so there is one root. No change seen: 0. All
// intervals changed: FastestRate, since the likelihood grows without bound. Never below Naive.
func (g Grouped) MLE() float64 { return g.likelihood().root() }

// SmoothedMLE is MLE with one changed and one unchanged interval of half a day added, within
// [0.0005, 7] a day (Upadhyay et al.; LambdaLearnAndCrawl): also a page that was
// never seen to change has a rate, and it falls as the page is watched. Of no intervals
// it is ln(2) / 0.5. Half a day is fixed: histories told in other units do not scale here.
// The last group must be free, as FromHistory leaves it.
func (g Grouped) SmoothedMLE() float64 {
	g = g.smoothed()
	return inSmoothRange(g.likelihood().root())
}

// MLEFromHistory is SmoothedMLE of the intervals that FromHistory tells.
func MLEFromHistory(h sitegraph.History) float64 { return FromHistory(h).SmoothedMLE() }

func inSmoothRange(rate float64) float64 { return min(max(rate, slowestSmooth), fastestSmooth) }

// Estimate is MLE with its likelihood interval: the rates at which the logarithm of the
// likelihood is at most 1.92 below its greatest value, half the 95 % point of chi-square.
// observations is how many intervals there were.
func (g Grouped) Estimate(observations int) Estimate {
	return g.likelihood().estimate(max(observations, 0))
}

// SmoothedEstimate is SmoothedMLE with the likelihood interval of the smoothed likelihood.
// For pages that change less than monthly the imaginary intervals carry it up.
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
