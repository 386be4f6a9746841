package value

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/hints"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// predictor says how likely a page is to have changed.
type predictor struct {
	Settings     `state:"same"`
	groups       *groupIndex
	models       []*Model `state:"-"` // by server
	calibrator   calibrator
	mixture      mixture
	inPlace      inPlace
	trust        effectTrust
	trustInNames effectTrust
}

// scorer keeps what a visit to each page is worth.
type scorer struct {
	predictor
	ties   rank.Ties
	gone   disappearance
	scores []scored     // by page
	blocks []scoreBlock // of blockPages pages that became known one after the other
	now    float32      // days: end of the round
	// worth of the last visit that fitted into the budget, smoothed; NaN: not known
	price float64
	// changesPerWorth is the share of expected changes in the worth of visits, smoothed.
	changesPerWorth float64
	cycle           float32 // days in which the budget goes through all pages; 0: not known
	copyWeight      float32 // what a copy is worth that is fresh for a cycle, in changes found
	row             Row     `state:"-"` // room for work
	// Pages are scored where they would be lifted, and sooner: in a sweep, and where examples are
	// collected.
	exact bool
}

// scored is the last score of a page, and when it is worth making anew.
type scored struct {
	// Probability before what its server and its like showed beyond it, and before it is
	// calibrated.
	raw   float32
	worth float32 // by this score, or what it was lifted to since: see probe
	again float32 // days
}

// rate makes the score of a page anew.
func (v *scorer) rate(p sitegraph.PageID) {
	v.invalidate(p)
	v.fill(p, v.now, &v.row)
	v.note(p, v.raw(p, &v.row), v.effect(p), v.row[fAge], v.row[promise])
}

// note keeps the score of a page, of such an age and promise.
func (v *scorer) note(p sitegraph.PageID, raw, effect, age, promise float32) {
	probability, weight := v.believed(raw, effect), v.weight(p)
	gain, copies := v.gain(probability, age, promise)
	if gone := v.isGone(p); gone > 0 {
		gain, copies = (1-gone)*gain+gone*v.GoneWorth, (1-gone)*copies
	}
	// Until something happens the probability grows about as its age does, and what a copy is worth
	// as the square of it. What is below the price is scored again when it may come to it; what is
	// above, when it may be worth a quarter more: it is ranked, and scored when it is its turn. Of
	// what comes much later a probability tells nothing: a page that is renewed each week has none
	// on the second day.
	more, times := float32(0.25), float32(3)
	if v.exact {
		more = 0.1
	}
	wait := v.groups.round
	switch near := 0.85 * float32(v.price) / weight; {
	case gain < near:
		// When (gain - copies)*grow + copies*grow^2 comes to near; it can be Inf.
		p := (gain - copies) / near
		grow := 2 / (p + float32(math.Sqrt(float64(p*p+4*copies/near))))
		wait = age * min(grow-1, times)
	case gain >= near: // not so if no price is known
		wait = age * more / max(1-probability*probability/gain, 1e-3)
	}
	if hours := v.groups.times.of(v.Corpus.Graph.Server(p)); hours != nil && wait < month &&
		age > 0 {
		// It takes as long as the hours to come make it.
		wait = hours.until(v.now, wait*hours.between(v.now-age, v.now)/age)
	}
	again := v.now + min(max(wait, v.groups.round), v.longestWait())
	v.scores[p] = scored{raw, gain * weight, again}
}

const (
	month = 30 // days
	// scoresACycle is how often the score of a page is made anew while the budget goes through all
	// pages, if nothing happens to it.
	scoresACycle = 10
)

// longestWait is after how many days a score is made anew at the latest. Where the budget takes
// years for all pages, to score each once a month would cost more than the visits.
func (v *scorer) longestWait() float32 { return max(month, v.cycle/scoresACycle) }

// endWaits lets no score wait for longer than longestWait from now on.
func (v *scorer) endWaits() {
	latest := v.now + v.longestWait()
	pace := scratch.Pace{Alone: true}
	for p := range v.scores {
		pace.Read(v.Corpus.Graph.Scratch(), 1)
		if s := &v.scores[p]; s.again > latest {
			s.again = latest
			v.invalidate(sitegraph.PageID(p))
		}
	}
}

// batch are pages of one server to be scored at once.
type batch struct {
	pages   [logodds.Lanes]sitegraph.PageID
	n       int
	rows    [logodds.Lanes]Row
	columns [Features]logodds.Column
	weights lastWeights
	pace    scratch.Pace
}

// scoredPlaces are where the score of a page reads in the scratch files: neighbours share some.
const scoredPlaces = 8

func (b *batch) clear()                      { b.n = 0 }
func (b *batch) full() bool                  { return b.n == len(b.pages) }
func (b *batch) all() []sitegraph.PageID     { return b.pages[:b.n] }
func (b *batch) has(p sitegraph.PageID) bool { return slices.Contains(b.all(), p) }

func (b *batch) add(p sitegraph.PageID) {
	b.pages[b.n] = p
	b.n++
}

// rateAll makes the scores of a batch anew: the same as one by one. But it does not invalidate
// them, as several servers may be scored at once.
func (v *scorer) rateAll(b *batch) {
	if b.n == 0 {
		return
	}
	b.pace.Read(v.Corpus.Graph.Scratch(), scoredPlaces*b.n)
	for lane, p := range b.all() {
		row := &b.rows[lane]
		if lane > 0 && v.groups.alike(p, b.pages[lane-1]) {
			*row = b.rows[lane-1]
		} else {
			v.groups.rowOfGroups(p, v.now, row)
		}
		v.groups.rowOfPage(p, v.now, row)
	}
	for lane := range b.n {
		v.Without.Mask(&b.rows[lane])
	}
	var rows [logodds.Lanes][]float32
	for lane := range rows { // beyond n there are those of a batch before
		rows[lane] = b.rows[lane][:Features]
	}
	logodds.Put(b.columns[:], &rows)
	m := v.model(b.pages[0])
	learnt := m.learntOf(v.Mode, b.columns[:])
	var ofGroups float32
	var adds logodds.Column
	if v.inPlace.fast != nil {
		v.inPlace.fast.LogOddsOf(b.columns[:], &adds)
	}
	w := b.weights.of(&v.mixture, v.Corpus.Graph.Server(b.pages[0]))
	for lane, p := range b.all() {
		row := &b.rows[lane]
		if lane == 0 || !v.groups.alike(p, b.pages[lane-1]) {
			ofGroups = v.effectOfGroups(p)
		}
		effect := v.withNames(ofGroups, p, v.groups.pages[p].told)
		v.note(p, v.mixed(m, w, row, learnt[lane], adds[lane], v.claimed(p)), effect, row[fAge],
			row[promise])
	}
}

// weight is what a change of a page is worth, with the new pages that it brings.
func (v *predictor) weight(p sitegraph.PageID) float32 {
	weight := float32(v.Corpus.Weight(p))
	if v.Mode == planner.Stream && v.Without != WithoutNew {
		weight *= 1 + newWorth*v.groups.finds(p)
	}
	return weight
}

// newWorth is what it is worth to know a new page, in changes found: a change of a page that brings
// new ones is worth more.
const newWorth = 0.25

// worth is what a visit to a page is worth by its last score, and what lifted it since.
func (v *scorer) worth(p sitegraph.PageID) float32 { return v.scores[p].worth }

// modelOf is what was learnt for a server.
func (v *predictor) modelOf(s sitegraph.ServerID) *Model {
	for int(s) >= len(v.models) {
		v.models = append(v.models, nil)
	}
	m := v.models[s]
	if m == nil {
		m = v.Model
		if v.ModelOf != nil {
			m = v.ModelOf(v.Corpus.Graph.ServerName(s))
		}
		if m == nil {
			m = DefaultModel()
		}
		v.models[s] = m
	}
	return m
}

func (v *predictor) model(p sitegraph.PageID) *Model { return v.modelOf(v.Corpus.Graph.Server(p)) }

// hint is what feeds and sitemaps claim of a page; nothing if the policy is denied it.
func (v *predictor) hint(p sitegraph.PageID) (h hints.Hint) {
	if v.Without != WithoutClaims {
		h, _ = v.Corpus.Hints.Of(p)
	}
	return h
}

// claimed is what feeds and sitemaps claim of a page, in log odds.
func (v *predictor) claimed(p sitegraph.PageID) float32 { return float32(v.hint(p).LogRatio) }

// raw is the probability that a row makes of all evidence, and of what feeds and sitemaps claim,
// before what its server and its like showed beyond it, and before it is calibrated.
func (v *predictor) raw(p sitegraph.PageID, row *Row) float32 {
	m := v.model(p)
	w := v.mixture.weights(v.Corpus.Graph.Server(p))
	return v.mixed(m, &w, row, m.learnt(v.Mode, row), v.inPlace.adds(row), v.claimed(p))
}

// mixed is the probability of a row by all experts, and by what is claimed; adds is what was learnt
// in place. A sweep, which has one copy of most pages, goes by what is learnt alone, calibrated; so
// does a policy whose model is to be learnt yet.
func (v *predictor) mixed(m *Model, w *weights, row *Row, learnt, adds, claimed float32) float32 {
	if v.Mode == planner.Sweep || m.blend(v.Mode) == nil {
		return m.probability(v.Mode, row, learnt, claimed)
	}
	o := opinionsOf(row, learnt)
	w.complete(&o, adds, v.inPlace.fast != nil)
	return logodds.Probability(w.logOdds(&o) + claimed)
}

// effect is the factor of a page's odds for what visits to its server, its shape and its namesakes
// found since its last visit, beyond what was predicted.
func (v *predictor) effect(p sitegraph.PageID) float32 {
	return v.withNames(v.effectOfGroups(p), p, v.groups.pages[p].told)
}

// effectOfGroups is that of server and shape.
func (v *predictor) effectOfGroups(p sitegraph.PageID) float32 {
	return v.effects(p, v.groups.pages[p].last).total()
}

// effects are the tallies of visits after a moment, in unix seconds; nothing if the policy is
// denied them.
func (v *predictor) effects(p sitegraph.PageID, last uint32) (b effects) {
	if v.Without == WithoutEffects {
		return b
	}
	b = v.groups.effectsSince(p, last)
	b.trust = 1
	if v.Mode == planner.Stream {
		b.trust = v.trust.of(v.Corpus.Graph.Server(p))
	}
	switch v.Without {
	case WithoutServer:
		b.server = counts{}
	case WithoutShape:
		b.shape = counts{}
	}
	return b
}

// believed is a probability made of all evidence, with what its server and its like showed beyond
// it, calibrated.
func (v *predictor) believed(raw, effect float32) float32 {
	return v.calibrator.of(timesOdds(raw, effect))
}
