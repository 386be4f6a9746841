package crawl

import (
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Dues is a Store that hands out records by due time and keeps messages for them. With it the queue
// of due pages is on disk.
type Dues interface {
	Store
	// Due passes to each the records of the first span at or after a time that holds any, with
	// their messages. It returns the end of the span, or from if there are no such records.
	Due(from time.Time, each func(r *sitegraph.Record, messages [][]byte)) (
		end time.Time, err error)
	// Undue returns the earliest due time that a record can have.
	Undue() time.Time
	// Kept returns the start of the slot in which the store keeps records of a due time.
	Kept(due time.Time) time.Time
	// Reschedule passes the records of pages to again, which sets their due times and reasons.
	Reschedule(pages []sitegraph.PageID, again func(r *sitegraph.Record)) error
	// Message keeps a message for a page until Answered and Save.
	Message(p sitegraph.PageID, payload []byte) error
	// Messages returns the messages waiting for a page, in order of arrival.
	Messages(p sitegraph.PageID) ([][]byte, error)
	// Answered removes the oldest messages to a page with its next Save.
	Answered(p sitegraph.PageID, messages int) error
	// Traffic returns the number and bytes of record reads since the store was opened, the bytes of
	// records given to it, and the bytes that it wrote for them.
	Traffic() (reads, read, given, written int64)
}

// dueQueue is the queue of due pages in the store. Memory holds the pages of the slots that were
// read, until they are handed out. All others are in their slots on disk.
//
// If the due time of a page differs from its record, the queue moves the record before the next
// commit. The record of a page that was handed out stays in its slot until the page is put back, so
// that after a crash the next process hands out the same pages. Records of promoted pages also stay
// in place. The store keeps a list of the pages promoted in the round, and the transaction of an
// outcome adds the pages that it promoted. Moving their records would cost a read and two writes
// for each page that is not visited in the end.
type dueQueue struct {
	store Dues
	pages *planner.Pages
	near  *planner.MemQueue         // pages in memory, due before end
	end   time.Time                 // all slots before it were read
	moved map[sitegraph.PageID]bool // pages whose record has another due time
	// promoted has the pages promoted since the last commit; lists counts the lists of the round in
	// the store.
	promoted []sitegraph.PageID
	lists    int
	// heard has, by page, one bit for each kind of message in the store that the planner knows.
	// late has the kinds that came during a visit, for the next visit.
	heard, late map[sitegraph.PageID]uint8
	dropped     []sitegraph.PageID              // pages whose messages no visit will answer
	why         func(p sitegraph.PageID) string // returns Record.Reason; nil: keep it
	err         error                           // of the store; then the queue hands out nothing

	visits, handedOut, rescheduled int64
}

// newDueQueue returns the queue of a store. Its first pages are those promoted in a round that a
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

// Durable marks a queue that survives the process, so that nobody needs to fill it.
func (q *dueQueue) Durable() {}

// Put sets when a page is due.
func (q *dueQueue) Put(p sitegraph.PageID, due uint32) {
	q.moved[p] = true
	q.place(p, due)
}

// Back puts a page into memory whose record has its due time, since its slot may have been read
// already.
func (q *dueQueue) Back(p sitegraph.PageID, due uint32) { q.near.Put(p, due) }

// place puts a page into memory if the slot of its record was read. The record of a page that a
// user asked for is in the first slot.
func (q *dueQueue) place(p sitegraph.PageID, due uint32) {
	if q.isAsked(p) || q.store.Kept(time.Unix(int64(due), 0)).Before(q.end) {
		q.near.Put(p, due)
	} else {
		q.near.Remove(p)
	}
}

// Take hands out pages due by until, and reads more slots if memory has too few.
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

// read reads the next slots; false: there are no more records.
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

// applyMessages gives the planner the messages that wait for a page in the store.
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

// Promote hands out pages before they are due.
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

// Message stores a message for a page, durable with the next commit. A page has one message of a
// kind.
func (q *dueQueue) Message(p sitegraph.PageID, m planner.Message) {
	q.leave(p, m)
	q.note(p, m)
}

// leave stores a message that the planner knows, unless one of its kind waits.
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

// leaveLate stores a message for the visit after the one under way.
func (q *dueQueue) leaveLate(p sitegraph.PageID, m planner.Message) {
	if q.late[p]&(1<<m) == 0 {
		q.late[p] |= 1 << m
		q.send(p, m)
	}
}

// Answer drops the messages of a page that no visit will answer.
func (q *dueQueue) Answer(p sitegraph.PageID) {
	if _, known := q.heard[p]; known {
		q.dropped = append(q.dropped, p)
	}
}

// drop removes messages that no visit will answer.
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

// messages returns how many messages wait for a page, or 0 if the planner does not know them.
func (q *dueQueue) messages(p sitegraph.PageID) int {
	if _, known := q.heard[p]; !known || q.err != nil {
		return 0
	}
	messages, err := q.store.Messages(p)
	q.err = err
	return len(messages)
}

// saved notes that a visit was saved, and how many messages it answered.
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

// flush moves the records of pages with a new due time, in the order of their places, and stores
// the list of promoted pages.
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
			r.Due, r.Reason = now, "a user asked for it" // before all that waits
		case m.State == sitegraph.StateAlive:
			if r.Due = time.Unix(int64(m.Due), 0).UTC(); q.why != nil {
				r.Reason = q.why(r.Page)
			}
		}
	})
}

// passed returns how far the store's clock may move at now: at most to the first page that waits.
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

// keeps reports whether a record keeps its due time although the clock passes its slot: it is due
// later than a record can be kept, or a user asked for its page.
func (q *dueQueue) keeps(r *sitegraph.Record, now time.Time) bool {
	if q.isAsked(r.Page) {
		r.Due = q.store.Undue()
		return true
	}
	return r.State == sitegraph.StateAlive && r.Due.After(now)
}

// flushDues moves records in the store to their new due times.
func (l *Loop) flushDues() error {
	if l.dues == nil {
		return nil
	}
	if l.dues.flush(); l.dues.err != nil {
		return l.storeError(l.dues.err, "save due times")
	}
	return nil
}

// useDues makes the store the queue of due pages, if the store can be that. Order policies need no
// queue, since they rank all pages in each round.
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
