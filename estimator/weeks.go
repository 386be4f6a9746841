package estimator

import "github.com/recrawl/recrawl/sitegraph"

// Weeks returns the outcomes in the 32 weeks of a history, one interval for each week with a visit
// after another, in order of time, in buf. It assumes that a page which changed at several visits
// of a week changed once, and places visits in the middle of their weeks. This is good for changes
// slower than a week, and a convention for faster ones.
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
