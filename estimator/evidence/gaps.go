package evidence

import (
	"math/bits"

	"github.com/recrawl/recrawl/sitegraph"
)

// Gaps counts visits by the class of the gap before them.
//
// Some states return: a car park is full and has room again, a shop opens and closes. The
// probability that such a page differs from its copy does not grow for ever with the age of the
// copy, as that of a Poisson process does. A Markov chain of two states settles at the share of
// time in each. So the share of visits that see a change is learnt by the gap before the visit.
type Gaps [gapClasses]Mean

// gapClasses is the number of classes of gaps. The first begins at a minute, each other at twice
// the one before.
const gapClasses = 20

// gapClass returns the class of a gap in days.
func gapClass(days float32) int {
	minutes := uint32(max(days, 0) * 24 * 60)
	return min(bits.Len32(minutes), gapClasses-1)
}

// gapPrior is the weight of the share of a larger group, in visits.
const gapPrior = 8

// Share returns the share of visits after a gap that see a change, pulled toward that of a larger
// group.
func (g *Gaps) Share(days, parent float32) float32 {
	return g[gapClass(days)].Toward(parent, gapPrior)
}

// FirstShare returns the share of all visits after a gap that see a change, for a group with few
// visits.
func (g *Gaps) FirstShare(days float32) float32 {
	return g[gapClass(days)].Toward(min(days*0.05, 0.5), 2)
}

// Add counts visits after gaps of some days. Beyond most visits the oldest are forgotten.
func (g *Gaps) Add(days, visits, changed, most float32) {
	g[gapClass(days)].Add(changed, visits, most)
}

// See counts a visit after a gap. Beyond most visits the oldest are forgotten.
func (g *Gaps) See(days float32, changed bool, most float32) {
	g[gapClass(days)].See(changed, most)
}

// States are the gaps of all servers together, and of each, whose shares are pulled toward those of
// all.
//
// States also return at the same hour: a car park is as full as it was a day before, and differs
// most from its state at night. So a factor multiplies shares after long gaps, by how far apart the
// hours of both visits are: changes seen over changes expected. A process without an image learns
// these factors anew.
type States struct {
	All     Gaps
	Servers []*Gaps // nil: no visits
	// shifts have changes seen over changes expected, by class of the shift.
	shifts [shiftClasses]Pooled
}

const (
	// shiftClasses is the number of classes of the distance between two hours of the day, each of
	// three hours.
	shiftClasses = 4
	// shortestLong is the shortest gap with a shift, in days. Shorter gaps have their own classes.
	shortestLong = 0.75
	// shiftPrior is the weight, in expected changes, of the factor of all servers at each, and of 1
	// in that factor.
	shiftPrior = 4
)

// shift returns the class of the distance between the hours of the day of two visits, from the gap
// between them in days. false: the gap is too short.
func shift(days float32) (class int, ok bool) {
	part := days - floor32(days)
	return min(int(min(part, 1-part)*2*shiftClasses), shiftClasses-1), days >= shortestLong
}

// Server returns the gaps of a server.
func (t *States) Server(s sitegraph.ServerID) *Gaps {
	own := At(&t.Servers, s)
	if *own == nil {
		*own = new(Gaps)
	}
	return *own
}

// Share returns which share of the visits to a server see a change, if they are made `gap` days
// after the previous visit. It is below 1. passed is the part of the gap that counts
// (DayTimes.Passed), in days.
func (t *States) Share(s sitegraph.ServerID, gap, passed float32) float32 {
	share := t.byLength(s, passed)
	if class, ok := shift(gap); ok {
		more := t.shifts[class].Of(s, shiftPrior, 1, shiftPrior)
		share = min(share*more, (1+share)/2)
	}
	return share
}

// byLength returns the share by the length of the gap alone.
func (t *States) byLength(s sitegraph.ServerID, passed float32) float32 {
	share := t.All.FirstShare(passed)
	if own := *At(&t.Servers, s); own != nil {
		share = own.Share(passed, share)
	}
	return share
}

// See learns from a visit. Old visits are forgotten.
func (t *States) See(s sitegraph.ServerID, gap, passed float32, changed bool) {
	if class, ok := shift(gap); ok {
		saw := float32(0)
		if changed {
			saw = 1
		}
		t.shifts[class].Add(s, saw, t.byLength(s, passed), 50)
	}
	t.All.See(passed, changed, 400)
	t.Server(s).See(passed, changed, 100)
}

// OddsByGap returns the odds of a change: those of the share of visits after such a gap that see
// one, times a factor of the page. The factor compares its changes with those that the gaps before
// its visits predicted.
func OddsByGap(share, looks, changed, expected float32) float32 {
	const shape = 1 // weight of the factor 1, in expected changes
	share = min(max(share, 1e-4), 0.999)
	changed, expected = min(changed, looks), min(expected, looks)
	times := (changed + shape) / (expected + shape) * (looks - expected + shape) /
		(looks - changed + shape)
	return share / (1 - share) * times
}
