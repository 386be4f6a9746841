package engine

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/sitegraph/words"
)

var (
	// ErrInUse says that another process, or another Store of this one, has the directory open.
	ErrInUse = directory.ErrInUse
	// ErrReadOnly says that a store opened with Options.ReadOnly was asked to change.
	ErrReadOnly = errors.New("store is open for reading only")
	// ErrNoStore says that a directory to be read holds no store, or one whose creation was cut
	// short.
	ErrNoStore = words.Hint(errors.New("the directory holds no store"),
		"recrawl run --data DIR URL... makes one, in a new or empty directory; where one was, "+
			"check --repair makes a new one of what is left", words.ExitFailed)
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

// Hint says which program or directory to take.
func (e *FormatError) Hint() string {
	if e.Found < e.Known {
		return "the directory was made by an earlier development version; start a new one with " +
			"another --data"
	}
	return "the directory was written by a newer recrawl; use that version, or another --data"
}

// ExitCode is that of failures.
func (e *FormatError) ExitCode() int { return words.ExitFailed }

// DamageError says that bytes which were durable are not what was written.
type DamageError struct {
	Path   string
	Offset int64 // where the damaged block, frame or chunk begins
	What   string
	// Seqs are the records whose newest version stood there.
	Seqs  []uint32
	Cause error // nil where the bytes themselves are the cause
}

// Hint says how to save what can be read.
func (e *DamageError) Hint() string {
	return "recrawl check --repair --to NEW-DIRECTORY makes a new store of all that can be read"
}

// ExitCode is that of damage.
func (e *DamageError) ExitCode() int { return words.ExitDamaged }

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
