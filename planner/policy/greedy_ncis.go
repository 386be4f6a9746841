package policy

import (
	"math"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// ncis is GREEDY-NCIS of Busa-Fekete et al. 2025: the page of the largest crawl value comes first,
// where a signal that the page changed, true or false, counts as time that has passed. A change
// emits a signal with the probability recall, and others come on their own; here signals are the
// dated claims of feeds and sitemaps. The value is that of freshness, not of changes found. A page
// that no source names has no signals: it scores by its rate and its age alone, (1 - (1+x) exp(-x))
// / rate of x expected changes. So do all pages without feeds and sitemaps, as in histories.
//
// Departures: rates are unknown, so they are the means of ebayes. (By those of poisson, pages that
// changed at their first revisit were left for ever: 0.35 instead of 0.50 of the changes of legal
// pages were found, at 5 % a day.) Precision and recall are those of the tests of claims on the
// page's server, not of the page. Sources keep only the newest of several signals since the last
// visit, so these count once. No signal is dropped for coming soon after a visit, since claims are
// dated.
type ncis struct{ *posteriors }

// ncisGreedy ranks a page anew when a source makes a new claim. A signal that a source takes back
// within a round still counts in it.
type ncisGreedy struct{ *greedy }

func newNCIS(s Settings) planner.Policy {
	return ncisGreedy{newGreedy(s, ncis{&posteriors{pages: s.Pages}})}
}

func (n ncis) begin(planner.Round) { n.pooled() }

// Hinted ranks a page anew.
func (n ncisGreedy) Hinted(p sitegraph.PageID) {
	if !n.Pages.Refetchable(p) {
		return
	}
	n.ranking.Push(planner.Candidate[float64]{
		Score: n.standing(p, n.Pages.Round()),
		Tie:   n.ties.UpTo(n.Pages)[p],
		Page:  p,
	})
}

// signals describes the signals of a page's changes.
type signals struct {
	silent float64 // alpha: changes a day without a signal
	wrong  float64 // nu: signals a day without a change
	all    float64 // gamma: signals a day
	worth  float64 // beta: days that one signal counts as
}

// signalsOf returns the signals of a page that changes at rate. A signal is right with probability
// precision, and a change has one with probability recall, both in (0, 1).
func signalsOf(rate, precision, recall float64) signals {
	s := signals{silent: (1 - recall) * rate, all: recall * rate / precision}
	s.wrong = (1 - precision) * s.all
	s.worth = -math.Log1p(-precision) / s.silent
	return s
}

// mostSignals bounds the terms of the value. If an age takes more signals, their mean number
// replaces their number, with an error of about a hundredth.
const mostSignals = 64

// value returns the value of a visit to a page by its effective age in days, as in the paper for
// equal weights:
//
//	V = F - exp(-alpha*age) T
//	F = sum over j of nu^j / (alpha+gamma)^(j+1) R_j((alpha+gamma)(age - j beta))   days fresh
//	T = 1/gamma  sum over j of R_j(gamma (age - j beta))                            days till then
//
// while j beta < age. R_j(x) is the probability of more than j events if x are expected. The value
// rises with the age, to 1/rate.
func (s signals) value(age float64) float64 {
	const settled = 30 // expected silent changes, from which less than 1e-13 is to come
	age = min(age, settled/s.silent)
	summed := min(age, mostSignals*s.worth)
	return s.sums(summed) + s.mean(age) - s.mean(summed)
}

// mean returns the value if each signal counts almost nothing.
func (s signals) mean(age float64) float64 {
	return marginal(s.silent*age) / (s.silent * (1 + s.worth*s.all))
}

// sums returns the value by the formula.
func (s signals) sums(age float64) float64 {
	fresh, till, share := 0.0, 0.0, 1/(s.silent+s.all)
	for j := 0; ; j++ {
		left := age - float64(j)*s.worth
		if !(left > 0) {
			break
		}
		more, longer := share*moreThan(j, (s.silent+s.all)*left), moreThan(j, s.all*left)/s.all
		fresh, till = fresh+more, till+longer
		if more+longer <= 1e-15*(fresh+till) {
			break
		}
		share *= s.wrong / (s.silent + s.all)
	}
	return max(fresh-math.Exp(-s.silent*age)*till, 0)
}

// moreThan returns the probability of more than n events of a Poisson process if x are expected.
func moreThan(n int, x float64) float64 {
	if n == 0 {
		return -math.Expm1(-x)
	}
	term := math.Exp(-x)
	sum := term
	for i := 1; i <= n; i++ {
		term *= x / float64(i)
		sum += term
	}
	return max(1-sum, 0)
}

// signalled returns the signals of a page and its effective age. ok is false if the page has no
// signals.
func (n ncis) signalled(p sitegraph.PageID, days float64) (s signals, age float64, ok bool) {
	said, ok := n.pages.Hints.Signal(p)
	if !ok {
		return s, days, false
	}
	s = signalsOf(n.rate(p), said.Precision, said.Recall)
	if said.Changed {
		days += s.worth
	}
	return s, days, true
}

func (n ncis) score(p sitegraph.PageID, days float64) float64 {
	if s, age, ok := n.signalled(p, days); ok {
		return s.value(age)
	}
	rate := n.rate(p)
	return marginal(rate*days) / rate
}

func (n ncis) probability(p sitegraph.PageID, days float64) float64 {
	if s, age, ok := n.signalled(p, days); ok {
		return -math.Expm1(-s.silent * age)
	}
	return n.posteriors.probability(p, days)
}

func (n ncis) why(p sitegraph.PageID, days, _ float64) planner.Reason {
	switch _, age, ok := n.signalled(p, days); {
	case !ok:
		return planner.Because(
			"%.3g changes a day estimated, last visit %s ago, no feed or sitemap dates it",
			n.rate(p), days,
		)
	case age > days:
		return planner.Because(
			"%.3g changes a day estimated, last visit %s ago; claimed changed, so its "+
				"age counts as %s",
			n.rate(p), days, age,
		)
	}
	return planner.Because(
		"%.3g changes a day estimated, last visit %s ago, none claimed since",
		n.rate(p), days,
	)
}
