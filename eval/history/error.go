package history

import (
	"fmt"
	"path/filepath"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// Error describes a fault of a file: what is wrong, where, and what to do. A file with any error
// counts as not read.
type Error struct {
	File   string
	Line   int    // from 1; 0: the file as a whole
	Reason string // what is wrong
	Advice string // what to do
	Err    error  // cause from another package; may be nil
}

func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Advice == "" {
		return where + ": " + e.Reason
	}
	return where + ": " + e.Reason + "; " + e.Advice
}

// Hint returns what to do, and what else the file may be.
func (e *Error) Hint() string {
	if e.Reason == noURL {
		return "if these are recorded sites, with whole contents: recrawl demo --sites " +
			filepath.Dir(e.File) + "; " + e.Advice
	}
	const unused = "nothing of that file was used"
	if e.Advice == "" {
		return unused
	}
	return e.Advice + "; " + unused
}

// ExitCode returns the exit status of failures.
func (e *Error) ExitCode() int { return words.ExitFailed }

// WithoutHint returns the error without the advice, for callers that print it separately.
func (e *Error) WithoutHint() error {
	bare := *e
	bare.Advice = ""
	return &bare
}

func (e *Error) Unwrap() error { return e.Err }

// bad returns an Error; a caller fills in file and line.
func bad(hint, reason string, args ...any) *Error {
	return &Error{Reason: fmt.Sprintf(reason, args...), Advice: hint}
}

const (
	hintFormat   = `want one JSON object a line: {"url","t","digest",...} or {"url","t","gone":true}`
	noURL        = "url is missing"
	hintSort     = "sort the lines by t"
	hintTransfer = "copy or download the file again"
)
