package cycle

import "time"

// stall is a time in which this machine cannot make visits: no file descriptors, no resolver, no
// space on the disk. Pages are not blamed for it; the loop waits.
type stall struct {
	since  time.Time
	until  time.Time
	pause  time.Duration // the last one; 0: all is well
	looked time.Time     // when Able was asked last
	byAble bool          // Able says so, and says when it is over
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
	if s.pause == 0 {
		s.since = now
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
	s.pause, s.until, s.byAble = 0, time.Time{}, false
	if tell != nil {
		tell(nil)
	}
}

// mostBlameless is how often in a row a server may meet a fault that may be its own and not this
// machine's, before it is taken for its own.
const mostBlameless = 3

// blames reports whether a fault that looks like one of this machine is the server's after all:
// others are answered meanwhile, or it comes at this server again and again.
func (c *crew) blames(l *line, fault *LocalError, now time.Time) bool {
	if !fault.Unsure {
		return false
	}
	l.blameless++
	if now.Sub(c.answered) > time.Minute && l.blameless < mostBlameless {
		return false
	}
	l.blameless = 0
	return true
}

// wentWell ends a stall when a visit succeeded that began in it. What began before says nothing,
// nor does any visit where Able is who knows.
func (l *Loop) wentWell(began time.Time) {
	if !l.stall.byAble && began.After(l.stall.since) {
		l.stall.end(l.Stalled)
	}
}

// pauseFor lets the loop wait because of a fault of this machine.
func (l *Loop) pauseFor(why error, now time.Time) { l.stall.begin(now, why, l.Stalled) }

// unable reports whether no visit may begin now.
func (l *Loop) unable(now time.Time) bool {
	if now.Before(l.stall.until) {
		return true
	}
	if l.Able == nil || !l.stall.byAble && now.Sub(l.stall.looked) < ableEvery {
		return false
	}
	l.stall.looked = now
	if err := l.Able(); err != nil {
		l.pauseFor(err, now)
		l.stall.byAble = true
		return true
	}
	if l.stall.byAble {
		l.stall.end(l.Stalled)
	}
	return false
}
