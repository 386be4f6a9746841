package words

import "errors"

// Exit codes of a command that fails.
const (
	ExitFailed  = 1 // it did not work
	ExitMisuse  = 2 // the call, a file or a setting of the user was wrong
	ExitDamaged = 4 // durable bytes are not what was written
)

// hinted is an error with advice for its user.
type hinted struct {
	error
	hint string
	code int
}

func (e hinted) Unwrap() error { return e.error }

// Hint returns the advice.
func (e hinted) Hint() string { return e.hint }

// ExitCode returns the exit code of a command that fails with this error.
func (e hinted) ExitCode() int { return e.code }

// FreePort is the hint for an address of --listen at which a command cannot listen.
const FreePort = "give --listen an address of this machine with a free port, such as 127.0.0.1:8089"

// Hint adds to err advice for its user, and the exit code of a command that fails with err. The
// text of err stays.
func Hint(err error, hint string, code int) error { return &hinted{err, hint, code} }

// HintOf looks in err, and in the errors it wraps, for an error with a method Hint. It returns the
// hint of this error, an exit code, and the error to print. The exit code is the result of its
// method ExitCode, or ExitMisuse if it has none. The error to print is the result of its method
// WithoutHint, which lacks the hint in its text, or err if it has none. If no error has a method
// Hint, HintOf returns no hint, ExitFailed and err.
func HintOf(err error) (hint string, code int, cause error) {
	var of interface {
		error
		Hint() string
	}
	if !errors.As(err, &of) {
		return "", ExitFailed, err
	}
	code, cause = ExitMisuse, err
	if knows, ok := of.(interface{ ExitCode() int }); ok {
		code = knows.ExitCode()
	}
	if bare, ok := of.(interface{ WithoutHint() error }); ok {
		cause = bare.WithoutHint()
	}
	return of.Hint(), code, cause
}
