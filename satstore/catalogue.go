package satstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// Keys of the catalogue. Pages are four bytes, big endian, so that they come in order.
const (
	keyAddress = 'a' // + page: its address
	keyLinks   = 'l' // + page: its in-server links and frames
	keyStart   = 's' // + page: it is a start page; empty value
	keySetting = 'n' // + name: a setting
)

func pageKey(kind byte, p sitegraph.PageID) []byte {
	return binary.BigEndian.AppendUint32([]byte{kind}, uint32(p))
}

// catalogue is Pebble as we use it: without its own log, because the store's log holds
// every batch until Pebble has flushed it.
type catalogue struct {
	db     *pebble.DB
	read   pebble.Reader // db, or for reading only a batch on top of it with what the log holds
	dirty  bool          // batches were applied since the last flush
	once   sync.Once
	cause  error         // why it is dead; set before dead is closed
	dead   chan struct{} // closed when Pebble could not write
	haltMu sync.Mutex
	halted chan struct{} // closed when Pebble cannot even be closed in order any more
}

// die makes the catalogue fail: the first error wins.
func (c *catalogue) die(err error) {
	c.once.Do(func() {
		c.cause = err
		close(c.dead)
	})
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Infof, Errorf and Fatalf make the catalogue Pebble's logger, of which only Fatalf
// matters: Pebble calls it where it cannot write its manifest and would end the process.
// We end the calling goroutine, which is Pebble's own or that of start, and let the store
// fail instead. What it held stays held: such a Pebble is never closed.
func (c *catalogue) Infof(string, ...any)  {}
func (c *catalogue) Errorf(string, ...any) {}
func (c *catalogue) Fatalf(format string, args ...any) {
	err := fmt.Errorf("catalogue: "+format, args...)
	for _, a := range args {
		if cause, ok := a.(error); ok { // keep it for errors.Is
			err = fmt.Errorf("catalogue: %w", cause)
		}
	}
	c.die(err)
	c.haltMu.Lock()
	if !isClosed(c.halted) {
		close(c.halted)
	}
	c.haltMu.Unlock()
	runtime.Goexit()
}

// retryPause slows Pebble's endless retries of a failed flush until the store is closed.
const retryPause = 10 * time.Millisecond

// openCatalogue opens the Pebble in dir; if it may, it creates one.
func openCatalogue(fs vfs.FS, dir string, readOnly, mayCreate bool) (*catalogue, error) {
	c := &catalogue{dead: make(chan struct{}), halted: make(chan struct{})}
	o := &pebble.Options{
		FS:                 &catalogueFS{FS: fs, c: c, readOnly: readOnly},
		Logger:             c,
		DisableWAL:         true,
		ReadOnly:           readOnly,
		ErrorIfNotExists:   !mayCreate,
		FormatMajorVersion: pebble.FormatValueSeparation,
		MemTableSize:       8 << 20,
		EventListener: &pebble.EventListener{BackgroundError: func(err error) {
			c.die(fmt.Errorf("catalogue: %w", err))
			time.Sleep(retryPause)
		}},
	}
	err := c.finish(func() (err error) {
		c.db, err = pebble.Open(dir, o)
		return err
	})
	if errors.Is(err, pebble.ErrDBDoesNotExist) || pebble.IsCorruptionError(err) {
		return nil, &DamageError{Path: dir, What: "catalogue", Cause: err}
	}
	if err != nil {
		return nil, fmt.Errorf("open catalogue: %w", err)
	}
	c.read = c.db
	if readOnly {
		c.read = c.db.NewIndexedBatch()
	}
	return c, nil
}

func start(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	return done
}

// finish runs f to its end, which comes unless Pebble halts.
func (c *catalogue) finish(f func() error) error {
	select {
	case err := <-start(f):
		return err
	case <-c.halted:
		return c.cause
	}
}

// apply makes a batch visible. It must be durable in the log.
func (c *catalogue) apply(b *pebble.Batch) error {
	if isClosed(c.dead) {
		return c.cause
	}
	c.dirty = true
	if overlay, ok := c.read.(*pebble.Batch); ok {
		return overlay.Apply(b, nil)
	}
	return c.db.Apply(b, pebble.NoSync)
}

// applyRepr applies a batch as the log holds it.
func (c *catalogue) applyRepr(repr []byte) error {
	b := c.db.NewBatch()
	defer b.Close()
	if err := b.SetRepr(append([]byte(nil), repr...)); err != nil {
		return err
	}
	return c.apply(b)
}

// flush makes everything applied durable.
func (c *catalogue) flush() error {
	if !c.dirty {
		return nil
	}
	select {
	case err := <-start(c.db.Flush):
		if err != nil {
			return fmt.Errorf("flush catalogue: %w", err)
		}
	case <-c.dead: // Pebble would try again for ever
		return c.cause
	}
	c.dirty = false
	return nil
}

// get returns a copy of a value.
func (c *catalogue) get(key []byte) ([]byte, bool, error) {
	v, closer, err := c.read.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	v = append([]byte{}, v...)
	return v, true, closer.Close()
}

// each calls f for the pages that have a key of this kind, in order, until it fails.
func (c *catalogue) each(kind byte, f func(p sitegraph.PageID, value []byte) error) (err error) {
	it, err := c.read.NewIter(&pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for it.First(); it.Valid(); it.Next() {
		k := it.Key()
		if len(k) != 5 {
			return fmt.Errorf("catalogue key %q has %d bytes, want 5", k, len(k))
		}
		if err := f(sitegraph.PageID(binary.BigEndian.Uint32(k[1:])), it.Value()); err != nil {
			return err
		}
	}
	return it.Error()
}

func (c *catalogue) close() error {
	if isClosed(c.halted) {
		return nil
	}
	var err error
	if overlay, ok := c.read.(*pebble.Batch); ok {
		err = overlay.Close()
	}
	return errors.Join(err, c.finish(c.db.Close))
}
