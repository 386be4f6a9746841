package sites

import (
	"math/bits"

	"github.com/recrawl/recrawl/sitegraph"
)

// Some states return: a car park is full and has room again, a shop opens and closes. The
// probability that such a page differs from its copy does not grow for ever with the age of the
// copy, as that of a Poisson process does. A Markov chain of two states comes to rest at the share
// of time in each. So the share of visits that see a change is learnt by the gap since the visit
// before, for the corpus and for each server. A page has a factor of its own: how its changes
// compare with what the gaps before its visits say.

// gapClasses is the number of classes of gaps. They begin at a minute, each twice the one before.
const gapClasses = 20

// gaps counts visits by the class of the gap before them.
type gaps [gapClasses]struct{ visits, changed float32 }

// gapClass returns the class of a gap in days.
func gapClass(days float32) int {
	minutes := uint32(max(days, 0) * 24 * 60)
	return min(bits.Len32(minutes), gapClasses-1)
}

const (
	// gapPrior is how many visits the share of the corpus counts for at a server.
	gapPrior = 8
	// gapShape is how many expected changes pull the factor of a page toward 1.
	gapShape = 1
)

// gapShare returns the share of the visits to a server after such a gap that see a change.
func (g *groups) gapShare(s sitegraph.ServerID, age float32) float32 {
	k := gapClass(age)
	c := &g.gaps[k]
	share := (c.changed + 2*min(age*0.05, 0.5)) / (c.visits + 2)
	if own := g.servers[s].gaps; own != nil {
		share = (own[k].changed + gapPrior*share) / (own[k].visits + gapPrior)
	}
	return share
}

// byGap returns the log odds of a change by the gap, times the factor of the page.
func (g *groups) byGap(p sitegraph.PageID, s sitegraph.ServerID, age float32) float32 {
	share := min(max(g.gapShare(s, age), 1e-4), 0.999)
	h := &g.corpus.Memory(p).History
	looks, expected := float32(max(int(h.Visits)-1, 0)), g.pages[p].expected
	changed := min(float32(h.Changes), looks)
	expected = min(expected, looks)
	times := (changed + gapShape) / (expected + gapShape) * (looks - expected + gapShape) /
		(looks - changed + gapShape)
	return log32(share / (1 - share) * times)
}

// seeGap learns from a visit. Old visits are forgotten.
func (g *groups) seeGap(p sitegraph.PageID, s sitegraph.ServerID, age float32, changed bool) {
	own := &g.servers[s]
	if own.gaps == nil {
		own.gaps = new(gaps)
	}
	g.pages[p].expected += g.gapShare(s, age)
	k := gapClass(age)
	saw := float32(0)
	if changed {
		saw = 1
	}
	for i, of := range [...]*gaps{&g.gaps, own.gaps} {
		c := &of[k]
		if most := float32([...]int{400, 100}[i]); c.visits > most {
			c.changed *= most / c.visits
			c.visits = most
		}
		c.visits++
		c.changed += saw
	}
}
