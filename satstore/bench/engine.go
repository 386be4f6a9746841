package bench

import (
	"context"

	"github.com/recrawl/recrawl/satstore/workload"
)

// Engine keeps records and hands out those that are due. To add one, write these methods
// and a line in Kinds.
type Engine interface {
	// Load stores all records of the plan, each due at its First. It is not timed, and
	// calls tick with the number of records stored, now and then.
	Load(ctx context.Context, p *workload.Plan, tick func(records int)) error
	// Visit calls u.Visit once for each record due at u.T and stores what it left.
	Visit(u *Unit) error
	// Commit makes all that Visit and Request did durable.
	Commit() error
	Close() error
}

// What an engine may do besides.

// scanner hands out every record, in any order, with the unit in which it is due; 0 if the
// engine does not keep that. Only seqlog, which is no store, lacks it.
type scanner interface {
	Scan(f func(body []byte, due int) error) error
}

// settler does what was put off until later: it is called after Load and after the last
// unit. What an engine does only now and then need not be brought forward.
type settler interface {
	Settle(ctx context.Context) error
}

// ower tells how many bytes wait to be written that settling does not write.
type ower interface {
	Owed() int64
}

// requester takes ad-hoc requests by id. Such a change is done at once, or waits for the
// record's next visit, of which u.Apply is then told first.
type requester interface {
	Request(requests []workload.Request, u *Unit) error
}

// deferrer tells whether requests wait for the visits of their records.
type deferrer interface {
	Defers() bool
}

func defers(e Engine) bool {
	d, ok := e.(deferrer)
	return ok && d.Defers()
}

// preparer makes something for unit t beforehand, not timed.
type preparer interface {
	Prepare(t int) error
}

// mapper maps its files. Pages that are mapped stay in memory, so it lets go of them.
type mapper interface {
	Unmap() error
	Map() error
}

// Unit is one step of time: what an engine works on, and the account of what it did.
type Unit struct {
	T int
	// IDs of the records due at T, in their order, for engines that are no queue
	// themselves. The list is made beforehand and not timed, as in [SAT 4.1].
	IDs []workload.ID

	plan    *workload.Plan
	visited int
	sum     uint64
	applied int
}

// Visit changes the body of a record in place, as a visit would, and returns when the
// record is due next.
func (u *Unit) Visit(body []byte) (due int) {
	due, drawn := u.plan.Visit(body, u.T)
	u.visited++
	u.sum += drawn
	return due
}

// Apply changes the body of a record in place as a request says.
func (u *Unit) Apply(body []byte, priority uint16) {
	u.plan.SetPriority(body, priority)
	u.applied++
}
