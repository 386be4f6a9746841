package crawl

import (
	"math/rand/v2"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// backOff says how much more slowly than usual a server is asked, as it is in trouble: the
// pause after each visit is doubled for each step.
type backOff struct {
	steps uint8
}

const (
	// leastPause is what doubles where the usual pause is shorter, or none.
	leastPause = time.Second
	// longestPause of a server in trouble: one that is down is still asked so often.
	longestPause = time.Hour
	mostSteps    = 12
)

// note learns from an outcome. A server that asks for fewer requests (429, 503) goes two steps up,
// one that fails goes one, and each proper answer forgives half of them.
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

// least is how long to wait at least.
func (s *backOff) least(usual time.Duration) time.Duration {
	return min(max(usual, leastPause)<<s.steps, longestPause)
}

// pause is how long to wait after a visit, where usual is the pause of a server without trouble. Up
// to half of it is random, so that servers which failed together are not asked together.
func (s *backOff) pause(usual time.Duration) time.Duration {
	if s.steps == 0 {
		return usual
	}
	wait := s.least(usual)
	return max(wait+time.Duration(rand.Int64N(int64(wait/2))), usual)
}
