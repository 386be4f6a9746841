package evidence

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// Mixture combines the predictions of several experts. It weighs each by how well it predicted the
// visits made here.
//
// The mean is taken of log odds (a logarithmic opinion pool), with weights that sum to 1. Each
// outcome multiplies the weight of an expert by
//
//	exp(step * (outcome - believed) * (its log odds - the mean))
//
// which is the exponentiated gradient of the log loss (Kivinen and Warmuth 1997). Every server has
// its own weights: those of the corpus times what its visits add. Both are pulled back to the first
// weights, those of a server sooner. So the past is forgotten, and a server with few visits has the
// weights of the corpus.
//
// The best speed of learning also differs by web. If pages change one by one at steady rates, one
// expert is right for good, and weights that are pulled back soon never reach it. If servers are
// rebuilt, the best expert of last month misleads. So the corpus has weights of two paces, and both
// count by the likelihood of recent outcomes (experts that learn at several rates, combined by how
// they predict: van Erven and Koolen 2016).
//
// Outcomes are compared with the probability by which the page was chosen, with all corrections.
// Pages chosen as the likeliest are overrated more often than others, and the calibrator corrects
// that.
type Mixture struct {
	First   Weights `state:"-"` // before any outcome
	corpus  [paces]Gains
	fits    [paces]float32 // log-likelihood of recent outcomes by each pace
	Servers []Gains        // by server, added to those of the corpus
	Asked   map[sitegraph.PageID]Opinions
	moves   int         // counts changes of gains
	last    lastWeights `state:"-"`
}

// Cached returns the weights of a server, valid until the next call.
func (m *Mixture) Cached(s sitegraph.ServerID) *Weights { return m.last.of(m, s) }

// Experts is the number of experts in a mixture.
const Experts = 8

// Predictions of the experts, and their weights.
type (
	Opinions [Experts]float32 // log odds of a page, by expert
	Gains    [Experts]float32 // logarithms of weights over the first ones
	Weights  [Experts]float32 // which sum to 1
)

const (
	// corpusKept and serverKept are the shares of the gains of the corpus and of a server that are
	// kept after each outcome: half after 1,400 and after 70. A pace may keep more.
	corpusKept = 0.9995
	serverKept = 0.99
	// farthest bounds the difference of one opinion from the mean, in log odds.
	farthest = 4
	// mostGain bounds gains, so that no weight is 0 or infinite.
	mostGain = 40
)

// The paces at which weights of the corpus are learnt.
const (
	paceShort = iota // recent outcomes count
	paceLong
	paces
)

// paceOf has the step of an outcome at each pace, and the share of the gains that is kept after
// each outcome: half after 1,400 and after 7,000.
var paceOf = [paces]struct{ step, kept float32 }{
	paceShort: {0.05, corpusKept},
	paceLong:  {0.1, 0.9999},
}

// Weights returns the weights of the experts for pages of a server.
func (m *Mixture) Weights(s sitegraph.ServerID) (w Weights) {
	for pace, share := range m.shares() {
		for k, x := range m.weightsAt(pace, s) {
			w[k] += share * x
		}
	}
	return w
}

// shares returns the weight of each pace.
func (m *Mixture) shares() (shares [paces]float32) {
	best := slices.Max(m.fits[:])
	sum := float32(0)
	for pace, fit := range m.fits {
		shares[pace] = float32(math.Exp(float64(fit - best)))
		sum += shares[pace]
	}
	for pace := range shares {
		shares[pace] /= sum
	}
	return shares
}

// weightsAt returns the weights of a pace.
func (m *Mixture) weightsAt(pace int, s sitegraph.ServerID) (w Weights) {
	for k := range w {
		gain := m.corpus[pace][k]
		if int(s) < len(m.Servers) {
			gain += m.Servers[s][k]
		}
		gain = min(max(gain, -mostGain), mostGain)
		w[k] = m.First[k] * Exp32(gain)
	}
	w.Normalize()
	return w
}

// Normalize makes the weights sum to 1.
func (w *Weights) Normalize() {
	sum := float32(0)
	for _, x := range w {
		sum += x
	}
	for k := range w {
		w[k] /= sum
	}
}

// lastWeights caches the weights of the server that was last asked for.
type lastWeights struct {
	Weights
	server sitegraph.ServerID
	moves  int // of the mixture then, plus one; 0: no server
}

func (l *lastWeights) of(m *Mixture, s sitegraph.ServerID) *Weights {
	if l.moves != m.moves+1 || l.server != s {
		l.Weights, l.server, l.moves = m.Weights(s), s, m.moves+1
	}
	return &l.Weights
}

// LogOdds returns the mean of opinions.
func (w *Weights) LogOdds(o *Opinions) (mean float32) {
	for k := range w {
		mean += w[k] * o[k]
	}
	return mean
}

// Ask stores the opinions of the experts on a page that is about to be visited.
func (m *Mixture) Ask(p sitegraph.PageID, o Opinions) {
	if m.Asked == nil {
		m.Asked = map[sitegraph.PageID]Opinions{}
	}
	m.Asked[p] = o
}

// See learns from the outcome of a visit to a page of a server. believed is the probability of a
// change before the visit. It learns nothing if the experts were not asked.
func (m *Mixture) See(p sitegraph.PageID, s sitegraph.ServerID, changed bool, believed float32) {
	o, ok := m.Asked[p]
	if !ok {
		return
	}
	delete(m.Asked, p)
	m.moves++
	own := At(&m.Servers, s)
	missed := -believed
	if changed {
		missed++
	}
	var means [paces]float32
	mean := float32(0) // by the weights of both paces
	for pace, share := range m.shares() {
		w := m.weightsAt(pace, s)
		means[pace] = w.LogOdds(&o)
		mean += share * means[pace]
	}
	m.judge(&means, mean, changed, believed)
	for k := range o {
		away := missed * min(max(o[k]-mean, -farthest), farthest)
		for pace, of := range paceOf {
			m.corpus[pace][k] = of.kept*m.corpus[pace][k] + of.step*away
		}
		own[k] = serverKept*own[k] + paceOf[paceShort].step*away
	}
}

// judge learns which pace predicted an outcome better. The prediction of a pace is the believed
// one, moved by the distance of its log odds from the mean.
func (m *Mixture) judge(means *[paces]float32, mean float32, changed bool, believed float32) {
	const sure = 1e-4 // no outcome is certain
	p := float64(min(max(believed, sure), 1-sure))
	odds := float32(math.Log(p / (1 - p)))
	for pace := range m.fits {
		m.fits[pace] = corpusKept*m.fits[pace] - float32(logLoss(odds+means[pace]-mean, changed))
	}
}

// Learnt returns the gains that give the present weights of the corpus.
func (m *Mixture) Learnt() (g Gains) {
	if m.corpus[paceShort] == m.corpus[paceLong] {
		return m.corpus[paceShort]
	}
	for k, x := range m.Weights(sitegraph.ServerID(len(m.Servers))) { // of a server without visits
		g[k] = float32(math.Log(float64(max(x, 1e-15) / m.First[k])))
	}
	return g
}

// Recall restores the gains of another mixture. The better pace is learnt anew.
func (m *Mixture) Recall(g Gains) {
	m.moves++
	for pace := range m.corpus {
		m.corpus[pace] = g
	}
}

// logLoss returns the log loss of an outcome, in nats.
func logLoss(odds float32, changed bool) float64 {
	x := float64(odds)
	if changed {
		x = -x
	}
	return math.Log1p(math.Exp(min(x, 50)))
}
