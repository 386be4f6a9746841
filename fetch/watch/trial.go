package watch

import (
	"context"
	"time"
)

// Trial is the result of a sample message to targets.
type Trial struct {
	Targets []Tried `json:"targets"`
	Failed  int     `json:"failed"`
}

// Tried is the result for one target.
type Tried struct {
	Target string        `json:"target"`
	Error  string        `json:"error,omitempty"` // "": the target accepted the message
	Took   time.Duration `json:"took_ns"`
}

const tryFor = 30 * time.Second

// Try sends a sample message to each target in turn.
func Try(ctx context.Context, f *File, senders map[string]Sender) *Trial {
	t := &Trial{Targets: []Tried{}}
	for _, name := range f.Names() {
		began := time.Now()
		limited, stop := context.WithTimeout(ctx, tryFor)
		err := senders[name].Send(limited, SampleMessage(began))
		stop()
		tried := Tried{Target: Shown(name), Took: time.Since(began)}
		if err != nil {
			tried.Error = err.Error()
			t.Failed++
		}
		t.Targets = append(t.Targets, tried)
	}
	return t
}
