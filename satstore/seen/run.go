package seen

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sort"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A run is a file of blocks of 4 KiB: first the keys in order, 511 to a block, then the first key
// of each of those blocks, in blocks of the same kind. The rest of a block is zero. Its last 8
// bytes are a CRC32C and four zeros. The CRC32C covers the bytes before it, the run's number and
// the block's, so that it exposes a block in the wrong place.
const (
	blockBytes = 4096
	perBlock   = blockBytes/8 - 1
	sumAt      = blockBytes - 8
)

// chunkBlocks is how many blocks are read or written at once if all are needed: 256 KiB, beyond
// which the disk of the measurement is no faster.
const chunkBlocks = 64

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(block []byte, number uint64, at int64) uint32 {
	var where [16]byte
	binary.LittleEndian.PutUint64(where[:], number)
	binary.LittleEndian.PutUint64(where[8:], uint64(at))
	return crc32.Update(crc32.Checksum(block[:sumAt], castagnoli), castagnoli, where[:])
}

func blocksFor(keys int64) int64 { return (keys + perBlock - 1) / perBlock }

// run is an open run.
type run struct {
	name  runName
	path  string
	file  vfs.File
	first []uint64 // first key of each block
}

// openRun opens a run and reads its index.
func openRun(fs vfs.FS, dir string, name runName) (*run, error) {
	r := &run{name: name, path: runPath(fs, dir, name.number)}
	var err error
	if r.file, err = fs.Open(r.path); err != nil {
		return nil, &DamageError{Path: r.path, What: "a run of the manifest cannot be opened",
			Cause: err}
	}
	if err := r.readIndex(); err != nil {
		return nil, errors.Join(err, r.file.Close())
	}
	return r, nil
}

func (r *run) blocks() int64 { return blocksFor(int64(r.name.keys)) }

func (r *run) readIndex() error {
	blocks := r.blocks()
	size := blockBytes * (blocks + blocksFor(blocks))
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != size {
		return &DamageError{Path: r.path, Offset: min(size, info.Size()),
			What: fmt.Sprintf("%d bytes, not %d", info.Size(), size)}
	}
	r.first = make([]uint64, 0, blocks)
	var b [blockBytes]byte
	for at := blocks; int64(len(r.first)) < blocks; at++ {
		if err := r.read(b[:], at); err != nil {
			return err
		}
		if err := r.verify(b[:], at); err != nil {
			return err
		}
		for i := 0; i < perBlock && int64(len(r.first)) < blocks; i++ {
			r.first = append(r.first, keyAt(b[:], i))
		}
	}
	return nil
}

// read reads blocks, beginning with number at.
func (r *run) read(b []byte, at int64) error {
	if n, err := r.file.ReadAt(b, at*blockBytes); n < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return &DamageError{Path: r.path, Offset: at*blockBytes + int64(n)/blockBytes*blockBytes,
			What: "a block cannot be read", Cause: err}
	}
	return nil
}

func (r *run) verify(block []byte, at int64) error {
	if binary.LittleEndian.Uint64(block[sumAt:]) != uint64(sumOf(block, r.name.number, at)) {
		return &DamageError{Path: r.path, Offset: at * blockBytes,
			What: "a block of fingerprints has a wrong checksum"}
	}
	return nil
}

// keysIn returns how many keys a block has.
func (r *run) keysIn(at int64) int { return int(min(perBlock, int64(r.name.keys)-at*perBlock)) }

func keyAt(block []byte, i int) uint64 { return binary.LittleEndian.Uint64(block[8*i:]) }

// blockOf returns the last block whose first key is at most key, searched from a block that is not
// after it; -1 if there is none.
func (r *run) blockOf(key uint64, from int64) int64 {
	step := int64(1)
	for from+step < int64(len(r.first)) && r.first[from+step] <= key {
		from += step
		step *= 2
	}
	end := min(from+step, int64(len(r.first)))
	return from + int64(sort.Search(int(end-from), func(i int) bool {
		return r.first[from+int64(i)] > key
	})) - 1
}

// runWriter writes a run of sorted keys.
type runWriter struct {
	file   vfs.File
	out    *bufio.Writer
	number uint64
	block  [blockBytes]byte
	n      int   // keys in block
	at     int64 // number of block
	keys   uint64
	first  []uint64
}

func newRunWriter(fs vfs.FS, dir string, number uint64) (*runWriter, error) {
	f, err := fs.Create(runPath(fs, dir, number), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	return &runWriter{file: f, out: bufio.NewWriterSize(f, chunkBlocks*blockBytes), number: number},
		nil
}

func (w *runWriter) add(key uint64) error {
	if w.n == 0 {
		w.first = append(w.first, key)
	}
	w.keys++
	return w.put(key)
}

func (w *runWriter) put(key uint64) error {
	binary.LittleEndian.PutUint64(w.block[8*w.n:], key)
	if w.n++; w.n == perBlock {
		return w.flush()
	}
	return nil
}

func (w *runWriter) flush() error {
	if w.n == 0 {
		return nil
	}
	clear(w.block[8*w.n : sumAt])
	binary.LittleEndian.PutUint64(w.block[sumAt:], uint64(sumOf(w.block[:], w.number, w.at)))
	w.n = 0
	w.at++
	_, err := w.out.Write(w.block[:])
	return err
}

// end writes the index and makes the bytes durable, unless err is set. The name is not durable yet.
func (w *runWriter) end(err error) (runName, error) {
	if err == nil {
		err = w.flush()
	}
	for _, key := range w.first {
		if err == nil {
			err = w.put(key)
		}
	}
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil {
		err = w.file.Sync()
	}
	err = errors.Join(err, w.file.Close())
	return runName{w.number, w.keys}, err
}
