package synth

import (
	"math"
	"math/rand/v2"
	"time"
)

const (
	week        = 7 * 24 * time.Hour
	weekSeconds = 7 * daySeconds
	daySeconds  = 24 * 60 * 60

	// step is the time between two edited pages of a session.
	step = 4 * 60

	// snapDays limits how far a session is moved to end with an update of the top page.
	snapDays = 4
)

// snapShare is the share of sessions that the top page announces, if it changes within snapDays. It
// couples pages to tops: at 2 weeks servers with an updated top have 50 % of the pages in [LINK
// table 3], and 63 % of the updated ones.
const snapShare = 0.45

// regular returns times at a mean rate, with gaps between 0.4 and 1.6 of the mean and a random
// phase, so that the rate at the start of the window is the same as later.
func regular(perWeek float64, end int32, rng *rand.Rand) []int32 {
	if perWeek <= 0 {
		return nil
	}
	gap := weekSeconds / perWeek
	var times []int32
	for t := gap * rng.Float64(); t < float64(end); t += gap * (0.4 + 1.2*rng.Float64()) {
		if t >= 1 {
			times = append(times, int32(t))
		}
	}
	return times
}

// scattered returns times at a mean rate with exponential gaps: a Poisson process.
func scattered(perWeek float64, end int32, rng *rand.Rand) []int32 {
	var times []int32
	for t := rng.ExpFloat64(); ; t += max(rng.ExpFloat64(), 1e-4) {
		at := t * weekSeconds / perWeek
		if at >= float64(end) {
			return times
		}
		times = append(times, int32(at)+1)
	}
}

// each returns the same time of day every days days.
func each(days int, end int32, rng *rand.Rand) []int32 {
	var times []int32
	for t := 1 + rng.IntN(days*daySeconds); t < int(end); t += days * daySeconds {
		times = append(times, int32(t))
	}
	return times
}

// strata returns n times, one in each n-th part of the window.
func strata(n int, end int32, rng *rand.Rand) []int32 {
	times := make([]int32, n)
	for i := range times {
		times[i] = 1 + int32((float64(i)+rng.Float64())/float64(n)*float64(end-1))
	}
	return times
}

// round rounds x up with the probability of its fraction.
func round(x float64, rng *rand.Rand) int {
	whole := math.Floor(x)
	if rng.Float64() < x-whole {
		whole++
	}
	return int(whole)
}
