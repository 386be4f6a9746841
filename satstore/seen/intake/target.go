package intake

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/recrawl/recrawl/satstore/seen"
)

// Target is where an import remembers addresses, and the keeper of new ones.
type Target struct {
	Set   string // directory of the set; made if necessary
	Store Store  // new addresses become its pages; nil: none
	// Memory is the budget behind the sizes of the options. The collector then keeps the program to
	// it, plus the memory of the program and the store; 0: no limit.
	Memory int64
	// Write is the file to which new addresses are appended without a store, and Out a stream that
	// receives them instead; "" and nil: nowhere.
	Write string
	Out   io.Writer
}

// Into opens the set of a target, adds the missing pages of its store, imports a list, and closes
// what it opened. It sets Set and Keeper of the options.
func Into(ctx context.Context, to Target, list io.Reader, o Options) (result *Result, err error) {
	if o.Set, err = seen.OpenSet(to.Set,
		seen.SetOptions{BufferKeys: o.Sizes.BufferKeys}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Set.Close()) }()
	caughtUp := 0
	switch {
	case to.Store != nil:
		if caughtUp, err = CatchUp(o.Set, to.Store); err != nil {
			return nil, err
		}
		o.Keeper = NewPages(to.Store, o.Set, time.Now())
	case to.Out != nil:
		o.Keeper = NewStream(to.Out)
	case to.Write != "":
		var lines *Lines
		if lines, err = NewLines(to.Write); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, lines.Close()) }()
		o.Keeper = lines
	default:
		o.Keeper = Nobody{}
	}
	limit := bound{parts: to.Memory, store: to.Store}
	limit.follow()
	defer limit.release()
	o.settled = limit.follow
	if result, err = Run(ctx, list, o); result != nil {
		result.CaughtUp = caughtUp
	}
	return result, err
}
