package bench

import (
	"context"
	"fmt"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/recrawl/recrawl/satstore/paper"
)

var bboltKind = Kind{
	Name:           "bbolt-id",
	About:          "bbolt, a B+tree in a mapped file, keyed by id in order: one transaction a unit",
	bytesPerRecord: func(mean float64) float64 { return 2 * (mean + 40) }, // pages are rewritten
	roomBytes:      64 << 20,
	requests:       true,
	open: func(dir string, _ *paper.Plan, s Settings) (Engine, error) {
		e := &boltID{path: filepath.Join(dir, "bolt.db"), pageBytes: s.TreePageBytes}
		return e, e.Map()
	},
}

// bboltReadKind is the B-tree/RO of [SAT fig. 6].
var bboltReadKind = Kind{
	Name:           "bbolt-ro",
	About:          "bbolt-id, whose due records are only read: nothing is stored",
	bytesPerRecord: bboltKind.bytesPerRecord,
	roomBytes:      bboltKind.roomBytes,
	open: func(dir string, p *paper.Plan, s Settings) (Engine, error) {
		e, err := bboltKind.open(dir, p, s)
		return &boltRead{tree: e.(*boltID)}, err
	},
}

// boltRead reads the tree of another engine, and stores nothing.
type boltRead struct {
	tree *boltID
	body []byte
}

func (e *boltRead) Load(ctx context.Context, p *paper.Plan, tick func(int)) error {
	return e.tree.Load(ctx, p, tick)
}

func (e *boltRead) Visit(u *Unit) error {
	return e.tree.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(boltBucket)
		for i := range u.IDs {
			value := b.Get(u.IDs[i][:])
			if value == nil {
				return fmt.Errorf("record %x is not there", u.IDs[i])
			}
			e.body = append(e.body[:0], value...)
			u.Visit(e.body)
		}
		return nil
	})
}

// ReadsAlone marks an engine that stores nothing.
func (e *boltRead) ReadsAlone() {}

func (e *boltRead) Map() error    { return e.tree.Map() }
func (e *boltRead) Unmap() error  { return e.tree.Unmap() }
func (e *boltRead) Commit() error { return nil }
func (e *boltRead) Close() error  { return e.tree.Close() }

// boltID is the paper's B-tree, with transactions that it lacked.
type boltID struct {
	path string
	// pageBytes is the page size of the tree; 0: the system's. An existing file keeps its own.
	pageBytes int
	db        *bbolt.DB
	tx        *bbolt.Tx
	bodies    []byte // of the transaction: bbolt needs them unchanged until its end
}

var boltBucket = []byte("r")

// Map opens the file. Its list of free pages is stored, so that opening does not scan the file and
// make it warm.
func (e *boltID) Map() (err error) {
	e.db, err = bbolt.Open(
		e.path,
		0o600,
		&bbolt.Options{FreelistType: bbolt.FreelistMapType, PageSize: e.pageBytes},
	)
	return err
}

func (e *boltID) Unmap() error { return e.db.Close() }

func (e *boltID) Load(ctx context.Context, p *paper.Plan, tick func(int)) error {
	order := idOrder(p)
	const step = 20_000
	for at := 0; at < len(order); at += step {
		part := order[at:min(at+step, len(order))]
		if err := e.db.Update(func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(boltBucket)
			if err != nil {
				return err
			}
			b.FillPercent = 0.9 // records come in order and keep their lengths
			for _, i := range part {
				body := p.AppendTo(nil, i)
				if err := b.Put(body[:len(paper.ID{})], body); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		tick(at + len(part))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (e *boltID) Visit(u *Unit) error {
	b, err := e.begin()
	if err != nil {
		return err
	}
	for i := range u.IDs {
		body, err := e.find(b, u.IDs[i][:])
		if err != nil {
			return err
		}
		u.Visit(body)
		if err := b.Put(u.IDs[i][:], body); err != nil {
			return err
		}
	}
	return nil
}

func (e *boltID) begin() (*bbolt.Bucket, error) {
	if e.tx == nil {
		tx, err := e.db.Begin(true)
		if err != nil {
			return nil, err
		}
		e.tx, e.bodies = tx, e.bodies[:0]
	}
	return e.tx.Bucket(boltBucket), nil
}

// find returns a copy of the record of an id, valid until the transaction ends: when the array
// grows, earlier copies stay in the old one.
func (e *boltID) find(b *bbolt.Bucket, id []byte) ([]byte, error) {
	value := b.Get(id)
	if value == nil {
		return nil, fmt.Errorf("record %x is not there", id)
	}
	at := len(e.bodies)
	e.bodies = append(e.bodies, value...)
	return e.bodies[at:len(e.bodies):len(e.bodies)], nil
}

// Request changes records at once, in the transaction of the unit.
func (e *boltID) Request(requests []paper.PriorityChange, u *Unit) error {
	b, err := e.begin()
	if err != nil {
		return err
	}
	for i := range requests {
		body, err := e.find(b, requests[i].ID[:])
		if err != nil {
			return err
		}
		u.Apply(body, requests[i].Priority)
		if err := b.Put(requests[i].ID[:], body); err != nil {
			return err
		}
	}
	return nil
}

func (e *boltID) Scan(f func(body []byte, due int) error) error {
	return e.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(boltBucket).ForEach(func(_, body []byte) error { return f(body, 0) })
	})
}

func (e *boltID) Commit() error {
	tx := e.tx
	e.tx = nil
	if tx == nil {
		return nil
	}
	return tx.Commit()
}

func (e *boltID) Close() error {
	if e.tx != nil {
		_ = e.tx.Rollback() // it is dropped anyway
	}
	return e.db.Close()
}
