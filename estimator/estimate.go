package estimator

import "time"

// Day is the unit of rates.
const Day = 24 * time.Hour

// Estimate is how likely a page changed, with its doubt.
type Estimate struct {
	Method     string
	RatePerDay float64 // mean changes per day
	// 95 % interval (Level) of RatePerDay; equal to it where the method gives none
	Low, High    float64
	Interval     time.Duration // mean time between changes, within the method's limits
	Probability  float64       // of a change since the last visit, at the age asked for
	Observations int           // intervals between visits that it rests on
	Warning      string        // "" or why the number is a convention rather than an estimate
}

// Days converts a span to days.
func Days(d time.Duration) float64 { return d.Hours() / 24 }

// FromDays converts days to a span; spans beyond 200 years are cut there, below the
// range of time.Duration.
func FromDays(days float64) time.Duration {
	const limit = 200 * 365
	if !(days < limit) { // also NaN
		days = limit
	}
	return time.Duration(days * float64(Day))
}

// seconds is a span as histories keep it.
func seconds(s uint32) time.Duration { return time.Duration(s) * time.Second }
