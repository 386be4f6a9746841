package planner

import (
	"math/bits"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// MemQueue is a Queue in memory: a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990) of entries of 8
// bytes. Pages due at the same time come in the order of their numbers. A page takes 12 bytes, and
// about half as many again for growth.
type MemQueue struct {
	due []uint32 // by page; 0: not in the queue
	// Entries are due<<32 | page. An entry is stale if its page now has another due time. Entries
	// in bucket i > 0 differ from base in bit i-1 and in no higher bit; in bucket 0 in none.
	buckets  [33][]uint64
	base     uint32 // no entry is due earlier
	sorted   bool   // bucket 0 is sorted, its last entry first
	pages    int
	entries  int
	messages map[sitegraph.PageID][]Message
	apply    func(sitegraph.PageID, Message)
}

// mostIdle is the number of entries for which an empty bucket keeps room.
const mostIdle = 1 << 14

// NewMemQueue returns an empty queue. It calls apply with each message when its page is handed out
// or promoted.
func NewMemQueue(apply func(sitegraph.PageID, Message)) *MemQueue {
	return &MemQueue{apply: apply, messages: map[sitegraph.PageID][]Message{}}
}

// Put sets when a page is due, in amortized constant time.
func (q *MemQueue) Put(p sitegraph.PageID, due uint32) {
	due = max(due, 1)
	if more := int(p) + 1 - len(q.due); more > 0 {
		q.due = append(q.due, make([]uint32, more)...)
	}
	switch q.due[p] {
	case due:
		return
	case 0:
		q.pages++
	}
	q.due[p] = due
	if due < q.base {
		q.rewind(due)
	}
	q.push(uint64(due)<<32 | uint64(p))
	if q.entries > q.pages+q.pages/4+1024 {
		q.entries = 0
		for i, b := range q.buckets {
			b = slices.DeleteFunc(b, q.stale)
			if cap(b) > len(b)+len(b)/4+mostIdle {
				b = slices.Clone(b)
			}
			q.buckets[i] = b
			q.entries += len(b)
		}
	}
}

func (q *MemQueue) stale(entry uint64) bool { return q.due[uint32(entry)] != uint32(entry>>32) }

func (q *MemQueue) push(entry uint64) {
	i := bits.Len32(uint32(entry>>32) ^ q.base)
	q.buckets[i] = append(q.buckets[i], entry)
	q.sorted = q.sorted && i > 0
	q.entries++
}

// rewind sets base to an earlier time. All entries of the buckets up to that of base first differ
// from it in the same bit.
func (q *MemQueue) rewind(base uint32) {
	i := bits.Len32(base ^ q.base)
	for j := range i {
		q.buckets[i] = append(q.buckets[i], q.buckets[j]...)
		q.buckets[j] = q.buckets[j][:0]
	}
	q.base = base
}

// advance moves the earliest entries into bucket 0; false: none is due by until.
func (q *MemQueue) advance(until uint32) bool {
	for i := range q.buckets {
		from := q.buckets[i]
		if i > 0 {
			n := len(from)
			from = slices.DeleteFunc(from, q.stale)
			q.entries -= n - len(from)
		}
		if len(from) == 0 {
			q.empty(i)
			continue
		}
		if i > 0 {
			q.empty(i)
			q.base = uint32(slices.Min(from) >> 32)
			q.entries -= len(from)
			for _, entry := range from { // each goes to a lower bucket
				q.push(entry)
			}
		}
		if !q.sorted {
			slices.Sort(q.buckets[0])
			slices.Reverse(q.buckets[0])
			q.sorted = true
		}
		return q.base <= until
	}
	return false
}

// empty empties a bucket, and gives back much room.
func (q *MemQueue) empty(i int) {
	if q.buckets[i] = q.buckets[i][:0]; cap(q.buckets[i]) > mostIdle {
		q.buckets[i] = nil
	}
}

// Take hands out pages that are due by until, and applies their messages.
func (q *MemQueue) Take(until uint32, into []sitegraph.PageID) (n int) {
	for n < len(into) && q.advance(until) {
		first := &q.buckets[0]
		for n < len(into) && len(*first) > 0 {
			entry := (*first)[len(*first)-1]
			*first = (*first)[:len(*first)-1]
			q.entries--
			if !q.stale(entry) {
				into[n] = sitegraph.PageID(uint32(entry))
				q.Remove(into[n])
				n++
			}
		}
	}
	for _, p := range into[:n] {
		q.deliver(p)
	}
	return n
}

// Remove removes a page from the queue. Its messages stay.
func (q *MemQueue) Remove(p sitegraph.PageID) {
	if int(p) < len(q.due) && q.due[p] > 0 {
		q.due[p] = 0
		q.pages--
	}
}

// Back puts a page back, like Put.
func (q *MemQueue) Back(p sitegraph.PageID, due uint32) { q.Put(p, due) }

// First returns when the first page is due; false: the queue is empty.
func (q *MemQueue) First() (due uint32, ok bool) {
	for q.pages > 0 {
		q.advance(0)
		first := &q.buckets[0]
		for n := len(*first); n > 0; n-- {
			if !q.stale((*first)[n-1]) {
				return q.base, true
			}
			*first = (*first)[:n-1]
			q.entries--
		}
	}
	return 0, false
}

// Promote removes pages from the queue, and applies their messages.
func (q *MemQueue) Promote(pages []sitegraph.PageID) {
	for _, p := range pages {
		q.Remove(p)
		q.deliver(p)
	}
}

// Message keeps a message for a page, one of each kind.
func (q *MemQueue) Message(p sitegraph.PageID, m Message) {
	if !slices.Contains(q.messages[p], m) {
		q.messages[p] = append(q.messages[p], m)
	}
}

// Answer does nothing, since messages are dropped when they are applied.
func (q *MemQueue) Answer(sitegraph.PageID) {}

// deliver applies the messages that wait for a page.
func (q *MemQueue) deliver(p sitegraph.PageID) {
	if len(q.messages) == 0 {
		return
	}
	of := q.messages[p]
	delete(q.messages, p)
	for _, m := range of {
		q.apply(p, m)
	}
}
