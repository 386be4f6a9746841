package planner

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// again are visits to pages that left: such a page may be there again, and perhaps no link says so.
// They are neither first visits nor refetches, count in neither share, and take at most
// Options.AgainShare of a round's budget. A look is such a visit.
type again struct {
	due   []sitegraph.PageID // in this round, longest due first
	left  int                // looks left in this round
	carry float64
}

// beginAgain finds the looks of a round.
func (p *Planner) beginAgain(r Round) {
	a := &p.again
	a.due, a.left = a.due[:0], 0
	if p.options.AgainShare == 0 {
		return
	}
	if a.left = r.share(p.options.AgainShare, &a.carry); a.left == 0 {
		return
	}
	p.Corpus.eachLeft(func(page sitegraph.PageID) {
		if p.lookAt(page) <= r.End.Unix() {
			a.due = append(a.due, page)
		}
	})
	slices.SortFunc(a.due, func(x, y sitegraph.PageID) int {
		return cmp.Or(cmp.Compare(p.lookAt(x), p.lookAt(y)), cmp.Compare(x, y))
	})
}

// lookAt is when a page that left is visited again, in unix seconds. The wait grows with the looks
// so far. Up to a fifth more depends on the address, so that pages which left together are not
// visited together.
func (p *Planner) lookAt(page sitegraph.PageID) int64 {
	m := p.Corpus.Memory(page)
	wait := sitegraph.LookWait(m.misses).Seconds() * (1 + 0.2*rank.Tie(0, p.Corpus.Graph.URL(page)))
	if m.Errors > 0 {
		wait = max(wait, BackOff(m.Errors).Seconds())
	}
	return int64(m.Tried) + int64(wait)
}

// nextAgain takes the look that has been due longest; skip: none, or their share is used.
func (p *Planner) nextAgain() (Visit, step) {
	a := &p.again
	for a.left > 0 && len(a.due) > 0 {
		page := a.due[0]
		a.due = a.due[1:]
		m := p.Corpus.Memory(page)
		if !m.State.Left() || p.Corpus.taken(m) || p.Corpus.Outside(page) || p.rested(page) {
			continue
		}
		since := float64(p.Corpus.round.End.Unix()-int64(m.Tried)) / Day.Seconds()
		v := Visit{
			Page:        page,
			Probability: math.NaN(),
			Value:       math.NaN(),
			Reason:      Because("it left; looked at again after %.0f days", since),
		}
		if p.Corpus.Closed(p.Corpus.Graph.Server(page)) {
			p.putOff(v, false)
			continue
		}
		if step := p.admit(&v); step != skip {
			a.left--
			return v, step
		}
	}
	return Visit{}, skip
}

// againDue is when a page that left is visited again.
func (p *Planner) againDue(page sitegraph.PageID) Due {
	if p.Corpus.Rejected(page) {
		return Due{time.Unix(p.lookAt(page), 0).UTC(),
			Because("a filter rejects it; it is looked at again, or sooner if the filters change")}
	}
	return Due{
		time.Unix(p.lookAt(page), 0).UTC(),
		Because("it left; it is looked at again, or sooner if a new link leads to it"),
	}
}
