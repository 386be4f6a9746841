package crawl

import "time"

// throughput is how many visits begin in a window of time.
type throughput struct {
	since       time.Time
	begun, last int // in this window, and in the one before
	best        int
}

const (
	speedWindow = 10 * time.Second
	// collapsed is the part of the best window below which speed has collapsed.
	collapsed = 4
)

func (s *throughput) note(now time.Time) {
	s.reset(now)
	s.begun++
}

// reset ends the window if it is over.
func (s *throughput) reset(now time.Time) {
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
func (p *pool) cutOff(now time.Time) {
	p.throughput.reset(now)
	if p.cut || p.waiting < p.batch/2 || p.throughput.best == 0 ||
		p.throughput.last*collapsed > p.throughput.best {
		return
	}
	p.cut, p.few = true, true
	before := p.waiting
	for _, q := range p.queues {
		for q.address != nil && len(q.visits) > aFew {
			p.Planner.Return(p.takeLast(q))
		}
		p.openOrClose(q, now)
	}
	if p.Dispatched != nil && before > p.waiting {
		p.Dispatched(Dispatch{Scarce: p.scarce, Workers: p.workers, CutOff: before - p.waiting})
	}
}
