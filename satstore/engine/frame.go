package engine

import (
	"encoding/binary"
	"math/bits"
)

// A frame is one record or one message in a block:
//
//	uvarint  length of the body << 2 | flags
//	4        seq
//	uvarint  records only: due minus the first unit of the slot
//	         body
//
// The flags are the low bits of the first byte, so they can be changed in place.
const (
	flagDead = 1 // replaced or deleted before the block was written
	// flagMore: on a record, messages wait for it. On a message, it follows earlier ones to the
	// same record; without the flag all earlier ones in this slot are void.
	flagMore = 2

	kindRecords  = 0
	kindMessages = 1
	kinds        = 2

	// maxBody bounds records and messages, and with them the memory of a block's reader.
	maxBody       = 1 << 20
	maxFrameBytes = maxBody + 4 + 4 + binary.MaxVarintLen64
)

type frame struct {
	flags byte
	seq   uint32
	ahead int64
	body  []byte
}

func uvarintLen(x uint64) int { return (bits.Len64(x|1) + 6) / 7 }

func frameLen(kind int, ahead int64, body []byte) int {
	n := uvarintLen(uint64(len(body))<<2) + 4 + len(body)
	if kind == kindRecords {
		n += uvarintLen(uint64(ahead))
	}
	return n
}

func appendFrame(b []byte, kind int, f *frame) []byte {
	b = binary.AppendUvarint(b, uint64(len(f.body))<<2|uint64(f.flags))
	b = binary.LittleEndian.AppendUint32(b, f.seq)
	if kind == kindRecords {
		b = binary.AppendUvarint(b, uint64(f.ahead))
	}
	return append(b, f.body...)
}

// parse reads the frame at the start of b and returns its length; 0 if there is no whole one. The
// body aliases b.
func (f *frame) parse(b []byte, kind int) int {
	head, n := binary.Uvarint(b)
	if n <= 0 || head>>2 > maxBody || len(b) < n+4 {
		return 0
	}
	f.flags = byte(head & 3)
	f.seq = binary.LittleEndian.Uint32(b[n:])
	n += 4
	f.ahead = 0
	if kind == kindRecords {
		ahead, m := binary.Uvarint(b[n:])
		if m <= 0 || ahead > 1<<41 {
			return 0
		}
		f.ahead = int64(ahead)
		n += m
	}
	end := n + int(head>>2)
	if end > len(b) {
		return 0
	}
	f.body = b[n:end:end]
	return end
}
