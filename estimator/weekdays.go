package estimator

import (
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// Profile is how much faster than on average the pages of a site change on each weekday (UTC,
// by time.Weekday): factors of mean 1. Use Even for one that tells nothing.
type Profile struct {
	Factor [7]float64
}

// Even is the profile of pages that change on all days alike.
func Even() Profile { return Profile{[7]float64{1, 1, 1, 1, 1, 1, 1}} }

const daySeconds = 24 * 60 * 60

// weekday is that of a unix time, and the seconds left of its day. 1970-01-01 was a Thursday.
func weekday(unix int64) (day int, left int64) {
	days := unix / daySeconds
	if unix%daySeconds < 0 {
		days--
	}
	return int(((days+int64(time.Thursday))%7 + 7) % 7), (days+1)*daySeconds - unix
}

// daysOf is how many days of each weekday lie between two moments; none if to is not after from.
func daysOf(from, to time.Time) (days [7]float64) {
	t, end := from.Unix(), to.Unix()
	if end <= t {
		return days
	}
	weeks := (end - t) / (7 * daySeconds)
	for i := range &days {
		days[i] = float64(weeks)
	}
	for t += weeks * 7 * daySeconds; t < end; {
		day, left := weekday(t)
		left = min(left, end-t)
		days[day] += float64(left) / daySeconds
		t += left
	}
	return days
}

// Exposure is the effective days between two moments, those of each weekday times its factor: in
// place of plain days they make every formula of a Poisson rate right for a page with this profile
// (operational time). Whole seconds count. 0 if to is not after from.
func (p *Profile) Exposure(from, to time.Time) float64 {
	days := daysOf(from, to)
	sum := 0.0
	for i, d := range &days {
		sum += p.Factor[i] * d
	}
	return sum
}

// Weekdays counts the changes of a group of pages by weekday, beside those expected at equal
// factors. The zero value has seen nothing.
type Weekdays struct {
	Changes, Expected [7]float64
}

// Observe adds an access interval of a page that changes at ratePerDay on average. A
// change seen after several days counts on each as is to be expected under the profile
// known so far: with m changes expected in all and m_d on a weekday, m_d / (1 - exp(-m)), the mean
// given that there was one. Repeating all observations under the profile learnt is a
// round of expectation and maximisation.
func (w *Weekdays) Observe(from, to time.Time, changed bool, ratePerDay float64, profile *Profile) {
	if !(ratePerDay > 0) {
		return
	}
	ratePerDay = min(ratePerDay, FastestRate)
	days := daysOf(from, to)
	expected := 0.0
	for i, d := range &days {
		w.Expected[i] += ratePerDay * d
		expected += ratePerDay * d * profile.Factor[i]
	}
	if !changed || !(expected > 0) {
		return
	}
	given := 1 / -math.Expm1(-expected)
	for i, d := range &days {
		w.Changes[i] += ratePerDay * d * profile.Factor[i] * given
	}
}

// Merge counts all that another one counted.
func (w *Weekdays) Merge(other *Weekdays) {
	for i := range &w.Changes {
		w.Changes[i] += other.Changes[i]
		w.Expected[i] += other.Expected[i]
	}
}

// DefaultWeekdayStrength is how many changes a weekday the parent's profile counts for: with as
// many of its own, a site is trusted half.
const DefaultWeekdayStrength = 10

// Profile shrinks the factors towards the parent's, which count as strength changes on each
// weekday: (Changes + strength*parent) / (Expected + strength), brought to mean 1. Of no
// evidence it is the parent's; of an infinite strength too.
func (w *Weekdays) Profile(parent *Profile, strength float64) Profile {
	if !(strength < 1e15) {
		return *parent
	}
	strength = max(strength, 1e-9) // a weekday without evidence keeps its parent's factor
	var p Profile
	sum := 0.0
	for i := range &p.Factor {
		p.Factor[i] = (w.Changes[i] + strength*parent.Factor[i]) / (w.Expected[i] + strength)
		sum += p.Factor[i]
	}
	if !(sum > 0) {
		return *parent
	}
	for i := range &p.Factor {
		p.Factor[i] *= 7 / sum
	}
	return p
}

// Factor is that of one weekday before it is brought to mean 1, shrunk to 1, with the 95 %
// credible interval under a gamma prior of mean 1 and shape strength > 0. The interval holds
// where the day of each change is known; visits further apart than a day know less.
func (w *Weekdays) Factor(day time.Weekday, strength float64) (factor, low, high float64) {
	gamma := distuv.Gamma{Alpha: w.Changes[day] + strength, Beta: w.Expected[day] + strength}
	return gamma.Mean(), gamma.Quantile(tail), gamma.Quantile(1 - tail)
}

// Warning is "" if the evidence speaks for factors that differ, and otherwise why the
// profile is not to be relied on. It compares the probability of the counts under factors
// from a gamma distribution of mean 1 and shape strength with that under factors of 1.
func (w *Weekdays) Warning(strength float64) string {
	ratio, seen := 0.0, 0.0 // ratio: log Bayes factor
	for i := range &w.Changes {
		x, e := w.Changes[i], w.Expected[i]
		seen += x
		if e > 0 {
			a, _ := math.Lgamma(strength + x)
			b, _ := math.Lgamma(strength)
			ratio += a - b - x*math.Log(strength+e) - strength*math.Log1p(e/strength) + e
		}
	}
	switch {
	case seen == 0:
		return "no change seen: all weekdays count alike"
	case ratio < math.Log(3): // "substantial" evidence begins there (Jeffreys)
		return "the weekdays do not differ by more than chance"
	}
	return ""
}
