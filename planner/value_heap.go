package planner

import "github.com/recrawl/recrawl/sitegraph"

// valued is a page with what a visit is worth.
type valued struct {
	value float32 // larger first
	tie   float32 // smaller first
	page  sitegraph.PageID
}

func (a valued) before(b valued) bool {
	if a.value != b.value {
		return a.value > b.value
	}
	return a.tie < b.tie
}

type valueHeap []valued

func (h valueHeap) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *valueHeap) push(v valued) {
	*h = append(*h, v)
	q := *h
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if !q[i].before(q[up]) {
			return
		}
		q[i], q[up] = q[up], q[i]
		i = up
	}
}

func (h *valueHeap) pop() valued {
	q := *h
	best := q[0]
	last := len(q) - 1
	q[0] = q[last]
	*h = q[:last]
	h.down(0)
	return best
}

func (h valueHeap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
