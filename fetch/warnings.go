package fetch

import (
	"fmt"
	"sync"
	"time"
)

// warnEvery is the least time between two calls of Options.Warn for the same trouble.
const warnEvery = time.Minute

// warnings counts occurrences of a trouble and reports it now and then. Goroutines may share it.
type warnings struct {
	mu    sync.Mutex
	told  time.Time
	since int // occurrences since the last report
	all   int
}

// add counts one occurrence, and reports it with its meaning, unless it did so lately.
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
