package report

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// Bar shows the progress of one piece of work. Any number of goroutines may use it.
type Bar struct {
	mu          sync.Mutex
	out         io.Writer
	what        string
	done, total int
	bar         *progressbar.ProgressBar
	began       time.Time
	lastLine    time.Time
	parts       []string // names of the parts under way, the first begun in front
}

// LineEvery is the time between lines of progress outside a terminal.
const LineEvery = 5 * time.Second

// NewBar begins the progress of work of total steps; 0: not known yet. out is standard error, or
// io.Discard to show nothing.
func NewBar(out io.Writer, what string, total int) *Bar {
	now := time.Now()
	b := &Bar{out: out, what: what, total: total, began: now, lastLine: now}
	if rewrites(out) {
		b.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(narrow{out, func() int { return columnsOfLine(out) }}),
			progressbar.OptionSetDescription(what),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(30))
	}
	return b
}

// IsTerminal reports whether w is a terminal, where a person may watch.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// rewrites reports whether a line can be overwritten.
func rewrites(w io.Writer) bool { return IsTerminal(w) && os.Getenv("TERM") != "dumb" }

// columnsOfLine returns the greatest width of a text that will be overwritten. One column stays
// free: after the last one some terminals begin another line.
func columnsOfLine(w io.Writer) int {
	width := Width(w)
	if width == 0 { // the terminal does not know its width
		width = 80
	}
	return max(width-1, 1)
}

// narrow cuts the text of a bar to the width of the terminal. A wider text would wrap, and each
// rewriting would begin a new line.
type narrow struct {
	out   io.Writer
	width func() int
}

func (n narrow) Write(p []byte) (int, error) {
	var b strings.Builder
	for i, text := range strings.Split(string(p), "\r") {
		if i > 0 {
			b.WriteByte('\r')
		}
		if blank := strings.Trim(text, " ") == ""; blank {
			text = text[:min(len(text), n.width())]
		}
		if text != "" && !strings.HasPrefix(text, "\n") {
			text = FitLine(text, n.width())
		}
		b.WriteString(text)
	}
	if _, err := io.WriteString(n.out, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Width returns the greatest width of a line: that of the terminal, else the value of COLUMNS. 0
// means no bound, as readers of a file or a pipe want whole lines.
func Width(w io.Writer) int {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || width < 0 {
		return 0
	}
	return width
}

// HasColours reports whether the output may have colours: on a terminal, unless NO_COLOR has any
// value (no-color.org) or the terminal is a dumb one.
func HasColours(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Step counts one more step.
func (b *Bar) Step() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(b.done + 1)
}

// StepOf counts one more step of a part, which is shown until its last step.
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

// working returns the names of the parts under way.
func (b *Bar) working() string {
	if len(b.parts) == 0 {
		return ""
	}
	return " (" + strings.Join(b.parts, ", ") + ")"
}

// Reach sets the progress, the total and the name of the work.
func (b *Bar) Reach(done, total int, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setTotal(total)
	if !slices.Equal(b.parts, []string{what}) {
		b.parts = []string{what}
		b.describe()
	}
	b.set(done)
}

// Of sets the progress and the total.
func (b *Bar) Of(done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setTotal(total)
	b.set(done)
}

func (b *Bar) setTotal(total int) {
	if b.total != total && b.bar != nil {
		b.bar.ChangeMax(total)
	}
	b.total = total
}

// At sets the progress.
func (b *Bar) At(done int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(done)
}

func (b *Bar) set(done int) {
	b.done = done
	if b.bar != nil {
		_ = b.bar.Set(min(done, b.total)) // work goes on if the bar cannot be drawn
		return
	}
	if now := time.Now(); now.Sub(b.lastLine) >= LineEvery {
		b.lastLine = now
		of := ""
		if b.total > 0 { // the length of a list from standard input is unknown
			of = " of " + words.Grouped(int64(b.total))
		}
		fmt.Fprintf(b.out, "%s: %s%s%s%s\n", b.what, words.Grouped(int64(b.done)), of,
			pace(b.done, b.total, now.Sub(b.began)), b.working())
	}
}

// pace returns the speed, and the remaining time at that speed once it is known.
func pace(done, total int, took time.Duration) string {
	if done <= 0 || took <= 0 {
		return ""
	}
	perSecond := float64(done) / took.Seconds()
	text := ", " + words.Significant(perSecond, 3) + " a second"
	if perSecond < 1 {
		text = ", " + words.Significant(60*perSecond, 3) + " a minute"
	}
	if total > done {
		left := time.Duration(float64(total-done) / perSecond * float64(time.Second))
		text += ", " + words.Duration(left.Round(time.Second)) + " left"
	}
	return text
}

// Stages shows the progress of work in several parts, one after the other, each with a bar of its
// own.
type Stages struct {
	ctx  context.Context
	out  io.Writer
	what string
	bar  *Bar
}

// NewStages begins the progress. out is that of NewBar. When ctx ends, Tell returns its error,
// which ends the work.
func NewStages(ctx context.Context, out io.Writer) *Stages { return &Stages{ctx: ctx, out: out} }

// Tell sets the progress and the total of a part. Its error is that of the context.
func (s *Stages) Tell(what string, done, total int) error {
	if s.bar == nil || s.what != what {
		s.End()
		s.what, s.bar = what, NewBar(s.out, what, total)
	}
	s.bar.Of(done, total)
	return s.ctx.Err()
}

// End removes the bar of the part under way.
func (s *Stages) End() {
	if s.bar != nil {
		s.bar.End()
		s.bar = nil
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
