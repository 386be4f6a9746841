package planner

import "github.com/recrawl/recrawl/sitegraph"

// FIFO yields pages first in, first out.
type FIFO struct {
	pages []sitegraph.PageID
	head  int
}

// Push adds pages at the end.
func (q *FIFO) Push(pages ...sitegraph.PageID) {
	if q.head > 1024 && q.head > len(q.pages)/2 { // free the part before head
		q.pages = append(q.pages[:0], q.pages[q.head:]...)
		q.head = 0
	}
	q.pages = append(q.pages, pages...)
}

// Pop takes the first page; false: there is none.
func (q *FIFO) Pop() (sitegraph.PageID, bool) {
	if q.head == len(q.pages) {
		return sitegraph.NoPage, false
	}
	q.head++
	return q.pages[q.head-1], true
}

// Len returns the number of queued pages.
func (q *FIFO) Len() int { return len(q.pages) - q.head }

// Waiting returns the queued pages, first to last. The caller may sort them in place.
func (q *FIFO) Waiting() []sitegraph.PageID { return q.pages[q.head:] }

// Reset empties the queue.
func (q *FIFO) Reset() { q.pages, q.head = q.pages[:0], 0 }
