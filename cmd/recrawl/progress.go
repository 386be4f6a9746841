package main

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

// progress tells on standard error how far long work has come: a bar on a terminal, a line
// every few seconds elsewhere, nothing with --quiet. Safe for concurrent use.
type progress struct {
	mu          sync.Mutex
	out         io.Writer
	what        string
	done, total int
	bar         *progressbar.ProgressBar
	lastLine    time.Time
	parts       []string // names of what is at work side by side, the first begun in front
}

const lineEvery = 5 * time.Second

func (p *program) progress(what string, total int) *progress {
	pr := &progress{out: p.stderr, what: what, total: total, lastLine: time.Now()}
	if p.quiet {
		pr.out = io.Discard
	} else if isTerminal(p.stderr) {
		pr.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(p.stderr), progressbar.OptionSetDescription(what),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true), progressbar.OptionSetWidth(30))
	}
	return pr
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Step counts one more.
func (pr *progress) Step() {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	pr.set(pr.done + 1)
}

// StepOf counts one more of a part, which is shown until its last.
func (pr *progress) StepOf(name string, last bool) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	i := slices.Index(pr.parts, name)
	if i < 0 {
		i = len(pr.parts)
		pr.parts = append(pr.parts, name)
		pr.describe()
	}
	if last {
		pr.parts = slices.Delete(pr.parts, i, i+1)
		pr.describe()
	}
	pr.set(pr.done + 1)
}

// describe shows the parts beside the bar.
func (pr *progress) describe() {
	if pr.bar != nil {
		pr.bar.Describe(pr.what + pr.working())
	}
}

// working names the parts that are at work.
func (pr *progress) working() string {
	if len(pr.parts) == 0 {
		return ""
	}
	return " (" + strings.Join(pr.parts, ", ") + ")"
}

// Reach sets how far it is of how much, and what is at work.
func (pr *progress) Reach(done, total int, what string) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if pr.total != total && pr.bar != nil {
		pr.bar.ChangeMax(total)
	}
	pr.total = total
	if !slices.Equal(pr.parts, []string{what}) {
		pr.parts = []string{what}
		pr.describe()
	}
	pr.set(done)
}

// At sets how far it is.
func (pr *progress) At(done int) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	pr.set(done)
}

func (pr *progress) set(done int) {
	pr.done = done
	if pr.bar != nil {
		_ = pr.bar.Set(min(done, pr.total)) // a bar that cannot be drawn stops nothing
		return
	}
	if now := time.Now(); now.Sub(pr.lastLine) >= lineEvery {
		pr.lastLine = now
		of := ""
		if pr.total > 0 { // a list from standard input has an end that nobody knows
			of = fmt.Sprintf(" of %d", pr.total)
		}
		fmt.Fprintf(pr.out, "%s: %d%s%s\n", pr.what, pr.done, of, pr.working())
	}
}

// End removes the bar.
func (pr *progress) End() {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if pr.bar != nil {
		_ = pr.bar.Finish()
	}
}
