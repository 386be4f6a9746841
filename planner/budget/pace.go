package budget

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mostShare bounds a share of the pages a day: each page about once a second is beyond all crawls.
const mostShare = 1e5

// Pace is the budget of an evaluation or a prediction: a share of the pages a day, or a number of
// fetches a day. One of them is 0.
type Pace struct{ Share, PerDay float64 }

// Of returns the pace as a share of a number of pages a day.
func (p Pace) Of(pages int) float64 {
	if p.PerDay > 0 {
		return p.PerDay / float64(pages)
	}
	return p.Share
}

// ParsePace parses a share of the pages a day (2%, 0.02), or a number of fetches (5000/day,
// 200/hour). It refuses a number above 1 without a unit, since it may mean either. The error says
// what is wanted.
func ParsePace(text string) (Pace, error) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "/") {
		l, err := ParseLimit(text)
		perDay := l.Amount * float64(Day/max(l.Per, 1))
		if err != nil || l.Unit != InFetches || !(perDay > 0) || perDay >= math.MaxInt32 {
			return Pace{}, fmt.Errorf("a number of fetches, such as 5000/day or 200/hour")
		}
		return Pace{PerDay: perDay}, nil
	}
	number, isPercent := strings.CutSuffix(text, "%")
	if number = strings.TrimSpace(number); isPercent {
		number += "e-2" // exact, unlike a division by 100
	}
	share, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || !(share > 0) || share > mostShare:
		return Pace{}, fmt.Errorf("a share of the pages a day above 0, such as 2%% or 0.02, or a " +
			"number of fetches, such as 5000/day")
	case share > 1 && !isPercent:
		return Pace{}, fmt.Errorf("a unit, since the number is above 1: %s/day for fetches, or %s%% "+
			"of the pages a day", text, text)
	}
	return Pace{Share: share}, nil
}
