package bench

import (
	"context"
	"slices"

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

// requester takes ad-hoc requests by id. Such a change is done at once, or waits for the
// record's next visit, of which u.Apply is then told first.
type requester interface {
	Request(requests []workload.Request, u *Unit) error
}

// deferrer tells whether requests wait for the visits of their records.
type deferrer interface {
	Defers() bool
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

// Settings bound the memory of engines.
type Settings struct {
	BufferBytes int // of the write buffers of the paper's forms
	PageBytes   int // of one of their pages
	CacheBytes  int // of the caches of Pebble
}

// Kind is an engine that can be measured.
type Kind struct {
	Name, About string
	// bytesPerRecord estimates the room on disk, for records of the given mean length.
	bytesPerRecord func(mean float64) float64
	roomBytes      int64 // besides
	requests       bool  // it takes requests
	// fits reports whether it can do a workload; nil: it always can.
	fits func(w *workload.Workload) bool
	open func(dir string, p *workload.Plan, s Settings) (Engine, error)
}

// Kinds are all engines, in the order of reports. The first is the floor of all ratios.
var Kinds = []Kind{seqlogKind, runsKind, satBasicKind, satKindOfPaper, satNaiveKind, satRadixKind, pebbleTimeKind, pebbleIDKind, bboltKind}

// KindOf returns the engine of a name.
func KindOf(name string) (Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return Kinds[i], true
}

// Names are those of Kinds.
func Names() []string {
	var all []string
	for _, k := range Kinds {
		all = append(all, k.Name)
	}
	return all
}
