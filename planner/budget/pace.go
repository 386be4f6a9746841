package budget

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mostShare bounds a share of the pages a day: each page about once a second is beyond all crawls.
const mostShare = 1e5

// ParsePace parses a budget of an evaluation: a share of the pages a day (2%, 0.02), or a number of
// fetches (5000/day, 200/hour). Either share or perDay is above 0. It refuses a number above 1
// without a unit, since it may mean either. The error says what is wanted.
func ParsePace(text string) (share, perDay float64, err error) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "/") {
		l, err := ParseLimit(text)
		perDay := l.Amount * float64(Day/max(l.Per, 1))
		if err != nil || l.Unit != InFetches || !(perDay > 0) || perDay >= math.MaxInt32 {
			return 0, 0, fmt.Errorf("a number of fetches, such as 5000/day or 200/hour")
		}
		return 0, perDay, nil
	}
	number, isPercent := strings.CutSuffix(text, "%")
	if number = strings.TrimSpace(number); isPercent {
		number += "e-2" // exact, unlike a division by 100
	}
	share, err = strconv.ParseFloat(number, 64)
	switch {
	case err != nil || !(share > 0) || share > mostShare:
		return 0, 0, fmt.Errorf("a share of the pages a day above 0, such as 2%% or 0.02, or a " +
			"number of fetches, such as 5000/day")
	case share > 1 && !isPercent:
		return 0, 0, fmt.Errorf("a unit, since the number is above 1: %s/day for fetches, or %s%% "+
			"of the pages a day", text, text)
	}
	return share, 0, nil
}
