package value

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// mixture combines the predictions of several experts: the model that was learnt from histories,
// and plain estimators of a page's rate. It weighs each by how well it predicted the visits made
// here. So a web that is unlike those which the model was learnt from is soon judged by what holds
// there.
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
// What is compared with an outcome is the probability by which the page was chosen, with all
// corrections: of pages chosen as the likeliest, those that were overrated are more than others,
// and the calibrator allows for that.
type mixture struct {
	corpus  gains
	servers []gains // by server, beside those of the corpus
	asked   map[sitegraph.PageID]opinions
	moves   int // counts how often gains changed
}

// The experts of a mixture.
const (
	expertModel     = iota // what was learnt from histories
	expertPooled           // fPooled
	expertRates            // fRates
	expertHalfRates        // fHalfRates
	expertInPlace          // what was learnt from the visits made here; see inPlace
	experts
)

// expertNames are for people.
var expertNames = [experts]string{
	expertModel:     "learnt from histories",
	expertPooled:    "rate of its directory and its own",
	expertRates:     "its own past",
	expertHalfRates: "its own past, trusted half",
	expertInPlace:   "learnt from visits made here",
}

type (
	opinions [experts]float32 // log odds of a page, by expert
	gains    [experts]float32 // logarithms of weights, beside the first ones
	weights  [experts]float32 // which add up to 1
)

// firstWeights are believed before any outcome. The weight of what is learnt in place counts once
// there is a forest; before that, the others share it in proportion.
var firstWeights = weights{
	expertModel:     0.24,
	expertPooled:    0.06,
	expertRates:     0.15,
	expertHalfRates: 0.15,
	expertInPlace:   0.4,
}

const (
	// mixtureStep is how far an outcome moves weights. From 0.02 to 0.05 as much is found.
	mixtureStep = 0.02
	// corpusKept and serverKept are what is left of gains after each outcome: half after 1,400 of
	// the corpus, and after 70 of a server.
	corpusKept = 0.9995
	serverKept = 0.99
	// farthest bounds what one opinion counts for beside the mean, in log odds.
	farthest = 4
	// mostGain bounds gains, so that no weight is 0 or infinite.
	mostGain = 40
)

// weights of the experts for pages of a server.
func (m *mixture) weights(s sitegraph.ServerID) (w weights) {
	sum := float32(0)
	for k := range w {
		gain := m.corpus[k]
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

// others is the mean of all opinions but that of what was learnt in place.
func (w *weights) others(o *opinions) (mean float32) {
	for k := range expertInPlace {
		mean += w[k] * o[k]
	}
	return mean / w.ofOthers()
}

// ofOthers is the weight of the others together, which is above 0.
func (w *weights) ofOthers() (sum float32) {
	if w[expertInPlace] < 0.99 {
		return 1 - w[expertInPlace]
	}
	for k := range expertInPlace { // exact where 1 minus a weight is not
		sum += w[k]
	}
	return sum
}

// withoutInPlace are the weights where nothing was learnt in place.
func (w weights) withoutInPlace() weights {
	others := w.ofOthers()
	for k := range expertInPlace {
		w[k] /= others
	}
	w[expertInPlace] = 0
	return w
}

// complete adds the opinion of what was learnt in place: so much beside the model. Where there is
// none it is that of the others, so that it changes nothing, and nothing is learnt of its weight.
func (w *weights) complete(o *opinions, adds float32, learnt bool) {
	if learnt {
		o[expertInPlace] = o[expertModel] + adds
	} else {
		o[expertInPlace] = w.others(o)
	}
}

// trustInPlace forgets how what was learnt in place predicted: it is another forest now.
func (m *mixture) trustInPlace() {
	m.moves++
	m.corpus[expertInPlace] = 0
	for s := range m.servers {
		m.servers[s][expertInPlace] = 0
	}
}

// opinionsOf are those of a row, to whose Offset the model adds what was learnt; that of what was
// learnt in place is left to complete.
func opinionsOf(row *Row, learnt float32) (o opinions) {
	o[expertPooled] = logOddsExpected(row[fPooled])
	o[expertRates], o[expertHalfRates] = row[fRates], row[fHalfRates]
	o[expertModel] = plainLogOdds(&o) + learnt
	return o
}

// plainLogOdds is the mean of what the plain estimators say.
func plainLogOdds(o *opinions) float32 {
	return (o[expertPooled] + o[expertRates] + o[expertHalfRates]) / 3
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
	w := m.weights(s)
	mean := w.logOdds(&o)
	for k := range o {
		step := mixtureStep * missed * min(max(o[k]-mean, -farthest), farthest)
		m.corpus[k] = corpusKept*m.corpus[k] + step
		m.servers[s][k] = serverKept*m.servers[s][k] + step
	}
}
