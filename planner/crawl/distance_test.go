package crawl_test

import (
	"context"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner/crawl"
)

// A process that starts just after another was killed waits for a pause, even if the other had
// acknowledged nothing. A later process does not wait.
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
		w.clock = crawl.NewVirtualClock(base)
		w.before = func(context.Context, crawl.Request) error { panic(crashed{}) }
		m := newRig(t, w, d, "ebayes", crawl.Options{Pause: pause})
		m.seed(starts...)
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
		if c.asked && m.runUntilCrash(1000) || len(m.acked) > 0 {
			t.Fatal("the process did not die at its first request")
		}
		w = newWeb(pages)
		w.clock = crawl.NewVirtualClock(base.Add(c.after))
		m = newRig(t, w, d.crash(), "ebayes", crawl.Options{Pause: pause})
		if err := m.loop.KeepDistance(context.Background(), func() {}); err != nil {
			t.Fatal(err)
		}
		if waited := w.clock.Now().Sub(base.Add(c.after)); waited != c.waits {
			t.Errorf("asked %v, %v later: waited %v, want %v", c.asked, c.after, waited, c.waits)
		}
	}
}

// heir is a fetcher that keeps pauses over the death of a process.
type heir struct {
	*web
	silent  bool
	resumed time.Time
}

func (h *heir) Silent() bool           { return h.silent }
func (h *heir) Resume(asked time.Time) { h.resumed = asked }

// Processes that are killed before they send a request do not restart the wait.
func TestKeepDistanceOverSilence(t *testing.T) {
	d := newDisk()
	pages, starts := farm(4, 10)
	w := newWeb(pages)
	w.clock = crawl.NewVirtualClock(base)
	w.before = func(context.Context, crawl.Request) error { panic(crashed{}) }
	m := newRig(t, w, d, "ebayes", crawl.Options{Pause: time.Second})
	m.seed(starts...)
	if err := d.Commit(); err != nil || m.runUntilCrash(1000) {
		t.Fatal("the process did not die at its first request", err)
	}
	for _, c := range []struct {
		silent    bool // whether the last process was
		at, since time.Duration
	}{
		{false, 3 * time.Second, 3 * time.Second}, {true, 6 * time.Second, 3 * time.Second},
		{true, 9 * time.Second, 3 * time.Second}, {false, 12 * time.Second, 12 * time.Second},
	} {
		w = newWeb(pages)
		w.clock = crawl.NewVirtualClock(base.Add(c.at))
		d = d.crash()
		h := &heir{web: w, silent: c.silent}
		m = newRig(t, w, d, "ebayes", crawl.Options{Pause: time.Second})
		m.loop.Fetcher = h
		if err := m.loop.KeepDistance(context.Background(), func() {}); err != nil {
			t.Fatal(err)
		}
		if since := h.resumed.Sub(base); since != c.since {
			t.Errorf("at %v, silent before %v: servers were asked until %v, want %v",
				c.at, c.silent, since, c.since)
		}
	}
}
