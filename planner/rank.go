package planner

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// candidateOf is a page with what it is ranked by, of either precision: 12 or 16 bytes.
type candidateOf[S float32 | float64] struct {
	score S       // larger first
	tie   float32 // smaller first among equal scores
	page  sitegraph.PageID
}

type (
	candidate = candidateOf[float64]
	ranking   = rankingOf[float64]
)

func (a candidateOf[S]) before(b candidateOf[S]) bool {
	switch {
	case a.score != b.score:
		return a.score > b.score
	case a.tie != b.tie:
		return a.tie < b.tie
	}
	return a.page < b.page
}

// rankingOf yields candidates best first. Filling is O(n), each pop O(log n), so a round
// that takes few of many pages does not pay for sorting them all.
type rankingOf[S float32 | float64] struct {
	heap []candidateOf[S]
}

// fill ranks all pages for which score says yes.
func (r *rankingOf[S]) fill(c *Corpus, ties []float32, score func(p sitegraph.PageID) (S, bool)) {
	r.heap = r.heap[:0]
	for i := range c.pages {
		p := sitegraph.PageID(i)
		if !c.Refetchable(p) {
			continue
		}
		if s, ok := score(p); ok {
			r.heap = append(r.heap, candidateOf[S]{s, ties[p], p})
		}
	}
	r.order()
}

// order makes a heap of candidates in any order.
func (r *rankingOf[S]) order() {
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.down(i)
	}
}

// fit gives back room for far more candidates than there are.
func (r *rankingOf[S]) fit() {
	if n := len(r.heap); cap(r.heap) > 2*n+64 {
		r.heap = slices.Clone(r.heap)
	}
}

// push ranks a page; one that is ranked already stays there too.
func (r *rankingOf[S]) push(c candidateOf[S]) {
	r.heap = append(r.heap, c)
	for i := len(r.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !r.heap[i].before(r.heap[parent]) {
			return
		}
		r.heap[i], r.heap[parent] = r.heap[parent], r.heap[i]
		i = parent
	}
}

// pop returns the best candidate that is still refetchable.
func (r *rankingOf[S]) pop(c *Corpus) (best candidateOf[S], ok bool) {
	for len(r.heap) > 0 {
		if best = r.take(); c.Refetchable(best.page) {
			return best, true
		}
	}
	return best, false
}

// take removes the best candidate, of which there must be one.
func (r *rankingOf[S]) take() candidateOf[S] {
	best := r.heap[0]
	last := len(r.heap) - 1
	r.heap[0] = r.heap[last]
	r.heap = r.heap[:last]
	r.down(0)
	return best
}

func (r *rankingOf[S]) down(i int) {
	if i >= len(r.heap) {
		return
	}
	c := r.heap[i]
	for {
		child := 2*i + 1
		if child >= len(r.heap) {
			break
		}
		if right := child + 1; right < len(r.heap) && r.heap[right].before(r.heap[child]) {
			child = right
		}
		if !r.heap[child].before(c) {
			break
		}
		r.heap[i] = r.heap[child]
		i = child
	}
	r.heap[i] = c
}

// ties holds the seeded tie-breaker of each page, computed once.
type ties struct {
	seed uint64
	of   []float32
}

// upTo makes sure that all pages of the corpus have one.
func (t *ties) upTo(c *Corpus) []float32 {
	t.of = slices.Grow(t.of, max(c.Pages()-len(t.of), 0))
	for p := len(t.of); p < c.Pages(); p++ {
		t.of = append(t.of, float32(tie(t.seed, c.Graph.URL(sitegraph.PageID(p)))))
	}
	return t.of
}

// unranked is a visit by a policy that estimates nothing.
func unranked(p sitegraph.PageID, reason Reason) Visit {
	return Visit{Page: p, Probability: math.NaN(), Value: math.NaN(), Reason: reason}
}

// queue yields pages first in, first out.
type queue struct {
	pages []sitegraph.PageID
	head  int
}

func (q *queue) push(pages ...sitegraph.PageID) {
	if q.head > 1024 && q.head > len(q.pages)/2 { // give back what was popped
		q.pages = append(q.pages[:0], q.pages[q.head:]...)
		q.head = 0
	}
	q.pages = append(q.pages, pages...)
}

func (q *queue) pop() (sitegraph.PageID, bool) {
	if q.head == len(q.pages) {
		return sitegraph.NoPage, false
	}
	q.head++
	return q.pages[q.head-1], true
}

func (q *queue) len() int { return len(q.pages) - q.head }

func (q *queue) reset() { q.pages, q.head = q.pages[:0], 0 }
