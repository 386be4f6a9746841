package cycle_test

import (
	"context"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner/cycle"
)

// A process that goes on a moment after another one was killed waits for a pause, though the other
// one had acknowledged nothing; after a while it does not.
func TestKeepDistanceAfterFirstRequest(t *testing.T) {
	const pause = 10 * time.Second
	for _, c := range []struct {
		asked bool
		after time.Duration
		waits time.Duration
	}{
		{true, time.Second, pause}, {true, 3 * time.Minute, pause}, {true, 4 * time.Minute, 0},
		{false, time.Second, 0},
	} {
		d := newDisk()
		pages, starts := farm(4, 10)
		w := newWeb(pages)
		w.clock = cycle.NewVirtualClock(base)
		w.before = func(context.Context, cycle.Request) error { panic(crashed{}) }
		m := newRig(t, w, d, "ebayes", cycle.Options{Pause: pause})
		m.seed(starts...)
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
		if c.asked && m.runUntilCrash(1000) || len(m.acked) > 0 {
			t.Fatal("the process did not die at its first request")
		}
		w = newWeb(pages)
		w.clock = cycle.NewVirtualClock(base.Add(c.after))
		m = newRig(t, w, d.crash(), "ebayes", cycle.Options{Pause: pause})
		if err := m.loop.KeepDistance(context.Background(), func() {}); err != nil {
			t.Fatal(err)
		}
		if waited := w.clock.Now().Sub(base.Add(c.after)); waited != c.waits {
			t.Errorf("asked %v, %v later: waited %v, want %v", c.asked, c.after, waited, c.waits)
		}
	}
}
