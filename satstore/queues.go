package satstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

const (
	formatName          = "recrawl queues"
	queuesFormatVersion = 1
	pebbleName          = "pebble"

	// A memory table takes about 150,000 addresses. Four of them may wait for the disk.
	memTableBytes = 16 << 20
	cacheBytes    = 32 << 20
	// mostFiles bounds the open tables of Pebble, each of about 30,000 addresses.
	mostFiles = 500
)

// Queues is an open directory of values of a few hundred bytes under short keys, in a Pebble with a
// log. Package cmd/cluster/frontier gives them meaning.
//
// # Files
//
//	DIR/LOCK      one process at a time
//	DIR/FORMAT    the version
//	DIR/pebble/   tables and log of Pebble
//
// # Guarantees
//
//  1. A Change is durable once the wait that it returned has returned nil. A crash leaves it whole
//     or not at all.
//  2. Changes survive a crash in the order in which their fills ran: with one, all earlier ones.
//  3. After a failed write or sync Queues take nothing more: Failed is closed, Err returns why, and
//     calls under way may never return. The process should end. Acknowledged changes are on disk.
//
// Many callers may wait at the same time: they share syncs. Change, Get and Scan may be called
// concurrently; Close must not be.
type Queues struct {
	db   *pebble.DB
	lock io.Closer

	change sync.Mutex

	halt *directory.Switch
}

// OpenQueues opens a directory, or makes it. fs nil: the disk.
func OpenQueues(dir string, fs vfs.FS) (*Queues, error) {
	if fs == nil {
		fs = vfs.Default
	}
	if err := directory.Make(fs, dir); err != nil {
		return nil, err
	}
	if _, err := fs.Stat(fs.PathJoin(dir, directory.FormatName)); errors.Is(err, os.ErrNotExist) {
		if err := directory.CheckOwn(fs, dir); err != nil {
			return nil, err
		}
	}
	lock, err := directory.Lock(fs, dir)
	if err != nil {
		return nil, err
	}
	s := &Queues{lock: lock, halt: directory.New("write queues")}
	if err := errors.Join(checkFormat(fs, dir), s.open(fs, dir)); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}

func queuesFormatText() []byte {
	return directory.Sealed(fmt.Appendf(nil, "%s %d\n", formatName, queuesFormatVersion))
}

func checkFormat(fs vfs.FS, dir string) error {
	path, text, err := directory.ReadFormat(fs, dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return directory.WriteFormat(fs, dir, queuesFormatText())
	case err != nil:
		return err
	case bytes.Equal(text, queuesFormatText()):
		return nil
	case !directory.IsSealed(text):
		return fmt.Errorf("%s is damaged, or is of something else", path)
	}
	return directory.CheckVersion(path, text, formatName, queuesFormatVersion)
}

func (s *Queues) open(fs vfs.FS, dir string) error {
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	o := &pebble.Options{
		FS:                          fs,
		Logger:                      s.halt,
		Cache:                       cache,
		FormatMajorVersion:          pebble.FormatValueSeparation,
		MemTableSize:                memTableBytes,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       40,
		MaxOpenFiles:                mostFiles,
	}
	for i := range o.Levels { // a value is asked for that is in one table of several
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(fs.PathJoin(dir, pebbleName), o)
	if err != nil {
		return fmt.Errorf("open queues in %s: %w", dir, err)
	}
	s.db = db
	return nil
}

// Change makes the changes that fill makes by set and remove visible to Get and Scan, all at once.
// Keys and values are copied. They are durable once wait has returned nil. Fills run one at a time
// and see by Get all changes before them.
func (s *Queues) Change(fill func(set func(key, value []byte), remove func(key []byte))) (
	wait func() error, err error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	b := s.db.NewBatch()
	s.change.Lock()
	defer s.change.Unlock()
	fill(
		func(key, value []byte) { check(b.Set(key, value, nil)) },
		func(key []byte) { check(b.Delete(key, nil)) },
	)
	if b.Empty() {
		return s.sync, b.Close()
	}
	if err := s.db.Apply(b, pebble.NoSync); err != nil {
		return nil, s.halt.Fail(err)
	}
	return s.sync, b.Close()
}

// check asserts that a batch without an index grows in memory only.
func check(err error) {
	if err != nil {
		panic(fmt.Sprintf("batch of queues: %v", err))
	}
}

// sync makes all earlier changes durable.
func (s *Queues) sync() error {
	if err := s.Err(); err != nil {
		return err
	}
	if err := s.db.LogData(nil, pebble.Sync); err != nil {
		return s.halt.Fail(err)
	}
	return nil
}

// Get calls see with the value under a key, which is valid until see returns; false: there is none.
func (s *Queues) Get(key []byte, see func(value []byte)) (bool, error) {
	if err := s.Err(); err != nil {
		return false, err
	}
	value, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read queues: %w", err)
	}
	see(value)
	return true, closer.Close()
}

// GetAll calls see with the values under keys 0 to n-1, which must ascend, and skips missing ones.
// It is faster than Get for each, most of all for adjacent keys.
func (s *Queues) GetAll(n int, key func(i int) []byte, see func(i int, value []byte)) error {
	if err := s.Err(); err != nil {
		return err
	}
	it, err := s.db.NewIter(nil)
	if err != nil {
		return fmt.Errorf("read queues: %w", err)
	}
	for i := range n {
		if it.SeekGE(key(i)) && bytes.Equal(it.Key(), key(i)) {
			see(i, it.Value())
		}
	}
	return errors.Join(it.Error(), it.Close())
}

// Scan calls see with all keys that have a prefix, in their order, until see returns an error. Key
// and value are valid until it returns.
func (s *Queues) Scan(prefix byte, see func(key, value []byte) error) error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{prefix},
		UpperBound: []byte{prefix + 1}})
	if err != nil {
		return fmt.Errorf("read queues: %w", err)
	}
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		err = see(it.Key(), it.Value())
	}
	return errors.Join(err, it.Error(), it.Close())
}

// Failed is closed when the disk failed: see guarantee 3.
func (s *Queues) Failed() <-chan struct{} { return s.halt.Off() }

// Err returns why the store takes nothing more; nil: it works.
func (s *Queues) Err() error { return s.halt.Err() }

// ErrQueuesClosed reports that the store was closed before the call.
var ErrQueuesClosed = errors.New("queues are closed")

// Close closes the directory. All changes are then durable.
func (s *Queues) Close() error {
	if err := s.Err(); err != nil {
		return errors.Join(err, s.lock.Close())
	}
	err := s.sync()
	s.halt.End(ErrQueuesClosed)
	return errors.Join(err, s.db.Close(), s.lock.Close())
}
