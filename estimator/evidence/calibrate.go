package evidence

// curve maps probabilities to the shares that came true: a rising line from (0, 0) to (1, 1)
// through its knots. An empty curve changes nothing. As it rises, it keeps the order of pages.
type curve []knot

// knot is the share that changed of pages with one given probability.
type knot struct {
	Given float32
	Came  float32
}

// at returns the calibrated probability.
func (c curve) at(probability float32) float32 {
	a, b := knot{0, 0}, knot{1, 1}
	for _, k := range c {
		if k.Given > probability {
			b = k
			break
		}
		a = k
	}
	if probability >= 1 {
		return 1
	}
	return a.Came + (b.Came-a.Came)*(probability-a.Given)/(b.Given-a.Given)
}

// Outcomes count what came true of probabilities: of the pages visited at 60 %, did 60 % change?
// The zero value is ready.
type Outcomes struct {
	bins [outcomeBins]struct{ weight, given, came float64 }
}

const (
	outcomeBins = 20
	// believedOutcomes is the weight at which a bin counts by half.
	believedOutcomes = 20
)

// add counts a probability in [0, 1] and its outcome.
func (o *Outcomes) add(probability float32, changed bool) {
	b := &o.bins[min(max(int(probability*outcomeBins), 0), outcomeBins-1)]
	b.weight++
	b.given += float64(probability)
	if changed {
		b.came++
	}
}

// forget reduces each weight to a share.
func (o *Outcomes) forget(kept float64) {
	for i := range o.bins {
		b := &o.bins[i]
		b.weight, b.given, b.came = kept*b.weight, kept*b.given, kept*b.came
	}
}

// curve returns the best rising curve, by pooling adjacent violators (isotonic regression: Zadrozny
// and Elkan 2002). Over pooled bins it rises by almost nothing.
func (o *Outcomes) curve() curve {
	const slope = 1e-3 // within a pool
	type pool struct {
		weight, given, came float64 // sums
		first, last         float64 // given, of its first bin and its last
	}
	share := func(p pool) float64 { return p.came / p.weight }
	var pools []pool
	for i, b := range o.bins {
		middle := (float64(i) + 0.5) / outcomeBins
		next := pool{weight: b.weight + believedOutcomes, given: b.given + believedOutcomes*middle}
		next.first = next.given / next.weight
		next.last = next.first
		next.came = b.came + believedOutcomes*next.first
		for n := len(pools); n > 0 && share(pools[n-1]) > share(next)-slope; n = len(pools) {
			last := pools[n-1]
			next = pool{
				last.weight + next.weight,
				last.given + next.given,
				last.came + next.came,
				last.first,
				next.last,
			}
			pools = pools[:n-1]
		}
		pools = append(pools, next)
	}
	var c curve
	for _, p := range pools {
		came := share(p)
		if came < slope || came > 1-slope { // the ends replace it
			continue
		}
		mean := p.given / p.weight
		for i, given := range []float64{p.first, p.last} {
			if i == 0 || p.last > p.first {
				c = append(c, knot{float32(given), float32(came + slope/2*(given-mean))})
			}
		}
	}
	return c
}

// Calibrator calibrates while a policy runs. The policy chooses the pages whose probability it
// overrates, so calibration of all pages would not fit these. The calibrator forgets slowly.
type Calibrator struct {
	Outcomes Outcomes
	curve    curve
	seen     int // since the curve was made
}

const (
	// calibratorKept is the share of the weights that is kept each time the curve is made.
	calibratorKept = 0.995
	// calibratorEvery is the number of visits between two curves, or a twentieth of a round if that
	// is more.
	calibratorEvery = 100
)

// See counts a probability before calibration and its outcome. perRound is the number of visits of
// a round.
func (c *Calibrator) See(probability float32, changed bool, perRound int) {
	c.Outcomes.add(probability, changed)
	c.seen++
	if c.seen >= max(calibratorEvery, perRound/20) {
		c.seen = 0
		c.curve = c.Outcomes.curve()
		c.Outcomes.forget(calibratorKept)
	}
}

// Recall restores the outcomes of an earlier calibrator.
func (c *Calibrator) Recall(o Outcomes) { c.Outcomes, c.curve = o, o.curve() }

// Of returns the calibrated probability.
func (c *Calibrator) Of(probability float32) float32 { return c.curve.at(probability) }
