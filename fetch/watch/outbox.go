package watch

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Sender delivers messages to a target. One goroutine at a time calls it.
type Sender interface {
	// Send delivers a message, or returns why it may not have arrived. The error contains no
	// secrets.
	Send(ctx context.Context, m *Message) error
}

// Keeper makes durable the values that Keep saves.
type Keeper interface {
	SaveSetting(name string, value []byte) error
	Commit() error
}

// entry is a message in the outbox.
type entry struct {
	Message *Message            `json:"message"`
	Left    map[string]*attempt `json:"left"` // targets that still need it, by key
}

// attempt is the state of deliveries to a target.
type attempt struct {
	Failed int       `json:"failed,omitempty"`
	Next   time.Time `json:"next,omitzero"` // earliest next attempt
}

// result is the outcome of a delivery.
type result struct {
	number int
	target string
	err    error
}

const (
	mostMessages = 1000
	sendFor      = 30 * time.Second // time limit of one delivery
	firstWait    = 10 * time.Second // after a failure, then twice as long each time
	lastWait     = time.Hour
	giveUpAfter  = 24 * time.Hour
	// warnAfter is the number of failed deliveries in a row before a warning.
	warnAfter = 3
)

// enqueue puts a message into the outbox and its rule's feed.
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

// forget removes deleted targets from a message, and the message if no target is left.
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

// Step handles the passing of time. It notes finished deliveries, turns batches into messages,
// finds missing changes, and starts deliveries. Call it about once a second, when everything is
// committed.
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

// collect notes finished deliveries.
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

// send starts deliveries: to each target the message that has waited longest.
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

// End waits at most within for running deliveries, and notes them. With all, it first sends waiting
// events and tries them once. The rest is for the next Open.
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

// Waiting returns the numbers of waiting events and messages.
func (w *Watch) Waiting() (events, messages int) {
	if w == nil {
		return 0, 0
	}
	return len(w.events.values), len(w.outbox.values)
}

// miss reports expected changes that did not come.
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
