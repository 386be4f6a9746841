package view

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
)

// Options are the settings of a desk. Planner and Store are required.
type Options struct {
	Planner *planner.Planner
	Store   *satstore.Store
	// Ahead is the dry run of a planner without a loop, with all visits of its round; nil: there is
	// a loop.
	Ahead *crawl.Preview
	// Run has the counts of the owner of the loop; nil without a loop.
	Run *present.Run

	Data    string // the directory; the journal is in it
	Archive string // directory of the archive; "": there is none
	Show    archive.Show
	Policy  string // name of the policy
	PerDay  float64
	Round   time.Duration
	Workers int
	Rules   *Rules // of the planner
}

var (
	// ErrEnded is the error of questions after the end of the loop.
	ErrEnded = errors.New("the run has ended")
	// ErrBusy is the error of a look that the loop did not take in time, because it plans a round
	// or writes.
	ErrBusy = errors.New("the run is busy with its next round; ask again in a moment")
	// ErrReadOnly is the error of changes without a loop that could make them.
	ErrReadOnly = errors.New("this store is only read: nothing can be changed")
	// ErrUnknown is the error of a question about an unknown page or server.
	ErrUnknown = errors.New("not known")
)

// Desk answers questions about a planner.
type Desk struct {
	o     Options
	began time.Time
	looks chan func()
	acts  chan act
	alone sync.Mutex // guards looks without a loop
	loop  atomic.Pointer[crawl.Loop]
	ended chan struct{}
	end   sync.Once

	tally    tally
	survey   atomic.Pointer[Survey]
	lastNow  atomic.Pointer[Now]
	order    orders
	copies   copies
	archive  archiveBox
	compared compared
	plans    planBox
}

// New returns a desk.
func New(o Options) *Desk {
	d := &Desk{o: o, began: time.Now(), looks: make(chan func()), acts: make(chan act, 16),
		ended: make(chan struct{}), archive: archiveBox{turn: make(chan struct{}, 1)}}
	d.tally.failed = map[string]int64{}
	d.survey.Store(&Survey{Servers: []ServerRow{}})
	return d
}

// ID returns the random identifier of the store; zeros if there is none.
func (d *Desk) ID() (id [16]byte) {
	if d.o.Store != nil {
		id = d.o.Store.ID()
	}
	return id
}

// Attach sets the loop, before it runs.
func (d *Desk) Attach(l *crawl.Loop) {
	if d != nil {
		d.loop.Store(l)
	}
}

// Peek returns the channel for crawl.Options.Peek.
func (d *Desk) Peek() <-chan func() {
	if d == nil {
		return nil
	}
	return d.looks
}

// Close ends all questions, those that wait and later ones.
func (d *Desk) Close() {
	if d != nil {
		d.end.Do(func() {
			close(d.ended)
			if !d.Live() {
				d.alone.Lock() // wait for the look under way
				defer d.alone.Unlock()
			}
			d.archive.close()
		})
	}
}

// Ended returns a channel that Close closes.
func (d *Desk) Ended() <-chan struct{} { return d.ended }

// Live reports whether a loop runs.
func (d *Desk) Live() bool { return d.o.Ahead == nil }

// do makes a look: f may read planner, graph, store and loop until it returns. The error is ErrBusy
// if the context ends first, and ErrEnded if the loop has ended.
func (d *Desk) do(ctx context.Context, f func()) (err error) {
	guarded := func() {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("look: %v\n%s", r, debug.Stack())
			}
		}()
		f()
	}
	if !d.Live() {
		d.alone.Lock()
		defer d.alone.Unlock()
		select {
		case <-d.ended:
			return ErrEnded
		default:
		}
		guarded()
		return err
	}
	done := make(chan struct{})
	select {
	case d.looks <- func() { defer close(done); guarded() }:
	case <-d.ended:
		return ErrEnded
	case <-ctx.Done():
		return fmt.Errorf("%w (%w)", ErrBusy, ctx.Err())
	}
	<-done
	return err
}

// act is a change that is made between visits, when everything is committed.
type act struct {
	do   func(*crawl.Loop) error // an error of the store, which ends the loop
	done chan error
}

// change makes a change between visits, and waits for it.
func (d *Desk) change(ctx context.Context, f func(*crawl.Loop) error) error {
	if !d.Live() {
		return ErrReadOnly
	}
	a := act{f, make(chan error, 1)}
	select {
	case d.acts <- a:
	case <-d.ended:
		return ErrEnded
	case <-ctx.Done():
		return fmt.Errorf("%w (%w)", ErrBusy, ctx.Err())
	}
	select {
	case err := <-a.done:
		return err
	case <-d.ended:
		return ErrEnded
	case <-ctx.Done():
		return fmt.Errorf("%w (%w); the run will still do it", ErrBusy, ctx.Err())
	}
}

// Between makes the changes that wait. The Between of the loop calls it; its errors are those of
// the store.
func (d *Desk) Between(l *crawl.Loop) error {
	if d == nil {
		return nil
	}
	for {
		select {
		case a := <-d.acts:
			err := a.do(l)
			a.done <- err
			if err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// See counts a visit. The loop calls it at once for each visit.
func (d *Desk) See(e *crawl.Event) {
	if d != nil {
		d.tally.see(e)
	}
}

// EndRound marks the end of a round: settings that were changed in it hold from the next round on.
func (d *Desk) EndRound() {
	if d == nil {
		return
	}
	if d.o.Rules.take() {
		d.o.Planner.Pages.SetWeights(d.o.Rules.Weights())
	}
}

// Stalled takes in why the loop makes no visits; nil: it makes visits.
func (d *Desk) Stalled(why error) {
	if d != nil {
		d.tally.stall(why)
	}
}

// Work surveys all pages again and again until the context or the loop ends.
func (d *Desk) Work(ctx context.Context) {
	for {
		began := time.Now()
		if err := d.Survey(ctx); errors.Is(err, ErrEnded) || ctx.Err() != nil {
			return
		}
		rest := min(max(2*time.Since(began), leastRest), longestRest)
		if !d.Live() {
			rest = longestRest // without a loop only the time changes
		}
		select {
		case <-time.After(rest):
		case <-d.ended:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Pauses between two surveys.
const (
	leastRest   = 2 * time.Second
	longestRest = time.Minute
)
