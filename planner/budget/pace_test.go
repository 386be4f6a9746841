package budget

import (
	"strings"
	"testing"
)

func TestParsePace(t *testing.T) {
	for _, c := range []struct {
		text          string
		share, perDay float64
		wants         string // part of the error
	}{
		{"0.02", 0.02, 0, ""}, {"2%", 0.02, 0, ""}, {" 2 % ", 0.02, 0, ""}, {"1", 1, 0, ""},
		{"0.1%", 0.001, 0, ""}, {"7%", 0.07, 0, ""}, {"250%", 2.5, 0, ""}, {"100%", 1, 0, ""},
		{"5000/day", 0, 5000, ""}, {"200/hour", 0, 4800, ""}, {"0.5/day", 0, 0.5, ""},
		{"5000", 0, 0, "5000/day for fetches, or 5000%"}, {"1.5", 0, 0, "1.5/day"},
		{"0", 0, 0, "above 0"}, {"-1%", 0, 0, "above 0"}, {"%", 0, 0, "above 0"},
		{"", 0, 0, "above 0"}, {"NaN", 0, 0, "above 0"}, {"Inf%", 0, 0, "above 0"},
		{"2GB/day", 0, 0, "a number of fetches"}, {"5000/week", 0, 0, "a number of fetches"},
		{"0/day", 0, 0, "a number of fetches"}, {"2%/day", 0, 0, "a number of fetches"},
	} {
		got, err := ParsePace(c.text)
		if got != (Pace{c.share, c.perDay}) || (err == nil) != (c.wants == "") ||
			err != nil && !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%q: %v, %v; want %v, %v, %q", c.text, got, err, c.share, c.perDay, c.wants)
		}
	}
}

func FuzzParsePace(f *testing.F) {
	for _, text := range []string{"0.02", "2%", "2 %", "5000/day", "200/hour", "1e3%", "0x1p-2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePace(text)
		if err == nil && !(p.Share > 0) == !(p.PerDay > 0) || err != nil && p != (Pace{}) {
			t.Errorf("%q: %+v, error %v", text, p, err)
		}
	})
}
