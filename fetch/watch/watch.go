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
	// Setting reads what Keep saved. It is called by the goroutine of the watch alone.
	Setting func(name string) (value []byte, ok bool, err error)
	Note    func(format string, args ...any) // what is told on the way; may be nil
	Warn    func(text string)                // what should not be; may be nil
}

// Watch tells what visits found. A nil one watches nothing.
type Watch struct {
	o       Options
	rules   []*Rule
	senders map[string]Sender // by key of the target
	shown   map[string]string // likewise, as it may be printed
	stop    func()            // ends deliveries
	work    context.Context

	mu    sync.Mutex
	fresh map[string]bool // pages that are to be asked for without a condition

	copies  map[copyKey]*kept // that the next Keep saves
	state   state
	changed bool // the state
	told    []toldDifference
	retold  bool // told has changed
	events  slots[Event]
	batches map[batchKey]*batch
	outbox  slots[entry]
	busy    map[string]bool // targets with a delivery under way
	results chan result
	feeds   map[string]*feedState
	err     error // of the store, since the last Keep
}

// Open takes up what an earlier watch kept.
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

// Recall is called before a visit to a page, by the goroutine of the watch. A page of which a rule
// has no copy is asked for without a condition: an answer that it was not modified has no text.
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

// Fresh takes the conditions from the record of a page that must be read whole. Safe for concurrent
// use.
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

// site is what a server is called in messages.
func site(url string) string { return sitegraph.ServerName(url) }
