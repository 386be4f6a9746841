package evidence

// curve brings probabilities to what came of them: a rising line from (0, 0) to (1, 1) through its
// knots. An empty one changes nothing. As it rises, it changes no order.
type curve []knot

// knot says that of pages given one probability a share had changed.
type knot struct {
	Given float32
	Came  float32
}

// at returns a probability, calibrated.
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

// Outcomes say of probabilities what came of them: of the pages visited at 60 %, did 60 % change?
// The zero value is ready.
type Outcomes struct {
	bins [outcomeBins]struct{ weight, given, came float64 }
}

const (
	outcomeBins = 20
	// believedOutcomes is the weight at which a bin is believed by half.
	believedOutcomes = 20
)

// add books a probability in [0, 1], and what came of it.
func (o *Outcomes) add(probability float32, changed bool) {
	b := &o.bins[min(max(int(probability*outcomeBins), 0), outcomeBins-1)]
	b.weight++
	b.given += float64(probability)
	if changed {
		b.came++
	}
}

// forget leaves a share of each weight.
func (o *Outcomes) forget(kept float64) {
	for i := range o.bins {
		b := &o.bins[i]
		b.weight, b.given, b.came = kept*b.weight, kept*b.given, kept*b.came
	}
}

// curve returns the one that fits best, by pooling adjacent violators (isotonic regression:
// Zadrozny and Elkan 2002). Over bins that were pooled it rises by next to nothing.
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
		if came < slope || came > 1-slope { // the ends take their place
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

// Calibrator calibrates while a policy runs: the pages that it chooses are those it overrates, so
// what is right for all pages is not for these. It forgets slowly.
type Calibrator struct {
	Outcomes Outcomes
	curve    curve
	seen     int // since the curve was made
}

const (
	// calibratorKept is what is left of weights each time the curve is made.
	calibratorKept = 0.995
	// calibratorEvery so many visits the curve is made, or 20 times a round.
	calibratorEvery = 100
)

// See books a probability before calibration and what came of it. So many visits are made in a
// round.
func (c *Calibrator) See(probability float32, changed bool, perRound int) {
	c.Outcomes.add(probability, changed)
	c.seen++
	if c.seen >= max(calibratorEvery, perRound/20) {
		c.seen = 0
		c.curve = c.Outcomes.curve()
		c.Outcomes.forget(calibratorKept)
	}
}

// Recall takes in outcomes of another time.
func (c *Calibrator) Recall(o Outcomes) { c.Outcomes, c.curve = o, o.curve() }

// Of returns a probability, calibrated.
func (c *Calibrator) Of(probability float32) float32 { return c.curve.at(probability) }
