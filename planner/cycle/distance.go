package cycle

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// longestVisit is how long ago a visit may have begun that was under way when a process was killed.
const longestVisit = 2 * time.Minute

// KeepDistance waits for a Pause before the first request of a process that goes on where another
// stopped, if that was a moment ago: what that one asked last is not known to the second, let alone
// what was under way when it was killed. It calls waiting before it waits.
func (l *Loop) KeepDistance(ctx context.Context, waiting func()) error {
	var last int64
	for page := range sitegraph.PageID(l.Planner.Corpus.Pages()) {
		last = max(last, int64(l.Planner.Corpus.Memory(page).Tried))
	}
	now := l.Clock.Now()
	if l.Pause == 0 || now.Sub(time.Unix(last, 0)) > longestVisit+l.Pause {
		return nil
	}
	waiting()
	return l.Clock.SleepUntil(ctx, now.Add(l.Pause))
}
