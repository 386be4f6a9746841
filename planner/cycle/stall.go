package cycle

import "time"

// stall is a time in which this machine cannot make visits: no file descriptors, no resolver, no space on the
// disk. Pages are not blamed for it; the loop waits.
type stall struct {
	until  time.Time
	pause  time.Duration // the last one; 0: all is well
	looked time.Time     // when Able was asked last
}

const (
	firstStall   = time.Second
	longestStall = time.Minute
	// ableEvery is how often Able is asked.
	ableEvery = time.Second
)

// begin waits, twice as long as the last time, and says why.
func (s *stall) begin(now time.Time, why error, tell func(error)) {
	if now.Before(s.until) {
		return // visits that were under way meet the same trouble
	}
	s.pause = min(max(2*s.pause, firstStall), longestStall)
	s.until = now.Add(s.pause)
	if tell != nil {
		tell(why)
	}
}

// end goes on, and says so.
func (s *stall) end(tell func(error)) {
	if s.pause == 0 {
		return
	}
	s.pause, s.until = 0, time.Time{}
	if tell != nil {
		tell(nil)
	}
}

// pauseFor lets the loop wait because of a fault of this machine.
func (l *Loop) pauseFor(why error, now time.Time) { l.stall.begin(now, why, l.Stalled) }

// unable reports whether no visit may begin now.
func (l *Loop) unable(now time.Time) bool {
	if now.Before(l.stall.until) {
		return true
	}
	if l.Able == nil || now.Sub(l.stall.looked) < ableEvery {
		return false
	}
	l.stall.looked = now
	if err := l.Able(); err != nil {
		l.pauseFor(err, now)
		return true
	}
	return false
}
