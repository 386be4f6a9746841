// Package progress tells how far long work has come: by a bar on a terminal, by a line every few
// seconds elsewhere.
package progress

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar tells how far one piece of work has come. Any number of goroutines may use it.
type Bar struct {
	mu          sync.Mutex
	out         io.Writer
	what        string
	done, total int
	bar         *progressbar.ProgressBar
	lastLine    time.Time
	parts       []string // names of what is at work side by side, the first begun in front
}

// LineEvery is how far apart lines are, where no terminal shows a bar.
const LineEvery = 5 * time.Second

// New begins to tell of work of so many steps, 0 where that is not known yet. out is standard
// error; io.Discard tells nobody.
func New(out io.Writer, what string, total int) *Bar {
	b := &Bar{out: out, what: what, total: total, lastLine: time.Now()}
	if IsTerminal(out) {
		b.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(what),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true), progressbar.OptionSetWidth(30))
	}
	return b
}

// IsTerminal reports whether somebody may watch what is written.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Step counts one more.
func (b *Bar) Step() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(b.done + 1)
}

// StepOf counts one more of a part, which is shown until its last.
func (b *Bar) StepOf(name string, last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.parts, name)
	if i < 0 {
		i = len(b.parts)
		b.parts = append(b.parts, name)
		b.describe()
	}
	if last {
		b.parts = slices.Delete(b.parts, i, i+1)
		b.describe()
	}
	b.set(b.done + 1)
}

// describe shows the parts beside the bar.
func (b *Bar) describe() {
	if b.bar != nil {
		b.bar.Describe(b.what + b.working())
	}
}

// working names the parts that are at work.
func (b *Bar) working() string {
	if len(b.parts) == 0 {
		return ""
	}
	return " (" + strings.Join(b.parts, ", ") + ")"
}

// Reach sets how far it is of how much, and what is at work.
func (b *Bar) Reach(done, total int, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total != total && b.bar != nil {
		b.bar.ChangeMax(total)
	}
	b.total = total
	if !slices.Equal(b.parts, []string{what}) {
		b.parts = []string{what}
		b.describe()
	}
	b.set(done)
}

// Of sets how far it is of how much.
func (b *Bar) Of(done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total = total
	b.set(done)
}

// At sets how far it is.
func (b *Bar) At(done int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(done)
}

func (b *Bar) set(done int) {
	b.done = done
	if b.bar != nil {
		_ = b.bar.Set(min(done, b.total)) // a bar that cannot be drawn stops nothing
		return
	}
	if now := time.Now(); now.Sub(b.lastLine) >= LineEvery {
		b.lastLine = now
		of := ""
		if b.total > 0 { // a list from standard input has an end that nobody knows
			of = fmt.Sprintf(" of %d", b.total)
		}
		fmt.Fprintf(b.out, "%s: %d%s%s\n", b.what, b.done, of, b.working())
	}
}

// End removes the bar.
func (b *Bar) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}
