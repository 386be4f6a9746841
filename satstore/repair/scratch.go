package repair

import (
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// kindRecord is a kind in addition to those of the catalogue's keys.
const kindRecord = 'R'

// scratch sorts what is found by page, by kind, and from the newest version on.
//
//	page (4, big endian), kind, all ones less serial and place (8 each, big endian), a number that
//	makes the key one of its own (8); then 1 and the value, or 0 where it was deleted
type scratch struct {
	db    *pebble.DB
	batch *pebble.Batch
	n     uint64
	key   []byte
	value []byte
}

const (
	scratchKey   = 4 + 1 + 8 + 8 + 8
	scratchBatch = 4 << 20
)

func newScratch(fs vfs.FS, dir string) (*scratch, error) {
	db, err := pebble.Open(dir, &pebble.Options{
		FS: fs, Logger: silent{}, DisableWAL: true, MemTableSize: 32 << 20, ErrorIfExists: true,
		FormatMajorVersion: pebble.FormatValueSeparation,
	})
	if err != nil {
		return nil, err
	}
	return &scratch{db: db, batch: db.NewBatch()}, nil
}

func (s *scratch) put(p uint32, kind byte, v engine.Version, set bool, value []byte) error {
	s.n++
	k := binary.BigEndian.AppendUint32(s.key[:0], p)
	k = binary.BigEndian.AppendUint64(append(k, kind), ^v.Serial)
	k = binary.BigEndian.AppendUint64(k, ^v.Place)
	s.key = binary.BigEndian.AppendUint64(k, ^s.n)
	s.value = append(s.value[:0], 0)
	if set {
		s.value = append(append(s.value[:0], 1), value...)
	}
	if err := s.batch.Set(s.key, s.value, nil); err != nil || s.batch.Len() < scratchBatch {
		return err
	}
	return s.flush()
}

func (s *scratch) flush() error {
	err := s.db.Apply(s.batch, pebble.NoSync)
	s.batch.Reset()
	return err
}

// page has the data of a page: nil if there is none, or it was deleted.
type page struct {
	number                 sitegraph.PageID
	record, address, links []byte
	start, removed         bool
}

// each passes the pages with any data to f, in order. A page is valid until f returns.
func (s *scratch) each(f func(p *page) error) (err error) {
	if err := s.flush(); err != nil {
		return err
	}
	it, err := s.db.NewIter(nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Error(), it.Close()) }()
	var p *page
	var last byte
	for more := it.First(); more; more = it.Next() {
		k := it.Key()
		if len(k) != scratchKey {
			continue
		}
		number, kind := sitegraph.PageID(binary.BigEndian.Uint32(k)), k[4]
		if p == nil || p.number != number {
			if p != nil {
				if err := f(p); err != nil {
					return err
				}
			}
			p, last = &page{number: number}, 0
		}
		if kind == last {
			continue // an older version
		}
		last = kind
		v, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if v[0] == 1 {
			p.set(kind, append([]byte{}, v[1:]...))
		}
	}
	if p != nil {
		return f(p)
	}
	return nil
}

func (s *scratch) close() error { return errors.Join(s.batch.Close(), s.db.Close()) }
