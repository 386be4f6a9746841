package runs

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
type FormatError struct {
	Path  string // of the version file
	Found int    // version of the store
	Known int    // highest version this program reads
	Frame bool   // they are kinds of a frame of the log, which is Path
}

func (e *FormatError) Error() string {
	if e.Frame {
		return fmt.Sprintf("%s: the log has a whole frame of kind %d, this program knows up to %d",
			e.Path, e.Found, e.Known)
	}
	if e.Found < e.Known {
		return fmt.Sprintf(
			"%s: store has format %d, of an earlier development version; this program reads %d",
			e.Path,
			e.Found,
			e.Known,
		)
	}
	return fmt.Sprintf("%s: store has format %d, this program knows up to %d",
		e.Path, e.Found, e.Known)
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
