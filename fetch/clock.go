package fetch

import (
	"context"
	"time"
)

// Clock is time as the client sees it: the wall's, or a virtual one. Waiting for a
// server's turn and the age of a robots.txt go by it; deadlines of the network do not.
type Clock interface {
	Now() time.Time
	// SleepUntil returns when Now is t or later, or with ctx's error.
	SleepUntil(ctx context.Context, t time.Time) error
}

// WallClock is the real time.
type WallClock struct{}

// Now returns the time of day.
func (WallClock) Now() time.Time { return time.Now() }

// SleepUntil waits for t or for the end of ctx.
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
