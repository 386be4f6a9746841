package paper

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The log is chunks. The first of a file make its checkpoint: one head, then tables, done
// lists and frames, then a commit. What follows is what came later.
//
//	0  4  logMagic
//	4  4  length of the payload
//	8  8  serial number of the chunk, from 0 in each file
//	16 4  unit: the one whose visits the frames come from; 0: none
//	20 4  kind
//	24 4  CRC32C of the payload
//	28 4  CRC32C of bytes 0-27
const (
	chunkHeader = 32
	logMagic    = 0x31474f4c // "LOG1"

	chunkHead   = 1 // checkpoint.go
	chunkTable  = 2
	chunkDone   = 3
	chunkFrames = 4 // frames, in the order in which they were put
	chunkCommit = 5 // clock (8), next sequence number (4)

	chunkBytes = 256 << 10 // about, of a chunk of frames, unless Options say otherwise
)

// logFile appends to a log.
type logFile struct {
	file   vfs.File // nil: there is no log
	name   string
	size   int64
	serial uint64
	buf    []byte // the chunk that is being filled, its header included
	unit   int64  // of that chunk
	most   int    // bytes after which it is written
	total  int64  // bytes written to all logs
}

// frame adds a frame. Nothing is durable before commit.
func (l *logFile) frame(unit int64, h *header, body []byte) error {
	if l.file == nil {
		return nil
	}
	if len(l.buf) > 0 && (l.unit != unit || len(l.buf) >= l.most) {
		if err := l.flush(); err != nil {
			return err
		}
	}
	if len(l.buf) == 0 {
		l.unit = unit
		l.buf = append(l.buf, make([]byte, chunkHeader)...)
	}
	l.buf = append(append(l.buf, h[:]...), body...)
	return nil
}

func (l *logFile) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	b := l.buf
	l.buf = l.buf[:0]
	return l.write(chunkFrames, l.unit, b)
}

// chunk writes a chunk of another kind.
func (l *logFile) chunk(kind uint32, payload []byte) error {
	if err := l.flush(); err != nil {
		return err
	}
	return l.write(kind, 0, append(make([]byte, chunkHeader), payload...))
}

// write fills in the header of b and writes it.
func (l *logFile) write(kind uint32, unit int64, b []byte) error {
	le, payload := binary.LittleEndian, b[chunkHeader:]
	le.PutUint32(b[0:], logMagic)
	le.PutUint32(b[4:], uint32(len(payload)))
	le.PutUint64(b[8:], l.serial)
	le.PutUint32(b[16:], uint32(unit))
	le.PutUint32(b[20:], kind)
	le.PutUint32(b[24:], crc32.Checksum(payload, castagnoli))
	le.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
	n, err := l.file.WriteAt(b, l.size)
	l.size += int64(n)
	l.total += int64(n)
	l.serial++
	if err != nil {
		return fmt.Errorf("write %s: %w", l.name, err)
	}
	return nil
}

// commit makes all that was added durable.
func (l *logFile) commit(clock int64, next uint32) error {
	if l.file == nil {
		return nil
	}
	if err := l.chunk(chunkCommit, appendCommit(nil, clock, next)); err != nil {
		return err
	}
	return l.sync()
}

func (l *logFile) sync() error {
	if err := l.file.SyncData(); err != nil {
		return fmt.Errorf("sync %s: %w", l.name, err)
	}
	return nil
}

func appendCommit(b []byte, clock int64, next uint32) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(clock))
	return binary.LittleEndian.AppendUint32(b, next)
}

func decodeCommit(b []byte) (clock int64, next uint32) {
	return int64(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint32(b[8:])
}

// chunk is one of a log. Its payload is good until the next is read.
type chunk struct {
	kind    uint32
	unit    int64
	payload []byte
}

// logReader reads the chunks of a log.
type logReader struct {
	file   vfs.File
	size   int64
	at     int64
	serial uint64
	buf    []byte
}

// next returns io.EOF where no whole, undamaged chunk with the next number follows.
func (r *logReader) next() (c chunk, err error) {
	var h [chunkHeader]byte
	if r.at+chunkHeader > r.size {
		return c, io.EOF
	}
	if err := readFull(r.file, h[:], r.at); err != nil {
		return c, err
	}
	le := binary.LittleEndian
	n := int64(le.Uint32(h[4:]))
	if le.Uint32(h[0:]) != logMagic || le.Uint32(h[28:]) != crc32.Checksum(h[:28], castagnoli) ||
		le.Uint64(h[8:]) != r.serial ||
		r.at+chunkHeader+n > r.size {
		return c, io.EOF
	}
	if int64(cap(r.buf)) < n {
		r.buf = make([]byte, n) // at most the file's length
	}
	payload := r.buf[:n]
	if err := readFull(r.file, payload, r.at+chunkHeader); err != nil {
		return c, err
	}
	if crc32.Checksum(payload, castagnoli) != le.Uint32(h[24:]) {
		return c, io.EOF
	}
	r.at += chunkHeader + n
	r.serial++
	return chunk{le.Uint32(h[20:]), int64(le.Uint32(h[16:])), payload}, nil
}

// eachFrame calls f for the frames of a payload.
func eachFrame(payload []byte, f func(frame) error) error {
	for len(payload) > 0 {
		one, rest, ok := nextFrame(payload)
		if !ok {
			return errors.New("no frame in a chunk of frames")
		}
		if err := f(one); err != nil {
			return err
		}
		payload = rest
	}
	return nil
}
