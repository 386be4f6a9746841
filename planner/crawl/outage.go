package crawl

import "time"

// outage is a time in which this machine cannot make visits: no file descriptors, no resolver, no
// space on the disk. No page is blamed for it, and the loop waits. Then one visit begins, and each
// answer allows one more under way (slow start and additive increase: Jacobson 1988).
type outage struct {
	since  time.Time // when the last fault was noted
	until  time.Time
	pause  time.Duration // the last pause; 0: there is no outage
	looked time.Time     // when Able was last asked
	byAble bool          // Able reported the fault, and decides when it ends

	most   int       // bound on visits under way that began since; 0: none
	enough int       // up to here most grows with each answer, beyond by one a second
	grown  time.Time // when most last grew
	early  int       // uncounted visits under way that began earlier
	last   time.Time // when a visit last began

	reported time.Time // when the reason was last reported
	ofAble   bool      // whether Able gave that reason
	open     bool      // the end was not reported yet
}

const (
	firstOutage   = time.Second
	longestOutage = time.Minute
	// ableEvery is the time between two calls of Able.
	ableEvery = time.Second
	// reportEvery is the time between two reports of the same trouble.
	reportEvery = 5 * time.Minute
	// growEvery is the time between two increases of most beyond enough.
	growEvery = time.Second
)

// begin starts a pause, twice as long as the last one. inFlight visits are under way; up to enough
// at a time seem to be no trouble.
func (s *outage) begin(now time.Time, inFlight, enough int) {
	if s.pause == 0 {
		s.enough = max(enough, 1)
	}
	s.since, s.most, s.early = now, 1, inFlight
	s.pause = min(max(2*s.pause, firstOutage), longestOutage)
	s.until = now.Add(s.pause)
}

// report tells the user why the loop waits, unless it did so lately.
func (s *outage) report(now time.Time, why error, tell func(error)) {
	if tell == nil || !s.reported.IsZero() && s.ofAble == s.byAble &&
		now.Sub(s.reported) < reportEvery {
		return
	}
	s.reported, s.ofAble, s.open = now, s.byAble, true
	tell(why)
}

// end ends the outage, and reports it.
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

// blocksStart reports whether too many visits are under way for one more. If they take long, one
// more may still begin.
func (s *outage) blocksStart(inFlight int, now time.Time) bool {
	return s.most > 0 && inFlight-s.early >= s.most && now.Sub(s.last) < slowAnswer
}

// noteEnd counts a visit that has ended.
func (s *outage) noteEnd(began time.Time) {
	if s.early > 0 && !began.After(s.since) {
		s.early--
	}
}

// grow allows one more visit after an answer to a visit that began since the fault. inFlight visits
// are still under way. From a bound of most visits on there is no bound.
func (s *outage) grow(now time.Time, inFlight, most int) {
	full := inFlight+1-s.early >= s.most // before this answer
	if s.most == 0 || s.most >= s.enough && (!full || now.Sub(s.grown) < growEvery) {
		return
	}
	s.grown = now
	if s.most++; s.most >= most {
		s.most = 0
	}
}

// mostBlameless is how many faults in a row at a server may count as this machine's before they
// count as the server's.
const mostBlameless = 3

// blames reports whether a fault that looks like this machine's is the server's: other servers
// answer meanwhile, or the fault recurs at this server.
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

// noteSuccess ends an outage when a visit succeeded that began in it. A visit that began earlier
// shows nothing. If Able reported the fault, only Able ends the outage.
func (p *pool) noteSuccess(began, now time.Time) {
	if !began.After(p.outage.since) {
		return
	}
	if !p.outage.byAble {
		p.outage.end(p.Stalled)
	}
	p.outage.grow(now, p.inFlight, mostUnderWay(p.Workers))
}

// noteFault makes the loop wait after a visit met a fault of this machine. If the visit began
// before the last fault, it shows nothing new.
func (p *pool) noteFault(why error, began, now time.Time) {
	if !began.After(p.outage.since) {
		return
	}
	p.outage.begin(now, p.inFlight, (p.inFlight-p.outage.early)/2)
	p.turn = speedQuick // quick servers show soonest whether the fault is over
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
