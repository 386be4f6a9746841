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
	Name: "pebble-time",
	About: "Pebble keyed by (due, number): a range scan, one synced batch a unit that " +
		"also deletes the range",
	// an old and a new generation
	bytesPerRecord: func(mean float64) float64 { return 2 * (mean + 10) },
	roomBytes:      256 << 20,
	open: func(dir string, p *workload.Plan, s Settings) (Engine, error) {
		db, err := openPebble(dir, s)
		if err != nil {
			return nil, err
		}
		return &pebbleTime{pebbleStore{db: db}, make([]uint32, p.Records)}, nil
	},
}

// pebbleTime is a queue and a state database in one, as SAT is, made of a library. It keeps
// the bucket index of [SAT 3.5] too: where each record is.
type pebbleTime struct {
	pebbleStore
	index []uint32 // due by record number: 16 bits would not hold the minutes of 400 days
}

// timeKey orders by due, then by record number.
type timeKey [8]byte

func makeTimeKey(due int, number uint32) (k timeKey) {
	binary.BigEndian.PutUint32(k[:], uint32(due))
	binary.BigEndian.PutUint32(k[4:], number)
	return k
}

func (e *pebbleTime) Load(ctx context.Context, p *workload.Plan, tick func(int)) error {
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
