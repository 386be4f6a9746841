package paper

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// WorkloadOptions configure a workload. A zero MaxUnits means the unit's Longest, a zero FixedBytes
// 100.
type WorkloadOptions struct {
	Records    int
	Unit       Unit
	MaxUnits   int // T; longer intervals are cut to it
	FixedBytes int // of a record beside its URL: one of FixedLengths
}

// FixedLengths are those of [SAT fig. 5, 10].
var FixedLengths = []int{50, 100, 200, 400}

// Workload has the records of some options.
type Workload struct {
	WorkloadOptions
	layout layout
}

// NewWorkload checks the options and sets defaults.
func NewWorkload(o WorkloadOptions) (*Workload, error) {
	if o.Unit < Minute || o.Unit > Day {
		return nil, fmt.Errorf("unit %d is unknown", o.Unit)
	}
	if o.MaxUnits == 0 {
		o.MaxUnits = o.Unit.Longest()
	}
	if o.FixedBytes == 0 {
		o.FixedBytes = 100
	}
	switch {
	case o.Records < 1 || o.Records >= math.MaxInt32:
		return nil, fmt.Errorf("%d records are outside 1 to 2 billion", o.Records)
	case o.MaxUnits < 1 || o.MaxUnits > o.Unit.Longest():
		return nil, fmt.Errorf("%d units are outside 1 to %d", o.MaxUnits, o.Unit.Longest())
	case !slices.Contains(FixedLengths, o.FixedBytes):
		return nil, fmt.Errorf("fixed part of %d bytes is none of %v", o.FixedBytes, FixedLengths)
	}
	return &Workload{o, layoutOf(o.FixedBytes)}, nil
}

// ID returns the name of a record. Names look random: their order differs from that of due times.
func (w *Workload) ID(i uint32) (id ID) {
	binary.BigEndian.PutUint64(id[:], draw(i, drawIDHigh))
	binary.BigEndian.PutUint64(id[8:], draw(i, drawIDLow))
	return id
}

// MeanURLBytes is the mean length of URLs, measured over 2 million; [SAT 4.1] has 63.7.
const MeanURLBytes = 63.6

// MeanBytes returns the usual length of a record, for estimates.
func (w *Workload) MeanBytes() float64 { return float64(w.FixedBytes) + MeanURLBytes }

// DueShare estimates the share of the records due in a unit, in the long run: 0.008 with hours, 1
// if the longest interval is one unit. It looks at 10,000 records.
func (w *Workload) DueShare() float64 {
	sum, n := 0.0, min(w.Records, 10_000)
	for i := range uint32(n) {
		sum += 1 / float64(w.Interval(i))
	}
	return sum / float64(n)
}

// Unit is the step of time. The zero Unit is none.
type Unit int

const (
	Minute Unit = 1 + iota
	Hour
	Day
)

// UnitNames are the names for ParseUnit.
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

// PerDay returns how many units a day has.
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

// Longest returns T, the longest interval in units: 400 days.
func (u Unit) Longest() int { return longestDays * u.PerDay() }

// Shares that make the figures of [SAT fig. 2]: see the package comment.
const (
	dailyShare = 0.075
	rising     = 0.85 // of the daily, spread rising over the hours; the rest evenly
	decay      = -0.5 // exponent of the days above one
)

// hourShares and dayShares are cumulative: of intervals of 1 to 24 hours among the daily, and of 2
// to 400 days among the others.
var hourShares, dayShares = cumulative(
	24,
	func(i int) float64 { return rising*float64(i+1)/300 + (1-rising)/24 },
),
	cumulative(longestDays-1, func(i int) float64 { return math.Pow(float64(i+2), decay) })

// cumulative returns running sums, the last of which is 1.
func cumulative(n int, weight func(i int) float64) []float64 {
	sums, sum := make([]float64, n), 0.0
	for i := range sums {
		sum += weight(i)
		sums[i] = sum
	}
	for i := range sums {
		sums[i] /= sum
	}
	return sums
}

// intervalHours returns tau in hours, 1 to 9600.
func intervalHours(i uint32) int {
	// Below the last of the sums, in spite of rounding.
	at := share(draw(i, drawLength)) * 0.9999999
	if share(draw(i, drawSpread)) < dailyShare {
		n, _ := slices.BinarySearch(hourShares, at)
		return 1 + n
	}
	n, _ := slices.BinarySearch(dayShares, at)
	return (n+1)*24 + 1 + int(draw(i, drawHour)%24)
}

// Interval returns tau of a record in units, 1 to Options.MaxUnits.
func (w *Workload) Interval(i uint32) int {
	tau := intervalHours(i)
	switch w.Unit {
	case Day:
		tau = (tau + 23) / 24
	case Minute:
		tau = (tau-1)*60 + 1 + int(draw(i, drawMinute)%60)
	}
	return min(tau, w.MaxUnits)
}

// First returns when a record is first due.
func (w *Workload) First(i uint32) int { return w.first(i, w.Interval(i)) }

func (w *Workload) first(i uint32, tau int) int { return 1 + int(draw(i, drawFirst)%uint64(tau)) }

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Numbers of the independent draws of a record.
const (
	drawSpread = 1 + iota // daily or slower
	drawLength            // of the interval
	drawHour              // within the last day of the interval
	drawFirst
	drawIDHigh
	drawIDLow
	drawURLRadius // of Box and Muller
	drawURLAngle
	drawHost
	drawHostSkew
	drawDigestLow
	drawDigestHigh
	drawMinute // within the last hour of the interval
	drawTag
	drawReferer
	drawFields
	drawWords        // and 40 more
	drawFilling = 64 // and all above
)

// draw returns the k-th random number of record i.
func draw(i uint32, k uint64) uint64 {
	return mix(mix(uint64(i)*0x9e3779b97f4a7c15+7) + k*0xd1342543de82ef95)
}

// share maps a draw to [0, 1).
func share(x uint64) float64 { return float64(x>>11) / (1 << 53) }
