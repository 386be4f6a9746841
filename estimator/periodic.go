package estimator

import (
	"math"
	"time"
)

// Periods are the lengths, in days, that Periodic considers: daily, weekly, every other week,
// monthly.
var Periods = [...]float64{1, 7, 14, 365.25 / 12}

const (
	// phases is the number of phases of a period: a monthly page is placed to the day.
	phases = 32
	// periodicShare is the prior probability that a page is periodic: less than 5 % of pages did
	// not fit a Poisson process (Ford, Grimes, Tassone 2008).
	periodicShare = 0.05
	// stray is the expected number of changes a period apart from its ticks, so that a single one
	// does not rule a period out.
	stray = 0.1
)

// tickHits are the considered probabilities that a tick changes the page.
var tickHits = [...]float64{0.5, 0.8, 0.95}

// Periodic compares two models of a page by its intervals in order of time: changes by the clock,
// at the ticks of a period, and a Poisson process. A component is a period of one length, with the
// phase of its ticks and the probability (hit) that a tick changes the page. It has the exposure
//
//	a = -ln(1 - hit) * ticks in the interval + 0.1 / length * days
//
// instead of rate * days, and the likelihood is 1 - exp(-a) or exp(-a) as for a rate. The Poisson
// process has the grid's rates under a prior. Periods shorter than two mean intervals are left out:
// changes at each visit, or at random ones, are no sign of a clock. The zero value has no visits.
type Periodic struct {
	log     [len(Periods)][phases][len(tickHits)]float64
	grid    Grid
	elapsed float64 // days since the first visit
	seen    int
}

// Observe adds the next interval. It takes 384 logarithms if the page changed.
func (p *Periodic) Observe(o Observed) {
	if !positive(o.Days) {
		return
	}
	days := min(o.Days, longestDays)
	from, to := p.elapsed, p.elapsed+days
	for i, period := range &Periods {
		for phase := range phases {
			ticks := ticksBetween(from, to, period, phase)
			for hit, chance := range &tickHits {
				a := -math.Log1p(-chance)*ticks + stray/period*days
				if o.Changed {
					p.log[i][phase][hit] += logChanged(a)
				} else {
					p.log[i][phase][hit] -= a
				}
			}
		}
	}
	p.grid.Observe(days, o.Changed)
	p.elapsed = to
	p.seen++
}

// ticksBetween returns the number of ticks after from, up to and including to.
func ticksBetween(from, to, period float64, phase int) float64 {
	at := (float64(phase) + 0.5) / phases // visits at whole days do not coincide with ticks
	return math.Floor(to/period-at) - math.Floor(from/period-at)
}

// tooShort reports whether a period is shorter than two mean intervals.
func (p *Periodic) tooShort(period float64) bool { return period*float64(p.seen) < 2*p.elapsed }

// weights calls f with every component and its posterior weight before normalisation. It returns
// the weight of the Poisson process and the sum of all.
func (p *Periodic) weights(
	prior *Rates,
	f func(period, phase, hit int, weight float64),
) (poisson, all float64) {
	_, evidence := p.grid.posterior(prior)
	most := evidence
	for i, period := range &Periods {
		if p.tooShort(period) {
			continue
		}
		for j := range &p.log[i] {
			for _, l := range &p.log[i][j] {
				most = max(most, l)
			}
		}
	}
	poisson = (1 - periodicShare) * math.Exp(evidence-most)
	all = poisson
	const each = periodicShare / float64(len(Periods)*phases*len(tickHits))
	for i, period := range &Periods {
		if p.tooShort(period) {
			continue
		}
		for j := range &p.log[i] {
			for k, l := range &p.log[i][j] {
				w := each * math.Exp(l-most)
				all += w
				f(i, j, k, w)
			}
		}
	}
	return poisson, all
}

// Probability returns the probability of a change within age after the last visit, over all
// components.
func (p *Periodic) Probability(prior *Rates, age time.Duration) float64 {
	days := Days(age)
	if days <= 0 {
		return 0
	}
	changed := 0.0
	poisson, all := p.weights(prior, func(i, j, k int, w float64) {
		ticks := ticksBetween(p.elapsed, p.elapsed+days, Periods[i], j)
		changed -= w * math.Expm1(math.Log1p(-tickHits[k])*ticks-stray/Periods[i]*days)
	})
	posterior := p.grid.Posterior(prior)
	changed += poisson * posterior.Probability(days)
	return min(changed/all, 1)
}

// Estimate returns the mean rate over all components, with the 95 % credible interval of the
// mixture, and the probability of a change within age.
func (p *Periodic) Estimate(prior *Rates, age time.Duration) Estimate {
	var rates Rates // of the mixture
	var mean float64
	poisson, all := p.weights(prior, func(i, j, k int, w float64) {
		rate := (tickHits[k] + stray) / Periods[i]
		mean += w * rate
		rates.Weight[nearest(rate)] += w
	})
	posterior := p.grid.Posterior(prior)
	mean += poisson * posterior.Mean()
	for i, w := range &posterior.Weight {
		rates.Weight[i] += poisson * w
	}
	for i := range &rates.Weight {
		rates.Weight[i] /= all
	}
	e := ofRate("periodic", mean/all, p.seen).between(rates.Quantile(tail), rates.Quantile(1-tail))
	e.Probability = p.Probability(prior, age)
	switch periodic := 1 - poisson/all; {
	case p.seen == 0:
		e.Warning = "visited once: the rate is that of its prior"
	case periodic < 0.5:
		e.Warning = "no period found: mostly the rates of the grid"
	}
	return e
}

// nearest returns the index of the nearest rate of the grid.
func nearest(rate float64) int {
	i := math.Round(math.Log(rate/slowestGrid) / gridStep)
	return int(min(max(i, 0), GridSize-1))
}
