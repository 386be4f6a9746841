package eval

import (
	"fmt"
	"strings"
)

// WindowWeeks is the length of a history's window, whatever its last line.
const WindowWeeks = 60

// UsualPeriods are the periods in the tables of [LINK], in weekly snapshots.
var UsualPeriods = []int{2, 4, 12, 24}

// usualStream is the usual length of a stream, in weeks.
const usualStream = 40

// LongestPeriod returns the longest period from a base on, in snapshots: the last may be at the end
// of the window.
func LongestPeriod(base int) int { return WindowWeeks - base + 1 }

// Lengths returns the least and the most weeks of a protocol after a base, and the usual ones.
func Lengths(protocol string, base int) (least, most int, usual []int) {
	if protocol == "snapshot" { // one snapshot has nothing to compare
		return 2, LongestPeriod(base), UsualPeriods
	}
	return 1, WindowWeeks - base, []int{usualStream}
}

// FittingWeeks returns the usual weeks that fit into the window after the base, or else the longest
// possible, and a note if some do not fit, or "".
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
	return weeks, fmt.Sprintf("not all of the usual weeks (%s) fit after week %d of a window of "+
		"%d weeks; taken: %s; --weeks and --base choose others",
		commas(usual), base, WindowWeeks, commas(weeks))
}

func commas(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
}
