package repair

import (
	"context"
	"fmt"
	"math/big"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore"
)

// span is a range of lost keys of the catalogue: after from and before to, nil for no bound.
type span struct{ from, to []byte }

// readTable passes all readable keys of a table to each, and returns the spans of the others. A
// damaged block costs its keys, a damaged index or footer the whole table.
func readTable(fs vfs.FS, t satstore.Table,
	each func(key []byte, seq uint64, set bool, value []byte) error) (lost []span, err error) {
	all := []span{{t.From, t.To}}
	defer func() {
		if r := recover(); r != nil { // Pebble's, at bytes with a right checksum
			lost, err = all, nil
		}
	}()
	f, err := fs.Open(t.Path)
	if err != nil {
		return all, nil
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		_ = f.Close()
		return all, nil
	}
	o := &pebble.Options{Logger: silent{}}
	o.EnsureDefaults()
	r, err := sstable.NewReader(context.Background(), readable, o.MakeReaderOptions())
	if err != nil {
		_ = readable.Close()
		return all, nil
	}
	defer r.Close()
	for from := []byte{}; from != nil; {
		last, read, err := readFrom(r, from, each)
		if err != nil || read {
			return lost, err
		}
		if last == nil {
			last = from
		}
		if from, err = seekBehind(r, last); err != nil {
			return nil, err
		}
		lost = append(lost, span{last, from})
	}
	if len(lost) == 1 && len(lost[0].from) == 0 { // nothing was read
		lost = all
	}
	return lost, nil
}

// readFrom passes the keys from one on to each. read reports whether there was no damage up to the
// end. Otherwise last is the last key that was read, nil for none.
func readFrom(r *sstable.Reader, from []byte,
	each func(key []byte, seq uint64, set bool, value []byte) error) (
	last []byte, read bool, err error) {
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return nil, false, nil
	}
	defer it.Close()
	for kv := it.SeekGE(from, 0); kv != nil; kv = it.Next() {
		value, _, err := kv.Value(nil)
		if err != nil {
			return last, false, nil
		}
		set := false
		switch kv.Kind() {
		case pebble.InternalKeyKindSet, pebble.InternalKeyKindSetWithDelete:
			set = true
		case pebble.InternalKeyKindDelete, pebble.InternalKeyKindSingleDelete,
			pebble.InternalKeyKindDeleteSized:
		default:
			continue // other kinds are ranges of notes, which are not kept
		}
		if err := each(kv.K.UserKey, uint64(kv.SeqNum()), set, value); err != nil {
			return nil, false, err
		}
		last = append(last[:0], kv.K.UserKey...)
	}
	return last, it.Error() == nil, nil
}

// seekBehind returns a key after a damaged block that begins after last, nil if the whole rest is
// damaged: by doubling steps, and then by halves. Keys of pages are five bytes.
func seekBehind(r *sstable.Reader, last []byte) ([]byte, error) {
	width := 5
	if len(last) > 0 && last[0] == satstore.KeySetting {
		width = 32
	}
	key := func(n *big.Int) []byte { return n.FillBytes(make([]byte, width)) }
	whole := func(n *big.Int) bool {
		it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
		if err != nil {
			return false
		}
		defer it.Close()
		return it.SeekGE(key(n), 0) != nil || it.Error() == nil
	}
	start := make([]byte, width)
	copy(start, last)
	bad, step := new(big.Int).SetBytes(start), big.NewInt(1)
	good := new(big.Int)
	for {
		if good.Add(bad, step); good.BitLen() > 8*width {
			return nil, nil
		}
		if whole(good) {
			break
		}
		step.Lsh(step, 1)
	}
	one := big.NewInt(1)
	for middle := new(big.Int); ; {
		middle.Rsh(middle.Add(bad, good), 1)
		if middle.Cmp(bad) == 0 || new(big.Int).Sub(good, bad).Cmp(one) <= 0 {
			return key(good), nil
		}
		if whole(middle) {
			good.Set(middle)
		} else {
			bad.Set(middle)
		}
	}
}

// silent is Pebble's logger: its messages are damage, which is reported.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}
