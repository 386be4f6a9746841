package sites

import (
	"math"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// predictor says how likely a page is to have changed.
type predictor struct {
	Settings   `state:"same"`
	groups     *groups
	calibrator evidence.Calibrator
	mixture    evidence.Mixture
	trust      evidence.Trust
	topTrust   evidence.Trust
}

// scorer keeps what a visit to each page is worth.
type scorer struct {
	predictor
	ties   planner.Ties
	gone   disappearance
	scores []scored // by page
	rounds uint16   // begun, from 1 on
	now    float32  // days: end of the round
	// worth of the last visit that fitted into the budget, smoothed; NaN: not known
	price float64
	// changesPerWorth is the share of expected changes in the worth of visits, smoothed.
	changesPerWorth float64
	lowest          float64 // worth of the last visit of this round so far; NaN: none
	offers          int     // pages that were offered in this round
	crowd           float32 // rounds among which pages take turns, where too many are due: 1 or more
	cycle           float32 // days in which the budget goes through all pages; 0: not known
}

// scored is the last score of a page.
type scored struct {
	raw   float32 // probability before effects, and before it is calibrated
	worth float32 // by this score
}

// opinions of the experts of a page at a moment, in log odds; the age of its copy in days, and the
// promise that it is one of the pages that change often.
func (v *predictor) opinions(p sitegraph.PageID, now float32) (
	o evidence.Opinions, age, promise float32) {
	g := v.groups
	of := &g.pages[p]
	server := g.corpus.Graph.Server(p)
	last := min(g.day(of.last), now) // it is later where the clock was ahead
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
	pace := float32(1) // of these hours
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
		if weight == 0 { // it has no opinion
			o[k] = others
		}
	}
	return o, age, promise
}

// speaking are the weights of the experts that have an opinion of a page; they add up to 1.
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

// mixed is the probability of all experts, and of what feeds and sitemaps claim.
func (v *predictor) mixed(p sitegraph.PageID, o *evidence.Opinions) float32 {
	w := v.mixture.Cached(v.Pages.Graph.Server(p))
	odds := w.LogOdds(o) + float32(v.hint(p).LogRatio)
	return 1 / (1 + evidence.Exp32(min(-odds, 80)))
}

// hint is what feeds and sitemaps claim of a page.
func (v *predictor) hint(p sitegraph.PageID) (h planner.Hint) {
	if v.Off&Claims == 0 {
		h, _ = v.Pages.Hints.Of(p)
	}
	return h
}

// rate makes the score of a page anew.
func (v *scorer) rate(p sitegraph.PageID) {
	o, age, promise := v.opinions(p, v.now)
	raw := v.mixed(p, &o)
	gain, _ := v.gainOf(p, raw, age, promise)
	v.scores[p] = scored{raw, gain * v.weight(p)}
	v.groups.pages[p].scored = v.rounds
}

// gainOf is what a visit is worth in changes, and the part of it that the copy is worth.
func (v *scorer) gainOf(p sitegraph.PageID, raw, age, promise float32) (gain, copies float32) {
	gain, copies = v.gain(v.believed(raw, v.effect(p)), age, promise)
	if gone := v.isGone(p); gone > 0 {
		gain, copies = (1-gone)*gain+gone*v.GoneWorth, (1-gone)*copies
	}
	return gain, copies
}

// wait is how many days after its last visit a page is expected to be worth the price, as seen at a
// moment. Until something happens the probability grows about as its age does, and what a copy is
// worth as the square of it. Its score is made anew after looked days.
func (v *scorer) wait(p sitegraph.PageID, at float32) (looked, next float32) {
	last := v.groups.day(v.groups.pages[p].last)
	age := at - last
	soon := age + v.groups.round/2
	price := v.price
	if math.IsNaN(price) && !(v.PerDay > 0) { // nobody says how many visits fit
		price = noPrice * v.Pages.MeanWeight()
	}
	if math.IsNaN(price) {
		return age + v.groups.round, age + v.groups.round
	}
	weight := v.weight(p)
	enough := float32(price) / weight
	then := max(age, v.groups.round)
	var gain, copies float32
	if v.groups.pages[p].scored == v.rounds { // its score is of this round
		if gain = v.worth(p) / weight; gain >= enough { // it is due by now
			if float64(v.worth(p)) < v.lowest { // but others were worth more
				soon += v.groups.round * v.outbid(p)
			}
			return soon, soon
		}
		_, copies = v.gain(v.scores[p].raw, age, 1) // about: without effects
	} else {
		o, a, promise := v.opinions(p, last+then)
		gain, copies = v.gainOf(p, v.mixed(p, &o), a, promise)
	}
	next = min(max(then*grows(gain, copies, enough), soon), age+v.longestWait())
	if v.isGone(p) > 0 { // that does not grow with the age of its copy
		next = min(next, soon+goneWait)
	}
	// A forecast is good for about as long as the page was watched for it.
	return min(next, 2*then), next
}

// grows returns how many times as old a copy is when a visit is worth a price, if it is worth a
// gain now, of which a part is the copy's worth.
func grows(gain, copies, price float32) float32 {
	g := (gain - copies) / price
	return 2 / (g + float32(math.Sqrt(float64(g*g+4*copies/price)))) // it can be Inf
}

// goneWait is how many days a page that may be gone waits at most, and noPrice what a visit to a
// page of mean weight is worth at least where no budget is known.
const goneWait, noPrice = 7, 0.5

// outbid returns how many more rounds a page waits that was due and not visited, as others were
// worth more. Where more pages are due than a round chooses among, they take turns.
func (v *scorer) outbid(p sitegraph.PageID) float32 {
	luck := planner.MixHash(uint64(v.rounds)<<32 ^ uint64(math.Float32bits(v.ties.Of(p))))
	return (v.crowd - 1) * float32(luck>>40) / (1 << 24)
}

// takeTurns sets among how many rounds such pages take turns, by how many were due in this round.
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

// Choice returns among how many pages a round chooses. Twice as many find no more.
func (v *scorer) Choice(budget int) (few, many int) {
	few = budget + budget/2 + leastChoice
	return few, 2 * few
}

const leastChoice = 4096

// longestWait is after how many days a score is made anew at the latest: a month, or a tenth of the
// time in which the budget goes through all pages.
func (v *scorer) longestWait() float32 { return max(30, v.cycle/10) }

// weight is what a change of a page is worth, with the new pages that it brings.
func (v *predictor) weight(p sitegraph.PageID) float32 {
	weight := float32(v.Pages.Weight(p))
	if v.Mode == planner.Stream {
		weight *= 1 + newWorth*v.groups.finds(p)
	}
	return weight
}

// newWorth is what it is worth to know a new page, in changes found.
const newWorth = 0.5

// worth is what a visit to a page is worth by its last score.
func (v *scorer) worth(p sitegraph.PageID) float32 { return v.scores[p].worth }

// effect is the factor of a page's odds for what visits to its server and its site found since its
// last visit, beyond what was predicted.
func (v *predictor) effect(p sitegraph.PageID) float32 {
	return v.effects(p, v.groups.pages[p].last).total()
}

// effects are the tallies of visits after a moment, in unix seconds.
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

// believed is a probability made of all evidence, with what its server and its site showed beyond
// it, calibrated.
func (v *predictor) believed(raw, effect float32) float32 {
	return v.calibrator.Of(evidence.TimesOdds(raw, effect))
}
