package budget

// Eta is how far a round moves a price: a memory of about three rounds, so that a weekend or a
// rebuilt server does not swing the due times of all others.
const Eta = 0.3

// Price tracks the worth of the last fetch that fits into a budget: the Lagrange multiplier of the
// budget, learnt by feedback. A budget that is not used up has the price 0.
type Price struct {
	smooth float64
	tail   float64 // mean worth of the last visits of the round
	taken  int     // visits with a known worth
	over   int     // number of visits in tail, approximately
	rounds int     // 0: none was begun; 1: none taught anything; 2: some did
}

// Begin ends a round and starts the next.
func (c *Price) Begin(bound bool, budget int) {
	if c.rounds == 0 { // no round has ended
		bound, c.taken, c.rounds = true, 0, 1
	}
	target := 0.0
	if bound {
		target = c.tail
	}
	switch {
	case bound && c.taken == 0: // no visit of known worth fitted: nothing was learnt
	case c.rounds == 1:
		c.smooth = target
		c.rounds++
	default:
		c.smooth += Eta * (target - c.smooth)
	}
	c.tail, c.taken, c.over = 0, 0, 64
	if budget != Unlimited {
		c.over = max(budget/16, 1)
	}
}

// See adds the worth of a chosen visit.
func (c *Price) See(worth float64) {
	if !(worth >= 0) { // NaN: new pages and policies without values
		return
	}
	c.taken++
	c.tail += (worth - c.tail) / float64(min(c.taken, c.over))
}

// Smooth returns the price, smoothed over rounds; 0 before a round has ended.
func (c *Price) Smooth() float64 { return c.smooth }

// Tail returns the mean worth of the last visits of this round; false: none of known worth was
// chosen.
func (c *Price) Tail() (worth float64, ok bool) { return c.tail, c.taken > 0 }
