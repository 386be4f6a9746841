package value

import (
	"math"
	"math/rand/v2"
	"testing"
)

// seeDays lets pages of a rate be visited each hour, which change by the hours that open says.
func seeDays(t *dayTimes, rng *rand.Rand, days int, perDay float64, open func(hour int) bool) {
	share := 0.0
	for hour := range hoursPerDay {
		if open(hour) {
			share += 1. / hoursPerDay
		}
	}
	for n := range days * hoursPerDay {
		from := 112 + float32(n)/hoursPerDay
		to := from + 1./hoursPerDay
		changes := 0.0
		if open(n % hoursPerDay) {
			changes = perDay / hoursPerDay / share
		}
		expected := float64(t.passed(0, from, to)) * perDay
		t.see(0, from, to, rng.Float64() < -math.Expm1(-changes),
			float32(math.Log(math.Expm1(expected))))
		t.begin(to)
	}
}

// Pages that change by day and not by night: time passes by day, and a day is a day.
func TestDayTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var times dayTimes
	seeDays(&times, rng, 30, 10, func(hour int) bool { return 8 <= hour && hour < 20 })
	at := func(hour float32) float32 { return 200 + hour/hoursPerDay }
	// hours
	passed := func(from, to float32) float32 {
		return hoursPerDay * times.passed(0, at(from), at(to))
	}
	if byDay, byNight := passed(10, 14), passed(23, 27); byDay < 7 || byDay > 9 || byNight > 1.2 {
		t.Errorf("four hours by day count for %.2f, four by night for %.2f", byDay, byNight)
	}
	if got := passed(3, 3+48); math.Abs(float64(got)-48) > 1e-3 {
		t.Errorf("two days count for %g hours", got)
	}
	if got := times.passed(0, 200.25, 207.25); got != 7 {
		t.Errorf("a week counts for %g days", got)
	}
	if got := times.passed(3, at(23), at(27)); got > 1.2/hoursPerDay { // by the corpus
		t.Errorf("at another server four hours by night count for %g days", got)
	}
	for range 1000 { // until is the inverse of passed
		now, wait := 200+rng.Float32(), 3*rng.Float32()
		h := times.of(0)
		if got := h.until(now, h.between(now, now+wait)); abs32(got-wait) > 1e-3 {
			t.Fatalf("%g days from %g on take %g", wait, now, got)
		}
	}
}

// Where all hours are alike, time passes as it does, but for chance in one web of ten.
func TestDayTimesByChance(t *testing.T) {
	used := 0
	for seed := range uint64(20) {
		var times dayTimes
		seeDays(&times, rand.New(rand.NewPCG(seed, 1)), 20, 3, func(int) bool { return true })
		if times.used {
			used++
		}
	}
	if used > 2 {
		t.Errorf("hours that are alike count on %d of 20 webs", used)
	}
	var times dayTimes
	times.see(0, 112, 113, true, 0) // a day tells nothing of hours
	if times.servers != nil || times.passed(0, 112.25, 112.5) != 0.25 {
		t.Error("something was learnt of a whole day")
	}
}
