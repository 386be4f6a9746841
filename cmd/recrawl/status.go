package main

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/eval/report/progress"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/present"
)

// statusLine tells how a run goes: one line rewritten on a terminal, a line every few
// seconds elsewhere.
type statusLine struct {
	p       *program
	rewrite bool
	last    time.Time
}

func (p *program) status() *statusLine {
	return &statusLine{p: p, rewrite: progress.IsTerminal(p.stderr), last: time.Now()}
}

func (s *statusLine) show(r *present.Run, plan *planner.Planner) {
	every := progress.LineEvery
	if s.rewrite {
		every = 200 * time.Millisecond
	}
	if s.p.quiet || time.Since(s.last) < every {
		return
	}
	s.print(r.Status(plan))
}

// rest says that a round is done and when the next begins.
func (s *statusLine) rest(r *present.Run, plan *planner.Planner, next time.Time) {
	if !s.p.quiet {
		s.print(r.Status(plan) + "; next round at " + report.UTC(next))
	}
}

func (s *statusLine) print(line string) {
	s.last = time.Now()
	if s.rewrite {
		fmt.Fprintf(s.p.stderr, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(s.p.stderr, line)
}

// stalled says why no visit is made, or that visits go on.
func (s *statusLine) stalled(why error) {
	if why == nil {
		s.note("going on")
		return
	}
	s.note("waiting: " + why.Error() + "; no page is blamed, visits go on when this is over")
}

// note prints a line that stays, unless there is nothing to say.
func (s *statusLine) note(text string) {
	if text != "" {
		s.end()
		s.p.note("%s", text)
	}
}

func (s *statusLine) end() {
	if s.rewrite && !s.p.quiet {
		fmt.Fprint(s.p.stderr, "\r\x1b[K")
	}
}
