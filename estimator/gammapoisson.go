package estimator

import (
	"math"
	"time"

	"gonum.org/v1/gonum/mathext"

	"github.com/recrawl/recrawl/sitegraph"
)

// GammaPoisson is a gamma distribution of a page's Poisson change rate: its density is proportional
// to rate^(Shape-1) * exp(-rate * Days). Shape counts changes and Days watched days, seen or prior.
type GammaPoisson struct {
	Shape float64 // > 0
	Days  float64 // > 0
}

// priorShape is the weight of the prior in changes: that of the Jeffreys prior of a Poisson rate.
// Fitting the shape to the pages (negative-binomial maximum likelihood) found fewer changes at
// every budget. The reason: the visits of a page depend on its seen changes, which makes pages look
// more alike than they are.
const priorShape = 0.5

// DefaultPrior is the prior without data: its mean is the rate of [LINK table 2] at four weeks, 7.7
// % of pages changed in three weekly comparisons, 0.0038 a day.
var DefaultPrior = GammaPoisson{Shape: priorShape, Days: 131}

// PooledPrior returns the prior whose mean is the rate of all pages together (empirical Bayes):
// changes seen in watched days, with the weight of two changes for the default.
func PooledPrior(changes, days float64) GammaPoisson {
	const weight = 2 // changes, so that one early change does not decide
	rate := (changes + weight) / (days + weight/DefaultPrior.Mean())
	return GammaPoisson{Shape: priorShape, Days: priorShape / rate}
}

// Posterior adds a page's history to a prior. It counts seen changes only, since a visit cannot see
// two. So the rate of a page that changes more often than it is visited is too low; the probability
// at the ages of its visits is not.
func (g GammaPoisson) Posterior(h sitegraph.History) GammaPoisson {
	return GammaPoisson{Shape: g.Shape + float64(h.Changes), Days: g.Days + Days(h.Elapsed())}
}

// Probability returns the probability of at least one change within age, averaged over the rate: 1
// - (Days / (Days + age))^Shape, the zero class of the negative binomial distribution.
func (g GammaPoisson) Probability(age time.Duration) float64 {
	return -math.Expm1(-g.Exponent(age))
}

// Exponent returns x in Probability = 1 - exp(-x), which ranks like the probability and is cheaper;
// 0 at age 0 and below.
func (g GammaPoisson) Exponent(age time.Duration) float64 {
	if age <= 0 {
		return 0
	}
	return g.Shape * math.Log1p(Days(age)/g.Days)
}

// AgeAt returns the age at which Probability reaches p; the longest duration for p of 1 or more.
func (g GammaPoisson) AgeAt(p float64) time.Duration {
	if p <= 0 {
		return 0
	}
	if p >= 1 {
		return FromDays(math.Inf(1))
	}
	return FromDays(g.Days * math.Expm1(-math.Log1p(-p)/g.Shape))
}

// Mean returns the mean rate, in changes a day.
func (g GammaPoisson) Mean() float64 { return g.Shape / g.Days }

// Estimate returns the posterior rate of a page with a 95 % credible interval, and the probability
// of a change within age.
func (g GammaPoisson) Estimate(h sitegraph.History, age time.Duration) Estimate {
	posterior := g.Posterior(h)
	e := Estimate{
		Method:       "gamma-poisson",
		RatePerDay:   posterior.Mean(),
		Low:          gammaQuantile(posterior.Shape, posterior.Days, tail),
		High:         gammaQuantile(posterior.Shape, posterior.Days, 1-tail),
		Interval:     FromDays(1 / posterior.Mean()),
		Probability:  posterior.Probability(age),
		Observations: max(int(h.Visits)-1, 0),
	}
	if e.Observations == 0 {
		e.Warning = "visited once: the rate is that of all pages"
	}
	return e
}

// gammaQuantile returns the p-quantile, p from 0 to 1, of a gamma distribution.
func gammaQuantile(shape, rate, p float64) float64 {
	return mathext.GammaIncRegInv(shape, p) / rate
}
