package engine

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/satstore/directory"
)

var (
	// ErrInUse says that another process, or another Store of this one, has the directory open.
	ErrInUse = directory.ErrInUse
	// ErrReadOnly says that a store opened with Options.ReadOnly was asked to change.
	ErrReadOnly = errors.New("store is open for reading only")
	// ErrNoStore says that a directory to be read holds no store, or one whose creation was cut
	// short.
	ErrNoStore = errors.New("the directory holds no store")
	// ErrClosed says that the store was closed before the call.
	ErrClosed = errors.New("store is closed")
	// ErrNoRecord says that a message was sent to a record that is not there.
	ErrNoRecord = errors.New("no such record")
	// ErrBusy says that the function given to Advance called what it must not.
	ErrBusy = errors.New("store is being advanced")
)

// FormatError says that a store was written by a newer program, or by one that was never released.
// Nothing was changed.
type FormatError struct {
	Path  string // where it says so
	What  string // that has the format; "": the store
	Found int    // version, or kind
	Known int    // highest one that this program reads
}

func (e *FormatError) Error() string {
	what := e.What
	if what == "" {
		what = "store"
	}
	if e.Found < e.Known {
		return fmt.Sprintf("%s: %s has format %d, of an earlier development version; this program "+
			"reads %d", e.Path, what, e.Found, e.Known)
	}
	return fmt.Sprintf("%s: %s has format %d and was written by a newer version of recrawl; this "+
		"one knows up to %d: use the newer one (nothing was changed)", e.Path, what, e.Found, e.Known)
}

// DamageError says that bytes which were durable are not what was written.
type DamageError struct {
	Path   string
	Offset int64 // where the damaged block, frame or chunk begins
	What   string
	// Seqs are the records whose newest version stood there.
	Seqs  []uint32
	Cause error // nil where the bytes themselves are the cause
}

func (e *DamageError) Error() string {
	s := fmt.Sprintf("%s: damaged at byte %d: %s", e.Path, e.Offset, e.What)
	if len(e.Seqs) > 0 {
		s += fmt.Sprintf(", %d records", len(e.Seqs))
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

func (e *DamageError) Unwrap() error { return e.Cause }
