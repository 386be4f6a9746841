package sites

import (
	"math"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// predictor computes the probability that a page has changed.
type predictor struct {
	Settings   `state:"same"`
	groups     *groups
	calibrator evidence.Calibrator
	mixture    evidence.Mixture
	trust      evidence.Trust
	topTrust   evidence.Trust
}

// scorer keeps the worth of a visit to each page.
type scorer struct {
	predictor
	ties   planner.Ties
	gone   disappearance
	scores []scored // by page
	rounds uint16   // begun so far, from 1 on
	now    float32  // days: end of the round
	// price is the worth of the last visit that fitted into the budget, smoothed; NaN: unknown
	price float64
	// changesPerWorth is the share of expected changes in the worth of visits, smoothed.
	changesPerWorth float64
	lowest          float64 // worth of the last visit in this round so far; NaN: none
	offers          int     // pages offered in this round
	// crowd is how many rounds share the due pages if there are too many for one; at least 1.
	crowd float32
	cycle float32 // days in which the budget visits all pages once; 0: unknown
}

// scored is the last score of a page.
type scored struct {
	raw   float32 // probability before effects and calibration
	worth float32 // worth by this score
}

// opinions returns the log odds of the experts for a page at a given time. age is that of its copy
// in days. promise is its odds factor if it is one of the pages that change often.
func (v *predictor) opinions(p sitegraph.PageID, now float32) (
	o evidence.Opinions, age, promise float32) {
	g := v.groups
	of := &g.pages[p]
	server := g.corpus.Graph.Server(p)
	last := min(g.day(of.last), now) // the clock may have been ahead
	age = now - last
	h := &g.corpus.Memory(p).History
	passed := age
	if v.Off&Hours == 0 {
		passed = g.hours.Passed(server, last, now)
	}
	var own [evidence.Trusts]float32
	own, promise = g.belief(p).LogOdds(h, passed)
	o[expertRates], o[expertHalf] = own[evidence.Whole], own[evidence.Half]
	a, s, i := g.of(p)
	r := g.rates(a, s, i)
	changes := float32(h.Changes)
	mean := s.PooledRate(a.PooledRate(defaultRate))
	if i != s {
		mean = i.PooledRate(mean)
	}
	o[expertPooled] = evidence.LogOddsExpected(
		evidence.ExpectedChanges(changes, evidence.InDays(h.Last-h.Epoch), mean, passed))
	epoch := min(g.day(h.Epoch), last)
	pace := float32(1) // of the hours since the last visit
	if age > 0 {
		pace = passed / age
	}
	clock := func(e *evidence.Account, rate float32) float32 {
		return evidence.LogOddsExpected(e.Expected(changes, epoch, last, now, rate, pace))
	}
	o[expertAll] = clock(a, r.all)
	o[expertServer] = clock(s, r.server)
	if o[expertSite] = o[expertServer]; i != s {
		o[expertSite] = clock(i, r.site)
	}
	w := v.speaking(p)
	if w[expertAge] > 0 {
		e, rate := &g.ages, g.ages.Rate(r.all)
		if own := &g.servers[server].ages; own.Told() && own.Visits > 20 {
			e, rate = own, own.Rate(rate)
		}
		born := g.day(h.Epoch)
		o[expertAge] = evidence.LogOddsExpected(
			e.Expected(changes, 0, last-born, now-born, rate, 1))
	}
	if w[expertState] > 0 {
		o[expertState] = evidence.Log32(evidence.OddsByGap(g.states.Share(server, age, passed),
			float32(max(h.Visits, 1)-1), changes, of.expected))
	}
	others := w.LogOdds(&o)
	for k, weight := range w {
		if weight == 0 { // the expert has no opinion
			o[k] = others
		}
	}
	return o, age, promise
}

// speaking returns the weights of the experts that have an opinion on a page. They sum to 1.
func (v *predictor) speaking(p sitegraph.PageID) (w evidence.Weights) {
	w = *v.mixture.Cached(v.Pages.Graph.Server(p))
	if v.groups.pages[p].traits&isBorn == 0 || v.Off&Young != 0 {
		w[expertAge] = 0
	}
	if v.Off&States != 0 {
		w[expertState] = 0
	}
	if v.Off&Clocks != 0 {
		w[expertAll], w[expertServer], w[expertSite] = 0, 0, 0
	}
	w.Normalize()
	return w
}

// mixed returns the probability of a change by all experts and the claims of feeds and sitemaps.
func (v *predictor) mixed(p sitegraph.PageID, o *evidence.Opinions) float32 {
	w := v.mixture.Cached(v.Pages.Graph.Server(p))
	odds := w.LogOdds(o) + float32(v.hint(p).LogRatio)
	return 1 / (1 + evidence.Exp32(min(-odds, 80)))
}

// hint returns the claims of feeds and sitemaps about a page.
func (v *predictor) hint(p sitegraph.PageID) (h planner.Hint) {
	if v.Off&Claims == 0 {
		h, _ = v.Pages.Hints.Of(p)
	}
	return h
}

// rate makes a new score of a page.
func (v *scorer) rate(p sitegraph.PageID) {
	o, age, promise := v.opinions(p, v.now)
	raw := v.mixed(p, &o)
	gain, _ := v.gainOf(p, raw, age, promise)
	v.scores[p] = scored{raw, gain * v.weight(p)}
	v.groups.pages[p].scored = v.rounds
}

// gainOf returns the worth of a visit in changes found, and the part of it that the copy is worth.
func (v *scorer) gainOf(p sitegraph.PageID, raw, age, promise float32) (gain, copies float32) {
	gain, copies = v.gain(v.believed(raw, v.effect(p)), age, promise)
	if gone := v.isGone(p); gone > 0 {
		gain, copies = (1-gone)*gain+gone*v.GoneWorth, (1-gone)*copies
	}
	return gain, copies
}

// wait returns after how many days from its last visit a page is expected to be worth the price
// (next), and after how many its score is made anew (looked). Until the next evidence the
// probability grows about as the age of the copy, and the worth of a fresh copy as its square.
func (v *scorer) wait(p sitegraph.PageID, at float32) (looked, next float32) {
	last := v.groups.day(v.groups.pages[p].last)
	age := at - last
	soon := age + v.groups.round/2
	price := v.price
	if math.IsNaN(price) && !(v.PerDay > 0) { // the budget is unknown
		price = noPrice * v.Pages.MeanWeight()
	}
	if math.IsNaN(price) {
		return age + v.groups.round, age + v.groups.round
	}
	weight := v.weight(p)
	enough := float32(price) / weight
	then := max(age, v.groups.round)
	var gain, copies float32
	if v.groups.pages[p].scored == v.rounds { // the score is of this round
		if gain = v.worth(p) / weight; gain >= enough { // it is due
			if float64(v.worth(p)) < v.lowest { // but other pages were worth more
				soon += v.groups.round * v.outbid(p)
			}
			return soon, soon
		}
		_, copies = v.gain(v.scores[p].raw, age, 1) // approximately, without effects
	} else {
		o, a, promise := v.opinions(p, last+then)
		gain, copies = v.gainOf(p, v.mixed(p, &o), a, promise)
	}
	next = min(max(then*grows(gain, copies, enough), soon), age+v.longestWait())
	if v.isGone(p) > 0 { // this chance does not grow with the age of the copy
		next = min(next, soon+goneWait)
	}
	// A forecast is valid for about as long as the page was watched for it.
	return min(next, 2*then), next
}

// grows returns by which factor a copy must age until a visit worth gain now is worth the price.
func grows(gain, copies, price float32) float32 {
	g := (gain - copies) / price
	return 2 / (g + float32(math.Sqrt(float64(g*g+4*copies/price)))) // may be Inf
}

// goneWait bounds the days that a page waits that may be gone. noPrice is the price for a page of
// mean weight if the budget is unknown, in changes found.
const goneWait, noPrice = 7, 0.5

// outbid returns how many more rounds a page waits that was due and lost its place to better ones.
// If more pages are due than a round can choose among, they take turns.
func (v *scorer) outbid(p sitegraph.PageID) float32 {
	luck := planner.MixHash(uint64(v.rounds)<<32 ^ uint64(math.Float32bits(v.ties.Of(p))))
	return (v.crowd - 1) * float32(luck>>40) / (1 << 24)
}

// takeTurns sets crowd by how many pages were due in this round.
func (v *scorer) takeTurns(budget int) {
	few, many := v.Choice(budget)
	switch {
	case v.offers > (few+many)/2:
		v.crowd = min(v.crowd*crowdStep, mostCrowd)
	case v.offers <= few:
		v.crowd = max(v.crowd/crowdStep, 1)
	}
}

// mostCrowd bounds the rounds among which pages take turns.
const mostCrowd, crowdStep = 64, 1.5

// Choice returns the fewest and the most pages that a round chooses among. Twice as many found no
// more changes.
func (v *scorer) Choice(budget int) (few, many int) {
	few = budget + budget/2 + leastChoice
	return few, 2 * few
}

const leastChoice = 4096

// longestWait returns the most days between two scores: a month, or a tenth of a cycle.
func (v *scorer) longestWait() float32 { return max(30, v.cycle/10) }

// weight returns the worth of a change of a page, including the new pages that it brings.
func (v *predictor) weight(p sitegraph.PageID) float32 {
	weight := float32(v.Pages.Weight(p))
	if v.Mode == planner.Stream {
		weight *= 1 + newWorth*v.groups.finds(p)
	}
	return weight
}

// newWorth is the worth of a new page, in changes found.
const newWorth = 0.5

// worth returns the worth of a visit to a page by its last score.
func (v *scorer) worth(p sitegraph.PageID) float32 { return v.scores[p].worth }

// effect returns the factor of a page's odds for outcomes at its server and site since its last
// visit, beyond those predicted.
func (v *predictor) effect(p sitegraph.PageID) float32 {
	return v.effects(p, v.groups.pages[p].last).total()
}

// effects returns the outcomes of visits to the groups of a page after `last`, in unix seconds.
func (v *predictor) effects(p sitegraph.PageID, last uint32) (b effects) {
	if v.Off&Effects != 0 {
		return effects{top: 1}
	}
	s := v.Pages.Graph.Server(p)
	b = v.groups.effectsSince(p, last)
	if b.trust, b.top = v.trust.Of(s), 1; v.Off&Tops == 0 {
		b.top = evidence.Power(v.groups.topFactor(p, last), v.topTrust.Of(s))
	}
	return b
}

// believed returns the calibrated probability, after effect multiplied the odds of raw.
func (v *predictor) believed(raw, effect float32) float32 {
	return v.calibrator.Of(evidence.TimesOdds(raw, effect))
}
