package engine

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/sitegraph/words"
)

var (
	// ErrInUse reports that another process, or another Store of this one, has the directory open.
	ErrInUse = directory.ErrInUse
	// ErrReadOnly reports that a store opened with Options.ReadOnly was asked to change.
	ErrReadOnly = errors.New("store is open for reading only")
	// ErrNoStore reports that a directory holds no store, or one whose creation was cut short.
	ErrNoStore = words.Hint(errors.New("the directory holds no store"),
		"recrawl run --data DIR URL... makes one, in a new or empty directory; where one was, "+
			"check --repair makes a new one from the rest", words.ExitFailed)
	// ErrClosed reports that the store was closed before the call.
	ErrClosed = errors.New("store is closed")
	// ErrNoRecord reports that a message was sent to a record that does not exist.
	ErrNoRecord = errors.New("no such record")
	// ErrBusy reports that the callback of Advance called a method that it must not.
	ErrBusy = errors.New("store is being advanced")
)

// FormatError reports that a store was written by a newer program, or by one that was never
// released. Nothing was changed.
type FormatError struct {
	Path  string // of the file with the format
	What  string // the object with the format; "": the store
	Found int    // its version, or kind
	Known int    // the highest that this program reads
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

// Hint names the program or directory to use.
func (e *FormatError) Hint() string {
	if e.Found < e.Known {
		return "the directory was made by an earlier development version; start a new one with " +
			"another --data"
	}
	return "the directory was written by a newer recrawl; use that version, or another --data"
}

// ExitCode returns the exit code of failures.
func (e *FormatError) ExitCode() int { return words.ExitFailed }

// DamageError reports that durable bytes are not those that were written.
type DamageError struct {
	Path   string
	Offset int64 // start of the damaged block, frame or chunk
	What   string
	// Seqs are the records whose newest version was there.
	Seqs  []uint32
	Cause error // nil if the bytes themselves are the cause
}

// Hint says how to save what is readable.
func (e *DamageError) Hint() string {
	return "recrawl check --repair --to NEW-DIRECTORY makes a new store of all that can be read"
}

// ExitCode returns the exit code of damage.
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
