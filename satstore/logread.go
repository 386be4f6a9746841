package satstore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// logFrame is one frame of a log segment. Its payload is good until the next is read.
type logFrame struct {
	kind    byte
	txn     uint64
	offset  int64 // of the payload in the segment
	payload []byte
}

// logReader reads the frames of a segment.
type logReader struct {
	file vfs.File
	size int64 // bytes of the file
	at   int64 // where the next frame starts
	buf  []byte
}

var errLogFrame = errors.New("no whole frame")

func parseLogHeader(h []byte) (kind byte, txn uint64, length int64, ok bool) {
	if len(h) < logHeader || binary.LittleEndian.Uint32(h) != logMagic ||
		binary.LittleEndian.Uint32(h[24:]) != crc32.Checksum(h[:24], castagnoli) {
		return 0, 0, 0, false
	}
	return h[16], binary.LittleEndian.Uint64(h[8:]), int64(binary.LittleEndian.Uint32(h[4:])), true
}

// next returns the next frame; io.EOF at the end of the file; errLogFrame where the bytes
// are no whole, undamaged frame, and then stays there.
func (r *logReader) next() (logFrame, error) {
	if r.at == r.size {
		return logFrame{}, io.EOF
	}
	var h [logHeader]byte
	if r.at+logHeader > r.size {
		return logFrame{}, errLogFrame
	}
	if err := readFull(r.file, h[:], r.at); err != nil {
		return logFrame{}, err
	}
	kind, txn, n, ok := parseLogHeader(h[:])
	if !ok || r.at+logHeader+n > r.size {
		return logFrame{}, errLogFrame
	}
	if int64(cap(r.buf)) < n {
		r.buf = make([]byte, n) // at most the file's length
	}
	payload := r.buf[:n]
	if err := readFull(r.file, payload, r.at+logHeader); err != nil {
		return logFrame{}, err
	}
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(h[20:]) || !plausible(kind, payload) {
		return logFrame{}, errLogFrame
	}
	f := logFrame{kind: kind, txn: txn, offset: r.at + logHeader, payload: payload}
	r.at = f.offset + n
	return f, nil
}

func plausible(kind byte, payload []byte) bool {
	switch kind {
	case kindCheckpoint:
		return true // decodeCheckpoint looks closer
	case kindRecords:
		return len(payload) >= recordsPrefix
	case kindCommit:
		return len(payload) >= commitPrefix
	}
	return false
}

// later reports whether a frame header for which match says yes stands anywhere after the
// current place. A crash leaves at most one transaction unfinished, the one after the last
// commit; frames of a later one prove that the bytes before them were durable once.
func (r *logReader) later(match func(kind byte, txn uint64) bool) (bool, error) {
	buf := make([]byte, logChunk)
	for at := r.at; at+logHeader <= r.size; {
		b := buf[:min(int64(len(buf)), r.size-at)]
		if err := readFull(r.file, b, at); err != nil {
			return false, err
		}
		for i := 0; i+logHeader <= len(b); i++ {
			if kind, txn, _, ok := parseLogHeader(b[i:]); ok && match(kind, txn) {
				return true, nil
			}
		}
		at += int64(len(b)) - logHeader + 1
	}
	return false, nil
}

// committed is the state that a commit or a checkpoint leaves.
type committed struct {
	clock int64
	lsn   uint64
	pages int
	txn   uint64 // of the next transaction
}

func decodeCommit(f logFrame) (c committed, batch []byte) {
	c.clock = int64(binary.LittleEndian.Uint64(f.payload))
	c.lsn = binary.LittleEndian.Uint64(f.payload[8:])
	c.pages = int(binary.LittleEndian.Uint32(f.payload[16:]))
	c.txn = f.txn + 1
	return c, f.payload[commitPrefix:]
}

// readFull fills b from the file at an offset. vfs.File promises no more than io.ReaderAt.
func readFull(f vfs.File, b []byte, at int64) error {
	n, err := f.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
