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
	next    time.Duration // until the look after that
	said    string
}

const (
	firstLook = time.Minute
	// longestLook bounds the time between two looks, which doubles: each looks at all pages.
	longestLook = 10 * time.Minute
)

// look judges the run now and then, and says what has changed.
func (t *tightness) look(loop *cycle.Loop) {
	if now := time.Now(); now.Before(t.at) {
		return
	}
	t.next = min(max(2*t.next, firstLook), longestLook)
	t.at = time.Now().Add(t.next)
	t.result.Judge(loop, t.workers, t.perDay)
	text := t.result.TooTight()
	if text != "" && t.said == "" && !t.status.p.quiet {
		t.status.note(text)
	}
	t.said = text
}
