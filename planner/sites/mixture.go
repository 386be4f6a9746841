package sites

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// mixture combines the predictions of several experts. It weighs each by how well it predicted the
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
// How fast to learn differs by web, too. Where pages change one by one at rates that stay, one
// expert is right for good, and weights that are pulled back soon never come to it. Where servers
// are rebuilt, what was right last month misleads. So the corpus has weights of two paces, and both
// count, each by the likelihood of what came lately (experts that learn at several rates, combined
// by how they predict: van Erven and Koolen 2016).
//
// What is compared with an outcome is the probability by which the page was chosen, with all
// corrections: of pages chosen as the likeliest, those that were overrated are more than others,
// and the calibrator allows for that.
type mixture struct {
	corpus  [paces]gains
	fits    [paces]float32 // logarithms of the likelihood of late outcomes by each
	servers []gains        // by server, beside those of the corpus
	asked   map[sitegraph.PageID]opinions
	moves   int         // counts how often gains changed
	last    lastWeights `state:"-"`
}

// cached returns the weights of a server. They are good until the next call.
func (m *mixture) cached(s sitegraph.ServerID) *weights { return m.last.of(m, s) }

// The experts of a mixture.
const (
	expertRates  = iota // its own past
	expertHalf          // the same, trusted half
	expertPooled        // by the mean rate of its site
	expertAll           // by the clock of all pages
	expertServer        // of its server
	expertSite          // of its site
	expertAge           // of pages born here, by their age
	expertState         // by the gap between visits
	experts
)

// expertNames are for people.
var expertNames = [experts]string{
	expertRates:  "its own past",
	expertHalf:   "its own past, trusted half",
	expertPooled: "the rate of its site and its own",
	expertAll:    "the clock of all pages",
	expertServer: "the clock of its server",
	expertSite:   "the clock of its site",
	expertAge:    "its age since it was born",
	expertState:  "states that return",
}

type (
	opinions [experts]float32 // log odds of a page, by expert
	gains    [experts]float32 // logarithms of weights, beside the first ones
	weights  [experts]float32 // which add up to 1
)

// firstWeights are believed before any outcome.
var firstWeights = weights{
	expertRates:  0.15,
	expertHalf:   0.15,
	expertPooled: 0.1,
	expertAll:    0.1,
	expertServer: 0.15,
	expertSite:   0.2,
	expertAge:    0.1,
	expertState:  0.15,
}

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

// weights of the experts for pages of a server.
func (m *mixture) weights(s sitegraph.ServerID) (w weights) {
	for pace, share := range m.shares() {
		for k, x := range m.weightsAt(pace, s) {
			w[k] += share * x
		}
	}
	return w
}

// shares are what the weights of each pace count for.
func (m *mixture) shares() (shares [paces]float32) {
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
func (m *mixture) weightsAt(pace int, s sitegraph.ServerID) (w weights) {
	sum := float32(0)
	for k := range w {
		gain := m.corpus[pace][k]
		if int(s) < len(m.servers) {
			gain += m.servers[s][k]
		}
		gain = min(max(gain, -mostGain), mostGain)
		w[k] = firstWeights[k] * float32(math.Exp(float64(gain)))
		sum += w[k]
	}
	for k := range w {
		w[k] /= sum
	}
	return w
}

// lastWeights are the weights of the server that was asked for last, as long as they are the same.
type lastWeights struct {
	weights
	server sitegraph.ServerID
	moves  int // of the mixture then, and one; 0: none was asked for
}

func (l *lastWeights) of(m *mixture, s sitegraph.ServerID) *weights {
	if l.moves != m.moves+1 || l.server != s {
		l.weights, l.server, l.moves = m.weights(s), s, m.moves+1
	}
	return &l.weights
}

// logOdds is the mean of opinions.
func (w *weights) logOdds(o *opinions) (mean float32) {
	for k := range w {
		mean += w[k] * o[k]
	}
	return mean
}

// ask notes what the experts say of a page that is about to be visited.
func (m *mixture) ask(p sitegraph.PageID, o opinions) {
	if m.asked == nil {
		m.asked = map[sitegraph.PageID]opinions{}
	}
	m.asked[p] = o
}

// see learns from the outcome of a visit to a page of a server, which was believed to find a change
// with some probability. It learns nothing where the experts were not asked.
func (m *mixture) see(p sitegraph.PageID, s sitegraph.ServerID, changed bool, believed float32) {
	o, ok := m.asked[p]
	if !ok {
		return
	}
	delete(m.asked, p)
	m.moves++
	for len(m.servers) <= int(s) {
		m.servers = append(m.servers, gains{})
	}
	missed := -believed
	if changed {
		missed++
	}
	var means [paces]float32
	mean := float32(0) // as the weights of both say
	for pace, share := range m.shares() {
		w := m.weightsAt(pace, s)
		means[pace] = w.logOdds(&o)
		mean += share * means[pace]
	}
	m.judge(&means, mean, changed, believed)
	for k := range o {
		away := missed * min(max(o[k]-mean, -farthest), farthest)
		for pace, of := range paceOf {
			m.corpus[pace][k] = of.kept*m.corpus[pace][k] + of.step*away
		}
		m.servers[s][k] = serverKept*m.servers[s][k] + paceOf[paceShort].step*away
	}
}

// judge learns which pace predicted an outcome better. Each is taken to have believed what was
// believed, moved by as far as its log odds lie from the mean.
func (m *mixture) judge(means *[paces]float32, mean float32, changed bool, believed float32) {
	const sure = 1e-4 // no outcome is
	p := float64(min(max(believed, sure), 1-sure))
	odds := float32(math.Log(p / (1 - p)))
	for pace := range m.fits {
		m.fits[pace] = corpusKept*m.fits[pace] - float32(logLoss(odds+means[pace]-mean, changed))
	}
}

// learnt are the gains by which the weights are what they are now, of the corpus.
func (m *mixture) learnt() (g gains) {
	if m.corpus[paceShort] == m.corpus[paceLong] {
		return m.corpus[paceShort]
	}
	for k, x := range m.weights(sitegraph.ServerID(len(m.servers))) { // of a server without visits
		g[k] = float32(math.Log(float64(max(x, 1e-15) / firstWeights[k])))
	}
	return g
}

// recall takes in what was learnt by another mixture. Which pace suits is to be learnt anew.
func (m *mixture) recall(g gains) {
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

// plain is the mean of what the page's own past says.
func (o *opinions) plain() float32 {
	return (o[expertPooled] + o[expertRates] + o[expertHalf]) / 3
}
