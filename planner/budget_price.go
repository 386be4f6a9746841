package planner

import (
	"github.com/recrawl/recrawl/sitegraph"
)

// eta is how far a round moves a price: about three rounds of memory, so that a weekend or a
// rebuilt server does not swing the due times of all others.
const eta = 0.3

// price follows what the last fetch that fits into a budget is worth: the Lagrange
// multiplier of the budget, learnt by feedback. A budget that is not used up has the price 0.
type price struct {
	smooth float64
	tail   float64 // mean worth of the last visits of the round
	taken  int     // of those that are worth something
	over   int     // about so many visits tail goes back
	rounds int     // 0: none was begun; 1: none taught anything; 2: some did
}

// begin ends a round and starts the next.
func (c *price) begin(bound bool, budget int) {
	if c.rounds == 0 { // none has ended
		bound, c.taken, c.rounds = true, 0, 1
	}
	target := 0.0
	if bound {
		target = c.tail
	}
	switch {
	case bound && c.taken == 0: // no visit whose worth is known fitted in: nothing was learnt
	case c.rounds == 1:
		c.smooth = target
		c.rounds++
	default:
		c.smooth += eta * (target - c.smooth)
	}
	c.tail, c.taken, c.over = 0, 0, 64
	if budget != Unlimited {
		c.over = max(budget/16, 1)
	}
}

// see is told the worth of a visit that was chosen.
func (c *price) see(worth float64) {
	if !(worth >= 0) { // NaN: new pages and policies without values
		return
	}
	c.taken++
	c.tail += (worth - c.tail) / float64(min(c.taken, c.over))
}

// Price is what the last fetch that fits into the budget of all servers is worth, smoothed over
// rounds; 0 while the budget is not used up, and before a round has ended.
func (c *Corpus) Price() float64 { return c.price.smooth }

// ServerPrice is what a fetch of a server must be worth beyond Price, because the server's own
// limits are used up too; 0 where they are not.
func (c *Corpus) ServerPrice(s sitegraph.ServerID) float64 {
	if c.caps == nil || int(s) >= len(c.caps.servers) || c.caps.servers[s] == nil {
		return 0
	}
	return max(c.caps.servers[s].margin-c.price.smooth, 0)
}

// Price is what one more fetch would be worth: of this round as far as it is planned if
// its budget is used up, else as the corpus has it.
func (p *Planner) Price() float64 {
	if p.bound() && p.Corpus.price.taken > 0 {
		return p.Corpus.price.tail
	}
	return p.Corpus.price.smooth
}

// bound reports whether the budget of this round is used up.
func (p *Planner) bound() bool {
	return p.left == 0 || p.caps != nil && (p.caps.spent || p.caps.pending != nil)
}
