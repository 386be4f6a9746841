package schedule

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/bits"
)

// Tick is a span, or a time since any epoch, in whole units. Only integers make floor and ceil
// exact at the borders of periods. The simulator and all reports use ticks of a millisecond.
type Tick int64

// Spans in ticks of a millisecond.
const (
	Second Tick = 1000
	Minute      = 60 * Second
	Hour        = 60 * Minute
	Day         = 24 * Hour
)

// Seconds returns a span in seconds, for ticks of a millisecond.
func (t Tick) Seconds() float64 { return float64(t) / float64(Second) }

// Rate is a rate of visits, in units of 2^-56 visits a tick. As an integer it is exact: removing a
// page from a sum leaves no rounding error. It holds sums below 256 visits a tick; an interval of
// 100 days in milliseconds is exact to 1 in 100,000.
type Rate uint64

const rateOne = 1 << 56

// RateOf returns the rate of one visit in an interval; 0 for an interval below 1, which means none.
func RateOf(interval Tick) Rate {
	if interval < 1 {
		return 0
	}
	return max((rateOne+Rate(interval)/2)/Rate(interval), 1)
}

// Interval returns 1/L [HIER eq. 2]: the longest interval between visits that keeps a rate; 0 for a
// rate of 0.
func (r Rate) Interval() Tick {
	if r == 0 {
		return 0
	}
	return max(Tick((rateOne+r/2)/r), 1)
}

// PerSecond returns a rate in visits a second, for ticks of a millisecond.
func (r Rate) PerSecond() float64 { return float64(r) / rateOne * float64(Second) }

// AccessInterval returns I = max(1/L, least) [HIER eq. 3], where least is I_min, the interval that
// politeness demands; 0 if L is 0.
func AccessInterval(load Rate, least Tick) Tick {
	if load == 0 {
		return 0
	}
	return max(load.Interval(), least)
}

// border returns the end of the present period. D = border - e [HIER eq. 5] is the latest start of
// the next download. Periods that have passed without a download are cancelled, so only the present
// time matters.
func border(now, interval Tick) Tick { return (now/interval + 1) * interval }

// Pause returns Q [HIER eq. 6]: how long a server that becomes idle at now stays idle, so that no
// period has two downloads. It rounds up; the paper's text rounds down, which would always give
// least. At the border of a period it is least, since the next period is open.
func Pause(now, interval, least Tick) Tick {
	return max(least, (now+interval-1)/interval*interval-now)
}

// Share is the share of one connection that a server takes, in units of 2^-40; at most one.
type Share uint64

// WholeShare is one connection.
const WholeShare Share = 1 << 40

// ShareOf returns min(e/I, 1) [HIER eq. 4]; 0 without an interval.
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

// Connections returns a share as a number of connections.
func (s Share) Connections() float64 { return float64(s) / float64(WholeShare) }

// Ceil returns the least whole number of connections for a share [HIER eq. 4].
func (s Share) Ceil() int { return int((s + WholeShare - 1) / WholeShare) }

// Times has the download times of a server: e. The zero value has no downloads.
type Times struct {
	Mean  Tick   `json:"mean"`
	Max   Tick   `json:"max"`
	Count uint32 `json:"count"` // observed downloads
}

// memory bounds the weight of the past in a mean: a server whose answers become slow counts as slow
// after some hundred downloads, however many were quick before.
const memory = 256

// Observe adds a download. After 256 downloads each new one has the weight 1/256 in the mean. Max
// falls by 1/1024 with each quicker one, so that a single stall is forgotten after some thousands
// of downloads. The simulator, whose logs are whole, does not call Observe.
func (t *Times) Observe(took Tick) {
	took = max(took, 0)
	t.Count = min(t.Count+1, 1<<31)
	if n := Tick(min(t.Count, memory)); n == 1 {
		t.Mean = took
	} else {
		step := (took - t.Mean) / n
		if step == 0 { // steps of less than a tick would never add up
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

// Encode returns the times in the form of the store.
func (t Times) Encode() []byte {
	value, err := json.Marshal(t)
	if err != nil {
		panic(fmt.Sprintf("schedule: encode times: %v", err)) // three numbers always encode
	}
	return value
}

// DecodeTimes decodes what Encode returned. It refuses impossible times.
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
