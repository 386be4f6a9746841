package preferences

import (
	"os"
	"strings"
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
		// midnight between two open days
		{"fri-mon UTC", "2026-11-29T23:00:00Z", "2026-11-30T01:00:00Z", true,
			"2026-11-29T23:00:00Z"},
		{"Monday-Friday 08:00-18:00 utc", "2026-11-25T18:00:00Z", "2026-11-25T18:00:00Z", false,
			"2026-11-26T08:00:00Z"},
		{"sat,Sunday Japan", "2026-11-27T14:00:00Z", "2026-11-27T14:00:00Z", false,
			"2026-11-27T15:00:00Z"},
		{"wed 09:00-24:00 CET", "2026-11-25T22:59:00Z", "2026-11-25T23:00:00Z", true,
			"2026-11-25T22:59:00Z"},
		{"wed 18:00-00:00 Asia/Calcutta", "2026-11-25T18:29:00Z", "2026-11-25T18:31:00Z", false,
			"2026-11-25T18:29:00Z"},
		{"", "2026-11-25T12:10:00Z", "2027-11-25T12:20:00Z", true, "2026-11-25T12:10:00Z"},
	} {
		c, err := ParseCalendar(test.calendar)
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
	c, err := ParseCalendar("mon-fri 08:00-18:00 Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// A week has 50 open hours, even if the clocks change in it.
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
		if c, err := ParseCalendar(text); err == nil {
			t.Errorf("%q is read as %v", text, c)
		}
	}
}

// An accepted calendar is open some time in each week, and its methods agree.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"mon-fri 08:00-18:00 Europe/Berlin", "22:00-06:00 UTC",
		"sat,sun; wed 12:00-13:00 UTC", "sun 02:10-02:50 America/New_York"} {
		f.Add(text, int64(1764072000))
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		c, err := ParseCalendar(text)
		if err != nil || c == nil {
			return
		}
		now := time.Unix(seconds%(1<<32), 0)
		next := c.Next(now)
		if next.Before(now) || next.Sub(now) > ahead || !c.Open(next, next) {
			t.Errorf("%q: next from %v is %v", text, now, next)
		}
		if open := c.Elapsed(now, next); open != 0 {
			t.Errorf("%q: open for %v before it opens", text, open)
		}
		if open := c.Elapsed(now, now.Add(ahead)); open <= 0 || open > ahead {
			t.Errorf("%q: open for %v in two weeks", text, open)
		}
	})
}

// A span that begins in an hour which the clocks skip opens after that hour.
func TestClocksMovedOn(t *testing.T) {
	for _, test := range []struct{ calendar, from, next string }{
		{"02:00-04:00 America/New_York", "2026-03-08T00:00:00-05:00", "2026-03-08T03:00:00-04:00"},
		{"02:30-05:00 America/Chicago", "2026-03-08T00:00:00-06:00", "2026-03-08T03:00:00-05:00"},
		{"02:00-04:00 Europe/Berlin", "2026-03-29T00:00:00+01:00", "2026-03-29T03:00:00+02:00"},
		{"02:15-04:00 Australia/Lord_Howe", "2026-10-04T00:00:00+10:30",
			"2026-10-04T02:30:00+11:00"},
		{"00:00-02:00 America/Sao_Paulo", "2018-11-03T20:00:00-03:00", "2018-11-04T01:00:00-02:00"},
		{"00:30-02:00 Asia/Beirut", "2026-03-28T20:00:00+02:00", "2026-03-29T01:00:00+03:00"},
		// no clock shows this time on that day
		{"sun 02:10-02:50 America/New_York", "2026-03-01T03:00:00-05:00",
			"2026-03-15T02:10:00-04:00"},
		{"fri Pacific/Apia", "2011-12-24T00:00:00-10:00", "2012-01-06T00:00:00+14:00"},
	} {
		c, err := ParseCalendar(test.calendar)
		if err != nil {
			t.Errorf("%q: %v", test.calendar, err)
			continue
		}
		if got := c.Next(at(t, test.from)); !got.Equal(at(t, test.next)) {
			t.Errorf("%q: next from %s is %v, want %s", test.calendar, test.from, got, test.next)
		}
	}
}

// A calendar is open in exactly those minutes in which the clock shows a time of a span. This holds
// in every zone, around each change of its clock over two years.
func TestClocksOfAllZones(t *testing.T) {
	calendars := []string{"02:00-04:00", "mon-fri 22:00-06:00", "sat,sun; wed 00:30-01:30",
		"23:15-00:45", "02:30-02:45; sun 01:59-03:01", "sat-sun 00:00-24:00"}
	for _, zone := range zones(t) {
		var all []*Calendar
		for _, text := range calendars {
			c, err := ParseCalendar(text + " " + zone)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		at := time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC).In(all[0].zone)
		if zone == "America/Sao_Paulo" || zone == "Pacific/Apia" {
			at = at.AddDate(-15, 0, 0) // when its clocks last changed
		}
		for until := at.AddDate(2, 0, 0); at.Before(until); {
			_, end := at.ZoneBounds()
			if end.IsZero() {
				end = until
			}
			for _, c := range all {
				agrees(t, c, end.Add(-30*time.Hour).Truncate(time.Minute), 60*time.Hour)
			}
			at = end.In(all[0].zone)
		}
	}
}

// agrees compares a calendar with the clock of its zone, minute by minute.
func agrees(t *testing.T, c *Calendar, from time.Time, long time.Duration) {
	t.Helper()
	all := c.within(from, from.Add(long))
	for at := from; at.Before(from.Add(long)); at = at.Add(time.Minute) {
		for len(all) > 0 && !all[0].to.After(at) {
			all = all[1:]
		}
		open := len(all) > 0 && !all[0].from.After(at)
		if shown := c.shows(at); open != shown {
			t.Errorf("%v at %v: open %v, by its clock %v", c, at.In(c.zone), open, shown)
			return
		}
	}
}

// shows reports whether the clock shows a time of a span.
func (c *Calendar) shows(at time.Time) bool {
	at = at.In(c.zone)
	minute, today := 60*at.Hour()+at.Minute(), int(at.Weekday())
	for _, s := range c.spans {
		switch {
		case s.from < s.to:
			if s.days[today] && minute >= s.from && minute < s.to {
				return true
			}
		case s.days[today] && minute >= s.from, s.days[(today+6)%7] && minute < s.to:
			return true
		}
	}
	return false
}

// zones returns the zones of the machine, or some with odd changes of their clocks.
func zones(t *testing.T) (names []string) {
	const at = "/usr/share/zoneinfo/"
	table, err := os.ReadFile(at + "tzdata.zi")
	if err == nil {
		for line := range strings.Lines(string(table)) {
			if words := strings.Fields(line); len(words) > 1 && words[0] == "Z" &&
				strings.Contains(words[1], "/") {
				names = append(names, words[1])
			}
		}
	}
	if len(names) < 100 {
		names = []string{"Europe/Berlin", "America/New_York", "America/Chicago", "Asia/Beirut",
			"Africa/Cairo", "America/Havana", "America/Santiago", "America/Sao_Paulo",
			"Asia/Kathmandu", "Antarctica/Troll", "Africa/Casablanca", "Atlantic/Azores",
			"Australia/Lord_Howe", "Europe/Dublin", "Pacific/Apia", "Pacific/Chatham", "Asia/Gaza"}
	}
	return names
}
