package preferences

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // for machines without time zones
)

// Calendar has the times of the week at which something may be done, such as "mon-fri 08:00-18:00
// Europe/Berlin".
//
// # Terms
//
//	span      days of the week and a time of the day, such as mon-fri 08:00-18:00
//	calendar  spans, each of which opens it, in one time zone
//
// # Guarantees
//
//  1. A Calendar does not change, and is for concurrent use. A nil one is always open.
//  2. A time is open if, and only if, clocks in the zone then show a time of a span. If clocks are
//     moved forward, a span that begins in the skipped hour begins right after it. If they are
//     moved back, a span is open both times that its hours come.
//  3. Open and Elapsed agree: a time counts if, and only if, it is open.
//
// It reads no clock: every time is an argument.
type Calendar struct {
	text  string
	zone  *time.Location
	spans []span
}

// span opens a calendar on some days, for minutes since midnight from (inclusive) to to
// (exclusive). If to is not after from it ends on the next day.
type span struct {
	days     [7]bool // by time.Weekday
	from, to int
}

var errForm = errors.New(
	`want days, hours and a time zone, such as "mon-fri 08:00-18:00 Europe/Berlin"; separate by ";"`)

const (
	mostSpans = 32
	mostText  = 1000
)

// dayOf returns the weekday of a name in lower case, in full or by its first three letters; -1:
// none.
func dayOf(name string) int {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if full := strings.ToLower(d.String()); name == full || name == full[:3] {
			return int(d)
		}
	}
	return -1
}

// ParseCalendar parses a calendar: spans separated by ";", then perhaps the name of a time zone
// (IANA); the default is that of the machine. A span has days (mon-fri, or sat,sun), hours, or
// both. "" is nil.
func ParseCalendar(text string) (*Calendar, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if len(text) > mostText {
		return nil, errForm
	}
	c := &Calendar{text: strings.TrimSpace(text), zone: time.Local}
	parts := strings.Split(text, ";")
	words := strings.Fields(parts[len(parts)-1])
	if n := len(words); n > 1 && !isSpan(words[n-1]) {
		zone, err := zoneOf(words[n-1])
		if err != nil {
			return nil, fmt.Errorf("%q is no time zone; want one such as Europe/Berlin or UTC: %w",
				words[n-1], errForm)
		}
		c.zone = zone
		parts[len(parts)-1] = strings.Join(words[:n-1], " ")
	}
	if len(parts) > mostSpans {
		return nil, fmt.Errorf("%d spans: want %d or fewer", len(parts), mostSpans)
	}
	for _, part := range parts {
		s, err := parseSpan(part)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", strings.TrimSpace(part), err)
		}
		c.spans = append(c.spans, s)
	}
	return c, nil
}

// isSpan reports whether a word is hours, or days.
func isSpan(word string) bool {
	_, err := days(strings.ToLower(word))
	return err == nil || strings.Contains(word, ":")
}

// zoneOf returns the zone of a name (IANA), also a renamed one.
func zoneOf(name string) (*time.Location, error) {
	if strings.EqualFold(name, "utc") {
		return time.UTC, nil
	}
	return time.LoadLocation(name)
}

func parseSpan(text string) (s span, err error) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 || len(words) > 2 {
		return s, errForm
	}
	s.to = 24 * 60
	s.days = [7]bool{true, true, true, true, true, true, true}
	last := words[len(words)-1]
	if strings.Contains(last, ":") {
		from, to, ok := strings.Cut(last, "-")
		if s.from, err = minutes(from); err != nil || !ok {
			return s, errForm
		}
		if s.to, err = minutes(to); err != nil || s.from == s.to || s.from == 24*60 {
			return s, errForm
		}
		words = words[:len(words)-1]
	}
	switch len(words) {
	case 0:
		return s, nil
	case 1:
		s.days, err = days(words[0])
		return s, err
	}
	return s, errForm
}

// minutes parses 00:00 to 24:00.
func minutes(text string) (int, error) {
	hours, mins, ok := strings.Cut(text, ":")
	h, okH := twoDigits(hours)
	m, okM := twoDigits(mins)
	if !ok || !okH || !okM || m > 59 || h*60+m > 24*60 {
		return 0, errForm
	}
	return h*60 + m, nil
}

func twoDigits(text string) (n int, ok bool) {
	if len(text) == 0 || len(text) > 2 {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// days parses mon,wed-fri.
func days(text string) (set [7]bool, err error) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from := dayOf(first)
		to := from
		if isRange {
			to = dayOf(last)
		}
		if from < 0 || to < 0 {
			return set, errForm
		}
		for d := from; ; d = (d + 1) % 7 {
			set[d] = true
			if d == to {
				break
			}
		}
	}
	return set, nil
}

func (c *Calendar) String() string {
	if c == nil {
		return "always"
	}
	return c.text
}

// period is an open time.
type period struct{ from, to time.Time }

// within returns the open periods between two times, cut there, in order, and joined if they
// overlap or touch. It goes from one change of the clock to the next: in between, local time is UTC
// with an offset, whatever was skipped or comes twice before and after it.
func (c *Calendar) within(from, to time.Time) (all []period) {
	from = from.In(c.zone)
	for at := from; at.Before(to); {
		_, end := at.ZoneBounds()
		if end.IsZero() || end.After(to) {
			end = to
		}
		_, offset := at.Zone()
		first := daysSince1970(at.Unix() + int64(offset))
		last := daysSince1970(end.Unix() + int64(offset))
		for day := first; day <= last; day++ {
			midnight := time.Unix(day*secondsADay-int64(offset), 0).In(c.zone)
			for _, s := range c.spans {
				for _, o := range s.on(int((day%7 + 11) % 7)) { // 1970 began on a Thursday
					p := period{midnight.Add(o.from), midnight.Add(o.to)}
					if p.from.Before(at) {
						p.from = at
					}
					if p.to.After(end) {
						p.to = end
					}
					if p.from.Before(p.to) {
						all = append(all, p)
					}
				}
			}
		}
		at = end.In(c.zone)
	}
	slices.SortFunc(all, func(a, b period) int {
		return cmp.Or(a.from.Compare(b.from), a.to.Compare(b.to))
	})
	merged := all[:0]
	for _, p := range all {
		if n := len(merged); n > 0 && !p.from.After(merged[n-1].to) {
			if p.to.After(merged[n-1].to) {
				merged[n-1].to = p.to
			}
			continue
		}
		merged = append(merged, p)
	}
	return merged
}

const secondsADay = 24 * 60 * 60

// daysSince1970 returns the day of a local time in seconds, also before 1970.
func daysSince1970(seconds int64) int64 {
	if seconds < 0 {
		seconds -= secondsADay - 1
	}
	return seconds / secondsADay
}

// hours are a part of a day, since its midnight.
type hours struct{ from, to time.Duration }

// on returns the hours of a day at which a span is open: its own, and those after midnight of a
// span that began on the day before.
func (s *span) on(weekday int) [2]hours {
	from, to := time.Duration(s.from)*time.Minute, time.Duration(s.to)*time.Minute
	overnight := to <= from
	var on [2]hours
	if s.days[weekday] {
		if on[0] = (hours{from, to}); overnight {
			on[0].to = 24 * time.Hour
		}
	}
	if overnight && s.days[(weekday+6)%7] {
		on[1].to = to
	}
	return on
}

// Open reports whether the calendar is open all the time from one time to another; at from, if to
// is not later.
func (c *Calendar) Open(from, to time.Time) bool {
	if c == nil {
		return true
	}
	if !to.After(from) {
		to = from.Add(1)
	}
	all := c.within(from, to)
	return len(all) == 1 && all[0].from.Equal(from) && all[0].to.Equal(to)
}

// ahead bounds the time until the next opening: a calendar has one each week, except a week in
// which a clock change skips it.
const ahead = 15 * 24 * time.Hour

// Next returns the first open time from t on.
func (c *Calendar) Next(t time.Time) time.Time {
	if c == nil {
		return t
	}
	for from := t; from.Before(t.Add(ahead)); from = from.Add(24 * time.Hour) {
		all := c.within(from, from.Add(24*time.Hour))
		if len(all) > 0 && all[0].from.Equal(t) {
			return t
		} else if len(all) > 0 {
			return all[0].from
		}
	}
	return t.Add(ahead) // not reached: see ahead
}

// longest bounds the time that Elapsed looks at.
const longest = 800 * 24 * time.Hour

// Elapsed returns how long the calendar was open between two times; beyond 800 days, in the last
// ones.
func (c *Calendar) Elapsed(from, to time.Time) (open time.Duration) {
	if c == nil {
		return to.Sub(from)
	}
	if to.Sub(from) > longest {
		from = to.Add(-longest)
	}
	for _, p := range c.within(from, to) {
		open += p.to.Sub(p.from)
	}
	return open
}
