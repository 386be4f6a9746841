package fetch

import (
	"context"
	"time"
)

// Clock is the time that a client uses: the real one, or a virtual one. It governs the wait for a
// server's turn and the age of robots.txt, but not the deadlines of the network.
type Clock interface {
	Now() time.Time
	// SleepUntil returns when Now is t or later, or earlier with the error of ctx.
	SleepUntil(ctx context.Context, t time.Time) error
}

// WallClock is real time.
type WallClock struct{}

// Now returns the time of day.
func (WallClock) Now() time.Time { return time.Now() }

// SleepUntil waits for t or the end of ctx.
func (WallClock) SleepUntil(ctx context.Context, t time.Time) error {
	d := time.Until(t)
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
