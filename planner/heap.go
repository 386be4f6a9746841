package planner

import (
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// RankedPages tells a heap about the pages that it ranks.
type RankedPages interface {
	Count() int
	URL(p sitegraph.PageID) string
	Refetchable(p sitegraph.PageID) bool
}

// Candidate is a page with its score, in float32 or float64: 12 or 16 bytes.
type Candidate[S float32 | float64] struct {
	Score S       // larger first
	Tie   float32 // smaller first among equal scores
	Page  sitegraph.PageID
}

// Before reports whether a is yielded before b.
func (a Candidate[S]) Before(b Candidate[S]) bool {
	switch {
	case a.Score != b.Score:
		return a.Score > b.Score
	case a.Tie != b.Tie:
		return a.Tie < b.Tie
	}
	return a.Page < b.Page
}

// Heap yields candidates best first. Filling takes O(n), each pop O(log n), so a round that takes
// few of many pages does not pay for sorting them all.
type Heap[S float32 | float64] struct {
	All   []Candidate[S] // a binary heap, unless something was appended since Order
	added bool           // set by Add
}

// Reset empties the heap.
func (r *Heap[S]) Reset() { r.All = r.All[:0] }

// Add ranks those of the pages that are refetchable.
func (r *Heap[S]) Add(c RankedPages, ties []float32, pages []sitegraph.PageID,
	score func(p sitegraph.PageID) S) {
	for _, p := range pages {
		if c.Refetchable(p) {
			r.All = append(r.All, Candidate[S]{score(p), ties[p], p})
			r.added = true
		}
	}
}

// Order makes a heap of unordered candidates.
func (r *Heap[S]) Order() {
	r.added = false
	for i := len(r.All)/2 - 1; i >= 0; i-- {
		r.down(i)
	}
}

// Fit releases room for more candidates than there are, except an eighth.
func (r *Heap[S]) Fit() {
	if n := len(r.All); cap(r.All) > n+n/8+64 {
		r.All = slices.Clone(r.All)
	}
}

// Push ranks a page. An earlier entry of the page stays.
func (r *Heap[S]) Push(c Candidate[S]) {
	r.All = append(r.All, c)
	for i := len(r.All) - 1; i > 0; {
		parent := (i - 1) / 2
		if !r.All[i].Before(r.All[parent]) {
			return
		}
		r.All[i], r.All[parent] = r.All[parent], r.All[i]
		i = parent
	}
}

// Pop returns the best candidate that is still refetchable.
func (r *Heap[S]) Pop(c RankedPages) (best Candidate[S], ok bool) {
	if r.added {
		r.Order()
	}
	for len(r.All) > 0 {
		if best = r.Take(); c.Refetchable(best.Page) {
			return best, true
		}
	}
	return best, false
}

// Take removes the best candidate. There must be one.
func (r *Heap[S]) Take() Candidate[S] {
	best := r.All[0]
	last := len(r.All) - 1
	r.All[0] = r.All[last]
	r.All = r.All[:last]
	r.down(0)
	return best
}

func (r *Heap[S]) down(i int) {
	if i >= len(r.All) {
		return
	}
	c := r.All[i]
	for {
		child := 2*i + 1
		if child >= len(r.All) {
			break
		}
		if right := child + 1; right < len(r.All) && r.All[right].Before(r.All[child]) {
			child = right
		}
		if !r.All[child].Before(c) {
			break
		}
		r.All[i] = r.All[child]
		i = child
	}
	r.All[i] = c
}
