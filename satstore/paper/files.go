package paper

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// stream is the file of a bucket with its write buffer.
type stream struct {
	number int64 // the unit
	name   string
	size   int64 // bytes of the file
	dirty  bool  // written since the log began
	buf    buffer

	class         int // of classes
	before, after *stream

	file         vfs.File // nil: not open
	newer, older *stream  // among the open ones
}

// files opens bucket files on demand and closes the one longest idle.
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

// close closes the file of a stream without a sync: until the log begins anew it has all writes.
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

// write appends to the file of a stream.
func (f *files) write(s *stream, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	file, err := f.get(s)
	if err != nil {
		return err
	}
	s.dirty = true
	n, err := file.WriteAt(data, s.size)
	s.size += int64(n)
	if err != nil {
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	return nil
}

// sync makes the writes to a file durable, but not its name.
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

// logFile appends frames to the log, and commits: the clock in a header of kind 0.
type logFile struct {
	file   vfs.File
	name   string
	number int
	size   int64
	first  int64 // bytes at its beginning
	buf    []byte
}

// logChunk is about the size of a write to the log.
const logChunk = 256 << 10

// add adds the parts of a frame, which are not durable before commit.
func (l *logFile) add(parts ...[]byte) error {
	for _, part := range parts {
		l.buf = append(l.buf, part...)
	}
	if len(l.buf) < logChunk {
		return nil
	}
	return l.flush()
}

func (l *logFile) flush() error {
	n, err := l.file.WriteAt(l.buf, l.size)
	l.size += int64(n)
	l.buf = l.buf[:0]
	if err != nil {
		return fmt.Errorf("write %s: %w", l.name, err)
	}
	return nil
}

// commit makes all additions durable.
func (l *logFile) commit(clock int64) error {
	h := makeHeader(0, 0, clock, nil)
	l.buf = append(l.buf, h[:]...)
	if err := l.flush(); err != nil {
		return err
	}
	if err := l.file.SyncData(); err != nil {
		return fmt.Errorf("sync %s: %w", l.name, err)
	}
	return nil
}

// newLog makes all buckets durable and begins a log with the content of the buffers. Then it
// removes the old log.
func (s *Store) newLog() error {
	for i := range s.ring {
		if err := s.files.sync(&s.ring[i]); err != nil {
			return err
		}
	}
	if err := directory.Sync(s.o.FS, s.files.dir); err != nil {
		return err
	}
	old := s.log
	s.log = logFile{number: old.number + 1, name: fmt.Sprintf("log-%d", old.number+1), buf: old.buf}
	file, err := s.o.FS.Create(s.files.path(s.log.name), vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("create %s: %w", s.log.name, err)
	}
	s.log.file = file
	for i := range s.ring {
		add := func(page []byte) error { return s.log.add(page) }
		if err := s.arena.each(&s.ring[i].buf, add); err != nil {
			return err
		}
	}
	if err := s.log.commit(s.clock); err != nil {
		return err
	}
	if s.log.first = s.log.size; old.file == nil {
		return nil
	}
	if err := old.file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", old.name, err)
	}
	return s.o.FS.Remove(s.files.path(old.name))
}

// each calls f for the frames in the file of a stream, through its own handle, since f may open and
// close others.
func (s *Store) each(part *stream, f func(f frame) error) (err error) {
	if part.size == 0 {
		return nil
	}
	file, err := s.o.FS.Open(s.files.path(part.name), vfs.SequentialReadsOption)
	if err != nil {
		return fmt.Errorf("open %s: %w", part.name, err)
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	const readBytes = 512 << 10 // of one read: far above the size at which seeks matter
	s.reader.reset(part.name, file, 0, part.size, readBytes)
	for {
		one, err := s.reader.next()
		if one == nil || err != nil {
			return err
		}
		if err := f(one); err != nil {
			return err
		}
	}
}

// frames reads the frames of a file in order, ahead of the calls.
type frames struct {
	name   string
	file   vfs.File
	size   int64 // end of the range
	at     int64 // offset in the file after buf
	buf    []byte
	rest   []byte // of buf
	length int    // of an ordinary read
}

// reset begins with the bytes from and to of a file, length at a time.
func (r *frames) reset(name string, file vfs.File, from, to int64, length int) {
	if len(r.buf) < length {
		r.buf = make([]byte, length)
	}
	*r = frames{name: name, file: file, size: to, at: from, buf: r.buf, length: length}
}

// next returns the next frame, which the caller may change, valid until the next call; nil at the
// end.
func (r *frames) next() (frame, error) {
	for {
		n, whole := frameLength(r.rest)
		if whole && n <= len(r.rest) {
			f, rest, ok := nextFrame(r.rest)
			if !ok {
				return nil, r.damaged("wrong checksum")
			}
			r.rest = rest
			return f, nil
		}
		if r.at == r.size {
			if len(r.rest) > 0 {
				return nil, r.damaged("no whole frame")
			}
			return nil, nil
		}
		if len(r.rest) >= headerBytes && !whole {
			return nil, r.damaged("no frame")
		}
		if n > len(r.buf) {
			// n is at most maxBody and a header; rest is of the old one
			r.buf = make([]byte, n+r.length)
		}
		kept := copy(r.buf, r.rest)
		more := r.buf[kept:min(int64(len(r.buf)), int64(kept)+r.size-r.at)]
		if n, err := r.file.ReadAt(more, r.at); n < len(more) {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("read %s: %w", r.name, err)
		}
		r.at += int64(len(more))
		r.rest = r.buf[:kept+len(more)]
	}
}

func (r *frames) damaged(what string) error {
	return fmt.Errorf("%s is damaged at byte %d: %s", r.name, r.at-int64(len(r.rest)), what)
}

// A frame is a record or a message, in buckets, buffers and the log alike. Numbers are
// little-endian.
//
//	0  4 CRC32C of all that follows
//	4  3 length of the body
//	7  1 kind
//	8  4 sequence number
//	12 4 due
//	16 n body: the id, then attributes or what a message says
const (
	headerBytes = 16
	maxBody     = 1 << 20
	idBytes     = 16

	kindRecord  = 1
	kindMessage = 2
	kindDelete  = 3 // a message: the record is dropped at its next visit
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type header [headerBytes]byte

func makeHeader(kind byte, seq uint32, due int64, body []byte) (h header) {
	binary.LittleEndian.PutUint32(h[4:], uint32(len(body))|uint32(kind)<<24)
	binary.LittleEndian.PutUint32(h[8:], seq)
	binary.LittleEndian.PutUint32(h[12:], uint32(due))
	binary.LittleEndian.PutUint32(h[0:], crc32.Update(crc32.Checksum(h[4:], castagnoli), castagnoli,
		body))
	return h
}

// frame is the bytes of a whole frame.
type frame []byte

func (f frame) kind() byte   { return f[7] }
func (f frame) seq() uint32  { return binary.LittleEndian.Uint32(f[8:]) }
func (f frame) due() int64   { return int64(binary.LittleEndian.Uint32(f[12:])) }
func (f frame) body() []byte { return f[headerBytes:len(f):len(f)] } // appending to it makes a copy
func (f frame) id() ID       { return ID(f[headerBytes:]) }

// frameLength returns the length of the frame that begins with these bytes; false if they are too
// few or no frame begins so.
func frameLength(b []byte) (int, bool) {
	if len(b) < headerBytes || b[7] < kindRecord || b[7] > kindDelete {
		return 0, false
	}
	n := int(b[4]) | int(b[5])<<8 | int(b[6])<<16
	return headerBytes + n, n >= idBytes && n <= maxBody
}

// nextFrame takes the first frame off b.
func nextFrame(b []byte) (f frame, rest []byte, ok bool) {
	n, ok := frameLength(b)
	if !ok || n > len(b) || crc32.Checksum(b[4:n], castagnoli) != binary.LittleEndian.Uint32(b) {
		return nil, b, false
	}
	return b[:n], b[n:], true
}
