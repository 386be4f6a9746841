package fetch

import (
	"fmt"
	"sync"
	"time"
)

// warnEvery is how often Options.Warn is told of the same trouble at most.
const warnEvery = time.Minute

// warnings counts how often a trouble came, and tells of it now and then. It is safe for concurrent
// use.
type warnings struct {
	mu    sync.Mutex
	told  time.Time
	since int // that nobody was told of
	all   int
}

// add counts one, and tells of it with what it means, unless that was done lately.
func (w *warnings) add(err error, means string, now time.Time, tell func(error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since++
	w.all++
	if tell == nil || !w.told.IsZero() && now.Sub(w.told) < warnEvery {
		return
	}
	tell(fmt.Errorf("%w (since the last warning: %d times; in all: %d). %s",
		err, w.since, w.all, means))
	w.told, w.since = now, 0
}
