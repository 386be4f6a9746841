package evidence

import (
	"iter"
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph"
)

// RateBelief predicts a page by its own past alone. It knows how change rates are distributed over
// the pages of this web. A visit that finds a change counts as one or more changes since the visit
// before.
//
// The distribution is over a grid of rates, without a given shape, and is learnt from the pages
// themselves (nonparametric empirical Bayes: Laird 1978). So if a few pages change daily and all
// others never, a page that changed at two visits is one of the few.
//
// There are two distributions, with different trust in a page's past. One takes it whole. The other
// takes the root of its likelihood, as if half of it had been seen (power prior: Ibrahim and Chen
// 2000), since rates drift and changes come in bursts.
type RateBelief struct {
	// fastest is the rate of one change a round. If a page changes more often, a visit still finds
	// at most one change.
	fastest  int
	believed [Trusts]rateWeights // of all pages
	long     [Trusts]rateWeights // the same, with faster rates moved to the last of longRates
	quiet    [Trusts]quietTable
	fast     quietTable          // of the pages by their rates: see logOdds
	sample   []sitegraph.PageID  // from which the distributions are learnt, ascending
	past     []sitegraph.History // of the sample
	of       int                 // number of pages when the sample was drawn
}

// Trust in the past of a page.
const (
	Whole = iota
	Half
	Trusts
)

// rateCount rates form the grid: from slowestRate a day, a change in 22 years, to 2,048 a day, a
// change in 42 seconds, each twice the one before. As neighbours differ by a power of two, one
// table serves all of them. The first longRates end at 64 a day.
const (
	rateCount   = 25
	longRates   = 20
	slowestRate = 1.0 / (1 << 13)
)

// daily is the rate of a change a day.
const daily = 13

// rateWeights are the shares of pages by their rates.
type rateWeights [rateCount]float32

const (
	// sampledPages is the size of the sample from which distributions are learnt. It takes 2 ms a
	// round.
	sampledPages = 1 << 14
	// priorPages is the weight of the distribution of firstRates, in pages.
	priorPages = 20
	// anyRate is the prior share of pages that may have any rate of the grid.
	anyRate = 0.05
)

// firstRates is the distribution before any visit: estimator.DefaultPrior, with one page in twenty
// of any rate. Under a gamma distribution alone, a page that changes daily has a probability near
// zero, and a hundred changes would not outweigh that.
var firstRates = func() (w rateWeights) {
	for i := range w {
		w[i] = anyRate / longRates
		if i >= longRates-1 { // they share the last part
			w[i] /= rateCount - longRates + 1
		}
	}
	gamma := estimator.DefaultPrior.Rates()
	for i, weight := range &gamma.Weight {
		octave := math.Round(math.Log2(estimator.GridRate(i) / slowestRate))
		w[min(max(int(octave), 0), rateCount-1)] += (1 - anyRate) * float32(weight)
	}
	return w
}()

// NewRateBelief returns the belief before any visit.
func NewRateBelief() *RateBelief {
	b := &RateBelief{fastest: daily}
	for trust := range b.believed {
		b.believed[trust] = firstRates
	}
	b.fill()
	return b
}

// fill makes the tables of the belief.
func (b *RateBelief) fill() {
	for trust := range b.quiet {
		b.quiet[trust].fill(&b.believed[trust])
		b.long[trust] = b.believed[trust]
		for i := longRates; i < rateCount; i++ {
			b.long[trust][longRates-1] += b.long[trust][i]
			b.long[trust][i] = 0
		}
	}
	fast, sum := b.believed[Whole], float32(0)
	for i := range fast {
		fast[i] = float32(math.Ldexp(float64(fast[i]), min(i, b.fastest)))
		sum += fast[i]
	}
	for i := range fast {
		fast[i] /= sum
	}
	b.fast.fill(&fast)
}

// Learn makes a step of expectation and maximisation: the distribution of all pages is the mean of
// the posteriors of a sample of them, with firstRates added. round is the length of a round in
// days.
func (b *RateBelief) Learn(round float32) {
	b.fastest = min(daily+int(math.Round(-math.Log2(float64(round)))), longRates-1)
	var sums [Trusts][rateCount]float64 // in any order the same: as good as exact
	seen := float32(0)
	for i := range b.past {
		h := &b.past[i]
		if h.Visits < 2 {
			continue
		}
		posteriors := b.posteriors(h)
		for trust := range sums {
			for i, w := range &posteriors[trust] {
				sums[trust][i] += float64(w)
			}
		}
		seen++
	}
	if seen == 0 {
		return
	}
	for trust := range sums {
		for i, sum := range &sums[trust] {
			b.believed[trust][i] = (float32(sum) + priorPages*firstRates[i]) / (seen + priorPages)
		}
	}
	b.fill()
}

// Sample chooses the pages from which the distributions are learnt: those with the smallest ties,
// which is as good as random. It chooses again if there are half as many more pages, or any more
// while all fit into the sample.
func (b *RateBelief) Sample(pages int, each iter.Seq2[sitegraph.PageID, *sitegraph.History],
	tie func(sitegraph.PageID) float32) {
	if pages <= b.of+b.of/2 && (pages > sampledPages || pages == b.of) {
		return
	}
	b.of, b.sample, b.past = pages, b.sample[:0], b.past[:0]
	for p, h := range each {
		if pages <= sampledPages || float64(tie(p))*float64(pages) < sampledPages {
			b.sample = append(b.sample, p)
			b.past = append(b.past, *h)
		}
	}
}

// Visited notes the past of a page after a visit. The ties show whether it belongs to the sample.
func (b *RateBelief) Visited(p sitegraph.PageID, tie float32, h *sitegraph.History) {
	if b.of > sampledPages && float64(tie)*float64(b.of) >= sampledPages {
		return
	}
	if i, ok := slices.BinarySearch(b.sample, p); ok {
		b.past[i] = *h
	}
}

// posteriors returns the distributions of a page's rate by its past.
func (b *RateBelief) posteriors(h *sitegraph.History) (posteriors [Trusts]rateWeights) {
	likelihood := rootLikelihoods(h, rateCount)
	for trust := range posteriors {
		sum := float32(0)
		for i, l := range &likelihood {
			w := l * b.believed[trust][i]
			if trust == Whole {
				w *= l
			}
			posteriors[trust][i] = w
			sum += w
		}
		for i := range &posteriors[trust] {
			posteriors[trust][i] /= sum
		}
	}
	return posteriors
}

// rootLikelihoods returns the roots of the likelihoods of a page's past by each of the first n
// rates, times a constant. Of m visits that found a change, on average some days apart, and of
// quiet days, the likelihood is
//
//	L(rate) = (1 - exp(-rate * days))^m * exp(-rate * quiet)
func rootLikelihoods(h *sitegraph.History, n int) (root rateWeights) {
	changes, quiet := float32(h.Changes), InDays(h.Stable)
	cell, part := 0, float32(0)
	if changes > 0 {
		cell, part = tableCell(slowestRate * apart(h))
	}
	most := float32(math.Inf(-1))
	rate := float32(slowestRate)
	for i := range root[:n] {
		l := -rate * quiet
		if changes > 0 {
			l += changes * logChangedTable.at(cell+i*cellsPerOctave, part)
		}
		root[i] = l
		most = max(most, l)
		rate *= 2
	}
	for i, l := range root[:n] {
		root[i] = Exp32((l - most) / 2)
	}
	return root
}

// apart returns the mean number of days between a visit that found a change and the one before.
func apart(h *sitegraph.History) float32 {
	return (InDays(h.Last-h.Epoch) - InDays(h.Stable)) / float32(h.Changes)
}

// ratesOf returns the weights of the rates that matter for a page with changes, at an age, and
// their number. In a quarter of a day any rate beyond longRates brings a change as surely as the
// last of them.
func (b *RateBelief) ratesOf(h *sitegraph.History, age float32) (
	believed *[Trusts]rateWeights, n int) {
	const quarter = secondsPerDay / 4
	if age >= 0.25 && apart(h) >= 0.25 && (h.Stable == 0 || h.Stable >= quarter) {
		return &b.long, longRates
	}
	return &b.believed, rateCount
}

// LogOdds returns the log odds of a change within age after the last visit, by each belief. promise
// is the factor of these odds if rates are weighted by themselves, rates beyond longRates like the
// last of them. That gives the odds of a page drawn by the worth of its changes in the long run.
// promise is large if little is known of the page and it may be a fast one, and 1 if its rate is
// known.
func (b *RateBelief) LogOdds(h *sitegraph.History, age float32) (
	odds [Trusts]float32, promise float32) {
	if h.Changes == 0 { // like most pages: a few table lookups
		quiet := InDays(h.Stable)
		from, to := placeOf(quiet), placeOf(quiet+age)
		whole := b.quiet[Whole].between(from, to)
		half := b.quiet[Half].between(placeOf(quiet/2), placeOf(quiet/2+age))
		odds[Whole], odds[Half] = LogOddsExpected(whole), LogOddsExpected(half)
		fast := LogOddsExpected(b.fast.between(from, to))
		return odds, max(Exp32(fast-odds[Whole]), 1)
	}
	believed, n := b.ratesOf(h, age)
	likelihood := rootLikelihoods(h, n)
	cell, part := tableCell(slowestRate * age)
	var changed, same [Trusts]float32
	var fastChanged, fastSame float32
	rate := float32(1)
	for i, l := range likelihood[:n] {
		stays := sameTable.at(cell+i*cellsPerOctave, part)
		half := l * believed[Half][i]
		whole := l * l * believed[Whole][i]
		same[Half] += half * stays
		changed[Half] += half * (1 - stays)
		same[Whole] += whole * stays
		changed[Whole] += whole * (1 - stays)
		fastSame += rate * whole * stays
		fastChanged += rate * whole * (1 - stays)
		rate = min(2*rate, float32(int(1)<<b.fastest))
	}
	ratio := func(changed, same float32) float32 {
		return min(max(changed/same, leastOdds), mostOdds)
	}
	for trust := range odds {
		odds[trust] = Log32(ratio(changed[trust], same[trust]))
	}
	fast, whole := ratio(fastChanged, fastSame), ratio(changed[Whole], same[Whole])
	return odds, max(fast/whole, 1)
}

// quietTable holds, by days, the expected changes of pages without other evidence: -log of the sum
// of weight * exp(-rate * days).
type quietTable table

func (t *quietTable) fill(w *rateWeights) {
	for cell := range t {
		sum, changed := 0.0, 0.0
		for i, weight := range w {
			by := &poisson[cell+i*cellsPerOctave]
			sum += float64(weight) * by.same
			changed -= float64(weight) * by.changed
		}
		if changed < 0.5 { // exact if almost nothing is expected
			t[cell] = float32(-math.Log1p(-changed))
		} else {
			t[cell] = float32(-math.Log(max(sum, 1e-30)))
		}
	}
}

// poisson holds exp(-x) and exp(-x) - 1 for x = slowestRate * the days of each cell, and after them
// for faster rates at the last cells.
var poisson = func() (all [tableSize + (rateCount-1)*cellsPerOctave]struct {
	same,
	changed float64
}) {
	for cell := range all {
		x := slowestRate * cellStart(cell)
		all[cell].same, all[cell].changed = math.Exp(-x), math.Expm1(-x)
	}
	return all
}()

// between returns the expected changes between two times.
func (t *quietTable) between(from, to tablePlace) float32 {
	return (*table)(t).at(to.cell, to.part) - (*table)(t).at(from.cell, from.part)
}

// tablePlace is the place of a number in tables.
type tablePlace struct {
	cell int
	part float32
}

func placeOf(x float32) tablePlace {
	cell, part := tableCell(x)
	return tablePlace{cell, part}
}
