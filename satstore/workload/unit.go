package workload

import "fmt"

// Unit is the step of time. The zero Unit is none.
type Unit int

const (
	Minute Unit = 1 + iota
	Hour
	Day
)

// UnitNames are those that ParseUnit takes.
var UnitNames = []string{"minute", "hour", "day"}

// ParseUnit returns the unit of a name.
func ParseUnit(name string) (Unit, error) {
	for i, n := range UnitNames {
		if n == name {
			return Unit(i + 1), nil
		}
	}
	return 0, fmt.Errorf("no unit %q", name)
}

func (u Unit) String() string {
	if u < Minute || u > Day {
		return "unknown"
	}
	return UnitNames[u-1]
}

// PerDay is how many units a day has.
func (u Unit) PerDay() int {
	switch u {
	case Minute:
		return 24 * 60
	case Hour:
		return 24
	}
	return 1
}

// longestDays is the upper limit of the intervals [SAT 4.1].
const longestDays = 400

// Longest is T, the longest interval in units: 400 days.
func (u Unit) Longest() int { return longestDays * u.PerDay() }
