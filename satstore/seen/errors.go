package seen

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/sitegraph/words"
)

var (
	// ErrReadOnly reports that a set opened with SetOptions.ReadOnly was asked to change.
	ErrReadOnly = errors.New("the set is open for reading only")
	// ErrNoSet reports that a directory to be read holds no set.
	ErrNoSet = errors.New("the directory holds no set of addresses")
	// ErrClosed reports that the set was closed before the call.
	ErrClosed = errors.New("the set is closed")
)

// DamageError reports that durable bytes of a set are not those that were written.
type DamageError struct {
	Path   string
	Offset int64 // start of the damaged block
	What   string
	Cause  error // nil if the bytes themselves are the cause
}

// Hint says how to rebuild the set.
func (e *DamageError) Hint() string {
	return "remove the directory seen/ of the --data directory: import makes it anew of the pages of " +
		"the store; a --set alone begins anew"
}

// ExitCode returns the exit code of damage.
func (e *DamageError) ExitCode() int { return words.ExitDamaged }

func (e *DamageError) Error() string {
	s := fmt.Sprintf("%s: damaged at byte %d: %s", e.Path, e.Offset, e.What)
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

func (e *DamageError) Unwrap() error { return e.Cause }

// FormatError reports that a set was written by a newer program.
type FormatError struct {
	Path         string
	Found, Known int
}

// Hint names the program to use.
func (e *FormatError) Hint() string {
	return "the set was written by a newer recrawl; use that version"
}

// ExitCode returns the exit code of failures.
func (e *FormatError) ExitCode() int { return words.ExitFailed }

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: the set has format %d and was written by a newer version of recrawl; "+
		"this one knows up to %d: use the newer one (nothing was changed)",
		e.Path, e.Found, e.Known)
}
