package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/satstore/paper"
)

// pebbleStore is the common part of both engines on Pebble.
type pebbleStore struct {
	db    *pebble.DB
	batch *pebble.Batch // of the unit; nil: empty
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

// silent drops Pebble's log messages. A fatal one ends the program.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	pebble.DefaultLogger.Fatalf(format, args...)
}

// loadBytes is the size of a batch of load.
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

// pebblePoll is the time between looks of Settle, pebbleQuiet the number of looks without work:
// when one compaction ends, it is unknown whether another one follows.
const (
	pebblePoll  = 10 * time.Millisecond
	pebbleQuiet = 3
)

// Settle writes the memtable and waits until no flush or compaction is running. It forces none.
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

// scan passes all keys and values to f.
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

var pebbleIDKind = Kind{
	Name:           "pebble-id",
	About:          "Pebble keyed by id: a seek for each due id in order, one synced batch a unit",
	bytesPerRecord: func(mean float64) float64 { return 2 * (mean + 18) },
	roomBytes:      256 << 20,
	requests:       true,
	open: func(dir string, _ *paper.Plan, s Settings) (Engine, error) {
		db, err := openPebble(dir, s)
		if err != nil {
			return nil, err
		}
		return &pebbleID{pebbleStore{db: db}}, nil
	},
}

// pebbleID is the usual design: a state database by key, and a queue of ids, which it gets as
// input.
type pebbleID struct{ pebbleStore }

func (e *pebbleID) Load(ctx context.Context, p *paper.Plan, tick func(int)) error {
	order := idOrder(p)
	var id paper.ID
	return e.load(ctx, len(order), tick, func(k int, body []byte) ([]byte, []byte) {
		id = p.ID(order[k])
		return id[:], p.AppendTo(body, order[k])
	})
}

func (e *pebbleID) Visit(u *Unit) error {
	return e.update(len(u.IDs), func(i int) []byte {
		return u.IDs[i][:]
	}, func(int) { u.Visit(e.body) })
}

// Request changes records at once, in the batch of the unit. The batch then has an index, so that
// visits see the changes.
func (e *pebbleID) Request(requests []paper.PriorityChange, u *Unit) error {
	e.batch = e.db.NewIndexedBatch()
	return e.update(
		len(requests),
		func(i int) []byte { return requests[i].ID[:] },
		func(i int) { u.Apply(e.body, requests[i].Priority) },
	)
}

// update reads, changes and writes n records, in the order of their ids. It reads a repeated one
// once.
func (e *pebbleID) update(n int, id func(i int) []byte, change func(i int)) error {
	iter, err := e.newIter()
	if err != nil {
		return err
	}
	for i := range n {
		if i == 0 || !bytes.Equal(id(i), id(i-1)) {
			if err := e.find(iter, id(i)); err != nil {
				return errors.Join(err, iter.Close())
			}
		}
		change(i)
		if err := e.batch.Set(id(i), e.body, nil); err != nil {
			return errors.Join(err, iter.Close())
		}
	}
	return iter.Close()
}

// newIter sees the writes of the unit.
func (e *pebbleID) newIter() (*pebble.Iterator, error) {
	if e.batch == nil {
		e.batch = e.db.NewBatch()
	}
	if e.batch.Indexed() {
		return e.batch.NewIter(nil)
	}
	return e.db.NewIter(nil)
}

// find copies the record of an id to e.body.
func (e *pebbleID) find(iter *pebble.Iterator, id []byte) error {
	if !iter.SeekGE(id) || !bytes.Equal(iter.Key(), id) {
		return errors.Join(fmt.Errorf("record %x is not there", id), iter.Error())
	}
	value, err := iter.ValueAndErr()
	e.body = append(e.body[:0], value...)
	return err
}

func (e *pebbleID) Scan(f func(body []byte, due int) error) error {
	return e.scan(func(_, value []byte) error { return f(value, 0) })
}

var pebbleTimeKind = Kind{
	Name: "pebble-time",
	About: "Pebble keyed by (due, number): a range scan, one synced batch a unit that " +
		"also deletes the range",
	// an old and a new generation
	bytesPerRecord: func(mean float64) float64 { return 2 * (mean + 10) },
	roomBytes:      256 << 20,
	open: func(dir string, p *paper.Plan, s Settings) (Engine, error) {
		db, err := openPebble(dir, s)
		if err != nil {
			return nil, err
		}
		return &pebbleTime{pebbleStore{db: db}, make([]uint32, p.Records)}, nil
	},
}

// pebbleTime is a queue and a state database in one, like SAT, from a library. It also keeps the
// bucket index of [SAT 3.5]: the place of each record.
type pebbleTime struct {
	pebbleStore
	index []uint32 // due by record number: 16 bits are too few for the minutes of 400 days
}

// timeKey orders by due, then by record number.
type timeKey [8]byte

func makeTimeKey(due int, number uint32) (k timeKey) {
	binary.BigEndian.PutUint32(k[:], uint32(due))
	binary.BigEndian.PutUint32(k[4:], number)
	return k
}

func (e *pebbleTime) Load(ctx context.Context, p *paper.Plan, tick func(int)) error {
	keys := make([]timeKey, p.Records)
	for i := range keys {
		due := p.First(uint32(i))
		keys[i] = makeTimeKey(due, uint32(i))
		e.index[i] = uint32(due)
	}
	slices.SortFunc(keys, func(a, b timeKey) int { return slices.Compare(a[:], b[:]) })
	return e.load(ctx, len(keys), tick, func(k int, body []byte) ([]byte, []byte) {
		return keys[k][:], p.AppendTo(body, binary.BigEndian.Uint32(keys[k][4:]))
	})
}

func (e *pebbleTime) Visit(u *Unit) error {
	from, to := makeTimeKey(u.T, 0), makeTimeKey(u.T+1, 0)
	iter, err := e.db.NewIter(&pebble.IterOptions{LowerBound: from[:], UpperBound: to[:]})
	if err != nil {
		return err
	}
	e.batch = e.db.NewBatch()
	for iter.First(); iter.Valid(); iter.Next() {
		value, err := iter.ValueAndErr()
		if err != nil {
			return errors.Join(err, iter.Close())
		}
		number := binary.BigEndian.Uint32(iter.Key()[4:])
		e.body = append(e.body[:0], value...)
		due := u.Visit(e.body)
		key := makeTimeKey(due, number)
		if err := e.batch.Set(key[:], e.body, nil); err != nil {
			return errors.Join(err, iter.Close())
		}
		e.index[number] = uint32(due)
	}
	if err := errors.Join(iter.Error(), iter.Close()); err != nil {
		return err
	}
	return e.batch.DeleteRange(from[:], to[:], nil)
}

func (e *pebbleTime) Scan(f func(body []byte, due int) error) error {
	return e.scan(func(key, value []byte) error {
		return f(value, int(binary.BigEndian.Uint32(key)))
	})
}
