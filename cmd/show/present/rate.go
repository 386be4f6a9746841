package present

import (
	"math"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Rate is the rate at which pages change, by estimator.ChangeRate. All fields are null if it is
// unknown.
type Rate struct {
	PerDay *float64 `json:"changes_per_day"` // 0: visits saw no change
	Low    *float64 `json:"changes_per_day_low"`
	// Low and High are the ends of its 95 % interval. High is null if pages may change more often
	// than visits see.
	High *float64 `json:"changes_per_day_high"`
}

// RateOf returns a rate as people are shown it.
func RateOf(c estimator.ChangeRate) Rate {
	if !c.Known() {
		return Rate{}
	}
	rate := c.PerDay()
	low, high := c.Range()
	r := Rate{&rate, &low, &high}
	if math.IsInf(high, 1) {
		r.High = nil
	}
	return r
}

// String returns the rate for people.
func (r Rate) String() string {
	switch {
	case r.PerDay == nil:
		return "not known yet"
	case *r.PerDay == 0:
		return "none seen"
	}
	text := words.Significant(*r.PerDay, 3)
	if r.High == nil {
		return text + " or more"
	}
	return text
}

// Range returns the 95 % interval for people; "" if there is no rate, no change, or no upper end.
func (r Rate) Range() string {
	if r.PerDay == nil || *r.PerDay == 0 || r.High == nil {
		return ""
	}
	return words.Significant(*r.Low, 3) + " to " + words.Significant(*r.High, 3)
}
