package sites

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph"
)

// rateBelief predicts a page by its own past alone. It knows how change rates are distributed over
// the pages of this web, and takes the past of the page as it is: a visit that finds a change says
// that there was one or more since the visit before.
//
// The distribution is one over a grid of rates, without a shape given in advance, and is learnt
// from the pages themselves (nonparametric empirical Bayes: Laird 1978). So on a web where a few
// pages change daily and all others never, a page that changed at two visits is one of the few.
//
// There are two beliefs, which differ in how far a page's past is trusted. One takes it whole. The
// other takes the root of its likelihood, as if half of it had been seen (power prior: Ibrahim and
// Chen 2000): rates drift, and changes come in bursts.
type rateBelief struct {
	// fastest is the rate of a change a round: of a page that changes more often a visit finds one
	// change all the same.
	fastest  int
	tops     bool                // it is of tops; otherwise of all other pages
	believed [trusts]rateWeights // of all pages
	long     [trusts]rateWeights // the same, with all that is beyond longRates at the last of them
	quiet    [trusts]quietTable
	fast     quietTable          // of the pages by their rates: see logOdds
	sample   []sitegraph.PageID  // from which the distributions are learnt, ascending
	past     []sitegraph.History // of them
	of       int                 // pages there were when the sample was drawn
	told     rateWeights         // of the pages, as far as their past tells them apart: see learn
}

const (
	trustWhole = iota
	trustHalf
	trusts
)

// rateCount rates are in the grid: from slowestRate a day, a change in 22 years, to 2,048 a day, a
// change in 42 seconds, each twice the one before. As neighbours differ by a power of two, one
// table serves all of them. The first longRates go to 64 a day.
const (
	rateCount   = 25
	longRates   = 20
	slowestRate = 1.0 / (1 << 13)
)

// daily is the rate of a change a day.
const daily = 13

type rateWeights [rateCount]float32

const (
	// sampledPages are what distributions are learnt from. It takes 2 ms a round.
	sampledPages = 1 << 14
	// priorPages is how many pages the distribution of firstRates counts for.
	priorPages = 20
	// anyRate is the share of pages that may have any rate of the grid, before anything was seen.
	anyRate = 0.05
	// firstRounds of learning are made at once when a policy begins on pages with a past.
	firstRounds = 10
)

// firstRates are believed before anything was seen: estimator.DefaultPrior, with one page in twenty
// of any rate. A gamma distribution alone takes a page that changes daily for impossible, and a
// hundred changes would not persuade it.
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

func newRateBelief(tops bool) *rateBelief {
	b := &rateBelief{tops: tops, fastest: daily}
	for trust := range b.believed {
		b.believed[trust] = firstRates
	}
	b.fill()
	return b
}

// fill makes the tables of what is believed.
func (b *rateBelief) fill() {
	for trust := range b.quiet {
		b.quiet[trust].fill(&b.believed[trust])
		b.long[trust] = b.believed[trust]
		for i := longRates; i < rateCount; i++ {
			b.long[trust][longRates-1] += b.long[trust][i]
			b.long[trust][i] = 0
		}
	}
	fast, sum := b.believed[trustWhole], float32(0)
	for i := range fast {
		fast[i] = float32(math.Ldexp(float64(fast[i]), min(i, b.fastest)))
		sum += fast[i]
	}
	for i := range fast {
		fast[i] /= sum
	}
	b.fast.fill(&fast)
}

// learn makes a round of expectation and maximisation: the distribution of all pages is the mean of
// the posteriors of a sample of them, with firstRates beside them.
//
// It learns, too, how far the past tells pages apart: told is the distribution of the rates at
// which each page is expected to change within so many days. As long as nothing was seen of them
// all pages have the same.
func (b *rateBelief) learn(g *groups, days float64) {
	b.draw(g)
	var sums [trusts]rateSums
	var stay rateWeights // the probability of no change
	for i := range stay {
		stay[i] = float32(math.Exp(-math.Ldexp(slowestRate, i) * days))
	}
	told := rateSums{}
	seen, unseen := float32(0), float32(0)
	for i := range b.past {
		h := &b.past[i]
		if h.Visits < 2 {
			unseen++
			continue
		}
		posteriors := b.posteriors(h)
		told.add(rateBy(&posteriors[trustWhole], &stay, days), 1)
		for trust := range sums {
			for i, w := range &posteriors[trust] {
				sums[trust][i] += float64(w)
			}
		}
		seen++
	}
	told.add(rateBy(&b.believed[trustWhole], &stay, days), max(unseen, 1))
	for i, sum := range told {
		b.told[i] = float32(sum) / (seen + max(unseen, 1))
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

// rateBy is the rate by which a page that may have several is expected to change within so many
// days, where stay is how likely it is not to by each.
func rateBy(posterior, stay *rateWeights, days float64) float64 {
	sum := float32(0)
	for i, w := range posterior {
		sum += w * stay[i]
	}
	return -math.Log(float64(min(max(sum, 1e-30), 1))) / days
}

// rateSums add up weights of rates, in any order to the same: sums of some thousand float32 are as
// good as exact.
type rateSums [rateCount]float64

// add gives weight to a rate, which lies between two of the grid.
func (w *rateSums) add(rate float64, weight float32) {
	octave := min(max(math.Log2(rate/slowestRate), 0), rateCount-1)
	i := min(int(octave), rateCount-2)
	part := float32(octave) - float32(i)
	w[i] += float64((1 - part) * weight)
	w[i+1] += float64(part * weight)
}

// draw takes a sample of the pages: those with the smallest ties, which are as good as random. It
// draws again where there are half as many pages more, or any more while all fit into the sample.
func (b *rateBelief) draw(g *groups) {
	n := len(g.pages)
	if n <= b.of+b.of/2 && (n > sampledPages || n == b.of) {
		return
	}
	b.of, b.sample, b.past = n, b.sample[:0], b.past[:0]
	g.ties.UpTo(g.corpus)
	for p := range sitegraph.PageID(n) {
		if (g.pages[p].traits&isTop != 0) != b.tops {
			continue
		}
		if n <= sampledPages || float64(g.ties.Of(p))*float64(n) < sampledPages {
			b.sample = append(b.sample, p)
			b.past = append(b.past, g.corpus.Memory(p).History)
		}
	}
}

// visited notes the past of a page after a visit. Pages of the sample are known by their ties.
func (b *rateBelief) visited(p sitegraph.PageID, tie float32, h *sitegraph.History) {
	if b.of > sampledPages && float64(tie)*float64(b.of) >= sampledPages {
		return
	}
	if i, ok := slices.BinarySearch(b.sample, p); ok {
		b.past[i] = *h
	}
}

// posteriors are the distributions of a page's rate by its past.
func (b *rateBelief) posteriors(h *sitegraph.History) (posteriors [trusts]rateWeights) {
	likelihood := rootLikelihoods(h, rateCount)
	for trust := range posteriors {
		sum := float32(0)
		for i, l := range &likelihood {
			w := l * b.believed[trust][i]
			if trust == trustWhole {
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

// rootLikelihoods are the roots of the likelihoods of a page's past by each rate, times a constant:
// of m visits that found a change and lay so many days apart in the mean, and of days without one,
//
//	L(rate) = (1 - exp(-rate * days))^m * exp(-rate * quiet)
//
// They are those of the first n rates.
func rootLikelihoods(h *sitegraph.History, n int) (root rateWeights) {
	changes, quiet := float32(h.Changes), inDays(h.Stable)
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
		root[i] = exp32((l - most) / 2)
	}
	return root
}

// apart is how many days before a visit that found a change the one before it was, in the mean.
func apart(h *sitegraph.History) float32 {
	return (inDays(h.Last-h.Epoch) - inDays(h.Stable)) / float32(h.Changes)
}

// ratesOf are the rates to be told apart of a page with changes, at an age, and how many there are.
// In a quarter of a day any rate beyond longRates is as sure to bring a change as the last of them.
func (b *rateBelief) ratesOf(h *sitegraph.History, age float32) (
	believed *[trusts]rateWeights, n int) {
	const quarter = secondsPerDay / 4
	if age >= 0.25 && apart(h) >= 0.25 && (h.Stable == 0 || h.Stable >= quarter) {
		return &b.long, longRates
	}
	return &b.believed, rateCount
}

// logOdds of a change within age after the last visit, by each belief; and promise: how many times
// as large the odds of the change are where each rate counts by itself, too, those beyond longRates
// as the last of them. Those are the odds of a page whose rate is drawn by what its changes are
// worth in the long run. They are far above the other ones where little is known of the page and it
// may be one of the fast ones, and the same where its rate is known.
func (b *rateBelief) logOdds(h *sitegraph.History, age float32) (
	odds [trusts]float32, promise float32) {
	if h.Changes == 0 { // as most pages: some looks into tables
		quiet := inDays(h.Stable)
		from, to := placeOf(quiet), placeOf(quiet+age)
		whole := b.quiet[trustWhole].between(from, to)
		half := b.quiet[trustHalf].between(placeOf(quiet/2), placeOf(quiet/2+age))
		odds[trustWhole], odds[trustHalf] = logOddsExpected(whole), logOddsExpected(half)
		fast := logOddsExpected(b.fast.between(from, to))
		return odds, max(exp32(fast-odds[trustWhole]), 1)
	}
	believed, n := b.ratesOf(h, age)
	likelihood := rootLikelihoods(h, n)
	cell, part := tableCell(slowestRate * age)
	var changed, same [trusts]float32
	var fastChanged, fastSame float32
	rate := float32(1)
	for i, l := range likelihood[:n] {
		stays := sameTable.at(cell+i*cellsPerOctave, part)
		half := l * believed[trustHalf][i]
		whole := l * l * believed[trustWhole][i]
		same[trustHalf] += half * stays
		changed[trustHalf] += half * (1 - stays)
		same[trustWhole] += whole * stays
		changed[trustWhole] += whole * (1 - stays)
		fastSame += rate * whole * stays
		fastChanged += rate * whole * (1 - stays)
		rate = min(2*rate, float32(int(1)<<b.fastest))
	}
	ratio := func(changed, same float32) float32 {
		return min(max(changed/same, leastOdds), mostOdds)
	}
	for trust := range odds {
		odds[trust] = log32(ratio(changed[trust], same[trust]))
	}
	fast, whole := ratio(fastChanged, fastSame), ratio(changed[trustWhole], same[trustWhole])
	return odds, max(fast/whole, 1)
}

// Tables over positive numbers have cellsPerOctave cells between powers of two and interpolate
// within a cell. Their error is below 0.002 of what they hold.
const (
	cellsPerOctave = 8
	firstOctave    = -30
	lastOctave     = 30
	tableSize      = (lastOctave-firstOctave)*cellsPerOctave + 1
	cellBits       = 23 - 3 // of a float32's 23 that lie within a cell
)

type table [tableSize]float32

func (t *table) at(cell int, part float32) float32 {
	cell = min(cell, tableSize-2)
	return t[cell] + part*(t[cell+1]-t[cell])
}

// tableCell is the cell of a number, and how far into it the number lies.
func tableCell(x float32) (cell int, part float32) {
	if !(x > 1.0/(1<<-firstOctave)) {
		x = 1.0 / (1 << -firstOctave)
	}
	bits := math.Float32bits(x)
	cell = int(bits>>cellBits) - (127+firstOctave)*cellsPerOctave
	return min(cell, tableSize-2), float32(bits&(1<<cellBits-1)) / (1 << cellBits)
}

func newTable(f func(x float64) float64) *table {
	t := new(table)
	for i := range t {
		t[i] = float32(f(cellStart(i)))
	}
	return t
}

// cellStart is the number at which a cell begins.
func cellStart(cell int) float64 {
	return math.Ldexp(1+float64(cell%cellsPerOctave)/cellsPerOctave,
		firstOctave+cell/cellsPerOctave)
}

// log32 is the logarithm of a number from 2^-30 to 2^30, within 0.002.
func log32(x float32) float32 { return logTable.at(tableCell(x)) }

var (
	logTable        = newTable(math.Log)
	logChangedTable = newTable(func(x float64) float64 { return math.Log(-math.Expm1(-x)) })
	sameTable       = newTable(func(x float64) float64 { return math.Exp(-x) })
)

// quietTable holds, by days, the changes expected of pages that nothing else is known of:
// -log of the sum of weight * exp(-rate * days).
type quietTable table

func (t *quietTable) fill(w *rateWeights) {
	for cell := range t {
		sum, changed := 0.0, 0.0
		for i, weight := range w {
			by := &poisson[cell+i*cellsPerOctave]
			sum += float64(weight) * by.same
			changed -= float64(weight) * by.changed
		}
		if changed < 0.5 { // exact where next to nothing is expected
			t[cell] = float32(-math.Log1p(-changed))
		} else {
			t[cell] = float32(-math.Log(max(sum, 1e-30)))
		}
	}
}

// poisson holds exp(-x) and exp(-x) - 1 of what the slowest rate makes of the days of each cell,
// and beyond them of what faster rates make of the last ones.
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

// between is what is expected from one moment to another.
func (t *quietTable) between(from, to tablePlace) float32 {
	return (*table)(t).at(to.cell, to.part) - (*table)(t).at(from.cell, from.part)
}

// tablePlace is where a number lies in tables.
type tablePlace struct {
	cell int
	part float32
}

func placeOf(x float32) tablePlace {
	cell, part := tableCell(x)
	return tablePlace{cell, part}
}

// exp32 is exp(x) for x below 80, within 0.3 %: 2^x by the exponent of a float32, and a parabola in
// between.
func exp32(x float32) float32 {
	x = max(x*math.Log2E, -126)
	whole := int32(x)
	if float32(whole) > x {
		whole--
	}
	part := x - float32(whole)
	return math.Float32frombits(uint32(whole+127)<<23) * (1 + part*(0.6565+0.3435*part))
}

// logOddsExpected are those of p = 1 - exp(-changes), of leastExpected to mostExpected changes.
func logOddsExpected(changes float32) float32 {
	if !(changes > leastExpected) {
		changes = leastExpected
	} else if changes > mostExpected {
		changes = mostExpected
	}
	return logOddsTable.at(tableCell(changes))
}

var logOddsTable = newTable(func(x float64) float64 { return math.Log(math.Expm1(x)) })

const leastExpected, mostExpected = 1e-4, 6

// The odds of these.
var leastOdds, mostOdds = float32(math.Expm1(leastExpected)), float32(math.Expm1(mostExpected))
