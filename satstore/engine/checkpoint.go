package engine

import (
	"errors"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// checkpoint writes the index and starts a new log. All pages must be in durable runs.
func (s *Store) checkpoint() error {
	if err := s.dropPending(); err != nil {
		return err
	}
	s.beginCheckpoint(false)
	if err := s.endCheckpoint(); err != nil {
		return err
	}
	if err := s.endReclaim(); err != nil { // else a later commit would do it
		return err
	}
	return s.reclaim()
}

// pendingCheckpoint is a checkpoint whose index file and log segment are being written while the
// store continues.
type pendingCheckpoint struct {
	number   int64
	snapshot []byte // frame; write makes its end and header
	txn      uint64 // of the last commit
	from     int64  // start, in the old segment, of the transactions after it
	image    *indexImage
	done     chan struct{} // closed when both files are written
	size     int64         // of the index file
	segment  vfs.File      // not renamed yet
	err      error
}

// beginCheckpoint takes the state after a commit that left no pages.
func (s *Store) beginCheckpoint(goesOn bool) {
	s.sweep()
	number := s.log.number + 1
	p := &pendingCheckpoint{number: number, from: s.log.size, done: make(chan struct{})}
	p.txn = s.log.txn - 1
	p.snapshot = s.appendSnapshot(make([]byte, logHeader), number)
	p.image = s.takeImage(number, p.done)
	s.pending = p
	if goesOn && s.fs == vfs.Default {
		go p.write(s.fs, s.dir, s.indexPath(number))
	} else { // tests that stop at each operation need a fixed order
		p.write(s.fs, s.dir, s.indexPath(number))
	}
}

// write writes the index file and begins the segment. The name of the index is durable before the
// segment gets its own, so that every segment has its index.
func (p *pendingCheckpoint) write(fs vfs.FS, dir, path string) {
	defer close(p.done)
	p.snapshot = p.image.appendOutline(p.snapshot) // before a write, which may change its argument
	putLogHeader(p.snapshot[:logHeader], logMarkedSnapshot, p.txn, p.snapshot[logHeader:])
	if p.size, p.err = p.image.write(fs, path); p.err != nil {
		return
	}
	p.image = nil
	if p.err = directory.Sync(fs, dir); p.err != nil {
		return
	}
	if p.segment, p.err = p.begin(fs, fs.PathJoin(dir, logTemp)); p.err != nil {
		p.err = fmt.Errorf("begin log segment %d: %w", p.number, p.err)
	}
}

// begin makes a log segment of the snapshot.
func (p *pendingCheckpoint) begin(fs vfs.FS, path string) (vfs.File, error) {
	if err := fs.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err // remove one that was cut short
	}
	file, err := fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteAt(p.snapshot, 0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// dropPending gives up an unfinished checkpoint.
func (s *Store) dropPending() error {
	p := s.pending
	if p == nil {
		return nil
	}
	<-p.done
	s.pending = nil
	err := p.err
	if p.segment != nil {
		err = errors.Join(err, p.segment.Close())
	}
	if e := s.fs.Remove(s.indexPath(p.number)); e != nil && !errors.Is(e, os.ErrNotExist) {
		err = errors.Join(err, fmt.Errorf("remove index file: %w", e))
	}
	return err
}

// finishCheckpoint ends the pending checkpoint once its index file is written.
func (s *Store) finishCheckpoint() error {
	if s.pending == nil {
		return nil
	}
	select {
	case <-s.pending.done:
		return s.endCheckpoint()
	default:
		return nil
	}
}

// endCheckpoint starts the new log with the snapshot, and the commits after it.
func (s *Store) endCheckpoint() error {
	p := s.pending
	s.pending = nil
	if p.err != nil {
		return p.err
	}
	if err := s.flushForeign(); err != nil {
		return errors.Join(err, p.segment.Close())
	}
	s.indexBytes = p.size
	s.indexTotal += p.size
	old, oldIndex := s.log.number, s.indexNo
	size, err := s.newSegment(p)
	if err != nil {
		return errors.Join(fmt.Errorf("begin log segment %d: %w", p.number, err), p.segment.Close())
	}
	file := p.segment
	if s.log.file != nil {
		err := s.log.file.Close()
		s.log.file = nil
		if err != nil {
			return errors.Join(fmt.Errorf("close log segment %d: %w", old, err), file.Close())
		}
	}
	s.log.file, s.log.number, s.indexNo = file, p.number, p.number
	s.log.start, s.log.size, s.log.valid = int64(len(p.snapshot)), size, size
	s.log.total += size
	if old > 0 {
		s.outdated = append(s.outdated, s.segmentPath(old), s.indexPath(oldIndex))
	}
	return nil
}

// newSegment copies the part of the old segment after the snapshot to the new one. The new segment
// gets its name when all of that is durable, since a part of it would hide commits. The sync of the
// directory is its commit point.
func (s *Store) newSegment(p *pendingCheckpoint) (size int64, err error) {
	if size, err = s.copyTail(p.segment, int64(len(p.snapshot)), p.from); err != nil {
		return 0, err
	}
	if err := p.segment.Sync(); err != nil {
		return 0, err
	}
	if err := s.fs.Rename(s.fs.PathJoin(s.dir, logTemp), s.segmentPath(p.number)); err != nil {
		return 0, err
	}
	if err := directory.Sync(s.fs, s.dir); err != nil {
		return 0, err
	}
	s.newNames = false
	return size, nil
}

// copyTail appends the log after a given place to a new segment.
func (s *Store) copyTail(to vfs.File, size, from int64) (int64, error) {
	buf := make([]byte, min(logSpill, max(s.log.size-from, 0)))
	for from < s.log.size {
		b := buf[:min(int64(len(buf)), s.log.size-from)]
		if err := readFull(s.log.file, b, from); err != nil {
			return size, err
		}
		from += int64(len(b)) // before the write, which may change b
		if _, err := to.WriteAt(b, size); err != nil {
			return size, err
		}
		size += int64(len(b))
	}
	return size, nil
}

// sweep forgets unneeded blocks in slots that are not due yet.
func (s *Store) sweep() {
	for _, sl := range s.slots.ordered() {
		if sl.live == 0 {
			s.retire(sl)
			continue
		}
		list := sl.blocks[kindRecords][:0]
		for _, h := range sl.blocks[kindRecords] {
			if s.blocks[h].live > 0 {
				list = append(list, h)
			} else {
				s.release(h)
			}
		}
		sl.blocks[kindRecords] = list
	}
}
