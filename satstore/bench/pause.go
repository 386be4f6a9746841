package bench

import (
	"context"
	"runtime"
	"time"
)

// pause counts what engines do between the timed parts, with goroutines of their own. What
// the harness itself does meanwhile is left out: CPU of its thread, what Prepare writes.
type pause struct {
	all  cost
	from usage
	on   bool
}

// begin pins the harness to a thread, so that its CPU time can be told from the engine's.
func (p *pause) begin() {
	runtime.LockOSThread()
	p.from, p.on = now(), true
}

// end is idempotent. Wall time is not taken: between units it is the harness's.
func (p *pause) end() {
	if !p.on {
		return
	}
	to := now()
	runtime.UnlockOSThread()
	p.on = false
	p.all.cpu += max(to.cpu-p.from.cpu-(to.own-p.from.own), 0)
	p.all.written += to.written - p.from.written
	p.all.read += to.read - p.from.read
}

// Idle is a process that used less than a tenth of a core and wrote nothing, in each of
// idleLooks looks.
const (
	idleLook  = 20 * time.Millisecond
	idleLooks = 3
	// idlePatience bounds the wait: an engine that is never idle is taken as it is.
	idlePatience = time.Minute
)

// waitIdle waits until an engine has done what it put off, and all is written out.
func waitIdle(ctx context.Context, e Engine, dir string) (c cost, err error) {
	from := now()
	if s, ok := e.(settler); ok {
		if err := s.Settle(ctx); err != nil {
			return c, err
		}
	}
	if err := syncFiles(dir); err != nil {
		return c, err
	}
	busy := now()
	for last, quiet := busy, 0; quiet < idleLooks && last.at.Sub(from.at) < idlePatience; {
		select {
		case <-ctx.Done():
			return c, ctx.Err()
		case <-time.After(idleLook):
		}
		look := now()
		if quiet++; look.cpu-last.cpu > idleLook/10 || look.written != last.written {
			quiet, busy = 0, look
		}
		last = look
	}
	c.add(from, busy)
	return c, nil
}
