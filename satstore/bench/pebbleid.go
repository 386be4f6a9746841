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
		return &pebbleID{pebbleStore{db: db}}, nil
	},
}

// pebbleID is the usual way: a state database by key beside a queue of ids, which is given
// to it.
type pebbleID struct{ pebbleStore }

func (e *pebbleID) Load(ctx context.Context, p *workload.Plan, tick func(int)) error {
	order := idOrder(p)
	var id workload.ID
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

// Request changes records at once, in the batch of the unit. That has an index then, by
// which the visits find them changed.
func (e *pebbleID) Request(requests []workload.Request, u *Unit) error {
	e.batch = e.db.NewIndexedBatch()
	return e.update(
		len(requests),
		func(i int) []byte { return requests[i].ID[:] },
		func(i int) { u.Apply(e.body, requests[i].Priority) },
	)
}

// update reads, changes and writes n records, in the order of their ids. One that comes
// several times is read once.
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

// newIter sees what the unit has written so far.
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
