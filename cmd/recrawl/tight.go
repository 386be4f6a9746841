package main

import (
	"time"

	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/present"
)

// tightness says in time that a run cannot have all that is wanted.
type tightness struct {
	result  *present.Run
	status  *statusLine
	workers int
	perDay  float64 // planner.Unlimited: no budget
	at      time.Time
	said    string
}

const (
	firstLook = time.Minute
	// nextLook: it looks at all pages.
	nextLook = 10 * time.Minute
)

// look judges the run now and then, and says what has changed.
func (t *tightness) look(loop *cycle.Loop) {
	if now := time.Now(); now.Before(t.at) {
		return
	}
	t.at = time.Now().Add(nextLook)
	t.result.Judge(loop, t.workers, t.perDay)
	text := t.result.TooTight()
	if text != "" && t.said == "" && !t.status.p.quiet {
		t.status.note(text)
	}
	t.said = text
}
