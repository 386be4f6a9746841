package crawl

import (
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Dues is a Store that hands out records by their due times and keeps messages for them. With it
// the queue of due pages lies on disk.
type Dues interface {
	Store
	// Due hands each the records of the first span of time that holds any from a moment on, with
	// their messages, and returns the end of the span. Without such records it returns the moment.
	Due(from time.Time, each func(r *sitegraph.Record, messages [][]byte)) (
		end time.Time, err error)
	// Undue returns the earliest due time that a record can have.
	Undue() time.Time
	// Kept returns the start of the slot in which the store keeps a record of a due time.
	Kept(due time.Time) time.Time
	// Reschedule hands the records of pages to again, which sets when they are due, and why.
	Reschedule(pages []sitegraph.PageID, again func(r *sitegraph.Record)) error
	// Message keeps a message for a page until Answered and Save.
	Message(p sitegraph.PageID, payload []byte) error
	// Messages returns the messages that wait for a page, in the order of arrival.
	Messages(p sitegraph.PageID) ([][]byte, error)
	// Answered ends the wait of the first messages to a page with its next Save.
	Answered(p sitegraph.PageID, messages int) error
	// Traffic returns the reads of records since the store was opened and their bytes, and the
	// bytes of records that it was given and that it wrote for them.
	Traffic() (reads, read, given, written int64)
}

// dueQueue is the queue of due pages in the store. Memory holds the pages of the spans of time that
// were read, until they are handed out; all others lie in their slots.
//
// If a page gets another due time than its record has, the queue moves the record before the next
// commit. The record of a page that was handed out stays in its slot until the page is put back, so
// the next process hands out the same pages after a crash. Records of promoted pages stay, too: the
// store keeps a list of the pages promoted in the round, and the transaction of an outcome adds the
// pages that it promoted. Moving their records would cost a read and two writes for each page that
// is not visited in the end.
type dueQueue struct {
	store Dues
	pages *planner.Pages
	near  *planner.MemQueue         // pages that are due before end, in memory
	end   time.Time                 // all slots before it were read
	moved map[sitegraph.PageID]bool // pages whose record has another due time
	// promoted has the pages promoted since the last commit; lists counts the lists of the round in
	// the store.
	promoted []sitegraph.PageID
	lists    int
	// heard has, by page, a bit for each kind of message that waits in the store and was given to
	// the planner; late has the kinds that came while a visit was under way, for the next visit.
	heard, late map[sitegraph.PageID]uint8
	dropped     []sitegraph.PageID              // pages whose messages no visit will answer
	why         func(p sitegraph.PageID) string // returns Record.Reason; nil: it stays as it is
	err         error                           // of the store; nothing is handed out any more

	visits, handedOut, rescheduled int64
}

// newDueQueue returns the queue of a store. It hands out first what was promoted in a round that a
// crash ended.
func newDueQueue(store Dues, pages *planner.Pages,
	apply func(sitegraph.PageID, planner.Message)) *dueQueue {
	q := &dueQueue{
		store: store,
		pages: pages,
		near:  planner.NewMemQueue(apply),
		end:   store.Undue(),
		moved: map[sitegraph.PageID]bool{},
		heard: map[sitegraph.PageID]uint8{},
		late:  map[sitegraph.PageID]uint8{},
	}
	q.recall()
	return q
}

// Durable marks a queue that needs not be filled.
func (q *dueQueue) Durable() {}

// Put sets when a page is due.
func (q *dueQueue) Put(p sitegraph.PageID, due uint32) {
	q.moved[p] = true
	q.place(p, due)
}

// Back puts a page into memory whose record has its due time: the slot may have been read already.
func (q *dueQueue) Back(p sitegraph.PageID, due uint32) { q.near.Put(p, due) }

// place puts a page into memory if the slot of its record was read. The record of a page that
// somebody asked for lies in the first slot.
func (q *dueQueue) place(p sitegraph.PageID, due uint32) {
	if q.isAsked(p) || q.store.Kept(time.Unix(int64(due), 0)).Before(q.end) {
		q.near.Put(p, due)
	} else {
		q.near.Remove(p)
	}
}

// Take hands out pages that are due by until, and reads more slots where memory has too few.
func (q *dueQueue) Take(until uint32, into []sitegraph.PageID) (n int) {
	for q.err == nil {
		last := q.end.Unix() - 1
		if int64(until) <= last {
			break
		}
		if n += q.near.Take(sitegraph.Unix32(q.end)-1, into[n:]); n == len(into) || !q.read() {
			break
		}
	}
	return n + q.near.Take(until, into[n:])
}

// read reads the next slots; false: nothing is in them.
func (q *dueQueue) read() bool {
	if q.flush(); q.err != nil {
		return false
	}
	end, err := q.store.Due(q.end, func(r *sitegraph.Record, messages [][]byte) {
		m := q.pages.Memory(r.Page)
		q.applyMessages(r.Page, messages)
		q.handedOut++
		if m.State == sitegraph.StateAlive && !q.pages.HandedOut(r.Page) {
			m.Due = sitegraph.Unix32(r.Due)
			q.near.Put(r.Page, m.Due)
		} else {
			q.near.Promote([]sitegraph.PageID{r.Page}) // which applies its messages
		}
	})
	if err != nil {
		q.err = err
		return false
	}
	more := end.After(q.end)
	q.end = end
	return more
}

// applyMessages takes messages in that wait in the store for a page.
func (q *dueQueue) applyMessages(p sitegraph.PageID, messages [][]byte) {
	if _, known := q.heard[p]; known || len(messages) == 0 {
		return
	}
	for _, text := range messages {
		if len(text) == 1 {
			q.note(p, planner.Message(text[0]))
		}
	}
}

func (q *dueQueue) note(p sitegraph.PageID, m planner.Message) {
	q.heard[p] |= 1 << m
	q.near.Message(p, m)
}

func (q *dueQueue) isAsked(p sitegraph.PageID) bool {
	return q.heard[p]&(1<<planner.MessageAsked) != 0
}

// Promote hands out pages whatever their time.
func (q *dueQueue) Promote(pages []sitegraph.PageID) {
	for _, p := range pages {
		if _, known := q.heard[p]; !known && q.err == nil {
			messages, err := q.store.Messages(p)
			q.applyMessages(p, messages)
			q.err = err
		}
		if !q.pages.HandedOut(p) {
			q.promoted = append(q.promoted, p)
		}
	}
	q.near.Promote(pages)
}

// Message leaves a message at a page. It is durable with the next commit. One of a kind is enough.
func (q *dueQueue) Message(p sitegraph.PageID, m planner.Message) {
	q.leave(p, m)
	q.note(p, m)
}

// leave leaves a message in the store that the planner knows, unless one of its kind waits.
func (q *dueQueue) leave(p sitegraph.PageID, m planner.Message) {
	if q.heard[p]&(1<<m) == 0 {
		q.send(p, m)
	}
}

func (q *dueQueue) send(p sitegraph.PageID, m planner.Message) {
	if q.err == nil {
		q.err = q.store.Message(p, []byte{byte(m)})
	}
	if m == planner.MessageAsked {
		q.moved[p] = true
	}
	q.heard[p] |= 1 << m
}

// leaveLate leaves a message for the visit after the one that is under way.
func (q *dueQueue) leaveLate(p sitegraph.PageID, m planner.Message) {
	if q.late[p]&(1<<m) == 0 {
		q.late[p] |= 1 << m
		q.send(p, m)
	}
}

// Answer ends the wait of a page's messages, as no visit answers them.
func (q *dueQueue) Answer(p sitegraph.PageID) {
	if _, known := q.heard[p]; known {
		q.dropped = append(q.dropped, p)
	}
}

// drop ends the wait of messages that no visit answers.
func (q *dueQueue) drop(p sitegraph.PageID) error {
	var r sitegraph.Record
	if err := q.store.Load(p, &r); err != nil {
		return err
	}
	if err := q.store.Answered(p, q.messages(p)); err != nil {
		return err
	}
	delete(q.heard, p)
	return q.store.Save(&r)
}

// messages returns how many messages wait for a page, if the planner knows them; else 0.
func (q *dueQueue) messages(p sitegraph.PageID) int {
	if _, known := q.heard[p]; !known || q.err != nil {
		return 0
	}
	messages, err := q.store.Messages(p)
	q.err = err
	return len(messages)
}

// saved notes that a visit was saved, which answered so many messages.
func (q *dueQueue) saved(p sitegraph.PageID, answered int) {
	q.visits++
	delete(q.moved, p)
	if answered > 0 {
		delete(q.heard, p)
	}
	if late := q.late[p]; late != 0 {
		q.heard[p] = late
		delete(q.late, p)
	}
}

// flush moves the records of pages that are due at another time, in the order in which they lie,
// and keeps which pages were promoted.
func (q *dueQueue) flush() {
	for _, p := range q.dropped {
		if q.err == nil {
			q.err = q.drop(p)
		}
	}
	q.dropped = q.dropped[:0]
	if q.err == nil && len(q.promoted) > 0 {
		slices.Sort(q.promoted)
		q.saveList(slices.Compact(q.promoted))
		q.promoted = q.promoted[:0]
	}
	if q.err != nil || len(q.moved) == 0 {
		return
	}
	pages := make([]sitegraph.PageID, 0, len(q.moved))
	for p := range q.moved {
		pages = append(pages, p)
	}
	clear(q.moved)
	q.rescheduled += int64(len(pages))
	slices.Sort(pages)
	now := q.store.Undue()
	q.err = q.store.Reschedule(pages, func(r *sitegraph.Record) {
		switch m := q.pages.Memory(r.Page); {
		case q.isAsked(r.Page):
			r.Due, r.Reason = now, "somebody asked for it" // before all that waits
		case m.State == sitegraph.StateAlive:
			if r.Due = time.Unix(int64(m.Due), 0).UTC(); q.why != nil {
				r.Reason = q.why(r.Page)
			}
		}
	})
}

// passed returns how far the clock of the store may go at now: not beyond the first page that
// waits.
func (q *dueQueue) passed(now time.Time) time.Time {
	waiting := q.end
	if due, ok := q.near.First(); ok {
		if first := time.Unix(int64(due), 0); first.Before(waiting) {
			waiting = first
		}
	}
	if waiting.After(now) {
		return now
	}
	return q.store.Kept(waiting).Add(-time.Second)
}

// keeps reports whether a record whose slot the clock passes keeps its due time: it is due later
// than a record can be kept, or somebody asked for its page.
func (q *dueQueue) keeps(r *sitegraph.Record, now time.Time) bool {
	if q.isAsked(r.Page) {
		r.Due = q.store.Undue()
		return true
	}
	return r.State == sitegraph.StateAlive && r.Due.After(now)
}

// flushDues moves records in the store that are due at another time by now.
func (l *Loop) flushDues() error {
	if l.dues == nil {
		return nil
	}
	if l.dues.flush(); l.dues.err != nil {
		return l.storeError(l.dues.err, "keep when pages are due")
	}
	return nil
}

// useDues makes the store the queue of due pages, if it can be that. An order needs none: it ranks
// all pages in each round.
func (l *Loop) useDues() {
	store, ok := l.Store.(Dues)
	if !ok || l.Planner.RanksAll() {
		return
	}
	l.Planner.UseQueue(func(apply func(sitegraph.PageID, planner.Message)) planner.Queue {
		l.dues = newDueQueue(store, l.Planner.Pages, func(p sitegraph.PageID, m planner.Message) {
			if m == planner.MessageAsked &&
				l.Planner.Pages.Memory(p).State == sitegraph.StateSource {
				l.asked[p] = true
			}
			apply(p, m)
		})
		if l.Forecast {
			l.dues.why = func(p sitegraph.PageID) string {
				due, _ := l.Planner.Due(p, l.round.End)
				return due.Reason.String()
			}
		}
		return l.dues
	})
}
