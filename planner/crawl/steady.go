package crawl

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// SteadyClock is the system's clock without its steps. The monotonic clock shows a step, for
// example when a virtual machine resumes or a time server is wrong. SteadyClock follows a step only
// if it lasts: a year ahead for some seconds leaves no trace. Times of Now have a monotonic
// reading, so a pause between two of them has its intended length whatever the system's clock does.
// It is safe for concurrent use.
type SteadyClock struct {
	wall    func() time.Time
	elapsed func() time.Duration // by the monotonic clock
	tell    func(error)

	mu    sync.Mutex
	base  time.Time     // time of the system's clock when last believed
	at    time.Duration // elapsed at base
	off   time.Duration // step ahead of Now under test; 0: none
	since time.Duration // elapsed when the step began
	backs int
}

const (
	// stepFrom is the least difference from the monotonic clock that counts as a step. A clock that
	// is slewed drifts by 2 ms in 4 s.
	stepFrom = 2 * time.Second
	// stepLasts is the time that a step must last before the clock follows it.
	stepLasts = 2 * time.Minute
)

// NewSteadyClock returns a clock that reports steps.
func NewSteadyClock(tell func(error)) *SteadyClock {
	began := time.Now()
	return newSteadyClock(time.Now, func() time.Duration { return time.Since(began) }, tell)
}

func newSteadyClock(wall func() time.Time, elapsed func() time.Duration,
	tell func(error)) *SteadyClock {
	return &SteadyClock{wall: wall, elapsed: elapsed, tell: tell, base: wall(), at: elapsed()}
}

// Now returns the time in the local zone: Time.UTC would remove its monotonic reading.
func (c *SteadyClock) Now() time.Time {
	c.mu.Lock()
	wall, elapsed := c.wall(), c.elapsed()
	now := c.base.Add(elapsed - c.at)
	off := wall.Round(0).Sub(now.Round(0))
	var told error
	switch {
	case off.Abs() < stepFrom:
		c.base, c.at, c.off = wall, elapsed, 0
		now = wall
	case c.off == 0:
		c.off, c.since = off, elapsed
		told = fmt.Errorf("the system clock was set %s: the time before it counts, unless "+
			"that lasts for %v", direction(off), stepLasts)
	case (off - c.off).Abs() >= stepFrom: // another step
		c.off, c.since = off, elapsed
	case elapsed-c.since >= stepLasts:
		c.base, c.at, c.off = wall, elapsed, 0
		now = wall
		if off < 0 {
			c.backs++
		}
		told = fmt.Errorf("the system clock has been %s for %v: it counts from now on",
			direction(off), stepLasts)
	}
	c.mu.Unlock()
	if told != nil {
		c.tell(told)
	}
	return now
}

func direction(off time.Duration) string {
	if off < 0 {
		return (-off).Round(time.Second).String() + " back"
	}
	return off.Round(time.Second).String() + " ahead"
}

// Backs returns how many steps back Now has made. After one, earlier times may be in the future.
func (c *SteadyClock) Backs() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.backs
}

// SleepUntil waits for t.
func (c *SteadyClock) SleepUntil(ctx context.Context, t time.Time) error {
	timer := time.NewTimer(t.Sub(c.Now()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// anchored returns a time named by a store or a server on this clock: it stays as far ahead if the
// clock steps.
func anchored(t, now time.Time) time.Time { return now.Add(t.Sub(now)) }

// clockBacks returns how many steps back the loop's clock has made.
func (l *Loop) clockBacks() int {
	if c, ok := l.Clock.(interface{ Backs() int }); ok {
		return c.Backs()
	}
	return 0
}

// wentBack reports whether the clock stepped back since the round was opened. That ends the round
// and opens the present one.
func (l *Loop) wentBack() bool { return l.clockBacks() != l.backs }

// goBack sets times of visits that lie in the future after a step back to now, and opens the
// windows of budgets anew. At most one budget is used twice.
func (l *Loop) goBack() {
	l.backs = l.clockBacks()
	l.Planner.Caps().GoBack()
	l.Planner.Pages.NotAfter(l.Clock.Now(), l.wrongClock)
}
