package eval

import (
	"fmt"
	"strings"
)

// WindowWeeks is how long the window of a history is, whatever its last line.
const WindowWeeks = 60

// UsualPeriods are those of the tables of [LINK], in weekly snapshots.
var UsualPeriods = []int{2, 4, 12, 24}

// usualStream is how many weeks a stream usually lasts.
const usualStream = 40

// LongestPeriod is that from a base on, in snapshots: the last may be at the window's end.
func LongestPeriod(base int) int { return WindowWeeks - base + 1 }

// Lengths are the least and the most weeks that a protocol can have behind a base, and the usual
// ones.
func Lengths(protocol string, base int) (least, most int, usual []int) {
	if protocol == "snapshot" { // one snapshot compares nothing
		return 2, LongestPeriod(base), UsualPeriods
	}
	return 1, WindowWeeks - base, []int{usualStream}
}

// FittingWeeks returns those of the usual weeks that the window has room for behind the base, or
// else the most it has room for; and what to say where some do not fit, "" if all do.
func FittingWeeks(usual []int, most, base int) (weeks []int, unfit string) {
	for _, w := range usual {
		if w <= most {
			weeks = append(weeks, w)
		}
	}
	if len(weeks) == len(usual) {
		return weeks, ""
	}
	if len(weeks) == 0 {
		weeks = []int{most}
	}
	return weeks, fmt.Sprintf("of the usual weeks (%s) not all fit behind week %d of a window of "+
		"%d weeks; taken: %s; --weeks and --base choose others",
		commas(usual), base, WindowWeeks, commas(weeks))
}

func commas(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
}
