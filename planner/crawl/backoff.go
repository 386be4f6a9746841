package crawl

import (
	"math/rand/v2"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// backOff slows the requests to a server in trouble: each step doubles the pause after a visit.
type backOff struct {
	steps uint8
}

const (
	// leastPause is the pause that doubles if the usual pause is shorter.
	leastPause = time.Second
	// longestPause bounds the pause, so that a dead server is still asked each hour.
	longestPause = time.Hour
	mostSteps    = 12
)

// note learns from an outcome. A request to slow down (429, 503) adds two steps, a failure adds
// one, and a proper answer takes half of them back.
func (s *backOff) note(t sitegraph.Trouble) (changed bool) {
	before := s.steps
	switch t {
	case sitegraph.TroubleBusy:
		s.steps = min(s.steps+2, mostSteps)
	case sitegraph.TroubleFailing:
		s.steps = min(s.steps+1, mostSteps)
	case sitegraph.TroubleNone:
		s.steps /= 2
	}
	return s.steps != before
}

// least returns the least wait after a visit.
func (s *backOff) least(usual time.Duration) time.Duration {
	return min(max(usual, leastPause)<<s.steps, longestPause)
}

// pause returns how long to wait after a visit, if a server without trouble pauses for usual. Up to
// half of it is random, so that servers which failed together are not asked together.
func (s *backOff) pause(usual time.Duration) time.Duration {
	if s.steps == 0 {
		return usual
	}
	wait := s.least(usual)
	return max(wait+time.Duration(rand.Int64N(int64(wait/2))), usual)
}
