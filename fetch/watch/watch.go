package watch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Options of a watch.
type Options struct {
	File *File
	// Senders deliver to the targets of the file, by name.
	Senders map[string]Sender
	// Setting reads a value that Keep saved. The goroutine of the watch alone calls it.
	Setting func(name string) (value []byte, ok bool, err error)
	Note    func(format string, args ...any) // receives information; may be nil
	Warn    func(text string)                // receives warnings; may be nil
}

// Watch reports what visits found. A nil Watch does nothing.
type Watch struct {
	o       Options
	rules   []*Rule
	senders map[string]Sender // by key of the target
	shown   map[string]string // likewise, printable
	stop    func()            // ends deliveries
	work    context.Context

	mu    sync.Mutex
	fresh map[string]bool // pages to request without a condition

	copies  map[copyKey]*kept // copies for the next Keep
	state   state
	changed bool // the state changed
	told    []toldDifference
	retold  bool // told changed
	events  slots[Event]
	batches map[batchKey]*batch
	outbox  slots[entry]
	busy    map[string]bool // targets with a running delivery
	results chan result
	feeds   map[string]*feedState
	err     error // of the store, since the last Keep
}

// Open restores the state that an earlier watch kept.
func Open(o Options) (*Watch, error) {
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	w := &Watch{
		o:       o,
		rules:   o.File.Rules,
		senders: map[string]Sender{},
		shown:   o.File.shown(),
		fresh:   map[string]bool{},
		copies:  map[copyKey]*kept{},
		batches: map[batchKey]*batch{},
		busy:    map[string]bool{},
		results: make(chan result, mostTargets),
		feeds:   map[string]*feedState{},
	}
	for target, sender := range o.Senders {
		w.senders[key(target)] = sender
	}
	w.work, w.stop = context.WithCancel(context.Background())
	if err := w.restore(); err != nil {
		return nil, fmt.Errorf("read what the watch kept: %w", err)
	}
	return w, nil
}

// Recall prepares a visit to a page; the goroutine of the watch calls it. If a rule has no copy of
// the page, the request must be unconditional: a "not modified" has no text.
func (w *Watch) Recall(url string) error {
	if w == nil {
		return nil
	}
	for _, i := range w.o.File.of(url) {
		c, err := w.copyOf(i, url)
		if err != nil {
			return err
		}
		if c.Fingerprint != w.rules[i].texts.Fingerprint() || c.None {
			w.mu.Lock()
			w.fresh[url] = true
			w.mu.Unlock()
			break
		}
	}
	return nil
}

// Fresh removes the conditions from the record of a page that must be read whole. Goroutines may
// share it.
func (w *Watch) Fresh(r *sitegraph.Record) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fresh[r.URL] {
		delete(w.fresh, r.URL)
		r.ETag, r.LastModified = "", time.Time{}
	}
}

// site returns the name of a server in messages.
func site(url string) string { return sitegraph.ServerName(url) }
