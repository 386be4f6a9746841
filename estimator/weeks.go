package estimator

import "github.com/recrawl/recrawl/sitegraph"

// Weeks returns in buf, oldest first, one interval for each week of a history with a visit that
// follows an earlier visit. A history has 32 weeks. Weeks assumes that a page which changed at
// several visits of a week changed once, and that visits are in the middle of their weeks. This is
// accurate for pages that change less than weekly. For others it is only a convention, not an
// estimate.
func Weeks(h sitegraph.History, buf *[32]Observed) []Observed {
	const unknown = 64
	before := uint32(unknown) // weeks since the visit before
	if weeks := sitegraph.Week(h.Last) - sitegraph.Week(h.Epoch); weeks < 32 {
		before = weeks
	}
	obs := buf[:0]
	for ago := uint32(31); ago < 32; ago-- { // oldest first; the step below 0 ends it
		if h.WeeksSeen>>ago&1 == 0 {
			continue
		}
		if before != unknown {
			days := 7 * float64(before-ago)
			if before <= ago { // the week of the first visit
				days = min(3.5, max(Days(h.Elapsed()), 0))
			}
			obs = append(obs, Observed{Days: days, Changed: h.WeeksChanged>>ago&1 == 1})
		}
		before = ago
	}
	return obs
}

// GridOfWeeks returns the likelihood of Weeks with forgetting: each interval counts by keepPerDay
// to the power of the days after it. So it follows a drifting rate.
func GridOfWeeks(h sitegraph.History, keepPerDay float64) Grid {
	var g Grid
	var buf [32]Observed
	for _, o := range Weeks(h, &buf) {
		g.ForgetDays(o.Days, keepPerDay)
		g.Observe(o.Days, o.Changed)
	}
	return g
}
