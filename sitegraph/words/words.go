package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Count returns a whole number as text.
func Count(n int) string { return fmt.Sprint(n) }

// Grouped returns a whole number with commas between its thousands.
func Grouped(n int64) string {
	if n < 0 {
		return "-" + Grouped(-n)
	}
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Grouped(n/1000), n%1000)
}

// Significant returns v rounded to `digits` digits, with commas between its thousands. Small and
// very large numbers have an exponent.
func Significant(v float64, digits int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if a := math.Abs(rounded); err != nil || !(a >= 1000 && a < 1e15) { // also if it is NaN
		return fmt.Sprintf("%g", rounded)
	}
	return Grouped(int64(rounded))
}

// Span returns a length of time in a suitable unit, rounded: "90 seconds", "1 minute", "36 hours",
// "25 years". A negative length counts as zero.
func Span(d time.Duration) string {
	const day, year = 24 * time.Hour, 8766 * time.Hour
	unit, noun := year, "year"
	switch d = max(d, 0); {
	case d == 0 || d < 2*time.Minute && d%time.Minute != 0:
		unit, noun = time.Second, "second"
	case d < 2*time.Hour && d%time.Hour != 0:
		unit, noun = time.Minute, "minute"
	case d < 2*day && d%day != 0:
		unit, noun = time.Hour, "hour"
	case d < 2*year:
		unit, noun = day, "day"
	}
	return Plural(int(d.Round(unit)/unit), noun)
}

// Duration returns a length of time as flags and settings files write it, without trailing zeros:
// "10s", "1h", "1h30m". time.ParseDuration reads it back.
func Duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Shorten joins the first items of a list and says how many more there are.
func Shorten(list []string, most int, between string) string {
	text := strings.Join(list[:min(len(list), most)], between)
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Plural returns "1 page" or "2 pages", "2 addresses", "2 directories".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	end := "s"
	switch last := noun[len(noun)-1]; {
	case last == 's' || last == 'x' || strings.HasSuffix(noun, "ch") ||
		strings.HasSuffix(noun, "sh"):
		end = "es"
	case last == 'y' && !strings.ContainsRune("aeou", rune(noun[len(noun)-2])):
		noun, end = noun[:len(noun)-1], "ies"
	}
	return fmt.Sprintf("%d %s%s", n, noun, end)
}

// UTC returns a moment as text in UTC, in which rounds are days.
func UTC(t time.Time) string { return t.UTC().Format(time.DateTime) + " UTC" }
