package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/satstore/workload"
)

var pebbleTimeKind = Kind{
	Name:           "pebble-time",
	About:          "Pebble keyed by (due, number): a range scan, one synced batch a unit that also deletes the range",
	bytesPerRecord: func(mean float64) float64 { return 2 * (mean + 10) }, // an old and a new generation
	roomBytes:      256 << 20,
	open: func(dir string, p *workload.Plan, s Settings) (Engine, error) {
		db, err := openPebble(dir, s)
		if err != nil {
			return nil, err
		}
		return &pebbleTime{db: db, index: make([]uint16, p.Records)}, nil
	},
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

// pebbleTime is a queue and a state database in one, as SAT is, made of a library. It keeps
// the bucket index of [SAT 3.5] too: where each record is.
type pebbleTime struct {
	db    *pebble.DB
	batch *pebble.Batch
	index []uint16 // due, modulo 2^16, by record number
	body  []byte
}

// timeKey orders by due, then by record number.
type timeKey [8]byte

func makeTimeKey(due int, number uint32) (k timeKey) {
	binary.BigEndian.PutUint32(k[:], uint32(due))
	binary.BigEndian.PutUint32(k[4:], number)
	return k
}

// loadBytes is the length of a batch of Load.
const loadBytes = 4 << 20

func (e *pebbleTime) Load(ctx context.Context, p *workload.Plan, tick func(int)) error {
	keys := make([]timeKey, p.Records)
	for i := range keys {
		due := p.First(uint32(i))
		keys[i] = makeTimeKey(due, uint32(i))
		e.index[i] = uint16(due)
	}
	slices.SortFunc(keys, func(a, b timeKey) int { return slices.Compare(a[:], b[:]) })
	return loadPebble(ctx, e.db, len(keys), tick, func(k int, body []byte) ([]byte, []byte) {
		return keys[k][:], p.AppendTo(body, binary.BigEndian.Uint32(keys[k][4:]))
	})
}

// loadPebble stores n records in the order of their keys.
func loadPebble(ctx context.Context, db *pebble.DB, n int, tick func(int), record func(k int, body []byte) (key, value []byte)) error {
	var body []byte
	batch := db.NewBatch()
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
		batch = db.NewBatch()
		tick(k + 1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return db.Flush()
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
		e.index[number] = uint16(due)
	}
	if err := errors.Join(iter.Error(), iter.Close()); err != nil {
		return err
	}
	return e.batch.DeleteRange(from[:], to[:], nil)
}

func (e *pebbleTime) Commit() error { return commitPebble(&e.batch) }

func commitPebble(batch **pebble.Batch) error {
	b := *batch
	*batch = nil
	if b == nil {
		return nil
	}
	return errors.Join(b.Commit(pebble.Sync), b.Close())
}

func (e *pebbleTime) Close() error { return closePebble(e.db, e.batch) }

func closePebble(db *pebble.DB, batch *pebble.Batch) error {
	if batch != nil {
		batch.Close()
	}
	return db.Close()
}
