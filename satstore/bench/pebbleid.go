package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/satstore/workload"
)

var pebbleIDKind = Kind{
	Name:           "pebble-id",
	About:          "Pebble keyed by id: a seek for each due id in order, one synced batch a unit",
	bytesPerRecord: func(mean float64) float64 { return 2 * (mean + 18) },
	roomBytes:      256 << 20,
	requests:       true,
	open: func(dir string, _ *workload.Plan, s Settings) (Engine, error) {
		db, err := openPebble(dir, s)
		if err != nil {
			return nil, err
		}
		return &pebbleID{db: db}, nil
	},
}

// pebbleID is the usual way: a state database by key beside a queue of ids, which is given
// to it.
type pebbleID struct {
	db    *pebble.DB
	batch *pebble.Batch
	body  []byte
}

func (e *pebbleID) Load(ctx context.Context, p *workload.Plan, tick func(int)) error {
	order := idOrder(p)
	var id workload.ID
	return loadPebble(ctx, e.db, len(order), tick, func(k int, body []byte) ([]byte, []byte) {
		id = p.ID(order[k])
		return id[:], p.AppendTo(body, order[k])
	})
}

func (e *pebbleID) Visit(u *Unit) error {
	iter, err := e.newIter()
	if err != nil {
		return err
	}
	for i := range u.IDs {
		id := u.IDs[i][:]
		if err := e.find(iter, id); err != nil {
			return errors.Join(err, iter.Close())
		}
		u.Visit(e.body)
		if err := e.batch.Set(id, e.body, nil); err != nil {
			return errors.Join(err, iter.Close())
		}
	}
	return iter.Close()
}

func (e *pebbleID) newIter() (*pebble.Iterator, error) {
	if e.batch == nil {
		e.batch = e.db.NewBatch()
	}
	return e.db.NewIter(nil)
}

// find copies the record of an id to e.body.
func (e *pebbleID) find(iter *pebble.Iterator, id []byte) error {
	if !iter.SeekGE(id) || !bytes.Equal(iter.Key(), id) {
		return fmt.Errorf("record %x is not there: %w", id, iter.Error())
	}
	value, err := iter.ValueAndErr()
	e.body = append(e.body[:0], value...)
	return err
}

// Request reads, changes and writes records at once, in a batch of their own: the visits
// that follow must find them changed.
func (e *pebbleID) Request(requests []workload.Request, u *Unit) error {
	iter, err := e.newIter()
	if err != nil {
		return err
	}
	for i := range requests {
		if err := e.find(iter, requests[i].ID[:]); err != nil {
			return errors.Join(err, iter.Close())
		}
		u.Apply(e.body, requests[i].Priority)
		if err := e.batch.Set(requests[i].ID[:], e.body, nil); err != nil {
			return errors.Join(err, iter.Close())
		}
	}
	return errors.Join(iter.Close(), e.Commit())
}

func (e *pebbleID) Commit() error { return commitPebble(&e.batch) }
func (e *pebbleID) Close() error  { return closePebble(e.db, e.batch) }
