package planner

import (
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
)

// Price is what the last fetch that fits into the budget of all servers is worth, smoothed over
// rounds; 0 while the budget is not used up, and before a round has ended.
func (c *Corpus) Price() float64 { return c.price.Smooth() }

// ServerPrice is what a fetch of a server must be worth beyond Price, because the server's own
// limits are used up too; 0 where they are not.
func (c *Corpus) ServerPrice(s sitegraph.ServerID) float64 {
	if c.caps == nil || int(s) >= len(c.caps.servers) || c.caps.servers[s] == nil {
		return 0
	}
	return max(c.caps.servers[s].margin-c.price.Smooth(), 0)
}

// Price is what one more fetch would be worth: of this round as far as it is planned if
// its budget is used up, else as the corpus has it.
func (p *Planner) Price() float64 {
	if tail, ok := p.Corpus.price.Tail(); ok && p.bound() {
		return tail
	}
	return p.Corpus.price.Smooth()
}

// bound reports whether the budget of this round is used up.
func (p *Planner) bound() bool {
	return p.left == 0 || p.caps != nil && (p.caps.spent || p.caps.pending != nil)
}

// MeanBytes is about what a visit to a page takes: the mean size of the copies, and what comes
// around them.
func (c *Corpus) MeanBytes() float64 {
	sum, n := 0.0, 0
	for i := range c.pages {
		if class := c.pages[i].size; class > 0 {
			sum += float64(budget.SizeOf(class))
			n++
		}
	}
	if n == 0 {
		return budget.FirstSize / 3 // of a size that most pages do not reach
	}
	return sum/float64(n) + budget.AroundPage
}
