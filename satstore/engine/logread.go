package engine

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
	offset  int64 // of the frame in the segment
	payload []byte
}

// logReader reads the frames of a segment.
type logReader struct {
	path string
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

// next returns the next frame; io.EOF at the end of the file; errLogFrame where the bytes are no
// whole, undamaged frame, and then stays there. One of a kind that is not known here was written by
// a newer program (*FormatError): to take it for a torn one would cut off what was acknowledged.
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
	r.buf = sized(r.buf, int(n)) // at most the file's length
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

// later reports whether a frame header for which match says yes stands anywhere after the
// current place. A crash leaves at most one transaction unfinished, the one after the last
// commit; frames of a later one prove that the bytes before them were durable once.
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
