package cycle

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// holdFrom is the wait for a server from which on it is kept over a restart whatever the server's
// usual pause is, also where no requests are made that need one.
const holdFrom = 15 * time.Second

// isLong reports whether a line waits longer than KeepDistance makes it wait after a restart: for a
// Crawl-delay, a Retry-After, or because of its troubles.
func (l *Loop) isLong(of *line) bool {
	return of.pause >= holdFrom || l.Reserve && of.pause > of.usual
}

// held is what is kept of a server that asked for more than the usual pause.
type held struct {
	Until time.Time `json:"until"`
	Steps uint8     `json:"steps,omitempty"` // of its slowdown

	Vanished *vanished `json:"vanished,omitempty"`
}

// longestHold is the longest wait that a server is kept waiting for: a Retry-After is not believed
// beyond a day. What lies further ahead was written by a clock that was wrong.
const longestHold = 25 * time.Hour

func holdSetting(server string) string { return "hold/" + server }

// hold keeps the wait that a server asked for, if it is long, and its slowdown where that changed.
func (l *Loop) hold(of *line, changed bool) error {
	if !l.isLong(of) && !changed {
		return nil
	}
	if err := l.sure(); err != nil {
		return err // the image says which server it is
	}
	server := l.graph.ServerName(of.server)
	value, err := json.Marshal(held{of.notBefore.UTC(), of.steps, of.vanished.kept()})
	if err != nil {
		panic(fmt.Sprintf("cycle: wait for %s: %v", server, err)) // a time and a number
	}
	if err := l.Store.SaveSetting(holdSetting(server), value); err != nil {
		return l.storeError(err, "save the wait for %s", server)
	}
	l.uncommitted = max(l.uncommitted, 1) // though no visit may follow that is to be committed
	return nil
}

// heldOf is what an earlier run kept of a server; zero if it asked for nothing long.
func (l *Loop) heldOf(s sitegraph.ServerID) (h held, err error) {
	server := l.graph.ServerName(s)
	value, ok, err := l.Store.Setting(holdSetting(server))
	if err != nil {
		return h, l.storeError(err, "read the wait for %s", server)
	}
	if !ok {
		return h, nil
	}
	if err := json.Unmarshal(value, &h); err != nil {
		// Older stores held the time only.
		if h.Until, err = time.Parse(time.RFC3339Nano, string(value)); err != nil {
			return h, fmt.Errorf("the kept wait for %s: %w", server, err)
		}
	}
	now := l.Clock.Now()
	if h.Until.Sub(now) > longestHold {
		h.Until = time.Time{}
	} else {
		h.Until = anchored(h.Until, now)
	}
	h.Steps = min(h.Steps, mostSteps)
	return h, nil
}
