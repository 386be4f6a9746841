package seen

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// SetOptions configure a Set.
type SetOptions struct {
	FS vfs.FS // default: the operating system's
	// BufferKeys is how many new keys are held before they are written as a run, rounded up to a
	// power of two, 16 bytes each; default 2^18.
	BufferKeys int
	// Key makes the fingerprints of a new set; the zero Key: a random one. An existing set keeps
	// its own.
	Key Key
	// ReadOnly opens an existing set, and writes nothing but the lock.
	ReadOnly bool
}

// Set is the exact set of fingerprints, on disk.
type Set struct {
	fs     vfs.FS
	dir    string
	o      SetOptions
	lock   io.Closer
	m      manifest // as committed
	runs   []*run   // those of m, then those not yet committed
	next   uint64   // number of the next run
	buffer buffer
	asks   []ask
	chunk  []byte
	stats  SetStats
	err    error // of the first failed write
	closed bool
}

// SetStats count the work since OpenSet.
type SetStats struct {
	Asked    uint64 `json:"asked"`        // keys looked up
	Blocks   uint64 `json:"blocks_read"`  // of 4 KiB, to look them up
	Written  uint64 `json:"keys_written"` // into runs, also by merges
	Merges   uint64 `json:"merges"`       // of runs
	RunCount int    `json:"runs"`         // now
	Keys     uint64 `json:"keys"`         // now
	Disk     uint64 `json:"disk_bytes"`   // of the runs now
	Memory   int    `json:"memory_bytes"` // of buffer and indexes now
}

const defaultBufferKeys = 1 << 18

// OpenSet opens the set in a directory, and makes one if the directory is empty or missing. It
// fails with directory.ErrInUse, ErrNoSet, *FormatError or *DamageError, each wrapped.
func OpenSet(dir string, o SetOptions) (*Set, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.BufferKeys == 0 {
		o.BufferKeys = defaultBufferKeys
	}
	s := &Set{fs: o.FS, dir: dir, o: o, buffer: newBuffer(o.BufferKeys),
		chunk: make([]byte, chunkBlocks*blockBytes)}
	if err := s.open(); err != nil {
		_ = s.release() // the first error matters
		return nil, fmt.Errorf("open set %s: %w", dir, err)
	}
	return s, nil
}

// open does the steps of recovery: lock, manifest, removal of other runs, opening of runs.
func (s *Set) open() (err error) {
	if s.o.ReadOnly {
		if _, err := s.fs.Stat(s.fs.PathJoin(s.dir, directory.FormatName)); errors.Is(err,
			os.ErrNotExist) {
			return ErrNoSet
		}
	} else if err := directory.Make(s.fs, s.dir); err != nil {
		return err
	}
	if s.lock, err = directory.LockFor(s.fs, s.dir, s.o.ReadOnly); err != nil {
		return err
	}
	s.m, err = readManifest(s.fs, s.dir)
	if errors.Is(err, os.ErrNotExist) && !s.o.ReadOnly {
		err = s.create()
	}
	if err != nil {
		return err
	}
	if !s.o.ReadOnly {
		if err := s.m.removeOthers(s.fs, s.dir); err != nil {
			return err
		}
	}
	s.next = s.m.next
	for _, name := range s.m.runs {
		r, err := openRun(s.fs, s.dir, name)
		if err != nil {
			return err
		}
		s.runs = append(s.runs, r)
	}
	return nil
}

func (s *Set) create() (err error) {
	if err := directory.CheckOwn(s.fs, s.dir); err != nil {
		return err
	}
	s.m = manifest{key: s.o.Key, next: 1}
	if s.m.key == (Key{}) {
		if s.m.key, err = NewKey(); err != nil {
			return err
		}
	}
	return s.m.write(s.fs, s.dir)
}

// Key returns the key of the set's fingerprints.
func (s *Set) Key() Key { return s.m.key }

// Mark returns the mark of the last Commit.
func (s *Set) Mark() Mark { return s.m.mark }

// Manifest returns the path of the file with the list of runs and the mark.
func (s *Set) Manifest() string { return s.fs.PathJoin(s.dir, directory.FormatName) }

// Len returns the number of keys, committed or not.
func (s *Set) Len() uint64 {
	n := uint64(s.buffer.len())
	for _, r := range s.runs {
		n += r.name.keys
	}
	return n
}

// Stats returns the work so far, and the present sizes.
func (s *Set) Stats() SetStats {
	stats := s.stats
	stats.Keys, stats.RunCount = s.Len(), len(s.runs)
	stats.Memory = 8*len(s.buffer.slots) + 16*cap(s.asks) + len(s.chunk)
	for _, r := range s.runs {
		stats.Disk += uint64(blockBytes * (r.blocks() + blocksFor(r.blocks())))
		stats.Memory += 8 * cap(r.first)
	}
	return stats
}

// Has looks keys up: found[i] is the answer for keys[i]. It asks for them in sorted order, so that
// bulk look-ups read each block once.
func (s *Set) Has(keys []uint64, found []bool) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.look(keys); err != nil {
		return err
	}
	for _, a := range s.asks {
		found[a.at] = a.known
	}
	return nil
}

// Decide finds new keys, and adds them: fresh[i] is set if keys[i] was neither in the set nor among
// the keys before it. After a read error nothing was added.
func (s *Set) Decide(keys []uint64, fresh []bool) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.look(keys); err != nil {
		return err
	}
	for i, a := range s.asks {
		again := i > 0 && s.asks[i-1].key == a.key // equal keys are ordered by place
		fresh[a.at] = !a.known && !again
		if a.known || again {
			continue
		}
		if s.buffer.full() {
			if err := s.fail(s.flush()); err != nil {
				return err
			}
		}
		s.buffer.add(a.key)
	}
	return nil
}

// look fills asks with the keys in order, and the known answers.
func (s *Set) look(keys []uint64) error {
	s.asks = slices.Grow(s.asks[:0], len(keys))
	for i, key := range keys {
		s.asks = append(s.asks, ask{key: key, at: uint32(i)})
	}
	sortAsks(s.asks)
	s.stats.Asked += uint64(len(keys))
	if s.buffer.len() > 0 {
		for i := range s.asks {
			s.asks[i].known = s.buffer.has(s.asks[i].key)
		}
	}
	for _, r := range s.runs {
		if err := s.lookIn(r); err != nil {
			return err
		}
	}
	return nil
}

// lookIn looks for the keys of asks in a run, in one sorted pass, so that each block is read once.
func (s *Set) lookIn(r *run) error {
	span := int64(1) // blocks read at once
	if int64(len(s.asks)) > r.blocks()/4 {
		span = chunkBlocks
	}
	begin, end := int64(0), int64(0) // blocks in chunk
	block, within := int64(-1), 0    // position of the search
	for i := range s.asks {
		a := &s.asks[i]
		if a.known {
			continue
		}
		at := r.blockOf(a.key, max(block, 0))
		if at < 0 {
			continue
		}
		if at != block {
			if at >= end {
				begin, end = at, min(at+span, r.blocks())
				if err := r.read(s.chunk[:(end-begin)*blockBytes], begin); err != nil {
					return err
				}
				s.stats.Blocks += uint64(end - begin)
			}
			block, within = at, 0
			if err := r.verify(s.blockIn(at-begin), at); err != nil {
				return err
			}
		}
		b := s.blockIn(at - begin)
		low, high := within, r.keysIn(at)
		for low < high { // the first key that is not below
			if mid := int(uint(low+high) / 2); keyAt(b, mid) < a.key {
				low = mid + 1
			} else {
				high = mid
			}
		}
		within = low
		a.known = low < r.keysIn(at) && keyAt(b, low) == a.key
	}
	return nil
}

func (s *Set) blockIn(i int64) []byte { return s.chunk[i*blockBytes : (i+1)*blockBytes] }

func (s *Set) usable() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.err != nil:
		return fmt.Errorf("the set failed before, open it again: %w", s.err)
	}
	return nil
}

func (s *Set) writable() error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	return nil
}

// fail keeps the error of a write: the content of the disk is unknown then.
func (s *Set) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

// Close closes the set. Uncommitted keys are lost.
func (s *Set) Close() error {
	if s.closed {
		return ErrClosed
	}
	s.closed = true
	return s.release()
}

func (s *Set) release() error {
	var errs []error
	for _, r := range s.runs {
		errs = append(errs, r.file.Close())
	}
	s.runs = nil
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
		s.lock = nil
	}
	return errors.Join(errs...)
}
