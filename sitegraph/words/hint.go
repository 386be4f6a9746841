package words

import "errors"

// Exit codes of a command that fails, as errors with a hint know them.
const (
	ExitFailed  = 1 // it did not work
	ExitMisuse  = 2 // the call was wrong, or a file or setting of the user
	ExitDamaged = 4 // bytes that were durable are not what was written
)

// hinted is an error that knows what its user can do.
type hinted struct {
	error
	hint string
	code int
}

func (e hinted) Unwrap() error { return e.error }

// Hint says what to do.
func (e hinted) Hint() string { return e.hint }

// ExitCode is that of the command that fails by it.
func (e hinted) ExitCode() int { return e.code }

// Hint returns an error with what its user can do, and the exit code of the command that fails by
// it. Its text stays that of err.
func Hint(err error, hint string, code int) error { return &hinted{err, hint, code} }

// HintOf looks for an error with a method Hint, in err and in what it wraps. It returns the hint of
// this error, the exit code of the command, and the error to print. The code is that of the method
// ExitCode, or ExitMisuse without one. The error to print is err, or what the method WithoutHint
// returns where there is one: then the hint is part of the text of err. Where no error has a method
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
