package policy

import (
	"math"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// posteriors has gamma-Poisson rates under a prior made anew each round.
type posteriors struct {
	pages *planner.Pages
	prior func(p sitegraph.PageID) estimator.GammaPoisson
}

func (g *posteriors) of(p sitegraph.PageID) estimator.GammaPoisson {
	return g.prior(p).Posterior(g.pages.Memory(p).History)
}

// pooled uses the prior of ebayes: that of all pages.
func (g *posteriors) pooled() {
	prior := g.pages.Prior()
	g.prior = func(sitegraph.PageID) estimator.GammaPoisson { return prior }
}

func (g *posteriors) rate(p sitegraph.PageID) float64 { return g.of(p).Mean() }

func (g *posteriors) probability(p sitegraph.PageID, days float64) float64 {
	return g.of(p).Probability(estimator.FromDays(days))
}

func (g *posteriors) why(p sitegraph.PageID, days, _ float64) planner.Reason {
	h := &g.pages.Memory(p).History
	return planner.Because(
		"%.0f changes seen in %.0f revisits, last visit %s ago",
		float64(h.Changes),
		float64(h.Visits-1),
		days,
	)
}

func (g *posteriors) Observe(sitegraph.PageID, sitegraph.Verdict) {}

// whittle scores by the Whittle index of a page that can be visited once a day and pays 1 if it
// changed: the worth of a visit after k days beyond one after k+1, (k+1) p(k) - k p(k+1), for p(k)
// = 1 - (1-q)^k, averaged over the posterior of the rate, q = 1 - exp(-rate). The prior is that of
// ebayes.
type whittle struct{ *posteriors }

func newWhittle(s Settings) planner.Policy {
	w := &whittle{&posteriors{pages: s.Pages}}
	return newGreedy(s, w)
}

func (w *whittle) begin(planner.Round) { w.pooled() }

func (w *whittle) score(p sitegraph.PageID, days float64) float64 {
	return whittleIndex(w.of(p), days)
}

// whittleIndex returns 1 - (1+k) M(k) + k M(k+1). M(t) = (Days/(Days+t))^Shape is the mean of
// exp(-rate*t). If all terms are small it is half of k(k+1) times the mean of the squared rate.
func whittleIndex(g estimator.GammaPoisson, k float64) float64 {
	if !(k > 0) {
		return 0
	}
	if (k+1)*g.Mean() < 1e-5 && (k+1)/g.Days < 1e-5 {
		return k * (k + 1) / 2 * g.Shape * (g.Shape + 1) / (g.Days * g.Days)
	}
	atK := -g.Shape * math.Log1p(k/g.Days)
	step := -g.Shape * math.Log1p(1/(g.Days+k))
	return max(-math.Expm1(atK)+k*math.Exp(atK)*math.Expm1(step), 0)
}
