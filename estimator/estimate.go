package estimator

import "time"

// Day is the unit of rates.
const Day = 24 * time.Hour

// Estimate is an estimate of how often a page changes, with its uncertainty.
type Estimate struct {
	Method     string
	RatePerDay float64 // mean changes per day
	// Low and High are the 95 % interval (Level) of RatePerDay; equal to it if the method has none.
	Low, High    float64
	Interval     time.Duration // mean time between changes, within the method's limits
	Probability  float64       // of a change since the last visit, at the requested age
	Observations int           // number of intervals between visits
	Warning      string        // "", or why the number is a convention rather than an estimate
}

// Days converts a duration to days.
func Days(d time.Duration) float64 { return d.Hours() / 24 }

// FromDays converts days to a duration. It cuts them at 200 years, below the range of
// time.Duration.
func FromDays(days float64) time.Duration {
	const limit = 200 * 365
	if !(days < limit) { // also NaN
		days = limit
	}
	return time.Duration(days * float64(Day))
}

// seconds returns the duration of seconds in a history.
func seconds(s uint32) time.Duration { return time.Duration(s) * time.Second }
