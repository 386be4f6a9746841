package value

import (
	"math"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/sitegraph"
)

// inPlace learns from the visits that are made here. The model that comes with the program was
// learnt on other webs. A forest learnt from this one's visits says what it gets wrong here.
//
// Of each outcome an example is kept: the row of the page when the visit was chosen, and what came
// of it. From time to time a forest is learnt from the older examples, on top of what the shipped
// model says. It is judged by the newer ones, and adopted only if it predicts them better. Then it
// is one more expert of the mixture. If it turns worse, it is dropped.
//
// A visit made for its worth is an example of pages like it. A probe stands for all pages that it
// was drawn from, so it counts more: by the root of their number, as examples of a server count by
// the root of theirs.
type inPlace struct {
	examples []example // a ring: the newest mostExamples
	next     int       // in the ring, once it is full
	offered  int       // visits so far that could become examples
	seen     int       // examples so far
	fitted   int       // of these when a forest was last learnt
	fitDay   float32   // when that was
	share    float32   // of visits that become examples
	replayed int       // visits that a replay makes; 0: this is none
	asked    map[sitegraph.PageID]example
	forest   *trees.Forest // adopted; nil: none
	fast     *trees.Fast   `state:"-"` // of forest
	record   Adoption
	trial    trialOf
}

// example is a visit, and what it found.
type example struct {
	row     [Features]float32
	known   float32 // log odds by the shipped model, to which the forest adds
	mixed   float32 // log odds then by all experts but what was learnt in place
	weight  float32
	server  sitegraph.ServerID
	changed bool
}

// Adoption says how the parameters learnt in place came about: for people, and kept with them.
type Adoption struct {
	Version  int     `json:"version"`  // counts those adopted; 0: none yet
	Day      float32 `json:"day"`      // when it was adopted, in days since 1970
	Examples int     `json:"examples"` // that it was learnt from
	HeldOut  int     `json:"held_out"` // that it was judged by
	// Log losses of the examples held out, in nats, by the experts before, and with the forest
	// among them. Each server counts by the root of its examples.
	LossBefore float64 `json:"loss_before"`
	Loss       float64 `json:"loss"`
	Refused    int     `json:"refused"` // forests that predicted no better
	Dropped    int     `json:"dropped"` // forests that were adopted and turned worse
}

const (
	// mostExamples bounds memory: 3.4 MB.
	mostExamples = 1 << 14
	// exampleDays is how far back the examples reach where visits are many.
	exampleDays = 28
	// leastExamples are needed for a first forest. Another one needs leastDays since the last, and
	// half as many examples more; after 7 * leastDays it needs no more of them.
	leastExamples = 1500
	leastDays     = 3
	// heldOut is the share of the examples that judge, the newest.
	heldOut = 0.25
	// trialVisits are what an adopted forest is watched for; then again, as long as it is used.
	trialVisits = 1000
	// mostProbeWeight bounds what a probe counts beside another visit.
	mostProbeWeight = 8
)

// forestOptions suit some thousand examples.
var forestOptions = trees.Options{Trees: 40, Depth: 3, Rate: 0.15, Lambda: 10, LeastWeight: 25}

// ask notes a page that is about to be visited; drawnFrom is how many pages a probe stands
// for, 0 for other visits.
func (l *inPlace) ask(p sitegraph.PageID, row *Row, known, mixed float32, drawnFrom int) {
	l.offered++
	if l.share < 1 && sampleOf(p, l.offered) >= l.share {
		return
	}
	if l.asked == nil {
		l.asked = map[sitegraph.PageID]example{}
	}
	weight := min(float32(math.Sqrt(float64(max(drawnFrom, 1)))), mostProbeWeight)
	e := example{known: known, mixed: mixed, weight: weight}
	copy(e.row[:], row[:])
	l.asked[p] = e
}

// see takes in what came of it.
func (l *inPlace) see(p sitegraph.PageID, s sitegraph.ServerID, changed bool) {
	e, ok := l.asked[p]
	if !ok {
		return
	}
	delete(l.asked, p)
	e.server, e.changed = s, changed
	l.seen++
	if l.forest != nil {
		l.trial.see(&e, l.fast.LogOdds(e.row[:]))
	}
	if len(l.examples) < mostExamples {
		l.examples = append(l.examples, e)
		return
	}
	l.examples[l.next] = e
	l.next = (l.next + 1) % mostExamples
}

// adds is what the forest adds to the log odds of the model.
func (l *inPlace) adds(row *Row) float32 {
	if l.fast == nil {
		return 0
	}
	return l.fast.LogOdds(row[:])
}

// begin learns anew where there is enough to learn from, and drops what turned worse; it reports
// whether it adopted a forest. A day has so many visits.
func (l *inPlace) begin(now float32, perDay float64) (adopted bool) {
	clear(l.asked)
	l.share = 1
	switch {
	case l.replayed > 0:
		l.share = min(mostExamples/float32(l.replayed), 1)
	case perDay > 0:
		l.share = min(float32(mostExamples/(exampleDays*perDay)), 1)
	}
	if l.forest != nil && l.trial.worse() {
		l.adopt(nil)
		l.record.Dropped++
	}
	l.fitDay = min(l.fitDay, now) // the clock may have been ahead
	if l.seen < leastExamples || l.seen < l.fitted+l.fitted/2 && now < l.fitDay+7*leastDays ||
		now < l.fitDay+leastDays {
		return false
	}
	l.fitted, l.fitDay = l.seen, now
	return l.fit(now)
}

// Replay prepares for a replay of so many visits by a policy that goes on where another stopped.
func (v *Policy) Replay(visits int, before *Policy) {
	v.inPlace.replayed, v.inPlace.record = visits, before.inPlace.record
}

// GoOn ends a replay. It takes over what no replay tells: the price, and what probes are good for.
// The forest that was learnt before stays, unless a better one was adopted. The replayed visits do
// not judge it, since it may have been learnt from them.
func (v *Policy) GoOn(before *Policy) {
	v.price, v.changesPerWorth = before.price, before.changesPerWorth
	v.exploration.rebuilds = before.exploration.rebuilds
	v.gone.looks, v.gone.servers, v.gone.versions = before.gone.looks, before.gone.servers,
		before.gone.versions
	v.copyWeight = before.copyWeight
	if v.inPlace.record.Version == before.inPlace.record.Version {
		v.inPlace.adopt(before.inPlace.forest)
	}
}

// LearnNow learns from the visits so far, if they are enough. InPlace tells what came of it.
func (v *Policy) LearnNow() {
	if len(v.inPlace.examples) >= leastExamples && v.inPlace.fit(v.groups.sinceEpoch(v.now)) {
		v.mixture.trustInPlace()
	}
}

// InPlace says what was learnt in place last.
func (v *Policy) InPlace() Adoption { return v.inPlace.record }

// fit learns a forest and adopts it if it predicts better.
func (l *inPlace) fit(now float32) (adopted bool) {
	old, held := l.split()
	if len(old) == 0 || len(held) == 0 {
		return false
	}
	forest := trees.Learn(toLearn(old), forestOptions, nil)
	r := l.record
	r.Day, r.Examples, r.HeldOut = now, len(old), len(held)
	var better bool
	r.LossBefore, r.Loss, better = judge(held, forest.Fast())
	if !better {
		l.record.Refused++
		return false
	}
	r.Version++
	l.record = r
	l.adopt(forest)
	return true
}

// adopt goes by a forest from now on; nil: by none.
func (l *inPlace) adopt(forest *trees.Forest) {
	l.forest, l.fast, l.trial = forest, nil, trialOf{}
	if forest != nil {
		l.fast = forest.Fast()
	}
}

// Recollected makes what follows from what was taken in.
func (v *Policy) Recollected() {
	if v.inPlace.fast = nil; v.inPlace.forest != nil {
		v.inPlace.fast = v.inPlace.forest.Fast()
	}
	if v.groups.packed != nil {
		v.groups.unpack()
	}
	v.roomForServers() // Begin may learn before it makes them
	if v.packed != nil {
		v.unpackRankings()
	}
}

// split parts the examples into older and newer ones.
func (l *inPlace) split() (old, held []*example) {
	n := len(l.examples)
	from := int(float64(n) * (1 - heldOut))
	for i := range n {
		e := &l.examples[(l.next+i)%n]
		if i < from {
			old = append(old, e)
		} else {
			held = append(held, e)
		}
	}
	return old, held
}

// byRoots weighs examples: each server counts by the root of the weight of its examples. The mean
// of the weights is 1.
func byRoots(examples []*example) []float32 {
	count := map[sitegraph.ServerID]float32{}
	for _, e := range examples {
		count[e.server] += e.weight
	}
	weights, sum := make([]float32, len(examples)), float32(0)
	for i, e := range examples {
		weights[i] = e.weight / float32(math.Sqrt(float64(count[e.server])))
		sum += weights[i]
	}
	for i := range weights {
		weights[i] *= float32(len(weights)) / sum
	}
	return weights
}

func toLearn(examples []*example) *logodds.Examples {
	to := &logodds.Examples{Features: Features}
	for i, weight := range byRoots(examples) {
		e := examples[i]
		to.Add(e.row[:], e.changed, weight)
		to.Offsets = append(to.Offsets, e.known)
	}
	return to
}

// judge returns the mean log loss of the experts before, and with a forest that counts half. The
// forest is better if it predicts all servers better by more than a standard error and, where there
// are three servers or more, is still better without the one that speaks for it most. So one server
// that lies about its changes persuades nobody.
func judge(held []*example, forest *trees.Fast) (before, after float64, better bool) {
	gains := map[sitegraph.ServerID]float64{}
	total, squares, all := 0.0, 0.0, 0.0
	for i, weight := range byRoots(held) {
		e := held[i]
		adds := forest.LogOdds(e.row[:])
		a, b := logLoss(e.mixed, e.changed), logLoss((e.mixed+e.known+adds)/2, e.changed)
		before += float64(weight) * a
		after += float64(weight) * b
		gain := float64(weight) * (a - b)
		gains[e.server] += gain
		total += gain
		squares += gain * gain
		all += float64(weight)
	}
	most := 0.0
	if len(gains) >= 3 {
		for _, gain := range gains {
			most = max(most, gain)
		}
	}
	return before / all, after / all, total-most > 0 && total > math.Sqrt(squares)
}

// logLoss of an outcome, in nats.
func logLoss(odds float32, changed bool) float64 {
	x := float64(odds)
	if changed {
		x = -x
	}
	return math.Log1p(math.Exp(min(x, 50)))
}

// trialOf a forest that was adopted.
type trialOf struct {
	visits        int
	with, without float64 // log losses
}

func (t *trialOf) see(e *example, adds float32) {
	t.visits++
	t.without += logLoss(e.mixed, e.changed)
	t.with += logLoss((e.mixed+e.known+adds)/2, e.changed)
}

// worse reports whether it predicts worse than the experts without it. The past of a trial is
// forgotten by halves.
func (t *trialOf) worse() bool {
	if t.visits < trialVisits {
		return false
	}
	if t.with > t.without {
		return true
	}
	t.visits, t.with, t.without = t.visits/2, t.with/2, t.without/2
	return false
}

// sampleOf is a number in [0, 1) that is as good as random.
func sampleOf(p sitegraph.PageID, n int) float32 {
	x := uint64(p)*0x9e3779b97f4a7c15 + uint64(n)*0xbf58476d1ce4e5b9
	x ^= x >> 31
	x *= 0x94d049bb133111eb
	return float32(x>>40) / (1 << 24)
}
