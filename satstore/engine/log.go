package engine

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A log segment (MANIFEST-NNNNNN) is frames one after the other. The first is a snapshot; then
// come transactions, each any number of frames and a commit, its end.
//
//	0  4  logMagic
//	4  4  payload length
//	8  8  txn: one more for each commit and each snapshot, since the store was made
//	16 1  kind, 3 bytes zero
//	20 4  CRC32C of the payload
//	24 4  CRC32C of bytes 0-23
//	28 n  payload
const (
	logHeader = 28
	logMagic  = 0x4d535253 // "SRSM"

	logSnapshot  = 1 // checkpoint.go
	logRun       = 2 // payload.go: a run was written
	logPages     = 3 // payload.go: additions to pages that are in no run yet
	logDeletions = 4 // seqs (4 each)
	logCommit    = 5 // clock (8), records (4), next seq (4)
	// level and kind (1), index (uvarint): earlier messages in this slot are void
	logVoided     = 6
	logAttachment = 7 // attach.go: a foreign payload
	// a snapshot with an outline of the index (outline.go); older stores have logSnapshot
	logOutlined = 8
	// like logOutlined and logRun, with marks of run files; older stores have those
	logMarkedSnapshot = 9
	logMarkedRun      = 10
	lastLogKind       = logMarkedRun

	commitBytes = 8 + 4 + 4

	// logSpill bounds the bytes of a transaction in memory. Beyond it, they are written to the log
	// before the commit.
	logSpill = 256 << 10
)

func isSnapshot(kind byte) bool {
	return kind == logSnapshot || kind == logOutlined || kind == logMarkedSnapshot
}

// logWriter appends to the newest segment.
type logWriter struct {
	number int64
	file   vfs.File
	size   int64  // bytes given to the file
	valid  int64  // end of the last commit
	start  int64  // length of the snapshot frame
	buf    []byte // frames not given to the file yet
	txn    uint64 // of the transaction being written
	total  int64  // bytes written to this and earlier segments
}

// begin starts a frame in buf and returns its offset.
func (w *logWriter) begin() int {
	at := len(w.buf)
	w.buf = append(w.buf, make([]byte, logHeader)...)
	return at
}

func (w *logWriter) end(at int, kind byte) {
	putLogHeader(w.buf[at:at+logHeader], kind, w.txn, w.buf[at+logHeader:])
}

func putLogHeader(h []byte, kind byte, txn uint64, payload []byte) {
	binary.LittleEndian.PutUint32(h[0:], logMagic)
	binary.LittleEndian.PutUint32(h[4:], uint32(len(payload)))
	binary.LittleEndian.PutUint64(h[8:], txn)
	binary.LittleEndian.PutUint32(h[16:], uint32(kind))
	binary.LittleEndian.PutUint32(h[20:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(h[24:], crc32.Checksum(h[:24], castagnoli))
}

// spill writes the held frames if they are many.
func (w *logWriter) spill() error {
	if len(w.buf) < logSpill {
		return nil
	}
	return w.write()
}

func (w *logWriter) write() error {
	if w.file == nil { // recovery: a snapshot follows
		w.buf = w.buf[:0]
	}
	if len(w.buf) == 0 {
		return nil
	}
	n, err := w.file.WriteAt(w.buf, w.size)
	if err != nil {
		return fmt.Errorf("write log segment %d: %w", w.number, err)
	}
	w.size += int64(n)
	w.total += int64(n)
	w.buf = w.buf[:0]
	if cap(w.buf) > 8*logSpill { // a long frame: release its memory
		w.buf = nil
	}
	return nil
}

// commit ends the transaction and makes it durable.
func (w *logWriter) commit(clock int64, records int, next uint32) error {
	at := w.begin()
	w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(clock))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(records))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, next)
	w.end(at, logCommit)
	if err := w.write(); err != nil {
		return err
	}
	if err := w.file.SyncData(); err != nil {
		return fmt.Errorf("sync log segment %d: %w", w.number, err)
	}
	w.txn++
	w.valid = w.size
	return nil
}
