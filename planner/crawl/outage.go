package crawl

import "time"

// outage is a time in which this machine cannot make visits: no file descriptors, no resolver, no
// space on the disk. Pages are not blamed for it; the loop waits. Then one visit begins, and with
// each answer one more may be under way (slow start and additive increase: Jacobson 1988).
type outage struct {
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

	reported time.Time // when why was told last
	ofAble   bool      // that was what Able said
	open     bool      // the user was not told since that it is over
}

const (
	firstOutage   = time.Second
	longestOutage = time.Minute
	// ableEvery is how often Able is asked.
	ableEvery = time.Second
	// reportEvery is how often the user is told of the same trouble.
	reportEvery = 5 * time.Minute
	// growEvery is how often most grows beyond enough.
	growEvery = time.Second
)

// begin waits, twice as long as the last time. So many visits are under way, and up to enough at a
// time seem to be no trouble.
func (s *outage) begin(now time.Time, inFlight, enough int) {
	if s.pause == 0 {
		s.enough = max(enough, 1)
	}
	s.since, s.most, s.early = now, 1, inFlight
	s.pause = min(max(2*s.pause, firstOutage), longestOutage)
	s.until = now.Add(s.pause)
}

// report says why the loop waits, unless that was said lately.
func (s *outage) report(now time.Time, why error, tell func(error)) {
	if tell == nil || !s.reported.IsZero() && s.ofAble == s.byAble &&
		now.Sub(s.reported) < reportEvery {
		return
	}
	s.reported, s.ofAble, s.open = now, s.byAble, true
	tell(why)
}

// end goes on, and says so.
func (s *outage) end(tell func(error)) {
	if s.pause == 0 {
		return
	}
	s.pause, s.until, s.byAble = 0, time.Time{}, false
	if s.open && tell != nil {
		tell(nil)
	}
	s.open = false
}

// blocksStart reports whether no more visits may begin, as so many are under way. Where these take
// long one more may all the same.
func (s *outage) blocksStart(inFlight int, now time.Time) bool {
	return s.most > 0 && inFlight-s.early >= s.most && now.Sub(s.last) < slowAnswer
}

// noteEnd counts a visit that is over.
func (s *outage) noteEnd(began time.Time) {
	if s.early > 0 && !began.After(s.since) {
		s.early--
	}
}

// grow lets one visit more through, after an answer to one that began since the fault. So many are
// under way still, and as many as most are no longer bounded.
func (s *outage) grow(now time.Time, inFlight, most int) {
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
func (p *pool) blames(q *serverQueue, fault *LocalError, now time.Time) bool {
	if !fault.Unsure {
		return false
	}
	q.blameless++
	if now.Sub(p.answered) > time.Minute && q.blameless < mostBlameless {
		return false
	}
	q.blameless = 0
	return true
}

// noteSuccess ends an outage when a visit succeeded that began in it. What began before says
// nothing, nor does any visit where Able is who knows.
func (p *pool) noteSuccess(began, now time.Time) {
	if !began.After(p.outage.since) {
		return
	}
	if !p.outage.byAble {
		p.outage.end(p.Stalled)
	}
	p.outage.grow(now, p.inFlight, mostUnderWay(p.Workers))
}

// noteFault lets the loop wait because of a fault of this machine, which a visit met that began at
// a moment. What began before the last fault says nothing new.
func (p *pool) noteFault(why error, began, now time.Time) {
	if !began.After(p.outage.since) {
		return
	}
	p.outage.begin(now, p.inFlight, (p.inFlight-p.outage.early)/2)
	p.turn = speedQuick // who goes first tells soon
	p.outage.report(now, why, p.Stalled)
}

// unable reports whether no visit may begin now.
func (p *pool) unable(now time.Time) bool {
	s := &p.outage
	if now.Before(s.until) {
		return true
	}
	if p.Able == nil || !s.byAble && now.Sub(s.looked) < ableEvery {
		return false
	}
	s.looked = now
	if err := p.Able(); err != nil {
		s.begin(now, p.inFlight, p.Workers)
		s.byAble = true
		s.report(now, err, p.Stalled)
		return true
	}
	if s.byAble {
		s.end(p.Stalled)
	}
	return false
}
