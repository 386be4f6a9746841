package bench

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/recrawl/recrawl/satstore/paper"
)

// Engine keeps records and returns those that are due. To add one, write these methods and a line
// in Kinds.
type Engine interface {
	// Load stores all records of the plan, each due at its First. It is not timed, and calls tick
	// with the number of stored records now and then.
	Load(ctx context.Context, p *paper.Plan, tick func(records int)) error
	// Visit calls u.Visit once for each record due at u.T, and stores the result.
	Visit(u *Unit) error
	// Commit makes the results of Visit and Request durable.
	Commit() error
	Close() error
}

// What an engine may do besides.

// scanner yields every record, in any order, with the unit in which it is due; 0 if the engine does
// not keep that. Only seqlog, which is no store, lacks it.
type scanner interface {
	Scan(f func(body []byte, due int) error) error
}

// readOnly is an engine that does not store the results of visits, to measure reading alone.
type readOnly interface {
	ReadsAlone()
}

// settler completes deferred work, after Load and after the last unit. Occasional work need not be
// done early.
type settler interface {
	Settle(ctx context.Context) error
}

// ower returns how many bytes wait to be written that settling does not write.
type ower interface {
	Owed() int64
}

// requester accepts ad-hoc requests by id. It applies them at once, or at the record's next visit
// by calling u.Apply first.
type requester interface {
	Request(requests []paper.PriorityChange, u *Unit) error
}

// deferrer reports whether requests wait for the visits of their records.
type deferrer interface {
	Defers() bool
}

func defers(e Engine) bool {
	d, ok := e.(deferrer)
	return ok && d.Defers()
}

// preparer prepares unit t, untimed.
type preparer interface {
	Prepare(t int) error
}

// mapper maps its files. Mapped pages stay in memory, so it must unmap them.
type mapper interface {
	Unmap() error
	Map() error
}

// Unit is one step of time: the input of an engine, and the count of its work.
type Unit struct {
	T int
	// IDs are the ids of the records due at T, in order, for engines that are no queue. The list is
	// made before the timed part, as in [SAT 4.1].
	IDs []paper.ID

	plan    *paper.Plan
	visited int
	sum     uint64
	applied int
}

// Visit changes the body of a record in place, like a visit, and returns when the record is due
// next.
func (u *Unit) Visit(body []byte) (due int) {
	due, drawn := u.plan.Visit(body, u.T)
	u.visited++
	u.sum += drawn
	return due
}

// Apply changes the body of a record in place, as a request demands.
func (u *Unit) Apply(body []byte, priority uint16) {
	u.plan.SetPriority(body, priority)
	u.applied++
}

// Kind is an engine that can be measured.
type Kind struct {
	Name, About string
	// bytesPerRecord estimates the disk space for records of this mean length. That for the work of
	// two units is added for all kinds.
	bytesPerRecord func(mean float64) float64
	roomBytes      int64 // besides
	requests       bool  // it accepts requests
	// fits reports whether it supports a workload; nil: any.
	fits func(w *paper.Workload) bool
	open func(dir string, p *paper.Plan, s Settings) (Engine, error)
}

// Kinds are all engines, in the order of reports. Ratios are to the first one.
var Kinds = []Kind{seqlogKind, runsKind, satBasicKind, satKindOfPaper, satNaiveKind,
	pebbleTimeKind, pebbleIDKind, bboltKind, bboltReadKind}

// KindOf returns the engine of a name.
func KindOf(name string) (Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return Kinds[i], true
}

// Names returns the names of Kinds.
func Names() []string {
	var all []string
	for _, k := range Kinds {
		all = append(all, k.Name)
	}
	return all
}

// idOrder returns all record numbers in the order of their ids: the paper loads its B-tree in this
// order, which packs it best.
func idOrder(p *paper.Plan) []uint32 {
	type entry struct {
		high   uint64 // of the id; two records hardly share it
		number uint32
	}
	entries := make([]entry, p.Records)
	for i := range entries {
		id := p.ID(uint32(i))
		entries[i] = entry{binary.BigEndian.Uint64(id[:]), uint32(i)}
	}
	slices.SortFunc(
		entries,
		func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.high, b.high),
				cmp.Compare(a.number, b.number))
		},
	)
	order := make([]uint32, len(entries))
	for k, e := range entries {
		order[k] = e.number
	}
	return order
}

// loadCommit is the number of records in a commit of loadInTurn.
const loadCommit = 1 << 15

// loadInTurn stores all records in the order of their numbers, in which pages are found.
func loadInTurn(ctx context.Context, p *paper.Plan, tick func(int), commit func() error,
	put func(number uint32, due int64, body []byte) error) error {
	var body []byte
	for i := range uint32(p.Records) {
		body = p.AppendTo(body[:0], i)
		if err := put(i, int64(p.First(i)), body); err != nil {
			return err
		}
		if (i+1)%loadCommit != 0 {
			continue
		}
		if err := commit(); err != nil {
			return err
		}
		tick(int(i + 1))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return commit()
}
