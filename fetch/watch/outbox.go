package watch

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Sender delivers messages to a target. It is called by one goroutine at a time.
type Sender interface {
	// Send delivers a message, or returns why it may not have arrived. The error has no secrets.
	Send(ctx context.Context, m *Message) error
}

// Keeper makes durable what Keep saves.
type Keeper interface {
	SaveSetting(name string, value []byte) error
	Commit() error
}

// entry is a message in the outbox.
type entry struct {
	Message *Message            `json:"message"`
	Left    map[string]*attempt `json:"left"` // targets that do not have it yet, by key
}

// attempt is what is known of deliveries to a target.
type attempt struct {
	Failed int       `json:"failed,omitempty"`
	Next   time.Time `json:"next,omitzero"` // not before
}

// result is how a delivery ended.
type result struct {
	number int
	target string
	err    error
}

const (
	mostMessages = 1000
	sendFor      = 30 * time.Second // one delivery
	firstWait    = 10 * time.Second // after a failed one, then twice as long each time
	lastWait     = time.Hour
	giveUpAfter  = 24 * time.Hour
	// warnAfter deliveries that failed in a row the user is told.
	warnAfter = 3
)

// enqueue puts a message into the outbox and the feed of its rule.
func (w *Watch) enqueue(r *Rule, m *Message) {
	w.feed(r, m)
	if len(r.To) == 0 {
		return
	}
	e := &entry{Message: m, Left: map[string]*attempt{}}
	for _, target := range r.To {
		e.Left[key(target)] = new(attempt)
	}
	w.outbox.add(e)
}

// forget removes targets that there are no longer from a message, and the message if none is left.
func (w *Watch) forget(number int) {
	e := w.outbox.values[number]
	for target := range e.Left {
		if w.senders[target] == nil {
			delete(e.Left, target)
			w.outbox.dirty[number] = true
		}
	}
	if len(e.Left) == 0 {
		w.outbox.remove(number)
	}
}

// Step does what time brings: deliveries that ended are noted, batches become messages, expected
// changes are missed, deliveries begin. Call it about once a second, when everything is committed.
func (w *Watch) Step(now time.Time, k Keeper) error {
	if w == nil {
		return nil
	}
	return w.step(now, k, false)
}

func (w *Watch) step(now time.Time, k Keeper, all bool) error {
	w.collect(now)
	w.miss(now)
	w.flush(now, all)
	if w.unsaved() {
		if err := w.Keep(k.SaveSetting); err != nil {
			return err
		}
		if err := k.Commit(); err != nil {
			return err
		}
	}
	w.writeFeeds()
	w.send(now)
	return nil
}

// collect notes the deliveries that ended.
func (w *Watch) collect(now time.Time) {
	for {
		select {
		case r := <-w.results:
			w.note(r, now)
		default:
			return
		}
	}
}

func (w *Watch) note(r result, now time.Time) {
	delete(w.busy, r.target)
	e := w.outbox.values[r.number]
	a := e.Left[r.target]
	w.outbox.dirty[r.number] = true
	switch {
	case r.err == nil:
		delete(e.Left, r.target)
		w.o.Note("told %s: %s", w.shown[r.target], e.Message.Subject)
	case now.Sub(e.Message.Time) >= giveUpAfter:
		delete(e.Left, r.target)
		w.o.Warn(fmt.Sprintf("%s was given up after a day: %s does not take it: %v",
			e.Message.ID, w.shown[r.target], r.err))
	default:
		a.Failed++
		wait := lastWait
		if a.Failed < 10 {
			wait = min(firstWait<<(a.Failed-1), lastWait)
		}
		a.Next = now.Add(wait)
		if a.Failed == warnAfter {
			w.o.Warn(fmt.Sprintf("%s takes no messages: %v; it is tried for a day",
				w.shown[r.target], r.err))
		}
	}
	if len(e.Left) == 0 {
		w.outbox.remove(r.number)
	}
}

// send begins deliveries, one to a target, of the message that has waited longest.
func (w *Watch) send(now time.Time) {
	numbers := w.outbox.numbers()
	slices.SortStableFunc(numbers, func(a, b int) int {
		return w.outbox.values[a].Message.Time.Compare(w.outbox.values[b].Message.Time)
	})
	for _, n := range numbers {
		e := w.outbox.values[n]
		for target, a := range e.Left {
			sender := w.senders[target]
			if w.busy[target] || sender == nil || now.Before(a.Next) {
				continue
			}
			w.busy[target] = true
			m := e.Message
			go func() {
				ctx, stop := context.WithTimeout(w.work, sendFor)
				defer stop()
				w.results <- result{n, target, sender.Send(ctx, m)}
			}()
		}
	}
}

// End waits for deliveries under way, for so long at most, and notes them. With all, what waits is
// told first, and tried once. The rest is for the next Open.
func (w *Watch) End(within time.Duration, now func() time.Time, k Keeper, all bool) error {
	if w == nil {
		return nil
	}
	over := time.AfterFunc(within, w.stop)
	defer over.Stop()
	defer w.stop()
	if all {
		if err := w.step(now(), k, true); err != nil {
			return err
		}
	}
	for len(w.busy) > 0 {
		w.note(<-w.results, now()) // a sender ends when its context does
		if all && w.work.Err() == nil {
			w.send(now())
		}
	}
	if !w.unsaved() {
		return nil
	}
	if err := w.Keep(k.SaveSetting); err != nil {
		return err
	}
	return k.Commit()
}

// Waiting is how many events and messages wait.
func (w *Watch) Waiting() (events, messages int) {
	if w == nil {
		return 0, 0
	}
	return len(w.events.values), len(w.outbox.values)
}

// miss tells of changes that were expected and did not come.
func (w *Watch) miss(now time.Time) {
	for _, r := range w.rules {
		s := w.state.Rules[r.Name]
		if r.Expect == 0 || s == nil || s.Alarmed || s.Began.IsZero() {
			continue
		}
		since := s.Began
		if s.Changed.After(since) {
			since = s.Changed
		}
		if r.Hours.Elapsed(since, s.Seen) < r.Expect.of() {
			continue
		}
		w.stateOf(r.Name).Alarmed = true
		w.add(Event{Rule: r.Name, Kind: KindMissing, URL: r.Start(), Time: now.UTC(), Before: since,
			Detail: fmt.Sprintf(
				"nothing has changed since %s, though a change is expected every %v",
				since.UTC().Format(time.DateTime), r.Expect.of())})
	}
}
