package report

import (
	"fmt"
	"io"
	"time"
)

// rewriteEvery is the time between two texts of a line that a terminal shows in one place.
const rewriteEvery = 200 * time.Millisecond

// Line shows the progress of work without an end: by one line that is rewritten on a terminal,
// elsewhere by a line every LineEvery. It is for one goroutine.
type Line struct {
	out     io.Writer
	rewrite bool
	width   func() int // of the terminal, which may change
	last    time.Time
}

// NewLine shows progress on out; with io.Discard nowhere.
func NewLine(out io.Writer) *Line {
	return &Line{out: out, rewrite: rewrites(out), width: func() int { return columnsOfLine(out) },
		last: time.Now()}
}

// Show shows the text, unless it is too early.
func (l *Line) Show(text func() string) {
	every := LineEvery
	if l.rewrite {
		every = rewriteEvery
	}
	if l.out != io.Discard && time.Since(l.last) >= every {
		l.Print(text())
	}
}

// Print shows the text at once.
func (l *Line) Print(text string) {
	l.last = time.Now()
	if l.rewrite {
		fmt.Fprintf(l.out, "\r\x1b[K%s", FitLine(text, l.width()))
		return
	}
	fmt.Fprintln(l.out, text)
}

// End clears the line on a terminal, for lines that stay.
func (l *Line) End() {
	if l.rewrite {
		fmt.Fprint(l.out, "\r\x1b[K")
	}
}
