package feeds

import (
	"strconv"
	"strings"
	"time"
)

// parseDate reads a date of a feed or sitemap: W3C-DTF, RFC 822 with its common deviations, or
// asctime of C. Without a time of day it returns the start of the day. It returns false for
// anything else, and outside the years 1970 to 9999.
func parseDate(text string) (time.Time, bool) {
	const longest = 64
	text = strings.TrimSpace(text)
	if len(text) < len("2006") || len(text) > longest {
		return time.Time{}, false
	}
	t, ok := parseW3C(text)
	if !ok {
		t, ok = parseMail(text)
	}
	t = t.UTC().Truncate(time.Second)
	return t, ok && t.Year() >= 1970 && t.Year() <= 9999
}

// latest returns the last moment that a date can mean: the end of a day.
func latest(t time.Time) time.Time {
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Add(24 * time.Hour)
	}
	return t
}

var (
	w3cDays  = []string{"2006-01-02", "2006-01", "2006"}
	w3cTimes = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00",
		"2006-01-02T15:04",
		"2006-01-02T15:04:05 Z07:00", "2006-01-02T15:04:05 Z0700", "2006-01-02T15:04:05Z0700"}
)

// parseW3C reads W3C-DTF. A blank may replace the T. Without a zone it means UTC.
func parseW3C(text string) (time.Time, bool) {
	if text[3] < '0' || text[3] > '9' { // an error of time.Parse costs more than a date
		return time.Time{}, false
	}
	layouts := w3cDays
	if len(text) > len("2006-01-02") {
		layouts = w3cTimes
		if text[10] == ' ' {
			text = text[:10] + "T" + text[11:]
		}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			_, zone := t.Zone()
			return t, zone <= 15*3600 && zone >= -15*3600
		}
	}
	return time.Time{}, false
}

// zones are those of RFC 822 5 and the most common others, in hours.
var zones = map[string]int{"ut": 0, "utc": 0, "gmt": 0, "z": 0, "etc/gmt": 0, "wet": 0,
	"at": -4, "ast": -4, "adt": -3, "et": -5, "est": -5, "edt": -4, "ct": -6, "cst": -6, "cdt": -5,
	"mt": -7, "mst": -7, "mdt": -6, "pt": -8, "pst": -8, "pdt": -7,
	"west": 1, "bst": 1, "met": 1, "mest": 2, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3,
	"jst": 9}

// mailDate is a partly read date.
type mailDate struct {
	year, month, day int
	clock, offset    time.Duration
}

// parseMail reads the words of a date in any common order: a month by its name, the first number as
// the day, the other as the year, and a word with colons as the time.
func parseMail(text string) (time.Time, bool) {
	var d mailDate
	separate := func(r rune) bool { return r <= ' ' || r == ',' }
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), separate) {
		if strings.Count(word, "-") != 2 { // 06-Nov-94
			if !d.add(word) {
				return time.Time{}, false
			}
			continue
		}
		for word := range strings.SplitSeq(word, "-") {
			if !d.add(word) {
				return time.Time{}, false
			}
		}
	}
	t := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
	if d.month == 0 || t.Day() != d.day { // for example the 99th of June
		return t, false
	}
	return t.Add(d.clock - d.offset), true
}

// add reads one word of the date, or returns false.
func (d *mailDate) add(word string) (ok bool) {
	const names = "jan feb mar apr may jun jul aug sep oct nov dec"
	const weekdays = "sun mon tue wed thu fri sat"
	if word == "" {
		return false
	}
	if hours, ok := zones[word]; ok {
		d.offset = time.Duration(hours) * time.Hour
		return true
	}
	if zone := strings.TrimPrefix(word, "gmt"); zone[0] == '+' || zone[0] == '-' {
		d.offset, ok = parseOffset(zone)
		return ok
	}
	if strings.Contains(word, ":") {
		d.clock, ok = parseClock(word)
		return ok
	}
	if n, err := strconv.Atoi(word); err == nil {
		switch {
		case d.day == 0:
			d.day = n
		case d.year == 0:
			d.year = fullYear(word, n)
		default:
			return false
		}
		return true
	}
	if len(word) < 3 {
		return false
	}
	if i := strings.Index(names, word[:3]); i >= 0 && d.month == 0 {
		d.month = i/4 + 1
		return true
	}
	return strings.Contains(weekdays, word[:3])
}

// fullYear completes a year of two digits as RFC 2822 4.3 does.
func fullYear(word string, n int) int {
	switch {
	case len(word) > 3:
		return n
	case n < 50:
		return n + 2000
	}
	return n + 1900
}

// parseClock reads hours, minutes and perhaps seconds.
func parseClock(word string) (time.Duration, bool) {
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, word); err == nil {
			return t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)), true
		}
	}
	return 0, false
}

// parseOffset reads +hhmm or +hh:mm.
func parseOffset(word string) (time.Duration, bool) {
	digits := strings.Replace(word[1:], ":", "", 1)
	n, err := strconv.Atoi(digits)
	if err != nil || len(digits) != 4 || n < 0 || n > 1500 || n%100 > 59 {
		return 0, false
	}
	offset := time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute
	if word[0] == '-' {
		offset = -offset
	}
	return offset, true
}
