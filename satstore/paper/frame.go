package paper

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A frame is a record or a message, in buckets, buffers and the log alike. Numbers are
// little-endian.
//
//	0  4 CRC32C of all that follows
//	4  3 length of the body
//	7  1 kind
//	8  4 sequence number
//	12 4 due
//	16 n body: the id, then attributes or what a message says
const (
	headerBytes = 16
	maxBody     = 1 << 20
	idBytes     = 16

	kindRecord  = 1
	kindMessage = 2
	kindDelete  = 3 // a message: the record is dropped at its next visit
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type header [headerBytes]byte

func makeHeader(kind byte, seq uint32, due int64, body []byte) (h header) {
	binary.LittleEndian.PutUint32(h[4:], uint32(len(body))|uint32(kind)<<24)
	binary.LittleEndian.PutUint32(h[8:], seq)
	binary.LittleEndian.PutUint32(h[12:], uint32(due))
	binary.LittleEndian.PutUint32(h[0:], crc32.Update(crc32.Checksum(h[4:], castagnoli), castagnoli,
		body))
	return h
}

// frame is the bytes of a whole frame.
type frame []byte

func (f frame) kind() byte   { return f[7] }
func (f frame) seq() uint32  { return binary.LittleEndian.Uint32(f[8:]) }
func (f frame) due() int64   { return int64(binary.LittleEndian.Uint32(f[12:])) }
func (f frame) body() []byte { return f[headerBytes:len(f):len(f)] } // to append to it makes a copy
func (f frame) id() ID       { return ID(f[headerBytes:]) }

// frameLength returns the length of the frame that begins with these bytes; false if they
// are too few or none can begin so.
func frameLength(b []byte) (int, bool) {
	if len(b) < headerBytes || b[7] < kindRecord || b[7] > kindDelete {
		return 0, false
	}
	n := int(b[4]) | int(b[5])<<8 | int(b[6])<<16
	return headerBytes + n, n >= idBytes && n <= maxBody
}

// nextFrame takes the first frame off b.
func nextFrame(b []byte) (f frame, rest []byte, ok bool) {
	n, ok := frameLength(b)
	if !ok || n > len(b) || crc32.Checksum(b[4:n], castagnoli) != binary.LittleEndian.Uint32(b) {
		return nil, b, false
	}
	return b[:n], b[n:], true
}

// DamageError tells where bytes are not what was written.
type DamageError struct {
	File   string
	Offset int64
	What   string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged at byte %d: %s", e.File, e.Offset, e.What)
}
