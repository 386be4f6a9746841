package paper

import (
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// files opens bucket files as they are needed and closes the one longest idle.
type files struct {
	fs             vfs.FS
	dir            string
	most, open     int
	newest, oldest *stream
}

func (f *files) path(name string) string { return f.fs.PathJoin(f.dir, name) }

func (f *files) get(s *stream) (vfs.File, error) {
	if s.file != nil {
		if f.newest != s {
			f.unlink(s)
			f.link(s)
		}
		return s.file, nil
	}
	if f.open >= f.most {
		if err := f.close(f.oldest); err != nil {
			return nil, err
		}
	}
	file, err := f.fs.OpenReadWrite(f.path(s.name), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.name, err)
	}
	s.file = file
	f.open++
	f.link(s)
	return file, nil
}

func (f *files) link(s *stream) {
	s.newer, s.older = nil, f.newest
	if f.newest != nil {
		f.newest.newer = s
	} else {
		f.oldest = s
	}
	f.newest = s
}

func (f *files) unlink(s *stream) {
	if s.newer != nil {
		s.newer.older = s.older
	} else {
		f.newest = s.older
	}
	if s.older != nil {
		s.older.newer = s.newer
	} else {
		f.oldest = s.newer
	}
}

// close closes the file of a stream. It is not synced: until the next checkpoint the log
// has all that was written.
func (f *files) close(s *stream) error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	f.unlink(s)
	f.open--
	if err := file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", s.name, err)
	}
	return nil
}

// sync makes what was written to a file durable, but not its name.
func (f *files) sync(s *stream) error {
	if !s.dirty {
		return nil
	}
	file, err := f.get(s)
	if err != nil {
		return err
	}
	if err := file.SyncData(); err != nil {
		return fmt.Errorf("sync %s: %w", s.name, err)
	}
	s.dirty = false
	return nil
}

func (f *files) syncDir() error { return directory.Sync(f.fs, f.dir) }

// readFull fills b from an offset of a file.
func readFull(file vfs.File, b []byte, at int64) error {
	n, err := file.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// frames reads the frames of a file in order, ahead of what is asked for.
type frames struct {
	name string
	file vfs.File
	size int64 // the end of what is read
	at   int64 // of the file, behind buf
	buf  []byte
	rest []byte // of buf

	length int // of an ordinary read
}

// readBytes is the length of one read of a bucket: far above where a disk seeks for free.
const readBytes = 512 << 10

// reset begins with the bytes from and to of a file, length at a time.
func (r *frames) reset(name string, file vfs.File, from, to int64, length int) {
	if len(r.buf) < length {
		r.buf = make([]byte, length)
	}
	*r = frames{name: name, file: file, size: to, at: from, buf: r.buf, length: length}
}

// next returns the next frame, which may be changed and is good until the next call; nil
// at the end.
func (r *frames) next() (frame, error) {
	for {
		n, whole := frameLength(r.rest)
		if whole && n <= len(r.rest) {
			f, rest, ok := nextFrame(r.rest)
			if !ok {
				return nil, &DamageError{r.name, r.at - int64(len(r.rest)), "wrong checksum"}
			}
			r.rest = rest
			return f, nil
		}
		if r.at == r.size {
			if len(r.rest) > 0 {
				return nil, &DamageError{r.name, r.at - int64(len(r.rest)), "no whole frame"}
			}
			return nil, nil
		}
		if len(r.rest) >= headerBytes && !whole {
			return nil, &DamageError{r.name, r.at - int64(len(r.rest)), "no frame"}
		}
		if n > len(r.buf) {
			// n is at most maxBody and a header; rest is of the old one
			r.buf = make([]byte, n+r.length)
		}
		kept := copy(r.buf, r.rest)
		more := r.buf[kept:min(int64(len(r.buf)), int64(kept)+r.size-r.at)]
		if err := readFull(r.file, more, r.at); err != nil {
			return nil, fmt.Errorf("read %s: %w", r.name, err)
		}
		r.at += int64(len(more))
		r.rest = r.buf[:kept+len(more)]
	}
}
