package schedule

import (
	"cmp"
	"encoding/json"
	"fmt"
)

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
