package cycle

import "time"

// stall is a time in which this machine cannot make visits: no file descriptors, no resolver, no
// space on the disk. Pages are not blamed for it; the loop waits. Then one visit begins, and with
// each answer one more may be under way (slow start and additive increase: Jacobson 1988).
type stall struct {
	since  time.Time // of the last fault
	until  time.Time
	pause  time.Duration // the last one; 0: all is well
	looked time.Time     // when Able was asked last
	byAble bool          // Able says so, and says when it is over

	most   int       // visits under way at a time that began since; 0: no bound
	enough int       // up to here most grows with each answer, then by one a second
	grown  time.Time // when it grew last
	early  int       // visits under way that began before, and are not counted
	last   time.Time // when a visit began last

	told   time.Time // when why was told last
	ofAble bool      // that was what Able said
	open   bool      // the user was not told since that it is over
}

const (
	firstStall   = time.Second
	longestStall = time.Minute
	// ableEvery is how often Able is asked.
	ableEvery = time.Second
	// tellEvery is how often the user is told of the same trouble.
	tellEvery = 5 * time.Minute
	// growEvery is how often most grows beyond enough.
	growEvery = time.Second
)

// begin waits, twice as long as the last time. So many visits are under way, and up to enough at a
// time seem to be no trouble.
func (s *stall) begin(now time.Time, inFlight, enough int) {
	if s.pause == 0 {
		s.enough = max(enough, 1)
	}
	s.since, s.most, s.early = now, 1, inFlight
	s.pause = min(max(2*s.pause, firstStall), longestStall)
	s.until = now.Add(s.pause)
}

// tell says why the loop waits, unless that was said lately.
func (s *stall) tell(now time.Time, why error, tell func(error)) {
	if tell == nil || !s.told.IsZero() && s.ofAble == s.byAble && now.Sub(s.told) < tellEvery {
		return
	}
	s.told, s.ofAble, s.open = now, s.byAble, true
	tell(why)
}

// end goes on, and says so.
func (s *stall) end(tell func(error)) {
	if s.pause == 0 {
		return
	}
	s.pause, s.until, s.byAble = 0, time.Time{}, false
	if s.open && tell != nil {
		tell(nil)
	}
	s.open = false
}

// holds reports whether no more visits may begin, as so many are under way. Where these take long
// one more may all the same.
func (s *stall) holds(inFlight int, now time.Time) bool {
	return s.most > 0 && inFlight-s.early >= s.most && now.Sub(s.last) < slowAnswer
}

// land counts a visit that is over.
func (s *stall) land(began time.Time) {
	if s.early > 0 && !began.After(s.since) {
		s.early--
	}
}

// grow lets one visit more through, after an answer to one that began since the fault. So many are
// under way still, and as many as most are no longer bounded.
func (s *stall) grow(now time.Time, inFlight, most int) {
	full := inFlight+1-s.early >= s.most // as it was before this answer
	if s.most == 0 || s.most >= s.enough && (!full || now.Sub(s.grown) < growEvery) {
		return
	}
	s.grown = now
	if s.most++; s.most >= most {
		s.most = 0
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
func (c *crew) wentWell(began, now time.Time) {
	if !began.After(c.stall.since) {
		return
	}
	if !c.stall.byAble {
		c.stall.end(c.Stalled)
	}
	c.stall.grow(now, c.inFlight, mostFlights(c.Workers))
}

// fault lets the loop wait because of a fault of this machine, which a visit met that began at a
// moment. What began before the last fault says nothing new.
func (c *crew) fault(why error, began, now time.Time) {
	if !began.After(c.stall.since) {
		return
	}
	c.stall.begin(now, c.inFlight, (c.inFlight-c.stall.early)/2)
	c.turn = quick // who goes first tells soon
	c.stall.tell(now, why, c.Stalled)
}

// unable reports whether no visit may begin now.
func (c *crew) unable(now time.Time) bool {
	s := &c.stall
	if now.Before(s.until) {
		return true
	}
	if c.Able == nil || !s.byAble && now.Sub(s.looked) < ableEvery {
		return false
	}
	s.looked = now
	if err := c.Able(); err != nil {
		s.begin(now, c.inFlight, c.Workers)
		s.byAble = true
		s.tell(now, err, c.Stalled)
		return true
	}
	if s.byAble {
		s.end(c.Stalled)
	}
	return false
}
