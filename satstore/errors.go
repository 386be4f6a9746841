package satstore

import (
	"errors"
	"fmt"
)

var (
	// ErrInUse says that another process, or another Store of this one, has the directory open.
	ErrInUse = errors.New("store is in use")
	// ErrReadOnly says that a store opened with Options.ReadOnly was asked to change.
	ErrReadOnly = errors.New("store is open for reading only")
	// ErrNoStore says that a directory to be read is there, but is not that of a store.
	ErrNoStore = errors.New("the directory holds no store")
	// ErrUnborn says that a store's creation was cut short and there is nothing to read yet.
	// Opening it for writing completes it.
	ErrUnborn = errors.New("the creation of the store was cut short")
	// ErrClosed says that the store was closed before the call.
	ErrClosed = errors.New("store is closed")
)

// FormatError says that a store was written by a newer program.
type FormatError struct {
	Path  string // of the version file
	Found int    // version of the store
	Known int    // highest version this program reads
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: store has format %d, this program knows up to %d", e.Path, e.Found, e.Known)
}

// DamageError says that bytes which were durable are not what was written.
type DamageError struct {
	Path   string
	Offset int64 // of the first bad byte as far as known
	What   string
	Cause  error // nil where the bytes themselves are the cause
}

func (e *DamageError) Error() string {
	s := fmt.Sprintf("%s: damaged at byte %d: %s", e.Path, e.Offset, e.What)
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

func (e *DamageError) Unwrap() error { return e.Cause }
