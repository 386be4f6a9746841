package satstore

import (
	"errors"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph/words"
)

var (
	// ErrInUse reports that another process, or another Store of this one, has the directory open.
	ErrInUse = engine.ErrInUse
	// ErrRead is the ErrInUse of a store that other processes only read.
	ErrRead = directory.ErrRead
	// ErrReadOnly reports that a store opened with Options.ReadOnly was asked to change.
	ErrReadOnly = engine.ErrReadOnly
	// ErrNoStore reports that a directory exists, but is not that of a store.
	ErrNoStore = engine.ErrNoStore
	// ErrUnborn reports that a store's creation was cut short and there is nothing to read yet.
	// Opening it for writing completes it.
	ErrUnborn = words.Hint(errors.New("the creation of the store was cut short"),
		"nothing was crawled yet; recrawl run completes the directory", words.ExitFailed)
	// ErrClosed reports that the store was closed before the call.
	ErrClosed = engine.ErrClosed
	// ErrRemoved reports that the record of a page was removed.
	ErrRemoved = errors.New("the page was removed")
)

// FormatError reports that a store was written by a newer program, or by one that was never
// released.
type FormatError = engine.FormatError

// DamageError reports that durable bytes are not those that were written.
type DamageError = engine.DamageError
