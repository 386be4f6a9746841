package evidence

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// Mixture combines the predictions of several experts. It weighs each by how well it predicted the
// visits made here.
//
// The mean is taken of log odds (a logarithmic opinion pool), with weights that add up to 1. Each
// outcome multiplies the weight of an expert by
//
//	exp(step * (outcome - believed) * (its log odds - the mean))
//
// which is the exponentiated gradient of the log loss (Kivinen and Warmuth 1997). Every server has
// weights of its own, a product of those of the corpus and of what its own visits add. Both are
// pulled back to what was believed at first, those of a server sooner, so that the past is
// forgotten and a server of few visits is judged as the corpus is.
//
// The best speed of learning also differs by web. Where pages change one by one at rates that stay,
// one expert is right for good, and weights that are pulled back soon never come to it. Where
// servers are rebuilt, what was right last month misleads. So the corpus has weights of two paces,
// and both count, each by the likelihood of what came lately (experts that learn at several rates,
// combined by how they predict: van Erven and Koolen 2016).
//
// What is compared with an outcome is the probability by which the page was chosen, with all
// corrections: of pages chosen as the likeliest, those that were overrated are more than others,
// and the calibrator allows for that.
type Mixture struct {
	First   Weights `state:"-"` // before any outcome
	corpus  [paces]Gains
	fits    [paces]float32 // logarithms of the likelihood of late outcomes by each
	Servers []Gains        // by server, beside those of the corpus
	Asked   map[sitegraph.PageID]Opinions
	moves   int         // counts how often gains changed
	last    lastWeights `state:"-"`
}

// Cached returns the weights of a server. They are good until the next call.
func (m *Mixture) Cached(s sitegraph.ServerID) *Weights { return m.last.of(m, s) }

// Experts is the number of experts in a mixture.
const Experts = 8

// What experts say, and what they are worth.
type (
	Opinions [Experts]float32 // log odds of a page, by expert
	Gains    [Experts]float32 // logarithms of weights, beside the first ones
	Weights  [Experts]float32 // which add up to 1
)

const (
	// corpusKept and serverKept are what is left after each outcome of what was learnt of the
	// corpus and of a server: half after 1,400 and after 70. A pace may keep more.
	corpusKept = 0.9995
	serverKept = 0.99
	// farthest bounds what one opinion counts for beside the mean, in log odds.
	farthest = 4
	// mostGain bounds gains, so that no weight is 0 or infinite.
	mostGain = 40
)

// The paces at which weights of the corpus are learnt.
const (
	paceShort = iota // what was seen lately counts
	paceLong
	paces
)

// paceOf says how far an outcome moves the gains of a pace, and what is left of them after each
// outcome: half after 1,400 and after 7,000.
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

// shares are what the weights of each pace count for.
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

// weightsAt are the weights of a pace.
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

// Normalize makes the weights add up to 1.
func (w *Weights) Normalize() {
	sum := float32(0)
	for _, x := range w {
		sum += x
	}
	for k := range w {
		w[k] /= sum
	}
}

// lastWeights are the weights of the server that was asked for last, as long as they are the same.
type lastWeights struct {
	Weights
	server sitegraph.ServerID
	moves  int // of the mixture then, and one; 0: none was asked for
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

// Ask notes what the experts say of a page that is about to be visited.
func (m *Mixture) Ask(p sitegraph.PageID, o Opinions) {
	if m.Asked == nil {
		m.Asked = map[sitegraph.PageID]Opinions{}
	}
	m.Asked[p] = o
}

// See learns from the outcome of a visit to a page of a server, which was believed to find a change
// with some probability. It learns nothing where the experts were not asked.
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
	mean := float32(0) // as the weights of both say
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

// judge learns which pace predicted an outcome better. Each is taken to have believed what was
// believed, moved by as far as its log odds lie from the mean.
func (m *Mixture) judge(means *[paces]float32, mean float32, changed bool, believed float32) {
	const sure = 1e-4 // no outcome is
	p := float64(min(max(believed, sure), 1-sure))
	odds := float32(math.Log(p / (1 - p)))
	for pace := range m.fits {
		m.fits[pace] = corpusKept*m.fits[pace] - float32(logLoss(odds+means[pace]-mean, changed))
	}
}

// Learnt returns the gains by which the weights are what they are now, of the corpus.
func (m *Mixture) Learnt() (g Gains) {
	if m.corpus[paceShort] == m.corpus[paceLong] {
		return m.corpus[paceShort]
	}
	for k, x := range m.Weights(sitegraph.ServerID(len(m.Servers))) { // of a server without visits
		g[k] = float32(math.Log(float64(max(x, 1e-15) / m.First[k])))
	}
	return g
}

// Recall takes in what was learnt by another mixture. Which pace suits is to be learnt anew.
func (m *Mixture) Recall(g Gains) {
	m.moves++
	for pace := range m.corpus {
		m.corpus[pace] = g
	}
}

// logLoss of an outcome, in nats.
func logLoss(odds float32, changed bool) float64 {
	x := float64(odds)
	if changed {
		x = -x
	}
	return math.Log1p(math.Exp(min(x, 50)))
}
