package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// An index file (index-NNNNNN) is the index and the table of blocks at a snapshot of the log:
// chunks
//
//	0 4 length n
//	4 4 CRC32C of the number of the file (8) and the payload
//	8 n payload: kind (1), then
//	    1 begin   the store's id (16), blocks (4), records (4)
//	    2 blocks  per block: level and kind (1), index of the slot, number of the file, offset / 16,
//	              bytes, frames, live frames (uvarint each); slot after slot, in the order of writing
//	    3 places  number of the chunk of 65,536 records (4), per record 6 bytes: number of the block
//	              (4), frame and whether messages wait (2); all ones: no record
//	    4 end
const (
	chunkBegin  = 1
	chunkBlocks = 2
	chunkPlaces = 3
	chunkEnd    = 4

	indexHead   = 8
	maxChunk    = 1 << 20
	blocksChunk = 128 << 10
)

type indexWriter struct {
	file   vfs.File
	number int64
	buf    []byte
	size   int64
}

func (w *indexWriter) begin(kind byte) {
	w.buf = append(w.buf[:0], make([]byte, indexHead)...)
	w.buf = append(w.buf, kind)
}

// seal ends a chunk and returns it.
func (w *indexWriter) seal() []byte {
	p := w.buf[indexHead:]
	binary.LittleEndian.PutUint32(w.buf, uint32(len(p)))
	binary.LittleEndian.PutUint32(w.buf[4:], indexCRC(w.number, p))
	return w.buf
}

func (w *indexWriter) write(b []byte) error {
	n, err := w.file.Write(b)
	w.size += int64(n)
	return err
}

func indexCRC(number int64, payload []byte) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(number))
	return crc32.Update(crc32.Checksum(b[:], castagnoli), castagnoli, payload)
}

// indexImage is the content of an index file at one time. The store continues while it is written.
type indexImage struct {
	number int64
	head   []byte   // begin and blocks, as chunks
	ids    []uint32 // by handle: number of the block in the file
	frames []uint16 // by that number: frames of the block; 0 for messages
	places []indexChunk
	next   uint32
	count  int // records
}

// takeImage returns the image, which must be written before done is closed. Until then, changes
// copy a chunk of the index first.
func (s *Store) takeImage(number int64, done <-chan struct{}) *indexImage {
	m := &indexImage{number: number, next: s.index.next, count: s.index.count,
		places: s.index.lend(done)}
	s.numberBlocks(m)
	w := &indexWriter{number: number}
	w.begin(chunkBegin)
	w.buf = append(w.buf, s.id[:]...)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(len(m.frames)))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(s.index.count))
	m.head = append(m.head, w.seal()...)
	m.head = s.appendBlocks(m.head, w)
	return m
}

// write writes the index file and syncs it.
func (m *indexImage) write(fs vfs.FS, path string) (size int64, err error) {
	file, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return 0, fmt.Errorf("create index file: %w", err)
	}
	w := &indexWriter{file: file, number: m.number}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
		size = w.size
	}()
	if err := w.write(m.head); err != nil {
		return 0, err
	}
	if err := m.writePlaces(w); err != nil {
		return 0, err
	}
	w.begin(chunkEnd)
	if err := w.write(w.seal()); err != nil {
		return 0, err
	}
	return 0, file.SyncData()
}

// eachListed calls f for the blocks of all slots, in the order of the index file.
func (s *Store) eachListed(f func(sl *slot, h uint32) error) error {
	for _, sl := range s.slots.ordered() {
		for kind := range kinds {
			for _, h := range sl.blocks[kind] {
				if s.blocks[h].file >= inLimbo {
					continue
				}
				if err := f(sl, h); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// numberBlocks numbers the blocks for the index file, by handle.
func (s *Store) numberBlocks(m *indexImage) {
	m.ids = make([]uint32, len(s.blocks))
	_ = s.eachListed(func(_ *slot, h uint32) error {
		m.ids[h] = uint32(len(m.frames))
		frames := s.blocks[h].count
		if s.blocks[h].kind == kindMessages {
			frames = 0
		}
		m.frames = append(m.frames, frames)
		return nil
	})
}

// appendBlock appends a row of the table of blocks.
func (s *Store) appendBlock(dst []byte, sl *slot, b *block) []byte {
	dst = append(dst, tagOf(sl.level, b.kind))
	for _, v := range [...]uint64{uint64(sl.index), uint64(s.files.all[b.file].number),
		uint64(b.off / blockAlign),
		uint64(b.size), uint64(b.count), uint64(b.live)} {
		dst = binary.AppendUvarint(dst, v)
	}
	return dst
}

// appendBlocks appends the chunks of the table of blocks.
func (s *Store) appendBlocks(dst []byte, w *indexWriter) []byte {
	w.begin(chunkBlocks)
	_ = s.eachListed(func(sl *slot, h uint32) error {
		w.buf = s.appendBlock(w.buf, sl, &s.blocks[h])
		if len(w.buf) >= blocksChunk {
			dst = append(dst, w.seal()...)
			w.begin(chunkBlocks)
		}
		return nil
	})
	return append(dst, w.seal()...)
}

func (m *indexImage) writePlaces(w *indexWriter) error {
	buf := new(flatChunk)
	for c := range m.places {
		chunk := m.places[c].flatten(buf)
		if chunk == nil {
			continue
		}
		w.begin(chunkPlaces)
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(c))
		for i := range chunk[:min(chunkLen, int(m.next)-c<<chunkBits)] {
			p := chunk[i]
			if p != nowhere {
				p = makePlace(m.ids[p.block()], p.frame(), p.waiting())
			}
			w.buf = binary.LittleEndian.AppendUint16(w.buf, p.low)
			w.buf = binary.LittleEndian.AppendUint16(w.buf, p.high)
			w.buf = binary.LittleEndian.AppendUint16(w.buf, p.ord)
		}
		if err := w.write(w.seal()); err != nil {
			return err
		}
	}
	return nil
}
