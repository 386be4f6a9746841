package engine

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// salvage finds the whole frames in a damaged block. b has the bytes of the block as the disk
// returned them. frames are those of the block, with a dead one for each damaged frame, and bad has
// their numbers; nil if nothing is whole. Blocks of messages, which void one another, and blocks of
// older stores have no checksum for each frame: they are whole or lost.
func salvage(b []byte, seed uint32, want *block, sl slotKey, file uint32) (
	frames []byte, bad []uint16) {
	end := len(b) - sumBytes*int(want.count)
	if want.kind != kindRecords || len(b) != int(want.size) || end <= blockHeader {
		return nil, nil
	}
	var header [blockHeader]byte // as it was written
	putHeader(header[:], len(b), want.diskKind(), int(want.count), sl, file, want.off)
	begin := frameSeed(header[:], seed)
	rest := b[blockHeader:end]
	sums := make([]uint32, want.count)
	seen := uint32(0)
	for i := range sums {
		sums[i] = binary.LittleEndian.Uint32(b[end+sumBytes*i:])
		seen |= sums[i]
	}
	if seen == 0 { // a hole, or unread
		return nil, nil
	}
	sum := func(frame []byte) uint32 { return crc32.Update(begin, castagnoli, frame) }
	var f frame
	dead := frame{flags: flagDead, seq: deadSeq}
	bad = []uint16{} // nil would mean all
	found := false
	for ord := 0; ord < int(want.count); {
		at, skip := seek(rest, sums[ord:], sum)
		for next := ord + skip; ord < next; ord++ {
			frames = appendFrame(frames, kindRecords, &dead)
			bad = append(bad, uint16(ord))
		}
		if ord == int(want.count) {
			break
		}
		n := f.parse(rest[at:], kindRecords)
		frames = append(frames, rest[at:at+n]...)
		rest = rest[at+n:]
		found = true
		ord++
	}
	if !found {
		return nil, nil
	}
	return frames, bad
}

// seek returns the start of the next whole frame in b, and how many frames of sums it skips:
// usually one, more if a damaged length hides the starts of frames, all if no frame is whole.
func seek(b []byte, sums []uint32, sum func(frame []byte) uint32) (at, skip int) {
	var f frame
	n := f.parse(b, kindRecords)
	if n > 0 && sum(b[:n]) == sums[0] {
		return 0, 0
	}
	if n > 0 && len(sums) > 1 {
		if m := f.parse(b[n:], kindRecords); m > 0 && sum(b[n:n+m]) == sums[1] {
			return n, 1
		}
	}
	for at := 1; at < len(b); at++ {
		if n := f.parse(b[at:], kindRecords); n > 0 {
			// Also the first: the frame before may have been found inside a damaged one with its
			// bytes.
			if i := slices.Index(sums, sum(b[at:at+n])); i >= 0 {
				return at, i
			}
		}
	}
	return len(b), len(sums)
}
