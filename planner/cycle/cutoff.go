package cycle

import "time"

// speed is how many visits begin in a window of time.
type speed struct {
	since       time.Time
	begun, last int // in this window, and in the one before
	best        int
}

const (
	speedWindow = 10 * time.Second
	// collapsed is the part of the best window below which speed has collapsed.
	collapsed = 4
)

func (s *speed) begin(now time.Time) {
	s.turn(now)
	s.begun++
}

// turn ends the window if it is over.
func (s *speed) turn(now time.Time) {
	if passed := now.Sub(s.since); passed >= speedWindow {
		if s.last = s.begun; passed >= 2*speedWindow {
			s.last = 0
		}
		s.best = max(s.best, s.begun)
		s.since, s.begun = now, 0
	}
}

// cutOff ends a batch whose speed has collapsed: it is half full or more of visits to servers that
// let one begin now and then, and no other can be chosen. All but a few of each are given back, as
// if they had never been chosen: their pages stay due as they are. From then on a few of each
// server are chosen ahead, until the round ends.
func (c *crew) cutOff(now time.Time) {
	c.speed.turn(now)
	if c.cut || c.parked < c.batch/2 || c.speed.best == 0 || c.speed.last*collapsed > c.speed.best {
		return
	}
	c.cut, c.few = true, true
	before := c.parked
	for _, l := range c.lines {
		for l.at != nil && len(l.visits) > aFew {
			c.Planner.Return(c.takeLast(l))
		}
		c.admit(l, now)
	}
	if c.Dispatched != nil && before > c.parked {
		c.Dispatched(Dispatch{Scarce: c.scarce, Workers: c.workers, CutOff: before - c.parked})
	}
}
