package eval

import (
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
)

// TestStreamBySteps has a page that changes each day at 10:20, in rounds of a day and of an hour.
// The budget is daily for any round. The round of a visit determines how late a change is found.
func TestStreamBySteps(t *testing.T) {
	const minutes = 10*60 + 20
	changing := page(tinyA, shows(0, "start"))
	for d := range int64(8) {
		changing.Versions = append(changing.Versions,
			shows((7+d)*daySeconds+minutes*60, string(rune('A'+d))))
	}
	c := newCorpus(t, []*history.Server{server("a.example", 0, changing)}, Options{Base: week})
	for _, test := range []struct {
		step    time.Duration
		perDay  float64
		fetched int
		delay   float64 // hours
	}{
		{0, 1, 7, 24 - minutes/60.},
		{day, 1, 7, 24 - minutes/60.},
		{12 * time.Hour, 2, 14, 12 - minutes/60.},
		{time.Hour, 24, 7 * 24, 11 - minutes/60.},
		{time.Hour, 4, 28, 12 - minutes/60.}, // each six hours
		{time.Hour, 1, 7, 24 - minutes/60.},  // at the end of each day
		{10 * time.Minute, 24, 7 * 24, 11 - minutes/60.},
	} {
		o := StreamOptions{Weeks: 1, Step: test.step, Budget: test.perDay, Seed: 1}
		r, _ := logged(t, c, o, "breadth-first")
		wantInt(t, "fetched", r.Fetched, test.fetched)
		wantInt(t, "changed", r.Changed, 7)
		wantNumber(t, "coverage", r.Coverage, 1.)
		wantNumber(t, "hours from change to visit", r.DetectionDelayHours, test.delay)
		wantNumber(t, "the median", r.MedianDelayHours, test.delay)
		wantInt(t, "weeks", len(r.Weekly), 1)
		if t.Failed() {
			t.Fatalf("in steps of %v", test.step)
		}
	}
}

// TestDelayIsFromTheFirstChange checks that the delay counts from the first change that the copy
// lacks, also within a step, and that a page which returned to its copy has none.
func TestDelayIsFromTheFirstChange(t *testing.T) {
	hours := func(h float64) int64 { return 7*daySeconds + int64(h*60*60) }
	changing := page(tinyA, shows(0, "A"), shows(hours(2), "B"), shows(hours(3), "A"), // back
		shows(hours(30), "C"), shows(hours(40), "D"), shows(hours(60), "E"))
	c := newCorpus(t, []*history.Server{server("a.example", 0, changing)}, Options{Base: week})
	// at the end of the fourth day
	r, _ := logged(t, c, StreamOptions{Weeks: 1, Budget: 1. / 4, Seed: 1}, "breadth-first")
	wantInt(t, "changed", r.Changed, 1)
	wantNumber(t, "hours", r.DetectionDelayHours, 96-30.)
}
