package crawl

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// savedFrom is the wait for a server from which on it is kept over a restart whatever the server's
// usual pause is, also where no requests are made that need one.
const savedFrom = 15 * time.Second

// isLongWait reports whether a server waits longer than KeepDistance makes it wait after a restart:
// for a Crawl-delay, a Retry-After, or because of its troubles.
func (l *Loop) isLongWait(of *serverQueue) bool {
	return of.pause >= savedFrom || l.Reserve && of.pause > of.usual
}

// savedWait is what is kept of a server that asked for more than the usual pause.
type savedWait struct {
	Until time.Time `json:"until"`
	Steps uint8     `json:"steps,omitempty"` // of its backOff

	Vanished *vanished `json:"vanished,omitempty"`
}

// longestWait is the longest wait that a server is kept waiting for: a Retry-After is not believed
// beyond a day. What lies further ahead was written by a clock that was wrong.
const longestWait = 25 * time.Hour

func waitSetting(server string) string { return "hold/" + server }

// saveWait saves the wait that a server asked for, if it is long, and its backOff where that
// changed.
func (l *Loop) saveWait(of *serverQueue, changed bool) error {
	if !l.isLongWait(of) && !changed {
		return nil
	}
	if err := l.awaitVerified(); err != nil {
		return err // the image says which server it is
	}
	server := l.graph.ServerName(of.server)
	value, err := json.Marshal(savedWait{of.notBefore.UTC(), of.steps, of.vanished.kept()})
	if err != nil {
		panic(fmt.Sprintf("crawl: wait for %s: %v", server, err)) // a time and a number
	}
	if err := l.Store.SaveSetting(waitSetting(server), value); err != nil {
		return l.storeError(err, "save the wait for %s", server)
	}
	l.uncommitted = max(l.uncommitted, 1) // though no visit may follow that is to be committed
	return nil
}

// savedWaitOf is what an earlier run kept of a server; zero if it asked for nothing long.
func (l *Loop) savedWaitOf(s sitegraph.ServerID) (h savedWait, err error) {
	server := l.graph.ServerName(s)
	value, ok, err := l.Store.Setting(waitSetting(server))
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
	if h.Until.Sub(now) > longestWait {
		h.Until = time.Time{}
	} else {
		h.Until = anchored(h.Until, now)
	}
	h.Steps = min(h.Steps, mostSteps)
	return h, nil
}
