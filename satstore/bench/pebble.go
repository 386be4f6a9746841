package bench

import (
	"context"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// pebbleStore is what both engines on Pebble share.
type pebbleStore struct {
	db    *pebble.DB
	batch *pebble.Batch // of the unit; nil: nothing was done yet
	body  []byte
}

func openPebble(dir string, s Settings) (*pebble.DB, error) {
	cache := pebble.NewCache(int64(s.CacheBytes))
	defer cache.Unref()
	return pebble.Open(dir, &pebble.Options{
		Cache:              cache,
		FormatMajorVersion: pebble.FormatNewest,
		MemTableSize:       16 << 20,
		Logger:             silent{},
	})
}

// silent drops what Pebble would log to standard error. What is fatal to it ends the
// program.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	pebble.DefaultLogger.Fatalf(format, args...)
}

// loadBytes is the length of a batch of load.
const loadBytes = 4 << 20

// load stores n records in the order of their keys.
func (e *pebbleStore) load(
	ctx context.Context,
	n int,
	tick func(int),
	record func(k int, body []byte) (key, value []byte),
) error {
	var body []byte
	batch := e.db.NewBatch()
	defer func() { batch.Close() }()
	for k := range n {
		var key []byte
		key, body = record(k, body[:0])
		if err := batch.Set(key, body, nil); err != nil {
			return err
		}
		if batch.Len() < loadBytes && k+1 < n {
			continue
		}
		if err := batch.Commit(pebble.NoSync); err != nil {
			return err
		}
		batch.Close()
		batch = e.db.NewBatch()
		tick(k + 1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (e *pebbleStore) Commit() error {
	b := e.batch
	e.batch = nil
	if b == nil {
		return nil
	}
	return errors.Join(b.Commit(pebble.Sync), b.Close())
}

// pebblePoll is how often Settle asks, and pebbleQuiet how often it must hear of no work:
// one compaction ends before it is known whether it calls for the next.
const (
	pebblePoll  = 10 * time.Millisecond
	pebbleQuiet = 3
)

// Settle writes out the memtable and waits until no flush and no compaction is at work. It
// forces none.
func (e *pebbleStore) Settle(ctx context.Context) error {
	if err := e.db.Flush(); err != nil {
		return err
	}
	for quiet := 0; quiet < pebbleQuiet; quiet++ {
		if m := e.db.Metrics(); m.Compact.NumInProgress > 0 || m.Flush.NumInProgress > 0 {
			quiet = -1
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pebblePoll):
		}
	}
	return nil
}

// scan hands out all keys and values.
func (e *pebbleStore) scan(f func(key, value []byte) error) error {
	iter, err := e.db.NewIter(nil)
	if err != nil {
		return err
	}
	for iter.First(); iter.Valid(); iter.Next() {
		value, err := iter.ValueAndErr()
		if err == nil {
			err = f(iter.Key(), value)
		}
		if err != nil {
			return errors.Join(err, iter.Close())
		}
	}
	return errors.Join(iter.Error(), iter.Close())
}

func (e *pebbleStore) Close() error {
	if e.batch != nil {
		e.batch.Close()
	}
	return e.db.Close()
}
