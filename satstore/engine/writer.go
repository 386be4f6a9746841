package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// writeChunk is the size of a write to the disk.
	writeChunk = 1 << 20
	// rollBytes is the length at which a file ends, so that its live records can be rewritten in
	// reasonable steps. A store with more than MaxFiles/4 x rollBytes has longer files: fileBytes.
	rollBytes = 1 << 30
)

// runSink is the part of a file that runs need.
type runSink interface {
	Write(p []byte) (int, error)
	SyncData() error
	Close() error
}

// runWriter appends to the newest file of a class.
type runWriter struct {
	f      *runFile
	sink   runSink
	buf    []byte
	off    int64   // offset of buf in the file
	dirty  bool    // written and not synced
	behind *behind // nil: writes are made at once
}

func (w *runWriter) at() int64 { return w.off + int64(len(w.buf)) }

// align adds zeros. There is room, since the buffer begins and ends at multiples of runAlign.
func (w *runWriter) align(to int64) {
	for pad := -w.at() & (to - 1); pad > 0; pad-- {
		w.buf = append(w.buf, 0)
	}
}

// write appends bytes. Whole chunks go to the file.
func (w *runWriter) write(b []byte) error {
	for len(b) > 0 {
		n := min(len(b), cap(w.buf)-len(w.buf))
		w.buf = append(w.buf, b[:n]...)
		b = b[n:]
		if len(w.buf) == cap(w.buf) {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *runWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	n := len(w.buf)
	if w.behind != nil {
		w.buf = w.behind.write(w.buf)
	} else if _, err := w.sink.Write(w.buf); err != nil {
		return fmt.Errorf("write run file %d: %w", w.f.number, err)
	} else {
		w.buf = w.buf[:0]
	}
	w.off += int64(n)
	w.dirty = true
	return nil
}

// wait waits until the written bytes can be read.
func (w *runWriter) wait() error {
	if w.behind == nil {
		return nil
	}
	if err := w.behind.wait(); err != nil {
		return fmt.Errorf("write run file %d: %w", w.f.number, err)
	}
	return nil
}

// beginSync starts to make the written bytes durable, if a goroutine can.
func (w *runWriter) beginSync() {
	if w.behind != nil && w.dirty {
		w.behind.sync()
		w.dirty = false
	}
}

// newRun makes a file of a class. It counts once the log names it.
func (s *Store) newRun(class int) (*runWriter, error) {
	f := &runFile{number: s.files.next, class: uint8(class), made: s.radix.now, shared: s.sharing,
		mark: newMark(), own: true}
	path := s.files.path(f.number)
	s.files.next++
	sink, err := createSink(s.fs, path, s.o.DirectIO)
	if err != nil {
		return nil, fmt.Errorf("create run file %d: %w", f.number, err)
	}
	s.files.add(f)
	s.newNames = true
	w := &runWriter{f: f, sink: sink, buf: s.takeChunk()}
	if s.fs == vfs.Default {
		w.behind = startBehind(sink, s.takeChunk())
	}
	w.buf = append(w.buf, runHeader(f, s.id)...)
	return w, nil
}

// newMark returns any number except 0.
func newMark() uint64 {
	for {
		if mark := rand.Uint64(); mark != 0 {
			return mark
		}
	}
}

// takeChunk returns an empty buffer of writeChunk bytes.
func (s *Store) takeChunk() []byte {
	if n := len(s.chunks); n > 0 {
		b := s.chunks[n-1]
		s.chunks = s.chunks[:n-1]
		return b
	}
	return alignedChunk(writeChunk)
}

// closeWriter ends a writer; its written bytes stay.
func (s *Store) closeWriter(w *runWriter) error {
	var err error
	if w.behind != nil {
		var spare []byte
		if spare, err = w.behind.stop(); err != nil {
			err = fmt.Errorf("write run file %d: %w", w.f.number, err)
		}
		s.chunks = append(s.chunks, spare)
	}
	s.chunks = append(s.chunks, w.buf[:0])
	return errors.Join(err, w.sink.Close())
}

// writer returns the writer of a class. It begins a new file if the last one is longer than
// fileBytes, or has grown for rollUnits. fileBytes grows with the store, so that the files do not
// become too many.
func (s *Store) writer(class int) (*runWriter, error) {
	w := s.writers[class]
	if w != nil && s.ends(w) {
		if err := s.endRun(class); err != nil {
			return nil, err
		}
		w = nil
	}
	if w == nil {
		var err error
		if w, err = s.newRun(class); err != nil {
			return nil, err
		}
		s.writers[class] = w
	}
	return w, nil
}

func (s *Store) ends(w *runWriter) bool {
	return w.f.size > s.fileBytes() || s.radix.now-w.f.made >= s.rollUnits(int(w.f.class))
}

// fileBytes returns the length at which a file ends. It grows with the store, so that at most half
// of MaxFiles are at least half live: above MaxFiles, two files can always become one. The longest
// length leaves room for the run with which the file ends.
func (s *Store) fileBytes() int64 {
	var live int64
	for _, f := range s.files.all {
		if f != nil {
			live += f.live
		}
	}
	return min(max(s.roll, 4*(live/int64(s.o.MaxFiles))), maxFileBytes/2)
}

// rollUnits returns for how many units a file grows. Near records stay for the slots of level 0, in
// about 8 files, since a new name costs a sync of the directory. Far records stay for T, in one
// file per slot of the highest level.
func (s *Store) rollUnits(class int) int64 {
	if class == classNear {
		return (s.radix.levels[0].Slots + 7) / 8
	}
	return s.radix.levels[len(s.radix.levels)-1].Units
}

// endRun closes the file of a class; its written bytes stay.
func (s *Store) endRun(class int) error {
	w := s.writers[class]
	if w == nil {
		return nil
	}
	s.writers[class] = nil
	w.f.full = true
	err := w.sync()
	return errors.Join(err, s.closeWriter(w))
}

func (w *runWriter) sync() error {
	if err := w.wait(); err != nil || !w.dirty {
		return err
	}
	if err := w.sink.SyncData(); err != nil {
		return fmt.Errorf("sync run file %d: %w", w.f.number, err)
	}
	w.dirty = false
	return nil
}
