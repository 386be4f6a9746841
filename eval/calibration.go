package eval

import (
	"math"
	"math/rand/v2"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Calibration compares a policy's probabilities of change with the outcomes: of the pages with 30
// %, did 30 % change? Probabilities are in 20 bins of equal width.
type Calibration struct {
	Count       int    `json:"count"`       // probabilities with an outcome
	Probability Number `json:"probability"` // mean
	Changed     Number `json:"changed"`     // share that had changed
	// ECE is the expected calibration error: the mean over the bins, weighted by their counts, of
	// |mean probability - share changed| (Naeini, Cooper, Hauskrecht 2015). 0 is best. A policy
	// that gives each page the overall share also reaches 0, so compare it with Brier.
	ECE Number `json:"ece"`
	// Brier is the mean of (probability - outcome)^2; the outcome is 1 for changed and else 0
	// (Brier 1950). 0 is best. A probability of one half for all pages gets 1/4.
	Brier Number `json:"brier"`
	// LogLoss is the mean of -log of the probability of the outcome, in nats. Probabilities below
	// one in a million are raised to that, so that one wrong certainty does not make the mean
	// infinite.
	LogLoss Number `json:"log_loss"`
	Bins    []Bin  `json:"bins"` // bins with a count, ascending
}

// Bin has the pages with about the same probability.
type Bin struct {
	Low         Number `json:"low"` // inclusive
	High        Number `json:"high"`
	Count       int    `json:"count"`
	Probability Number `json:"probability"` // mean
	Changed     Number `json:"changed"`     // share that had changed
}

const (
	calibrationBins = 20
	// leastProbability limits the loss of an outcome thought impossible to 13.8 nats.
	leastProbability = 1e-6
	// pagesAWeek is the number of pages to ask about at each week's end. Over 40 weeks these are
	// 80,000, and a share has a standard error of at most 0.2 % over all and 1 % in a bin with a
	// tenth of them.
	pagesAWeek = 2000
)

// reliability collects probabilities and outcomes in constant memory.
type reliability struct {
	bins       [calibrationBins]struct{ count, changed, sum float64 }
	brier, log float64
}

// add adds a probability in [0, 1] and its outcome. It ignores NaN.
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

// merge adds the content of another one.
func (r *reliability) merge(other *reliability) {
	for i := range r.bins {
		b, o := &r.bins[i], &other.bins[i]
		b.count, b.changed, b.sum = b.count+o.count, b.changed+o.changed, b.sum+o.sum
	}
	r.brier, r.log = r.brier+other.brier, r.log+other.log
}

// calibration returns the summary, or nil without a probability.
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

// ask asks a policy for the probabilities of random pages, visited or not: a policy visits the
// pages with the highest ones, which are not typical. Pages are drawn with replacement among those
// with a copy that the planner believes alive.
func (m *meter) ask(e planner.Estimator, pages *planner.Pages, now planner.Round,
	rng *rand.Rand) {
	const tries = 10 * pagesAWeek // with few living pages fewer are asked about
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
