package engine

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// logFrame is one frame of a log segment. Its payload is valid until the next frame is read.
type logFrame struct {
	kind    byte
	txn     uint64
	offset  int64 // of the frame in the segment
	payload []byte
}

// logReader reads the frames of a segment.
type logReader struct {
	path string
	file vfs.File
	size int64 // bytes of the file
	at   int64 // start of the next frame
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

// next returns the next frame; io.EOF at the end of the file; errLogFrame, and no progress, if the
// bytes are no whole frame. A frame of an unknown kind is from a newer program (*FormatError).
// Treating it as torn would cut off acknowledged commits.
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
	r.buf = sized(r.buf, int(n)) // bounded by the length of the file
	if err := readFull(r.file, r.buf, r.at+logHeader); err != nil {
		return logFrame{}, err
	}
	if crc32.Checksum(r.buf, castagnoli) != binary.LittleEndian.Uint32(h[20:]) {
		return logFrame{}, errLogFrame
	}
	if kind < logSnapshot || kind > lastLogKind {
		return logFrame{}, &FormatError{Path: r.path, What: "a whole frame of the log",
			Found: int(kind), Known: lastLogKind}
	}
	f := logFrame{kind: kind, txn: txn, offset: r.at, payload: r.buf}
	r.at += logHeader + n
	return f, nil
}

// later reports whether a frame header that match accepts follows anywhere. A crash leaves at most
// one unfinished transaction, the one after the last commit. Frames of a later transaction prove
// that the bytes before them were durable.
func (r *logReader) later(match func(kind byte, txn uint64) bool) (bool, error) {
	buf := make([]byte, logSpill)
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
