package satstore

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/recrawl/recrawl/sitegraph"
)

// A record frame is the form of a record in bucket files, write buffers and the log alike:
//
//	0  4  body length (24 bits), frameMagic (8 bits), little endian
//	4  4  CRC32C of bytes 0-3 and 8-end
//	8  4  seq: the page
//	12 2  ahead: bucket minus the clock when it was written, 1..T
//	14 6  lsn: the version counter; of two frames of one page the higher is newer
//	20 n  the record (codec.go)
const (
	frameHeader   = 20
	frameMagic    = 0xA7
	maxFrameBytes = frameHeader + maxBodyBytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendFrame appends the frame of r to b.
func appendFrame(b []byte, r *sitegraph.Record, ahead uint16, lsn uint64) ([]byte, error) {
	start := len(b)
	b = append(b, make([]byte, frameHeader)...)
	b, err := appendRecord(b, r)
	if err != nil {
		return b[:start], err
	}
	f := b[start:]
	binary.LittleEndian.PutUint32(f[8:], uint32(r.Page))
	binary.LittleEndian.PutUint64(f[12:], lsn<<16|uint64(ahead))
	binary.LittleEndian.PutUint32(f[0:], uint32(len(f)-frameHeader)|frameMagic<<24)
	binary.LittleEndian.PutUint32(f[4:], frameCRC(f))
	return b, nil
}

func frameCRC(f []byte) uint32 {
	return crc32.Update(crc32.Checksum(f[:4], castagnoli), castagnoli, f[8:])
}

// frame is the bytes of one whole frame.
type frame []byte

func (f frame) page() sitegraph.PageID {
	return sitegraph.PageID(binary.LittleEndian.Uint32(f[8:]))
}
func (f frame) ahead() int64 { return int64(binary.LittleEndian.Uint16(f[12:])) }
func (f frame) lsn() uint64  { return binary.LittleEndian.Uint64(f[12:]) >> 16 }
func (f frame) body() []byte { return f[frameHeader:] }

// frameLength returns the length of the frame that starts with these bytes, header
// included; false if none can.
func frameLength(b []byte) (int, bool) {
	if len(b) < 4 || b[3] != frameMagic {
		return 0, false
	}
	n := frameHeader + int(b[0]) + int(b[1])<<8 + int(b[2])<<16
	return n, n >= frameHeader+fixedRecordBytes && n <= maxFrameBytes
}

// frameAt returns the whole, undamaged frame at the start of b.
func frameAt(b []byte) (frame, bool) {
	n, ok := frameLength(b)
	if !ok || len(b) < n {
		return nil, false
	}
	f := frame(b[:n])
	return f, binary.LittleEndian.Uint32(f[4:]) == frameCRC(f)
}
