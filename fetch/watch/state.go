package watch

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// state is kept besides copies, events and messages.
type state struct {
	Store    string                `json:"store"` // random: distinguishes messages of two stores
	Next     int                   `json:"next"`  // number of the next message
	Events   int                   `json:"events"`
	Messages int                   `json:"messages"`
	Rules    map[string]*ruleState `json:"rules"`
}

// ruleState is the state of a rule.
type ruleState struct {
	Began   time.Time `json:"began"`             // first copy of a page
	Changed time.Time `json:"changed,omitzero"`  // last change
	Seen    time.Time `json:"seen,omitzero"`     // last visit that saw a page
	Alarmed bool      `json:"alarmed,omitempty"` // a missing change was reported
	Lost    int       `json:"lost,omitempty"`    // events without room that are not reported yet
}

// toldDifference is a difference that a message reported.
type toldDifference struct {
	Rule string    `json:"rule"`
	Site string    `json:"site"`
	Same string    `json:"same"`
	URL  string    `json:"url,omitempty"` // the only page that had it; "": several had
	Time time.Time `json:"time"`
}

const (
	stateSetting = "watch/state"
	toldSetting  = "watch/told"
	mostTold     = 2000
	toldFor      = 7 * 24 * time.Hour
)

// slots keep values under numbered settings. Numbers of removed values are reused, so that the
// settings are never more than the values at one time.
type slots[T any] struct {
	prefix string
	values map[int]*T
	free   []int
	high   int // numbers used so far
	dirty  map[int]bool
}

func newSlots[T any](prefix string) slots[T] {
	return slots[T]{prefix: prefix, values: map[int]*T{}, dirty: map[int]bool{}}
}

func (s *slots[T]) add(value *T) (number int) {
	number = s.high
	if n := len(s.free); n > 0 {
		number, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.high++
	}
	s.values[number] = value
	s.dirty[number] = true
	return number
}

func (s *slots[T]) remove(number int) {
	delete(s.values, number)
	s.free = append(s.free, number)
	s.dirty[number] = true
}

func (s *slots[T]) setting(number int) string { return fmt.Sprintf("%s/%d", s.prefix, number) }

func (s *slots[T]) save(save func(name string, value []byte) error) error {
	for number := range s.dirty {
		var value []byte // empty: removed
		if v, ok := s.values[number]; ok {
			var err error
			if value, err = json.Marshal(v); err != nil {
				return err
			}
		}
		if err := save(s.setting(number), value); err != nil {
			return err
		}
	}
	clear(s.dirty)
	return nil
}

// restore reads the values under the numbers below high.
func (s *slots[T]) restore(high int, setting func(string) ([]byte, bool, error)) error {
	s.high = high
	for number := range high {
		value, ok, err := setting(s.setting(number))
		if err != nil {
			return err
		}
		if !ok || len(value) == 0 {
			s.free = append(s.free, number)
			continue
		}
		v := new(T)
		if err := json.Unmarshal(value, v); err != nil {
			return fmt.Errorf("%s: %w", s.setting(number), err)
		}
		s.values[number] = v
	}
	return nil
}

// numbers returns the numbers of all values, in order.
func (s *slots[T]) numbers() []int {
	all := make([]int, 0, len(s.values))
	for n := range s.values {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

func (w *Watch) restore() error {
	w.events, w.outbox = newSlots[Event]("watch/event"), newSlots[entry]("watch/message")
	w.state.Rules = map[string]*ruleState{}
	if err := w.readJSON(stateSetting, &w.state); err != nil {
		return err
	}
	if err := w.readJSON(toldSetting, &w.told); err != nil {
		return err
	}
	if w.state.Store == "" {
		var b [6]byte
		rand.Read(b[:]) // never fails
		w.state.Store = hex.EncodeToString(b[:])
	}
	if err := w.events.restore(w.state.Events, w.o.Setting); err != nil {
		return err
	}
	if err := w.outbox.restore(w.state.Messages, w.o.Setting); err != nil {
		return err
	}
	for _, n := range w.events.numbers() {
		e := w.events.values[n]
		if w.rule(e.Rule) == nil {
			w.events.remove(n)
			continue
		}
		w.join(n, e)
	}
	for _, n := range w.outbox.numbers() {
		w.forget(n)
	}
	return w.restoreFeeds()
}

func (w *Watch) readJSON(name string, into any) error {
	value, ok, err := w.o.Setting(name)
	if err != nil || !ok || len(value) == 0 {
		return err
	}
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (w *Watch) rule(name string) *Rule {
	for _, r := range w.rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

func (w *Watch) stateOf(rule string) *ruleState {
	s := w.state.Rules[rule]
	if s == nil {
		s = new(ruleState)
		w.state.Rules[rule] = s
	}
	w.changed = true
	return s
}

func (w *Watch) seen(rule int, at time.Time) { w.stateOf(w.rules[rule].Name).Seen = at }

func (w *Watch) began(rule int, at time.Time) {
	if s := w.stateOf(w.rules[rule].Name); s.Began.IsZero() {
		s.Began = at
	}
}

func (w *Watch) changedAt(rule int, at time.Time) {
	s := w.stateOf(w.rules[rule].Name)
	s.Changed, s.Alarmed = at, false
}

// Keep saves what is new since the last call. Call it before each commit of the store, so that a
// visit is committed with its events.
func (w *Watch) Keep(save func(name string, value []byte) error) error {
	if w == nil {
		return nil
	}
	if w.err != nil {
		return w.err
	}
	for key, c := range w.copies {
		value, err := c.encode()
		if err != nil {
			return err
		}
		if err := save(key.setting(w), value); err != nil {
			return err
		}
		delete(w.copies, key)
	}
	w.changed = w.changed || len(w.events.dirty)+len(w.outbox.dirty) > 0
	if err := w.events.save(save); err != nil {
		return err
	}
	if err := w.outbox.save(save); err != nil {
		return err
	}
	if err := w.saveFeeds(save); err != nil {
		return err
	}
	if w.retold {
		if err := saveJSON(save, toldSetting, w.told); err != nil {
			return err
		}
		w.retold = false
	}
	if w.changed {
		w.state.Events, w.state.Messages = w.events.high, w.outbox.high
		if err := saveJSON(save, stateSetting, &w.state); err != nil {
			return err
		}
		w.changed = false
	}
	return nil
}

func saveJSON(save func(name string, value []byte) error, name string, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return save(name, value)
}

// unsaved reports whether Keep has something to save.
func (w *Watch) unsaved() bool {
	return w.changed || w.retold || len(w.copies)+len(w.events.dirty)+len(w.outbox.dirty) > 0 ||
		w.feedsChanged()
}
