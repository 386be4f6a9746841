package engine

import (
	"encoding/binary"
	"hash/crc32"
)

// A block is the frames of one slot and kind, about a page of them. In memory it grows as
// a page; it is written once, with this header before the frames:
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
// File and offset are there so that a block which the disk put elsewhere is not believed,
// the serial so that the index could be made anew from the runs alone.
const (
	blockHeader = 40
	blockCRCAt  = 36
	blockMagic  = 0x31425253 // "SRB1"
	blockAlign  = 16
	// summedBlock is added to the kind, on disk, where the frames are followed by their checksums.
	// Older stores have blocks of records without.
	summedBlock = 2
	sumBytes    = 4 // of a frame
	// maxFileBytes bounds a run file: offsets are 32 bits of blockAlign bytes.
	maxFileBytes = blockAlign << 32
	// maxBlockBytes is what a reader allocates at most: a page, or one long frame.
	maxBlockBytes = blockHeader + maxFrameBytes + sumBytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// block is what is known of a block. Handles (its place in Store.blocks) are used by the
// index and are given anew after the block is gone.
type block struct {
	off   int64 // in its file; of a page, its number
	size  uint32
	file  uint16 // in Store.files, or one of the following
	slot  uint16 // in Store.slotByID
	count uint16 // frames
	live  uint16 // frames that the index points to; of messages, those not dead
	kind  uint8
}

const (
	blockBytes = 24 // of a block in memory

	inPage  = 0xffff // the block is a page of its slot
	inHeld  = 0xfffe // a page whose slot is being handed out or split up
	inNone  = 0xfffd // the bytes are gone, or are not needed; a slot still lists the handle
	inLimbo = 0xfffc // no slot lists it, and the index still points to it
	// maxFiles bounds the table of files.
	maxFiles = 1 << 14
)

// sealBlock fills in the header; b is the block up to its frames. What it returns comes behind
// it: the checksums of the frames, appended to sums.
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

// putHeader fills in all but the serial and the checksum.
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

// frameSeed is what the checksums of frames begin with, so that a frame which belongs to another
// place is not believed: a part of the header which the table of blocks knows, too.
func frameSeed(header []byte, seed uint32) uint32 {
	return crc32.Update(seed, castagnoli, header[4:28])
}

func (b *block) diskKind() uint8 {
	if b.kind == kindRecords {
		return kindRecords + summedBlock
	}
	return b.kind
}

// blockIs reports whether b is the block that the table says was written at this place.
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

// blockIn returns the frames of a block that was read and whether it is whole; if not, those that
// salvage finds, and the numbers of the others.
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

// framesIn returns the frames of a block that was read, nil if there can be none.
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

// frames walks over the frames of a block: its bytes after the header.
type frames struct {
	all  []byte
	rest []byte
	kind int
	ord  int // of the frame last returned
	at   int // where that frame starts, after the header
	end  int
}

func framesOf(b []byte, kind uint8) frames {
	return frames{all: b, rest: b, kind: int(kind), ord: -1}
}

// next reads the next frame; false at the end, or where there is no whole one.
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
