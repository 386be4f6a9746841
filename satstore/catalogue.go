package satstore

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// Keys of the catalogue. Pages are four bytes, big endian, so that they sort by number.
const (
	KeyAddress = 'a' // + page: its address
	KeyLinks   = 'l' // + page: its in-server links and frames
	KeyStart   = 's' // + page: it is a start page; empty value
	KeySetting = 'n' // + name: a setting
	KeyRemoved = 'r' // + page: its record was removed; empty value
	keyEpochs  = 'e' // the number of the last batch
)

func pageKey(kind byte, p sitegraph.PageID) []byte {
	return binary.BigEndian.AppendUint32([]byte{kind}, uint32(p))
}

// catalogue is Pebble without its own log, because the log of the records holds every batch until
// Pebble has flushed it. Pebble reads and writes files only on its own goroutines and those of
// finish, so that it cannot end one of the store.
type catalogue struct {
	dir    string
	fs     *catalogueFS
	db     *pebble.DB
	read   pebble.Reader // db or, for reading only, a batch on top with the log
	dirty  bool          // batches were applied since the last flush
	once   sync.Once
	cause  error         // why it is dead; set before dead is closed
	dead   chan struct{} // closed when Pebble could not write, or found damage
	haltMu sync.Mutex
	halted chan struct{} // closed when Pebble cannot even be closed properly
}

// catalogueFiles bounds the descriptors of Pebble. It opens all tables when it starts, one for
// about 30,000 pages, and up to 1000 without a bound.
const catalogueFiles = 200

// retryPause slows Pebble's endless retries of a failed flush until the store is closed.
const retryPause = 10 * time.Millisecond

// openCatalogue opens the Pebble in dir, or with mayCreate makes one.
func openCatalogue(disk vfs.FS, dir string, readOnly, mayCreate bool) (*catalogue, error) {
	var opened atomic.Bool
	c := &catalogue{dir: dir, dead: make(chan struct{}), halted: make(chan struct{})}
	c.fs = &catalogueFS{FS: disk, c: c, readOnly: readOnly}
	o := &pebble.Options{
		FS:                 c.fs,
		Logger:             c,
		DisableWAL:         true,
		ReadOnly:           readOnly,
		ErrorIfNotExists:   !mayCreate,
		FormatMajorVersion: pebble.FormatValueSeparation,
		MemTableSize:       8 << 20,
		MaxOpenFiles:       catalogueFiles,
		// A Pebble that cannot be opened panics under its own compactions, so there are none until
		// then.
		CompactionConcurrencyRange: func() (int, int) {
			if opened.Load() {
				return 1, 1
			}
			return -1, -1 // Pebble divides by the second
		},
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) {
				c.die(fmt.Errorf("catalogue: %w", c.explain(err)))
				time.Sleep(retryPause)
			},
			DataCorruption: func(info pebble.DataCorruptionInfo) { // also during our reads
				c.die(&DamageError{
					Path:   info.Path,
					Offset: blockOffset(info.Details),
					What:   "catalogue",
					Cause:  oneLine{info.Details},
				})
			},
		},
	}
	err := c.finish(func() (err error) {
		c.db, err = pebble.Open(dir, o)
		return err
	})
	var damage *DamageError
	if err != nil {
		_ = c.fs.unlock()
	}
	switch {
	case err == nil:
	case errors.As(err, &damage), errors.Is(err, ErrInUse):
		return nil, err
	case isClosed(c.dead):
		return nil, fmt.Errorf("open catalogue: %w", c.cause)
	case !ofSystem(err): // Pebble could read its files, and not understand them
		return nil, c.damage(err)
	default:
		return nil, fmt.Errorf("open catalogue: %w", err)
	}
	opened.Store(true)
	c.read = c.db
	if readOnly {
		c.read = c.db.NewIndexedBatch()
	}
	return c, nil
}

// ofSystem reports whether an error comes from the file system, other than a missing file.
func ofSystem(err error) bool {
	var number syscall.Errno
	var path *fs.PathError
	return !errors.Is(err, fs.ErrNotExist) && (errors.As(err, &number) || errors.As(err, &path))
}

// start runs f on its own goroutine. A panic there is Pebble's.
func (c *catalogue) start(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil { // it may hold any value
				c.halt(
					&DamageError{Path: c.dir, What: "catalogue",
						Cause: oneLine{fmt.Errorf("panic: %v", r)}},
				)
			}
		}()
		done <- f()
	}()
	return done
}

// finish runs f to its end, unless Pebble halts. Then f may still be running, and the caller must
// not touch its data.
func (c *catalogue) finish(f func() error) error {
	if isClosed(c.halted) {
		return c.cause
	}
	select {
	case err := <-c.start(f):
		return c.explain(err)
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
	return c.finish(func() error { return c.db.Apply(b, pebble.NoSync) })
}

// applyRepr applies a batch in the form of the log.
func (c *catalogue) applyRepr(repr []byte) error {
	b := c.db.NewBatch()
	defer b.Close()
	if err := b.SetRepr(append([]byte(nil), repr...)); err != nil {
		return err
	}
	return c.apply(b)
}

// flush makes all applied batches durable.
func (c *catalogue) flush() error {
	if !c.dirty {
		return nil
	}
	if isClosed(c.dead) {
		return c.cause
	}
	select {
	case err := <-c.start(c.db.Flush):
		if err != nil {
			return fmt.Errorf("flush catalogue: %w", c.explain(err))
		}
	case <-c.dead: // Pebble would try again for ever
		return c.cause
	}
	c.dirty = false
	return nil
}

// copyTo makes a catalogue of the same state, flushed before, in a missing directory. Errors in it
// leave this catalogue as it is.
func (c *catalogue) copyTo(dir string) error {
	err := c.finish(func() error { return c.db.Checkpoint(dir, pebble.WithFlushedWAL()) })
	return errors.Join(err, c.fs.takeCopied())
}

// get returns a copy of a value.
func (c *catalogue) get(key []byte) (value []byte, found bool, err error) {
	type answer struct {
		value []byte
		found bool
	}
	answers := make(chan answer, 1)
	err = c.finish(func() error {
		v, closer, err := c.read.Get(key)
		if errors.Is(err, pebble.ErrNotFound) {
			answers <- answer{}
			return nil
		}
		if err != nil {
			return err
		}
		answers <- answer{append([]byte{}, v...), true}
		return closer.Close()
	})
	if err != nil {
		return nil, false, err
	}
	a := <-answers
	return a.value, a.found, nil
}

// chunkBytes is about how much each reads ahead.
const chunkBytes = 64 << 10

// each calls f for the pages that have a key of this kind, in order, until f fails. f runs on the
// goroutine of the caller, on data that was read before.
func (c *catalogue) each(kind byte, f func(p sitegraph.PageID, value []byte) error) error {
	return c.eachFrom(kind, 0, f)
}

// eachFrom is each, from a page on.
func (c *catalogue) eachFrom(kind byte, from sitegraph.PageID,
	f func(p sitegraph.PageID, value []byte) error) (err error) {
	type entry struct{ key, end int } // in buf: the key begins at the end of the entry before
	var it *pebble.Iterator
	var buf []byte
	var entries []entry
	err = c.finish(func() (err error) {
		it, err = c.read.NewIter(&pebble.IterOptions{LowerBound: pageKey(kind, from),
			UpperBound: []byte{kind + 1}})
		if err == nil {
			it.First()
		}
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, c.finish(func() error { return it.Close() })) }()
	for more := true; more; {
		err := c.finish(func() error {
			buf, entries = buf[:0], entries[:0]
			for ; it.Valid() && len(buf) < chunkBytes; it.Next() {
				value, err := it.ValueAndErr()
				if err != nil {
					return err
				}
				buf = append(buf, it.Key()...)
				key := len(buf)
				buf = append(buf, value...)
				entries = append(entries, entry{key, len(buf)})
			}
			more = it.Valid()
			return it.Error()
		})
		if err != nil {
			return err
		}
		at := 0
		for _, e := range entries {
			k := buf[at:e.key]
			if len(k) != 5 {
				return &DamageError{
					Path: c.dir,
					What: fmt.Sprintf("catalogue key %q has %d bytes, want 5", k, len(k)),
				}
			}
			if err := f(sitegraph.PageID(binary.BigEndian.Uint32(k[1:])),
				buf[e.key:e.end]); err != nil {
				return err
			}
			at = e.end
		}
	}
	return nil
}

// others reads the settings and looks for unknown keys. It returns how many settings there are.
func (c *catalogue) others() (settings int, err error) {
	answer := make(chan int, 1)
	err = c.finish(func() (err error) {
		it, err := c.read.NewIter(nil)
		if err != nil {
			return err
		}
		n := 0
		for more := it.First(); more && err == nil; {
			kind := it.Key()[0]
			switch kind {
			case KeySetting:
				n++
				_, err = it.ValueAndErr()
				more = it.Next()
			case KeyAddress, KeyLinks, KeyStart, KeyRemoved, keyEpochs:
				more = it.SeekGE([]byte{kind + 1})
			default:
				err = &DamageError{Path: c.dir, What: fmt.Sprintf("unknown catalogue key %q",
					it.Key())}
			}
		}
		answer <- n
		return cmp.Or(err, it.Error(), it.Close())
	})
	if err != nil {
		return 0, err
	}
	return <-answer, nil
}

func (c *catalogue) close() error {
	if isClosed(c.halted) {
		return c.fs.unlock()
	}
	err := c.finish(func() error {
		var err error
		if overlay, ok := c.read.(*pebble.Batch); ok {
			err = overlay.Close()
		}
		return cmp.Or(err, c.db.Close())
	})
	return cmp.Or(err, c.fs.unlock())
}
