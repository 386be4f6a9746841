package schedule

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/bits"
)

// Tick is a moment or a span of whole time units, from any epoch: floor and ceil at the borders of
// periods need integers. The simulator and all reports take a tick for a millisecond.
type Tick int64

// Spans in ticks of a millisecond.
const (
	Second Tick = 1000
	Minute      = 60 * Second
	Hour        = 60 * Minute
	Day         = 24 * Hour
)

// Seconds is a span in seconds, where a tick is a millisecond.
func (t Tick) Seconds() float64 { return float64(t) / float64(Second) }

// Rate is how often something is visited, in units of 2^-56 visits a tick. As an integer it is
// exact: a page that is taken out of a sum leaves nothing behind. It holds sums below 256 visits a
// tick; an interval of 100 days in milliseconds is kept to 1 in 100,000.
type Rate uint64

const rateOne = 1 << 56

// RateOf is the rate of one visit in an interval; 0 for an interval below 1, which stands for none.
func RateOf(interval Tick) Rate {
	if interval < 1 {
		return 0
	}
	return max((rateOne+Rate(interval)/2)/Rate(interval), 1)
}

// Interval is 1/L [HIER eq. 2]: the longest interval between visits that keeps a rate; 0 for a rate
// of 0, which needs none.
func (r Rate) Interval() Tick {
	if r == 0 {
		return 0
	}
	return max(Tick((rateOne+r/2)/r), 1)
}

// PerSecond is a rate in visits a second, where a tick is a millisecond.
func (r Rate) PerSecond() float64 { return float64(r) / rateOne * float64(Second) }

// AccessInterval is I = max(1/L, least) [HIER eq. 3], where least is I_min, the interval that
// politeness demands; 0 where L is 0.
func AccessInterval(load Rate, least Tick) Tick {
	if load == 0 {
		return 0
	}
	return max(load.Interval(), least)
}

// border is the end of the period that now is in. D = border - e [HIER eq. 5] is the latest start
// of the next download. Periods that have passed without a download are cancelled: their number
// does not count, only now does.
func border(now, interval Tick) Tick { return (now/interval + 1) * interval }

// Pause is Q [HIER eq. 6]: how long a server that becomes idle at now stays idle, so that no period
// has two downloads. It rounds up; the paper's text rounds down, which would make it least always.
// At the border of a period it is least, since the next period is open.
func Pause(now, interval, least Tick) Tick {
	return max(least, (now+interval-1)/interval*interval-now)
}

// Share is the part of one connection that a server takes, in units of 2^-40; at most one.
type Share uint64

// WholeShare is one connection.
const WholeShare Share = 1 << 40

// ShareOf is min(e/I, 1) [HIER eq. 4]; 0 where there is no interval.
func ShareOf(took, interval Tick) Share {
	switch {
	case interval < 1 || took < 1:
		return 0
	case took >= interval:
		return WholeShare
	}
	hi, lo := bits.Mul64(uint64(took), uint64(WholeShare))
	share, _ := bits.Div64(hi, lo, uint64(interval))
	return Share(share)
}

// Connections is a share as a number of connections.
func (s Share) Connections() float64 { return float64(s) / float64(WholeShare) }

// Ceil is the least whole number of connections that a share fits into [HIER eq. 4].
func (s Share) Ceil() int { return int((s + WholeShare - 1) / WholeShare) }

// Times is what is known of how long downloads from a server take: e. The zero value knows nothing.
type Times struct {
	Mean  Tick   `json:"mean"`
	Max   Tick   `json:"max"`
	Count uint32 `json:"count"` // downloads observed
}

// memory bounds the weight of the past in a mean: a server whose answers become slow is known to be
// slow after some hundred downloads, however many were quick before.
const memory = 256

// Observe adds a download. A mean of more than 256 is one in which each new download weighs 1/256.
// Max falls by 1/1024 with each quicker one, so that a single stall is forgotten after some
// thousands of downloads; the simulator, whose logs are whole, does not call Observe.
func (t *Times) Observe(took Tick) {
	took = max(took, 0)
	t.Count = min(t.Count+1, 1<<31)
	if n := Tick(min(t.Count, memory)); n == 1 {
		t.Mean = took
	} else {
		step := (took - t.Mean) / n
		if step == 0 { // less than a tick each time would never add up
			step = Tick(cmp.Compare(took, t.Mean))
		}
		t.Mean += step
	}
	if took >= t.Max {
		t.Max = took
	} else {
		t.Max = max(t.Max-t.Max/1024, took)
	}
}

// Encode writes times down, to outlive the process.
func (t Times) Encode() []byte {
	value, err := json.Marshal(t)
	if err != nil {
		panic(fmt.Sprintf("schedule: encode times: %v", err)) // three numbers
	}
	return value
}

// DecodeTimes reads what Encode wrote. It refuses times that no downloads have.
func DecodeTimes(value []byte) (Times, error) {
	var t Times
	if err := json.Unmarshal(value, &t); err != nil {
		return Times{}, fmt.Errorf("decode times of a server: %w", err)
	}
	if t.Mean < 0 || t.Max < t.Mean {
		return Times{}, fmt.Errorf("decode times of a server: mean %d, max %d: want 0 <= "+
			"mean <= max", t.Mean, t.Max)
	}
	return t, nil
}
