package crawl

import (
	"context"
	"sync"
	"time"
)

// WallClock is the clock of the system.
type WallClock struct{}

// Now returns the time in UTC.
func (WallClock) Now() time.Time { return time.Now().UTC() }

// SleepUntil waits for t on the monotonic clock.
func (WallClock) SleepUntil(ctx context.Context, t time.Time) error {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// VirtualClock is a clock that moves only in SleepUntil, so that weeks pass in seconds. It is safe
// for concurrent use, but suits one worker: no sleeper waits for another.
type VirtualClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewVirtualClock returns a clock that starts at t.
func NewVirtualClock(t time.Time) *VirtualClock { return &VirtualClock{now: t} }

// Now returns the virtual time.
func (c *VirtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// SleepUntil moves the clock to t at once, never backwards.
func (c *VirtualClock) SleepUntil(ctx context.Context, t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.now) {
		c.now = t
	}
	return ctx.Err()
}
