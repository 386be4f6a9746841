package sitegraph

import (
	"strconv"
	"strings"
	"time"
)

const (
	// farAhead is how many years ahead a calendar may show. What looks like a year after lastYear
	// is a number: a calendar that goes on for ever comes to the years between first.
	farAhead = 2
	lastYear = 2100
	// longPast is the year before which a date in a query is a calendar turned back.
	// In paths old dates are those of newspapers.
	longPast = 1970
)

// isFarDate reports whether an address names a day that hardly any page is about: one of a calendar
// that goes on for ever.
func isFarDate(path, query string, now time.Time) bool {
	latest := now.Year() + farAhead
	var before int
	for segment := range strings.SplitSeq(path, "/") {
		if year, ok := dateYear(segment); ok && year > latest && year <= lastYear &&
			isWholeDate(segment) {
			return true
		}
		if month, ok := number(segment, 1, 2); ok && month >= 1 && month <= 12 && before > latest &&
			before <= lastYear {
			return true // /2031/05/
		}
		before, _ = number(segment, 4, 4)
	}
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		year, ok := dateYear(value)
		if !ok && isDateKey(key) {
			year, ok = number(value, 4, 4)
		}
		if ok && year > latest && year <= lastYear {
			return true
		}
		if ok && year < longPast && year >= 1000 && isWholeDate(value) {
			return true
		}
	}
	return false
}

// isDateKey reports whether a query's key is one of a year or month.
func isDateKey(key string) bool {
	switch strings.ToLower(key) {
	case "y", "year", "yr", "jahr", "date", "month", "cal", "calendar", "from", "to", "start",
		"end":
		return true
	}
	return false
}

// dateYear returns the year of a text that begins with a date: 2031-05, 2031-05-01, 20310501.
func dateYear(text string) (year int, ok bool) {
	if len(text) < 7 {
		return 0, false
	}
	year, ok = number(text[:4], 4, 4)
	if !ok {
		return 0, false
	}
	rest := text[4:]
	if rest[0] == '-' || rest[0] == '_' {
		rest = rest[1:]
	} else if len(text) != 8 {
		return 0, false
	}
	month, ok := number(rest[:2], 2, 2)
	if !ok || month < 1 || month > 12 {
		return 0, false
	}
	if len(text) == 8 && text[4] != '-' && text[4] != '_' {
		day, ok := number(text[6:], 2, 2)
		return year, ok && day >= 1 && day <= 31
	}
	return year, len(rest) == 2 || rest[2] < '0' || rest[2] > '9'
}

// isWholeDate reports whether a text is a date and nothing else: 2031-05, 2031-05-01, 20310501.
func isWholeDate(text string) bool {
	return strings.Trim(text, "0123456789-_") == "" &&
		(len(text) == 7 || len(text) == 8 || len(text) == 10)
}

// number reads so many decimal digits.
func number(text string, least, most int) (n int, ok bool) {
	if len(text) < least || len(text) > most {
		return 0, false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// isSessionSegment reports whether a segment of a path is a session: (S(4wsvhl55pcgq1f45kzx0ff45))
// of ASP.NET, or a session's name with a long random text.
func isSessionSegment(segment string) bool {
	lower := strings.ToLower(segment)
	if strings.HasPrefix(lower, "(s(") || strings.HasPrefix(lower, "(a(") ||
		strings.HasPrefix(lower, "(x(") {
		return strings.HasSuffix(lower, "))")
	}
	for _, name := range [...]string{"sessionid", "session", "phpsessid", "sid"} {
		if rest, ok := strings.CutPrefix(lower, name); ok && len(rest) > 1 &&
			strings.IndexByte("-_=", rest[0]) >= 0 {
			return isRandom(rest[1:])
		}
	}
	return false
}

// isRandom reports whether a text looks drawn by chance: 8 letters and digits or more, of both
// kinds.
func isRandom(text string) bool {
	letters, digits := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		default:
			return false
		}
	}
	return letters+digits >= 8 && digits > 0 && (letters > 0 || digits >= 12)
}
