package deliver

import (
	"context"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/internal/words"
)

// Trial is what targets did with a sample message.
type Trial struct {
	Targets []Tried `json:"targets"`
	Failed  int     `json:"failed"`
}

// Tried is what one target did.
type Tried struct {
	Target string        `json:"target"`
	Error  string        `json:"error,omitempty"` // "": it took the message
	Took   time.Duration `json:"took_ns"`
}

const tryFor = 30 * time.Second

// Try sends a sample message to each target, one after the other.
func Try(ctx context.Context, f *watch.File, senders map[string]watch.Sender) *Trial {
	t := &Trial{Targets: []Tried{}}
	for _, name := range f.Names() {
		began := time.Now()
		limited, stop := context.WithTimeout(ctx, tryFor)
		err := senders[name].Send(limited, watch.SampleMessage(began))
		stop()
		tried := Tried{Target: watch.Shown(name), Took: time.Since(began)}
		if err != nil {
			tried.Error = err.Error()
			t.Failed++
		}
		t.Targets = append(t.Targets, tried)
	}
	return t
}

// Finding says in a sentence what the targets did.
func (t *Trial) Finding() string {
	return fmt.Sprintf("%d of %s took a sample message.",
		len(t.Targets)-t.Failed, words.Plural(len(t.Targets), "target"))
}

// Tables are the trial for people.
func (t *Trial) Tables() []report.Table {
	table := report.Table{
		Title:  "Targets",
		Header: []string{"target", "result", "took"},
	}
	for _, x := range t.Targets {
		result := "took it"
		if x.Error != "" {
			result = x.Error
		}
		table.Rows = append(table.Rows,
			[]string{x.Target, result, x.Took.Round(time.Millisecond).String()})
	}
	return []report.Table{table}
}
