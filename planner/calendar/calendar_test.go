package calendar

import (
	"testing"
	"time"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	m, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// 2026-11-25 is a Wednesday.
func TestOpen(t *testing.T) {
	for _, test := range []struct {
		calendar, from, to string
		open               bool
		next               string
	}{
		{"mon-fri 08:00-18:00 UTC", "2026-11-25T08:00:00Z", "2026-11-25T18:00:00Z", true,
			"2026-11-25T08:00:00Z"},
		{"mon-fri 08:00-18:00 UTC", "2026-11-25T07:59:59Z", "2026-11-25T09:00:00Z", false,
			"2026-11-25T08:00:00Z"},
		{"mon-fri 08:00-18:00 UTC", "2026-11-25T17:59:00Z", "2026-11-25T18:00:01Z", false,
			"2026-11-25T17:59:00Z"},
		{"mon-fri 08:00-18:00 UTC", "2026-11-27T18:00:00Z", "2026-11-27T18:00:00Z", false,
			"2026-11-30T08:00:00Z"},
		{"mon-fri 08:00-18:00 Europe/Berlin", "2026-11-25T07:00:00Z", "2026-11-25T07:30:00Z", true,
			"2026-11-25T07:00:00Z"},
		{"22:00-06:00 UTC", "2026-11-25T23:00:00Z", "2026-11-26T05:00:00Z", true,
			"2026-11-25T23:00:00Z"},
		{"tue 22:00-06:00 UTC", "2026-11-25T05:00:00Z", "2026-11-25T05:59:00Z", true,
			"2026-11-25T05:00:00Z"},
		{"tue 22:00-06:00 UTC", "2026-11-25T23:00:00Z", "2026-11-25T23:10:00Z", false,
			"2026-12-01T22:00:00Z"},
		{"sat,sun; wed 12:00-13:00 UTC", "2026-11-25T12:10:00Z", "2026-11-25T12:20:00Z", true,
			"2026-11-25T12:10:00Z"},
		// midnight between two days
		{"fri-mon UTC", "2026-11-29T23:00:00Z", "2026-11-30T01:00:00Z", true,
			"2026-11-29T23:00:00Z"},
		{"", "2026-11-25T12:10:00Z", "2027-11-25T12:20:00Z", true, "2026-11-25T12:10:00Z"},
	} {
		c, err := Parse(test.calendar)
		if err != nil {
			t.Errorf("%q: %v", test.calendar, err)
			continue
		}
		if got := c.Open(at(t, test.from), at(t, test.to)); got != test.open {
			t.Errorf("%q from %s to %s: open %v", test.calendar, test.from, test.to, got)
		}
		if got := c.Next(at(t, test.from)); !got.Equal(at(t, test.next)) {
			t.Errorf("%q: next from %s is %v, want %s", test.calendar, test.from, got, test.next)
		}
	}
}

func TestElapsed(t *testing.T) {
	c, err := Parse("mon-fri 08:00-18:00 Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// A week has 50 open hours, also the one in which clocks are moved.
	for _, from := range []string{"2026-11-25T03:00:00Z", "2026-03-25T12:00:00Z"} {
		start := at(t, from)
		end := start.In(c.zone).AddDate(0, 0, 7)
		if got := c.Elapsed(start, end); got != 50*time.Hour {
			t.Errorf("from %s: %v open in a week", from, got)
		}
	}
	if got := c.Elapsed(at(t, "2026-11-28T00:00:00Z"), at(t, "2026-11-29T22:00:00Z")); got != 0 {
		t.Errorf("%v open at the weekend", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"mon-", "08:00", "08:00-08:00", "mon 8-9 UTC", "25:00-26:00",
		"mon-fri 08:00-18:00 Mars/Olympus", "x", ";", "mon tue 08:00-09:00", "24:00-03:00"} {
		if c, err := Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, c)
		}
	}
}

// What is read is open some time in each week, and agrees with itself.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"mon-fri 08:00-18:00 Europe/Berlin", "22:00-06:00 UTC",
		"sat,sun; wed 12:00-13:00 UTC"} {
		f.Add(text, int64(1764072000))
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		c, err := Parse(text)
		if err != nil || c == nil {
			return
		}
		now := time.Unix(seconds%(1<<32), 0)
		next := c.Next(now)
		if next.Before(now) || next.Sub(now) > week || !c.Open(next, next) {
			t.Errorf("%q: next from %v is %v", text, now, next)
		}
		if open := c.Elapsed(now, next); open != 0 {
			t.Errorf("%q: open for %v before it opens", text, open)
		}
		if open := c.Elapsed(now, now.Add(week)); open <= 0 || open > week {
			t.Errorf("%q: open for %v in a week", text, open)
		}
	})
}
