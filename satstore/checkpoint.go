package satstore

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A checkpoint is the first frame of a log segment and says what of the bucket files
// counts: bytes after the named length were never acknowledged, or are in the log.
type checkpoint struct {
	committed
	buckets []bucketSize
}

type bucketSize struct {
	unit int64
	size int64
}

var errCheckpoint = errors.New("checkpoint cannot be decoded")

// appendCheckpoint appends: clock (8), next lsn (8), pages (4), then for each bucket file
// its unit minus the clock and its length, both varints.
func appendCheckpoint(b []byte, c checkpoint) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(c.clock))
	b = binary.LittleEndian.AppendUint64(b, c.lsn)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.pages))
	for _, s := range c.buckets {
		b = binary.AppendVarint(b, s.unit-c.clock)
		b = binary.AppendVarint(b, s.size)
	}
	return b
}

func decodeCheckpoint(f logFrame) (c checkpoint, err error) {
	if f.kind != kindCheckpoint || len(f.payload) < commitPrefix {
		return c, errCheckpoint
	}
	var rest []byte
	c.committed, rest = decodeCommit(f)
	cur := cursor{b: rest}
	for len(cur.b) > 0 {
		s := bucketSize{unit: cur.varint() + c.clock, size: cur.varint()}
		if cur.bad || s.size < 0 || s.size > maxOffset {
			return c, errCheckpoint
		}
		c.buckets = append(c.buckets, s)
	}
	return c, nil
}

// checkpoint makes everything committed durable outside the log and starts a new segment.
// Nothing may be uncommitted. Its commit point is the sync of the directory after the new
// segment; until then the old one and the lengths it names hold.
func (s *Store) checkpoint() error {
	for _, b := range s.order {
		if err := s.flushAll(b); err != nil {
			return err
		}
	}
	for _, b := range s.order {
		if err := s.files.sync(b); err != nil {
			return err
		}
	}
	if err := s.cat.flush(); err != nil {
		return err
	}
	old := s.log
	if err := s.startSegment(); err != nil {
		return err
	}
	if old.file != nil {
		if err := old.file.Close(); err != nil {
			return fmt.Errorf("close log segment %d: %w", old.number, err)
		}
		if err := s.fs.Remove(old.path); err != nil {
			return fmt.Errorf("remove log segment %d: %w", old.number, err)
		}
	}
	return nil
}

// startSegment makes the next log segment, with a checkpoint of what is.
func (s *Store) startSegment() error {
	w := logWriter{fs: s.fs, number: s.log.number + 1, open: -1, txn: s.log.txn, total: s.log.total}
	w.path = s.logPath(w.number)
	c := checkpoint{committed: committed{clock: s.clock, lsn: s.lsn, pages: len(s.index)}}
	for _, b := range s.order {
		if b.size > 0 {
			c.buckets = append(c.buckets, bucketSize{b.unit, b.size})
		}
	}
	at := w.beginFrame()
	w.buf = appendCheckpoint(w.buf, c)
	w.endFrame(at, kindCheckpoint)
	w.txn++
	var err error
	if w.file, err = s.fs.Create(w.path, vfs.WriteCategoryUnspecified); err != nil {
		return fmt.Errorf("create log segment %d: %w", w.number, err)
	}
	if err = w.write(); err == nil {
		err = w.file.Sync()
	}
	if err == nil {
		err = syncDir(s.fs, s.satDir)
	}
	if err != nil {
		return cmp.Or(fmt.Errorf("start log segment %d: %w", w.number, err), w.file.Close())
	}
	w.start = w.size
	s.log = w
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("open directory %s: %w", dir, err)
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}
