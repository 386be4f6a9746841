package cycle

import (
	"context"
	"time"
)

// longestVisit is how long ago a visit may have begun that was under way when a process was killed.
const longestVisit = 2 * time.Minute

// KeepDistance waits for a Pause before the first request of a process that goes on where another
// stopped, if that was a moment ago: what that one asked last is not known to the second, let alone
// what was under way when it was killed. It calls waiting before it waits.
func (l *Loop) KeepDistance(ctx context.Context, waiting func()) error {
	now, last := l.Clock.Now(), time.Unix(int64(l.Planner.Corpus.LastTried()), 0)
	if l.Pause == 0 || now.Sub(last) > longestVisit+l.Pause {
		return nil
	}
	waiting()
	return l.sleepUntil(ctx, now.Add(l.Pause))
}
