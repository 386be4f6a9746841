package eval

import (
	"math"
	"math/rand/v2"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Calibration is how well a policy's probabilities of change agree with what came: of the pages to
// which it gave 30 %, did 30 % change? Probabilities fall into 20 bins of the same width.
type Calibration struct {
	Count       int    `json:"count"`       // probabilities with an outcome
	Probability Number `json:"probability"` // mean
	Changed     Number `json:"changed"`     // share that had changed
	// ECE is the expected calibration error: the mean over the bins, weighted by their counts, of
	// |mean probability - share changed| (Naeini, Cooper, Hauskrecht 2015). 0 is best; a
	// policy that gives each page the overall share reaches 0 too, so read it beside Brier.
	ECE Number `json:"ece"`
	// Brier is the mean of (probability - outcome)^2, the outcome 1 for changed and else 0 (Brier
	// 1950). 0 is best, 1/4 what one half for all pages gets.
	Brier Number `json:"brier"`
	// LogLoss is the mean of -log of the probability given to what came, in nats, none below
	// one in a million: one wrong certainty must not make all of it infinite.
	LogLoss Number `json:"log_loss"`
	Bins    []Bin  `json:"bins"` // those with a count, rising
}

// Bin is the pages that got about the same probability.
type Bin struct {
	Low         Number `json:"low"` // inclusive
	High        Number `json:"high"`
	Count       int    `json:"count"`
	Probability Number `json:"probability"` // mean
	Changed     Number `json:"changed"`     // share that had changed
}

const (
	calibrationBins = 20
	// leastProbability bounds the loss of an outcome thought impossible: 13.8 nats.
	leastProbability = 1e-6
	// pagesAWeek are drawn at each week's end to be asked about: over 40 weeks 80,000, with a
	// standard error of a share of at most 0.2 % over all and 1 % in a bin with a tenth of them.
	pagesAWeek = 2000
)

// reliability gathers probabilities and outcomes: constant memory.
type reliability struct {
	bins       [calibrationBins]struct{ count, changed, sum float64 }
	brier, log float64
}

// add books a probability in [0, 1] and what came of it; NaN is none.
func (r *reliability) add(probability float64, changed bool) {
	if math.IsNaN(probability) {
		return
	}
	b := &r.bins[min(max(int(probability*calibrationBins), 0), calibrationBins-1)]
	b.count++
	b.sum += probability
	came, outcome := 1-probability, 0.0
	if changed {
		b.changed++
		came, outcome = probability, 1
	}
	r.brier += (probability - outcome) * (probability - outcome)
	r.log -= math.Log(max(came, leastProbability))
}

// merge adds what another one gathered.
func (r *reliability) merge(other *reliability) {
	for i := range r.bins {
		b, o := &r.bins[i], &other.bins[i]
		b.count, b.changed, b.sum = b.count+o.count, b.changed+o.changed, b.sum+o.sum
	}
	r.brier, r.log = r.brier+other.brier, r.log+other.log
}

// calibration sums up; nil if there was no probability.
func (r *reliability) calibration() *Calibration {
	var count, sum, changed, off float64
	c := &Calibration{}
	for i, b := range r.bins {
		if b.count == 0 {
			continue
		}
		count, sum, changed, off = count+b.count, sum+b.sum, changed+b.changed,
			off+math.Abs(b.sum-b.changed)
		c.Bins = append(
			c.Bins,
			Bin{Low: Number(i) / calibrationBins, High: Number(i+1) / calibrationBins,
				Count:       int(b.count),
				Probability: ratio(b.sum, b.count), Changed: ratio(b.changed, b.count)},
		)
	}
	if count == 0 {
		return nil
	}
	c.Count = int(count)
	c.Probability, c.Changed, c.ECE = ratio(sum, count), ratio(changed, count), ratio(off, count)
	c.Brier, c.LogLoss = ratio(r.brier, count), ratio(r.log, count)
	return c
}

// ask asks a policy for the probability of pages drawn at random, visited or not. A policy visits
// the pages of which it expects most, and they say little about the others. Drawn are pages that
// the planner takes for alive with a copy, with replacement.
func (m *meter) ask(e planner.Estimator, pages *planner.Pages, now planner.Round,
	rng *rand.Rand) {
	const tries = 10 * pagesAWeek // where few pages are alive, fewer are asked about
	for asked, tried := 0, 0; asked < pagesAWeek && tried < tries; tried++ {
		p := sitegraph.PageID(rng.IntN(pages.Count()))
		if i := m.of(p); i < 0 || !m.pages[i].has ||
			pages.Memory(p).State != sitegraph.StateAlive {
			continue
		}
		asked++
		m.unvisited.add(e.Probability(p, now.End), m.stale(p))
	}
}
