package paper

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// bucketIndex has the unit in which each record is due, by sequence number: in 16 or 24 bits,
// counted from a base that moves with the clock [SAT 3.5]. 0 means: no record.
type bucketIndex struct {
	bits int
	base int64
	word []uint16 // of 16 bits
	low  []byte   // of 24 bits, with word the upper 16
}

// none means never due.
const none = -1

// grow makes room for numbers below n.
func (x *bucketIndex) grow(n int) {
	if n <= len(x.word) {
		return
	}
	x.word = append(x.word, make([]uint16, n-len(x.word))...)
	if x.bits == 24 {
		x.low = append(x.low, make([]byte, n-len(x.low))...)
	}
}

func (x *bucketIndex) raw(seq uint32) int64 {
	v := int64(x.word[seq])
	if x.bits == 24 {
		v = v<<8 | int64(x.low[seq])
	}
	return v
}

func (x *bucketIndex) setRaw(seq uint32, v int64) {
	if x.bits == 24 {
		x.low[seq] = byte(v)
		v >>= 8
	}
	x.word[seq] = uint16(v)
}

// due returns the unit of a record, or none.
func (x *bucketIndex) due(seq uint32) int64 {
	if int64(seq) >= int64(len(x.word)) {
		return none
	}
	if v := x.raw(seq); v != 0 {
		return x.base + v
	}
	return none
}

// set sets the unit of a record; all units are above clock.
func (x *bucketIndex) set(seq uint32, due, clock int64) {
	x.grow(int(seq) + 1)
	if due-x.base >= 1<<x.bits {
		x.rebase(clock)
	}
	v := due - x.base
	if v < 1 || v >= 1<<x.bits {
		panic(
			fmt.Sprintf(
				"paper: unit %d does not fit the bucket index of base %d, clock %d",
				due,
				x.base,
				clock,
			),
		)
	}
	x.setRaw(seq, v)
}

func (x *bucketIndex) drop(seq uint32) {
	if int64(seq) < int64(len(x.word)) {
		x.setRaw(seq, 0)
	}
}

// rebase moves the base to the clock.
func (x *bucketIndex) rebase(clock int64) {
	shift := clock - x.base
	x.base = clock
	for i := range x.word {
		if v := x.raw(uint32(i)); v != 0 {
			x.setRaw(uint32(i), v-shift)
		}
	}
}

// ID names a record: the first bytes of its body.
type ID [idBytes]byte

// sequenceIndex gives each id a number, 0, 1, 2 ... in the order of insertion [SAT 3.5]. It is in
// Pebble; the updater never asks it.
type sequenceIndex struct {
	db      *pebble.DB
	pending map[ID]uint32 // not in db yet
}

func openSequenceIndex(fs vfs.FS, dir string) (*sequenceIndex, error) {
	cache := pebble.NewCache(8 << 20)
	defer cache.Unref()
	options := &pebble.Options{FS: fs, Cache: cache, FormatMajorVersion: pebble.FormatNewest,
		Logger: silent{}}
	options.Levels[0].FilterPolicy = bloom.FilterPolicy(10) // and so for all levels below
	db, err := pebble.Open(dir, options)
	if err != nil {
		return nil, fmt.Errorf("open sequence index: %w", err)
	}
	return &sequenceIndex{db: db, pending: map[ID]uint32{}}, nil
}

// silent drops Pebble's messages. A fatal one ends the program.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	pebble.DefaultLogger.Fatalf(format, args...)
}

// find returns the number of an id.
func (x *sequenceIndex) find(id ID) (seq uint32, ok bool, err error) {
	if seq, ok := x.pending[id]; ok {
		return seq, true, nil
	}
	value, closer, err := x.db.Get(id[:])
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, false, nil
	} else if err != nil {
		return 0, false, fmt.Errorf("look up %x: %w", id, err)
	}
	seq = binary.BigEndian.Uint32(value)
	return seq, true, closer.Close()
}

// findAll calls f for each of some ids in rising order, by one iterator: a fifth of the work of
// looking them up in any order.
func (x *sequenceIndex) findAll(ids []ID, f func(i int, seq uint32, ok bool) error) (err error) {
	iter, err := x.db.NewIter(nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, iter.Close()) }()
	for i := range ids {
		seq, ok := x.pending[ids[i]]
		if !ok && iter.SeekGE(ids[i][:]) && bytes.Equal(iter.Key(), ids[i][:]) {
			value, err := iter.ValueAndErr()
			if err != nil {
				return err
			}
			seq, ok = binary.BigEndian.Uint32(value), true
		}
		if err := iter.Error(); err != nil {
			return fmt.Errorf("look up %x: %w", ids[i], err)
		}
		if err := f(i, seq, ok); err != nil {
			return err
		}
	}
	return nil
}

// commit makes new ids durable. It precedes the commit of their records: a number without a record
// is skipped, but a record without a number could not be found.
func (x *sequenceIndex) commit() error {
	if len(x.pending) == 0 {
		return nil
	}
	ids := make([]ID, 0, len(x.pending))
	for id := range x.pending {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b ID) int { return bytes.Compare(a[:], b[:]) })
	batch := x.db.NewBatch()
	defer batch.Close()
	for i := range ids {
		seq := binary.BigEndian.AppendUint32(nil, x.pending[ids[i]])
		if err := batch.Set(ids[i][:], seq, nil); err != nil {
			return err
		}
	}
	if err := batch.Commit(pebble.Sync); err != nil {
		return fmt.Errorf("write sequence index: %w", err)
	}
	clear(x.pending)
	return nil
}
