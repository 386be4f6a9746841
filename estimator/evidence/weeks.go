package evidence

import (
	"math"
	"math/bits"

	"github.com/recrawl/recrawl/sitegraph"
)

// Weeks is the number of weeks in a history.
const Weeks = 32

const secondsPerWeek = 7 * secondsPerDay

// InWeek returns what the visits of a week found at a page, as if there had been one: from when to
// when, in unix seconds, and whether it had changed. ok is false if there was none.
func InWeek(h *sitegraph.History, week uint32) (from, to uint32, changed, ok bool) {
	ago := sitegraph.Week(h.Last) - week
	if ago >= Weeks || h.WeeksSeen>>ago&1 == 0 {
		return 0, 0, false, false
	}
	to = h.Last - ago*secondsPerWeek
	if earlier := h.WeeksSeen >> ago >> 1; earlier != 0 {
		from = to - uint32(1+bits.TrailingZeros32(earlier))*secondsPerWeek
	} else if from = h.Epoch; sitegraph.Week(h.Last)-sitegraph.Week(h.Epoch) >= Weeks {
		from = max(from, to-min(secondsPerWeek, to))
	}
	return from, to, h.WeeksChanged>>ago&1 != 0, from < to
}

// WeekShares count, by week, how many pages of a group were visited and how many had changed.
type WeekShares struct{ seen, changed [Weeks]float64 }

// Add adds the visits and changes of a page in the weeks up to newest, which must not precede its
// last visit.
func (s *WeekShares) Add(h *sitegraph.History, newest uint32) {
	seen, changed := h.WeeksBefore(newest)
	for w := range Weeks {
		s.seen[w] += float64(seen >> w & 1)
		s.changed[w] += float64(changed >> w & 1)
	}
}

// Gain returns the logarithm of a likelihood ratio: of the changes if each week has a share of its
// own, to the changes if all weeks have the mean share. The prior of a weekly share is a beta
// distribution with that mean, as strong as one visit. Weeks with fewer than two visits do
// not count.
func (s *WeekShares) Gain(mean float64) (sum float64) {
	lbeta := func(x, y float64) float64 {
		gx, _ := math.Lgamma(x)
		gy, _ := math.Lgamma(y)
		gz, _ := math.Lgamma(x + y)
		return gx + gy - gz
	}
	a, b := mean, 1-mean
	for w, changed := range s.changed {
		if same := s.seen[w] - changed; changed+same >= 2 {
			sum += lbeta(a+changed, b+same) - lbeta(a, b) - changed*math.Log(mean) -
				same*math.Log(1-mean)
		}
	}
	return sum
}
