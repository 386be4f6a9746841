package crawl

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// savedFrom is the wait from which a server's wait is stored for the next process, whatever its
// usual pause is.
const savedFrom = 15 * time.Second

// isLongWait reports whether a server waits longer than KeepDistance makes it wait after a restart,
// because of a Crawl-delay, a Retry-After or its troubles.
func (l *Loop) isLongWait(of *serverQueue) bool {
	return of.pause >= savedFrom || l.Reserve && of.pause > of.usual
}

// savedWait is what the store keeps of a server that asked for more than the usual pause.
type savedWait struct {
	Until time.Time `json:"until"`
	Steps uint8     `json:"steps,omitempty"` // steps of its backOff

	Vanished *vanished `json:"vanished,omitempty"`
}

// longestWait bounds the wait for a server: a Retry-After counts for a day at most. A later time
// was written by a wrong clock.
const longestWait = 25 * time.Hour

func waitSetting(server string) string { return "hold/" + server }

// saveWait stores the wait that a server asked for, if it is long, and its changed backOff.
func (l *Loop) saveWait(of *serverQueue, changed bool) error {
	if !l.isLongWait(of) && !changed {
		return nil
	}
	if err := l.awaitVerified(); err != nil {
		return err // the image knows the name of the server
	}
	server := l.graph.ServerName(of.server)
	value, err := json.Marshal(savedWait{of.notBefore.UTC(), of.steps, of.vanished.kept()})
	if err != nil {
		panic(fmt.Sprintf("crawl: wait for %s: %v", server, err)) // both always encode
	}
	if err := l.Store.SaveSetting(waitSetting(server), value); err != nil {
		return l.storeError(err, "save the wait for %s", server)
	}
	l.uncommitted = max(l.uncommitted, 1) // so that a commit follows even without a visit
	return nil
}

// savedWaitOf returns the stored wait of a server; zero if there is none.
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
		// older stores have the time only
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
