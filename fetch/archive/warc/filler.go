package warc

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"
)

// mostExtra is the greatest length of the extra field in a gzip header (RFC 1952, 2.3).
const mostExtra = 1<<16 - 1

// empty returns a record without content.
func empty(padding int) []byte {
	return fmt.Appendf(nil, "WARC/1.1\r\n%s: %s\r\n%s: %s\r\n%s: %s\r\n%s: %d\r\n\r\n%s\r\n\r\n",
		TypeField, Metadata, IDField, NewID(),
		DateField, FormatDate(time.Unix(0, 0)), LengthField, padding,
		bytes.Repeat([]byte(" "), padding))
}

// Filler returns gzip members of exactly this many octets in all, with empty records. Padding is in
// the extra field of their headers (RFC 1952, 2.3.1.1), which readers skip.
func Filler(octets int) (all []byte, err error) {
	for octets > 0 {
		member, least, err := filler(octets)
		if err != nil {
			return nil, err
		}
		const more = 16 // octets by which the compressed forms of two records may differ
		if left := octets - len(member); left > 0 && left < least+more {
			if member, _, err = filler(len(member) - least - more); err != nil {
				return nil, err
			}
		}
		all = append(all, member...)
		octets -= len(member)
	}
	return all, nil
}

// filler returns a member of this length, or of the greatest possible one. least is the least
// possible length.
func filler(octets int) (member []byte, least int, err error) {
	plain := empty(0)
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, 0, err
	}
	z.Write(plain) // to memory
	if err := z.Close(); err != nil {
		return nil, 0, err
	}
	const head, extra, tail = 10, 2 + 4, 8 // with the head of one subfield
	least = head + extra + packed.Len() + tail
	fill := min(octets-least, mostExtra-4)
	if fill < 0 {
		return nil, least, fmt.Errorf("%d octets are too few for a record", octets)
	}
	member = append(member, 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255)
	member = binary.LittleEndian.AppendUint16(member, uint16(fill+4))
	member = append(member, 'r', 'm')
	member = binary.LittleEndian.AppendUint16(member, uint16(fill))
	member = append(member, make([]byte, fill)...)
	member = append(member, packed.Bytes()...)
	member = binary.LittleEndian.AppendUint32(member, crc32.ChecksumIEEE(plain))
	return binary.LittleEndian.AppendUint32(member, uint32(len(plain))), least, nil
}

// PlainFiller returns one record of this length for uncompressed files.
func PlainFiller(octets int) ([]byte, error) {
	least := len(empty(0))
	for padding := max(octets-least-8, 0); padding <= max(octets-least, 0); padding++ {
		if record := empty(padding); len(record) == octets {
			return record, nil
		}
	}
	return nil, fmt.Errorf("%d octets are too few for a record", octets)
}
