package engine

import (
	"encoding/binary"
	"hash/crc32"
)

// A block has about a page of frames of one slot and kind. In memory it grows as a page; it is
// written once, with this header before the frames:
//
//	0  4  blockMagic
//	4  4  bytes of the block, header included
//	8  2  frames
//	10 1  kind; of records 2 more: behind the frames stands a checksum of each
//	11 1  level of the slot
//	12 4  number of the file
//	16 8  index of the slot: its first unit divided by its width
//	24 4  offset in the file divided by blockAlign
//	28 8  serial of the run: of two versions of a record the one with the higher is newer
//	36 4  CRC32C of bytes 0-35 and 40 to the end, begun with the CRC32C of the store's id
//
// File and offset expose a block that the disk put in the wrong place. With the serial the index
// can be rebuilt from the runs alone.
const (
	blockHeader = 40
	blockCRCAt  = 36
	blockMagic  = 0x31425253 // "SRB1"
	blockAlign  = 16
	// summedBlock is added to the kind on disk if checksums follow the frames. Blocks of records in
	// older stores have none.
	summedBlock = 2
	sumBytes    = 4 // bytes of the checksum of a frame
	// maxFileBytes bounds a run file: offsets have 32 bits and count blockAlign bytes.
	maxFileBytes = blockAlign << 32
	// maxBlockBytes bounds the memory of a reader: a page, or one long frame.
	maxBlockBytes = blockHeader + maxFrameBytes + sumBytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// block describes a block. The index refers to it by its handle, its place in Store.blocks, which
// is reused after the block is gone.
type block struct {
	off   int64 // in its file; of a page, its number
	size  uint32
	file  uint16 // place in Store.files, or one of the values below
	slot  uint16 // in Store.slotByID
	count uint16 // frames
	live  uint16 // frames that the index points to; of messages, those that still count
	kind  uint8
}

const (
	blockBytes = 24 // of a block in memory

	inPage  = 0xffff // the block is a page of its slot
	inHeld  = 0xfffe // a page whose slot is being handed out or split
	inNone  = 0xfffd // the bytes are gone or not needed; a slot still lists the handle
	inLimbo = 0xfffc // no slot lists it; the index still points to it
	// maxFiles bounds the table of files.
	maxFiles = 1 << 14
)

// sealBlock fills in the header of b, a block with all of its frames. It appends to sums what
// follows the block on disk: the checksums of the frames.
func sealBlock(b, sums []byte, seed uint32, blk *block, sl slotKey, file uint32,
	serial uint64) []byte {
	size := len(b)
	if blk.kind == kindRecords {
		size += sumBytes * int(blk.count)
	}
	putHeader(b, size, blk.diskKind(), int(blk.count), sl, file, blk.off)
	binary.LittleEndian.PutUint64(b[28:], serial)
	if blk.kind == kindRecords {
		begin := frameSeed(b, seed)
		var f frame
		for w := framesOf(b[blockHeader:], blk.kind); w.next(&f); {
			sums = binary.LittleEndian.AppendUint32(sums, crc32.Update(begin, castagnoli, w.last()))
		}
	}
	crc := crc32.Update(blockCRC(b, seed), castagnoli, sums)
	binary.LittleEndian.PutUint32(b[blockCRCAt:], crc)
	return sums
}

// putHeader fills in all of the header except the serial and the checksum.
func putHeader(b []byte, size int, kind uint8, count int, sl slotKey, file uint32, off int64) {
	binary.LittleEndian.PutUint32(b[0:], blockMagic)
	binary.LittleEndian.PutUint32(b[4:], uint32(size))
	binary.LittleEndian.PutUint16(b[8:], uint16(count))
	b[10], b[11] = kind, uint8(sl.level)
	binary.LittleEndian.PutUint32(b[12:], file)
	binary.LittleEndian.PutUint64(b[16:], uint64(sl.index))
	binary.LittleEndian.PutUint32(b[24:], uint32(off/blockAlign))
}

func blockCRC(b []byte, seed uint32) uint32 {
	return crc32.Update(crc32.Update(seed, castagnoli, b[:blockCRCAt]), castagnoli, b[blockHeader:])
}

// frameSeed returns the start value of the frames' checksums, made of the part of the header that
// the table of blocks also knows. So a frame of another place does not match.
func frameSeed(header []byte, seed uint32) uint32 {
	return crc32.Update(seed, castagnoli, header[4:28])
}

func (b *block) diskKind() uint8 {
	if b.kind == kindRecords {
		return kindRecords + summedBlock
	}
	return b.kind
}

// blockIs reports whether b is the block that, by the table, was written at this place.
func blockIs(b []byte, seed uint32, want *block, sl slotKey, file uint32) bool {
	return len(b) == int(want.size) && len(b) >= blockHeader &&
		binary.LittleEndian.Uint32(b[0:]) == blockMagic &&
		binary.LittleEndian.Uint32(b[4:]) == want.size &&
		binary.LittleEndian.Uint16(b[8:]) == want.count &&
		(b[10] == want.kind || b[10] == want.diskKind()) && int(b[11]) == sl.level &&
		binary.LittleEndian.Uint32(b[12:]) == file &&
		int64(binary.LittleEndian.Uint64(b[16:])) == sl.index &&
		int64(binary.LittleEndian.Uint32(b[24:]))*blockAlign == want.off &&
		binary.LittleEndian.Uint32(b[blockCRCAt:]) == blockCRC(b, seed) && len(framesIn(b)) > 0
}

// blockIn returns the frames of a block that was read, and whether the block is whole. If not, the
// frames are those that salvage finds, and bad has the numbers of the others.
func blockIn(
	b []byte,
	seed uint32,
	want *block,
	sl slotKey,
	file uint32,
) (frames []byte, bad []uint16, ok bool) {
	if blockIs(b, seed, want, sl, file) {
		return framesIn(b), nil, true
	}
	frames, bad = salvage(b, seed, want, sl, file)
	return frames, bad, false
}

// framesIn returns the frames of a block that was read; nil if it can have none.
func framesIn(b []byte) []byte {
	end := len(b)
	if b[10]&summedBlock != 0 {
		end -= sumBytes * int(binary.LittleEndian.Uint16(b[8:]))
	}
	if end <= blockHeader {
		return nil
	}
	return b[blockHeader:end]
}

// frames iterates over the frames of a block: its bytes after the header.
type frames struct {
	all  []byte
	rest []byte
	kind int
	ord  int // number of the frame last returned
	at   int // start of that frame, after the header
	end  int
}

func framesOf(b []byte, kind uint8) frames {
	return frames{all: b, rest: b, kind: int(kind), ord: -1}
}

// next reads the next frame; false at the end, or if there is no whole one.
func (w *frames) next(f *frame) bool {
	n := f.parse(w.rest, w.kind)
	if n == 0 {
		return false
	}
	w.rest = w.rest[n:]
	w.at = w.end
	w.end += n
	w.ord++
	return true
}

// last returns the bytes of the frame last returned.
func (w *frames) last() []byte { return w.all[w.at:w.end] }
