package history

import "fmt"

// Error says what is wrong with a file, where, and what to do. A file with any error
// counts as not read.
type Error struct {
	File   string
	Line   int    // from 1; 0: the file as a whole
	Reason string // what is wrong
	Hint   string // what to do
	Err    error  // the cause, where another package found it; may be nil
}

func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Hint == "" {
		return where + ": " + e.Reason
	}
	return where + ": " + e.Reason + "; " + e.Hint
}

func (e *Error) Unwrap() error { return e.Err }

// bad is an Error whose file and line are filled in by a caller.
func bad(hint, reason string, args ...any) *Error {
	return &Error{Reason: fmt.Sprintf(reason, args...), Hint: hint}
}

const (
	hintFormat   = `want one JSON object a line: {"url","t","digest",...} or {"url","t","gone":true}`
	hintSort     = "sort the lines by t"
	hintTransfer = "copy or download the file again"
)
