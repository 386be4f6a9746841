package report

import (
	"fmt"
	"strings"
	"time"
)

// Count is a whole number as text.
func Count(n int) string { return fmt.Sprint(n) }

// Grouped is a whole number with commas between its thousands.
func Grouped(n int64) string {
	if n < 0 {
		return "-" + Grouped(-n)
	}
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Grouped(n/1000), n%1000)
}

// Shorten joins the first of a list and says how many more there are.
func Shorten(list []string, most int, between string) string {
	text := strings.Join(list[:min(len(list), most)], between)
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Plural is "1 page" or "2 pages".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// UTC is a moment as it is printed: rounds are those of days in UTC.
func UTC(t time.Time) string { return t.UTC().Format(time.DateTime) + " UTC" }
