package frontier

import (
	"encoding/binary"
	"errors"
	"math"
)

// place says where a queue is among the turns of its crawl.
type place uint8

const (
	idle    place = iota // the queue has nothing to give until something changes
	waiting              // the queue waits until wakeAt
	ready                // the queue is in the line of queues that may give something
)

// noDelay is the delay of a queue without one of its own.
const noDelay = -1

type queue struct {
	number uint32
	crawl  *crawl
	key    string

	// due has the plain and the judged addresses by date. Not all entries count: see good.
	due     [2]line[uint32]
	active  int // addresses that are not done
	done    int
	transit int // of the active addresses, those that are leased

	delay   int64  // seconds; noDelay: the frontier's
	blocked int64  // unix seconds until which, inclusive, the queue gives nothing; 0: not blocked
	limit   uint32 // the queue gives nothing once so many addresses are done; 0: no limit
	last    int64  // milliseconds since 1970 of the last answer with addresses; 0: none

	chosen []timed[uint32] // due judged addresses, best first; those that were given count no more
	ranked int64           // milliseconds since 1970 when they were chosen
	turn   int             // position between plain and judged addresses

	place  place
	wakeAt int64 // milliseconds, for a waiting queue
}

// crawl is a name space of queues.
type crawl struct {
	name   string
	queues map[string]*queue
	ready  fifo        // numbers of queues, in turns
	wait   line[int64] // waiting queues by the time when they wake; some entries are over
}

// Kinds of addresses of a queue.
const (
	plain  = iota // given by date
	judged        // given by their worth to the judge
)

func (s *slot) kind() int {
	if s.page == 0 {
		return plain
	}
	return judged
}

// good reports whether an entry in a heap of a queue still counts.
func (f *Frontier) good(q *queue, kind int, t timed[uint32]) bool {
	s := f.table.at(t.what)
	return s.queue == q.number && s.date == t.at && s.lease == 0 && s.kind() == kind
}

// head returns the earliest address of a kind that is not in transit.
func (f *Frontier) head(q *queue, kind int) (timed[uint32], bool) {
	due := &q.due[kind]
	for len(*due) > 0 {
		if f.good(q, kind, (*due)[0]) {
			return (*due)[0], true
		}
		due.pop()
	}
	return timed[uint32]{}, false
}

// first returns the earliest date of the addresses of a queue.
func (f *Frontier) first(q *queue) (at uint32, ok bool) {
	a, plainly := f.head(q, plain)
	b, judgedly := f.head(q, judged)
	switch {
	case plainly && judgedly:
		return min(a.at, b.at), true
	case plainly:
		return a.at, true
	}
	return b.at, judgedly
}

// enqueue puts an address into its heap. When most entries are out of date, it removes these first.
func (f *Frontier) enqueue(q *queue, date, slot uint32) {
	kind := f.table.at(slot).kind()
	due := &q.due[kind]
	if len(*due) > 2*q.active+64 {
		seen := make(map[uint32]bool, q.active)
		due.sift(func(t timed[uint32]) bool {
			keep := f.good(q, kind, t) && !seen[t.what]
			seen[t.what] = seen[t.what] || keep
			return keep
		})
	}
	due.push(timed[uint32]{date, slot})
}

// rests returns the time until which a queue gives nothing; milliseconds since 1970.
func (f *Frontier) rests(q *queue) int64 {
	at := int64(0)
	if q.blocked > 0 {
		at = (q.blocked + 1) * 1000
	}
	if q.last > 0 {
		delay := q.delay
		if delay == noDelay {
			delay = f.delay
		}
		at = max(at, q.last+delay*1000)
	}
	return at
}

// full reports whether a queue has reached its limit.
func (q *queue) full() bool { return q.limit > 0 && q.done >= int(q.limit) }

// place puts a queue where it belongs after a change. A ready queue stays in line until its turn; a
// waiting queue may wake too early.
func (f *Frontier) place(q *queue, now int64) {
	if q.place == ready || q.full() {
		return
	}
	first, ok := f.first(q)
	if !ok {
		return
	}
	at := max(f.rests(q), int64(first)*1000)
	switch {
	case at <= now:
		q.place = ready
		q.crawl.ready.push(q.number)
	case q.place == idle || at < q.wakeAt:
		q.place, q.wakeAt = waiting, at
		q.crawl.wait.push(timed[int64]{at, q.number})
	}
}

// wake puts the queues whose time has come in line.
func (f *Frontier) wake(c *crawl, now int64) {
	for len(c.wait) > 0 && c.wait[0].at <= now {
		t := c.wait.pop()
		if q := f.queues[t.what]; q != nil && q.place == waiting && q.wakeAt == t.at {
			q.place = idle
			f.place(q, now)
		}
	}
}

// appendQueue appends the fields of a queue that outlive the process.
func appendQueue(b []byte, q *queue) []byte {
	b = appendString(b, q.crawl.name)
	b = appendString(b, q.key)
	b = binary.AppendVarint(b, q.delay)
	b = binary.AppendVarint(b, q.blocked)
	b = binary.AppendUvarint(b, uint64(q.limit))
	return binary.AppendVarint(b, q.last)
}

var errQueue = errors.New("a stored queue is damaged: restore the directory from a copy")

func parseQueue(b []byte, q *queue) (crawl string, err error) {
	name, b, ok := cutBytes(b)
	if !ok {
		return "", errQueue
	}
	key, b, ok := cutBytes(b)
	if !ok || len(name) == 0 || len(key) == 0 {
		return "", errQueue
	}
	q.key = string(key)
	var fields [4]int64
	for i := range fields {
		var used int
		if i == 2 {
			n, m := binary.Uvarint(b)
			if n > math.MaxUint32 {
				return "", errQueue
			}
			fields[i], used = int64(n), m
		} else {
			fields[i], used = binary.Varint(b)
		}
		if used <= 0 {
			return "", errQueue
		}
		b = b[used:]
	}
	if len(b) > 0 {
		return "", errQueue
	}
	q.delay, q.blocked, q.limit, q.last = fields[0], fields[1], uint32(fields[2]), fields[3]
	return string(name), nil
}
