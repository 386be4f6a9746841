package satstore

// location says where the newest copy of a record is: 16 bits of bucket slot, 2 bits of
// place, 46 bits of offset. A copy to which the index does not point is stale.
type location uint64

const (
	inFile   = 0 // offset in the bucket file
	inBuffer = 1 // buffer page (30 bits) and offset in it (16 bits)
	inLog    = 2 // offset in the log segment; read-only stores, which cannot fill buffers

	offsetBits = 46
	maxOffset  = 1<<offsetBits - 1

	// nowhere: the page is known, its record is lost or not yet made.
	nowhere location = 1<<64 - 1
)

func makeLocation(slot uint16, place uint8, offset int64) location {
	return location(slot)<<48 | location(place)<<offsetBits | location(offset)
}

func (l location) slot() uint16  { return uint16(l >> 48) }
func (l location) place() uint8  { return uint8(l>>offsetBits) & 3 }
func (l location) offset() int64 { return int64(l & maxOffset) }
