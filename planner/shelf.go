package planner

import (
	"math"

	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// shelf holds the visits that a server's limits refused.
//
// Those of a policy that ranks by value wait until the round is over, for room that visits under
// way may leave. In the next round the policy ranks anew, and new pages go back in line. The pages
// of a policy without values stay, round after round, until it is their turn: such a policy would
// propose them again only after a whole cycle, and then the same first ones.
type shelf struct {
	server sitegraph.ServerID
	held   []Visit    // first in, first out
	kept   rank.Queue // pages of policies without values
	ready  bool       // listed in Caps.ready
	active bool       // listed in Caps.active
	told   bool       // the policy knows that the server is closed

	// Of this round: what was refused and not made since.
	pages   int
	value   float64
	refused bool
	best    float64 // worth of what was refused first
	margin  float64 // the same, smoothed over rounds; 0 where nothing is refused
}

// maxHeld bounds the visits of a server that wait for room within a round. What is
// refused later is worth less.
const maxHeld = 1024

func (s *shelf) waiting() bool { return len(s.held) > 0 || s.kept.Len() > 0 }

// worth is what a visit is worth to the user: by what the policy ranked it, or by the
// probability of change where it ranks by something else. NaN: not known.
func (c *Corpus) worth(v *Visit) float64 {
	if v.Value >= 0 {
		return v.Value
	}
	return v.Probability * c.Weight(v.Page)
}

// gain is what a visit is worth: the changes expected, times weight, and what the policy counts
// beside them. NaN: it tells no probability.
func (c *Corpus) gain(v *Visit) float64 { return v.Probability*c.Weight(v.Page) + v.Beside }

func orZero(x float64) float64 {
	if x >= 0 {
		return x
	}
	return 0
}

// refuse counts a visit that does not fit.
func (c *Caps) refuse(v *Visit, b *book) {
	worth := orZero(c.corpus.worth(v))
	b.pages++
	b.value += worth
	if !b.refused {
		b.refused, b.best = true, worth
	}
	if !b.active && b != c.all {
		b.active = true
		c.active = append(c.active, b)
	}
}

// putAside keeps a visit that its server's limits refuse; false if there is no place for it.
func (c *Caps) putAside(v *Visit, b *book) bool {
	c.refuse(v, b)
	switch {
	case c.unvalued(v):
		c.keep(v.Page, b)
	case len(b.held) < maxHeld:
		b.held = append(b.held, *v)
		if v.First {
			c.heldNew++
		}
	default:
		return false
	}
	return true
}

// unvalued reports whether a visit was proposed by a policy without values.
func (c *Caps) unvalued(v *Visit) bool {
	return math.IsNaN(v.Value) && c.corpus.Memory(v.Page).State == sitegraph.StateAlive
}

// keep puts a page in the line of its server, unless it is there.
func (c *Caps) keep(p sitegraph.PageID, b *book) {
	if m := c.corpus.Memory(p); !m.queued {
		m.queued = true
		b.kept.Push(p)
	}
}

// nextKept takes the page that was kept longest and can still be visited in this round.
func (c *Caps) nextKept(b *book) (Visit, bool) {
	for p, ok := b.kept.Pop(); ok; p, ok = b.kept.Pop() {
		m := c.corpus.Memory(p)
		m.queued = false
		// Refetchable but for the mark: it was proposed in this round, and refused.
		if m.State == sitegraph.StateAlive && int64(m.Tried) <= c.round.Start.Unix() &&
			(m.Errors == 0 || c.corpus.Eligible(p)) {
			why := Because("its turn came in an earlier round, when the budget of its server was used up")
			return Unranked(p, why), true
		}
	}
	return Visit{}, false
}

// instead returns the page of a policy without values that has waited longest, in place of
// the one it proposes of the same server.
func (c *Caps) instead(v Visit, b *book) Visit {
	if b == nil || b.kept.Len() == 0 || !c.unvalued(&v) || !b.HasRoom(0) {
		return v
	}
	first, ok := c.nextKept(b)
	if !ok || first.Page == v.Page {
		return v
	}
	c.keep(v.Page, b)
	return first
}

// clear ends a round: new pages that wait are handed back, the prices of servers follow.
func (c *Caps) clear(again func(sitegraph.PageID)) {
	still := c.active[:0]
	for _, b := range c.active {
		for i := range b.held {
			if b.held[i].First {
				again(b.held[i].Page)
			}
		}
		b.held = nil
		b.margin += budget.Eta * (orZero(b.best) - b.margin)
		b.pages, b.value, b.best = 0, 0, 0
		b.refused, b.told, b.ready = false, false, false
		if b.active = b.margin > 1e-9 || b.kept.Len() > 0; b.active {
			still = append(still, b)
		} else {
			b.margin = 0
		}
	}
	c.active = still
	c.heldNew = 0
	c.all.pages, c.all.value, c.all.refused = 0, 0, false
}
