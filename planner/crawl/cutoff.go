package crawl

import "time"

// throughput counts the visits that begin in windows of time.
type throughput struct {
	since       time.Time
	begun, last int // in this window, and in the one before
	best        int
}

const (
	speedWindow = 10 * time.Second
	// collapsed is how many times slower than its best window the pool must be to have collapsed.
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

// cutOff ends a batch whose speed has collapsed. Then at least half of it is visits to servers that
// seldom let one begin, and there is no room to choose others. cutOff returns all but a few visits
// of each server to the planner, where the pages stay due. Until the round ends, only a few visits
// of each server are chosen ahead.
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
