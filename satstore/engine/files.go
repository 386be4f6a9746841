package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A run file is a header in the first runAlign bytes, then runs: blocks one after the
// other, ordered by slot. Runs begin and end at multiples of runAlign, for direct writes.
//
//	0  8  fileMagic
//	8  4  number
//	12 4  class
//	16 16 the store's id
//	32 8  clock when it was made
//	40 4  CRC32C of bytes 0-39
//	44 8  mark: any number except 0, also in the log; 0: from older stores
//	52 4  CRC32C of bytes 0-51, where there is a mark
const (
	fileMagic  = "SATRUN\x00\x01"
	markAt     = 44
	fileHeader = 56
	runAlign   = 4096

	// maxOpenFiles bounds the descriptors kept for reading.
	maxOpenFiles = 64
)

// runFile is a file of runs.
type runFile struct {
	number uint32
	spot   uint16 // index in files.all
	class  uint8
	shared bool // a copy of the store may use the same bytes: punch no holes
	made   int64
	size   int64 // bytes in use
	punched,
	live int64 // bytes of blocks that are not free
	blocks int  // blocks that are not free
	full   bool // no run is appended any more
	// mark is also in the header. A copy of a store has the same id and file numbers, but its later
	// files have other marks. 0: from an older store.
	mark uint64
	own  bool // this Store wrote or compared its header

	open vfs.File // for reading; nil if not
	refs int
	used uint64
}

type extent struct {
	f         *runFile
	off, size int64
}

// files is the table of run files. Reading is safe from several goroutines.
type files struct {
	fs       vfs.FS
	dir      string
	all      []*runFile
	freeSpot []uint16
	next     uint32 // next number

	reads, readBytes atomic.Int64 // since Open
	mu               sync.Mutex   // guards the fields below, open, refs, used, and all changes
	opens            int
	ticks            uint64
}

func (t *files) path(number uint32) string {
	return t.fs.PathJoin(t.dir, fmt.Sprintf("%s%08d", runPrefix, number))
}

// add adds a file to the table. Readers of other files may look for one to close meanwhile.
func (t *files) add(f *runFile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.freeSpot); n > 0 {
		f.spot = t.freeSpot[n-1]
		t.freeSpot = t.freeSpot[:n-1]
		t.all[f.spot] = f
		return
	}
	f.spot = uint16(len(t.all))
	t.all = append(t.all, f)
}

// count returns how many files there are.
func (t *files) count() int { return len(t.all) - len(t.freeSpot) }

// acquire returns the file open for reading, until release.
func (t *files) acquire(f *runFile) (vfs.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ticks++
	f.used = t.ticks
	if f.open == nil {
		if t.opens >= maxOpenFiles {
			t.evict()
		}
		file, err := t.fs.Open(t.path(f.number))
		if err != nil {
			return nil, err
		}
		if !f.own && f.isForeign(file) {
			return nil, errors.Join(errForeign, file.Close())
		}
		f.open, f.own = file, true
		t.opens++
	}
	f.refs++
	return f.open, nil
}

func (t *files) release(f *runFile) {
	t.mu.Lock()
	f.refs--
	t.mu.Unlock()
}

// evict closes the least recently used file.
func (t *files) evict() {
	var oldest *runFile
	for _, f := range t.all {
		if f != nil && f.open != nil && f.refs == 0 && (oldest == nil || f.used < oldest.used) {
			oldest = f
		}
	}
	if oldest != nil {
		t.shut(oldest)
	}
}

// shut closes a file that was only read, so that nothing can be lost.
func (t *files) shut(f *runFile) {
	if f.open != nil {
		_ = f.open.Close()
		f.open = nil
		t.opens--
	}
}

func (t *files) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.all {
		if f != nil {
			t.shut(f)
		}
	}
}

// drop forgets a file.
func (t *files) drop(f *runFile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shut(f)
	t.all[f.spot] = nil
	t.freeSpot = append(t.freeSpot, f.spot)
}

// read fills b from a file.
func (t *files) read(f *runFile, b []byte, off int64) error {
	file, err := t.acquire(f)
	if err != nil {
		return err
	}
	defer t.release(f)
	t.reads.Add(1)
	t.readBytes.Add(int64(len(b)))
	return readFull(file, b, off)
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

// gone reports whether a read error means that bytes are missing, which is damage. Other errors may
// pass, and cost no records.
func gone(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrNotExist) ||
		errors.Is(err, errLost) ||
		errors.Is(err, errForeign)
}

// errForeign reports that a file is not the one named in the log.
var errForeign = errors.New("it is the run file of another store, such as a copy of this one " +
	"that has gone on by itself")

// isForeign reports whether a file has a whole header of another file. A damaged header shows
// nothing, since blocks have checksums of their own.
func (f *runFile) isForeign(in vfs.File) bool {
	h := make([]byte, fileHeader)
	if f.mark == 0 || readFull(in, h, 0) != nil ||
		binary.LittleEndian.Uint32(h[40:]) != crc32.Checksum(h[:40], castagnoli) {
		return false
	}
	mark, sum := binary.LittleEndian.Uint64(h[markAt:]), binary.LittleEndian.Uint32(h[52:])
	if mark != 0 && sum != crc32.Checksum(h[:52], castagnoli) {
		return false
	}
	return mark != f.mark
}

// errLost reports that the disk cannot read these bytes, but can read others of the same file.
var errLost = errors.New("the disk cannot read these bytes")

// unreadable reports whether a read failed like one of a bad sector. A whole disk that fails does
// the same, so this alone shows no damage.
func unreadable(err error) bool { return errors.Is(err, syscall.EIO) }

// readBlock fills b with a block. Unreadable bytes become zeros, in units of runAlign, and the
// error is errLost; the rest of the block may have been read. For that they must fail twice, and
// the header of the file must be readable in between. A disk that fails as a whole must not cost
// records, since it may come back.
func (t *files) readBlock(f *runFile, b []byte, off int64) error {
	err := t.read(f, b, off)
	if err == nil {
		return nil
	}
	clear(b) // it may hold another block
	if !unreadable(err) || t.probe(f) != nil {
		return err
	}
	var lost error
	for at := 0; at < len(b); {
		from := off + int64(at)
		next := min(at+runAlign-int(from%runAlign), len(b))
		if err := t.read(f, b[at:next], from); unreadable(err) {
			clear(b[at:next])
			lost = fmt.Errorf("%w: %w", errLost, err)
		} else if err != nil {
			return err
		}
		at = next
	}
	return lost
}

// probe reads the header of a file, past the page cache if the system can: cached bytes show
// nothing about the disk.
func (t *files) probe(f *runFile) error {
	b := alignedChunk(runAlign)[:runAlign]
	if t.fs == vfs.Default {
		if done, err := readDirect(t.path(f.number), b); done {
			return err
		}
	}
	return t.read(f, b, 0)
}

func runHeader(f *runFile, id [16]byte) []byte {
	b := make([]byte, fileHeader, runAlign)
	copy(b, fileMagic)
	binary.LittleEndian.PutUint32(b[8:], f.number)
	binary.LittleEndian.PutUint32(b[12:], uint32(f.class))
	copy(b[16:], id[:])
	binary.LittleEndian.PutUint64(b[32:], uint64(f.made))
	binary.LittleEndian.PutUint32(b[40:], crc32.Checksum(b[:40], castagnoli))
	if f.mark != 0 {
		binary.LittleEndian.PutUint64(b[markAt:], f.mark)
		binary.LittleEndian.PutUint32(b[52:], crc32.Checksum(b[:52], castagnoli))
	}
	return b[:runAlign]
}
