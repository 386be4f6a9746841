package engine

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// salvage finds what is whole in a block that is not: b is what the disk gave for it. frames are
// those of the block, with a dead one in the place of each that is damaged, and bad are the numbers
// of these; nil if there is nothing to find. Blocks of messages, which void one another, and those
// of older stores have no checksums for each frame: they are whole or lost.
func salvage(b []byte, seed uint32, want *block, sl slotKey, file uint32) (
	frames []byte, bad []uint16) {
	end := len(b) - sumBytes*int(want.count)
	if want.kind != kindRecords || len(b) != int(want.size) || end <= blockHeader {
		return nil, nil
	}
	var header [blockHeader]byte // what it was, whatever stands there now
	putHeader(header[:], len(b), want.diskKind(), int(want.count), sl, file, want.off)
	begin := frameSeed(header[:], seed)
	rest := b[blockHeader:end]
	sums := make([]uint32, want.count)
	seen := uint32(0)
	for i := range sums {
		sums[i] = binary.LittleEndian.Uint32(b[end+sumBytes*i:])
		seen |= sums[i]
	}
	if seen == 0 { // a hole, or not read
		return nil, nil
	}
	sum := func(frame []byte) uint32 { return crc32.Update(begin, castagnoli, frame) }
	var f frame
	dead := frame{flags: flagDead, seq: deadSeq}
	bad = []uint16{} // nil is all
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

// seek returns where the next whole frame of b begins and how many of the frames with these
// checksums it skips: one as a rule, more where a damaged length hides where frames begin, all if
// no frame is whole.
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
			// The first as well: the frame before may have been found inside of a damaged one that
			// has its bytes.
			if i := slices.Index(sums, sum(b[at:at+n])); i >= 0 {
				return at, i
			}
		}
	}
	return len(b), len(sums)
}
