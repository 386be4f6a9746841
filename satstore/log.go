package satstore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A log segment is frames one after the other. The first is a checkpoint; then come
// transactions, each any number of records frames and one commit frame, its end.
//
//	0  4  logMagic
//	4  4  payload length
//	8  8  txn: one more for each commit and each checkpoint, since the store was made
//	16 1  kind, 3 bytes zero
//	20 4  CRC32C of the payload
//	24 4  CRC32C of bytes 0-23
//	28 n  payload
const (
	logHeader = 28
	logMagic  = 0x4c544153 // "SATL"

	kindCheckpoint = 1 // checkpoint.go
	kindRecords    = 2 // clock (8), then record frames
	kindCommit     = 3 // clock (8), next lsn (8), pages (4), then a Pebble batch or nothing

	recordsPrefix = 8
	commitPrefix  = 8 + 8 + 4

	// logChunk is how much of a transaction is held before it is written ahead of its
	// commit: it bounds the memory of a transaction, whatever its length.
	logChunk = 256 << 10
)

// logWriter appends to the newest segment.
type logWriter struct {
	fs     vfs.FS
	number int64
	path   string
	file   vfs.File
	size   int64  // bytes given to the file
	start  int64  // length of the checkpoint frame
	buf    []byte // frames not given to the file yet
	open   int    // start in buf of the records frame being filled; -1: none
	txn    uint64 // of the transaction being written
	total  int64  // bytes written to this and earlier segments
}

// beginFrame starts a frame in buf and returns where.
func (w *logWriter) beginFrame() int {
	at := len(w.buf)
	w.buf = append(w.buf, make([]byte, logHeader)...)
	return at
}

func (w *logWriter) endFrame(at int, kind byte) {
	h, payload := w.buf[at:at+logHeader], w.buf[at+logHeader:]
	putLogHeader(h, kind, w.txn, payload)
}

func putLogHeader(h []byte, kind byte, txn uint64, payload []byte) {
	binary.LittleEndian.PutUint32(h[0:], logMagic)
	binary.LittleEndian.PutUint32(h[4:], uint32(len(payload)))
	binary.LittleEndian.PutUint64(h[8:], txn)
	binary.LittleEndian.PutUint32(h[16:], uint32(kind))
	binary.LittleEndian.PutUint32(h[20:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(h[24:], crc32.Checksum(h[:24], castagnoli))
}

// addRecord adds a record frame to the transaction.
func (w *logWriter) addRecord(clock int64, f frame) error {
	if w.open < 0 {
		w.open = w.beginFrame()
		w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(clock))
	}
	w.buf = append(w.buf, f...)
	if len(w.buf) < logChunk {
		return nil
	}
	w.endRecords()
	return w.write()
}

// endRecords ends the records frame being filled; the clock may change after it.
func (w *logWriter) endRecords() {
	if w.open >= 0 {
		w.endFrame(w.open, kindRecords)
		w.open = -1
	}
}

// commit ends the transaction and makes it durable.
func (w *logWriter) commit(clock int64, lsn uint64, pages int, batch []byte) error {
	w.endRecords()
	at := w.beginFrame()
	w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(clock))
	w.buf = binary.LittleEndian.AppendUint64(w.buf, lsn)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(pages))
	w.buf = append(w.buf, batch...)
	w.endFrame(at, kindCommit)
	if err := w.write(); err != nil {
		return err
	}
	if err := w.file.SyncData(); err != nil {
		return fmt.Errorf("sync log segment %d: %w", w.number, err)
	}
	w.txn++
	return nil
}

func (w *logWriter) write() error {
	n, err := w.file.WriteAt(w.buf, w.size)
	if err != nil {
		return fmt.Errorf("write log segment %d: %w", w.number, err)
	}
	w.size += int64(n)
	w.total += int64(n)
	w.buf = w.buf[:0]
	if cap(w.buf) > 4*logChunk { // a large catalogue batch: do not keep its room
		w.buf = nil
	}
	return nil
}

// entries reports whether the segment holds more than its checkpoint.
func (w *logWriter) entries() bool { return w.size > w.start || len(w.buf) > 0 }
