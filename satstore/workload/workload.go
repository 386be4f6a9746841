package workload

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Options of a workload. A zero MaxUnits means the unit's Longest, a zero FixedBytes 100.
type Options struct {
	Records    int
	Unit       Unit
	MaxUnits   int // T; longer intervals are cut to it
	FixedBytes int // of a record beside its URL: one of FixedLengths
}

// FixedLengths are those of [SAT fig. 5, 10].
var FixedLengths = []int{50, 100, 200, 400}

// Workload is the records of some Options.
type Workload struct {
	Options
	layout layout
}

// New checks the options and fills in defaults.
func New(o Options) (*Workload, error) {
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

// ID names a record: the first bytes of its body.
type ID [16]byte

// ID returns the name of a record. Names look random: their order is none of the due times.
func (w *Workload) ID(i uint32) (id ID) {
	binary.BigEndian.PutUint64(id[:], draw(i, drawIDHigh))
	binary.BigEndian.PutUint64(id[8:], draw(i, drawIDLow))
	return id
}

// MeanURLBytes is the mean length of URLs, measured over 2 million; [SAT 4.1] has 63.7.
const MeanURLBytes = 63.6

// MeanBytes is the usual length of a record, for estimates.
func (w *Workload) MeanBytes() float64 { return float64(w.FixedBytes) + MeanURLBytes }

// DueShare estimates which share of the records is due in a unit, in the long run: 0.008
// with hours, 1 if the longest interval is one unit. It looks at 10,000 records.
func (w *Workload) DueShare() float64 {
	sum, n := 0.0, min(w.Records, 10_000)
	for i := range uint32(n) {
		sum += 1 / float64(w.Interval(i))
	}
	return sum / float64(n)
}
