package satstore

import (
	"errors"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph/words"
)

var (
	// ErrInUse says that another process, or another Store of this one, has the directory open.
	ErrInUse = engine.ErrInUse
	// ErrRead is the ErrInUse of a store that other processes only read.
	ErrRead = directory.ErrRead
	// ErrReadOnly says that a store opened with Options.ReadOnly was asked to change.
	ErrReadOnly = engine.ErrReadOnly
	// ErrNoStore says that a directory to be read is there, but is not that of a store.
	ErrNoStore = engine.ErrNoStore
	// ErrUnborn says that a store's creation was cut short and there is nothing to read yet.
	// Opening it for writing completes it.
	ErrUnborn = words.Hint(errors.New("the creation of the store was cut short"),
		"nothing was crawled yet; recrawl run completes the directory", words.ExitFailed)
	// ErrClosed says that the store was closed before the call.
	ErrClosed = engine.ErrClosed
	// ErrRemoved says that the record of a page was removed.
	ErrRemoved = errors.New("the page was removed")
)

// FormatError says that a store was written by a newer program, or by one that was never released.
type FormatError = engine.FormatError

// DamageError says that bytes which were durable are not what was written.
type DamageError = engine.DamageError
