package seen

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/dchest/siphash"
)

// Key makes the fingerprints of a set: SipHash-2-4 under it. Without the key nobody can make an
// address with the fingerprint of another, and so hide a page.
type Key [2]uint64

// NewKey returns a random key.
func NewKey() (Key, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return Key{}, err
	}
	return Key{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}, nil
}

// Of returns the fingerprint of an address. It allocates nothing.
func (k Key) Of(url string) uint64 {
	return siphash.Hash(k[0], k[1], unsafe.Slice(unsafe.StringData(url), len(url)))
}

// partKey is fixed for ever, and the same in all machines that share the servers.
var partKey = Key{0x7265637261776c20, 0x7061727469746e73}

// ParsePart parses a part such as "2/4", the second of four; the result counts from 0.
func ParsePart(text string) (part, parts int, err error) {
	var rest string
	n, err := fmt.Sscanf(text+" end", "%d/%d %s", &part, &parts, &rest)
	if err != nil || n != 3 || rest != "end" || part < 1 || part > parts {
		return 0, 0, fmt.Errorf("%q is no part", text)
	}
	return part - 1, parts, nil
}

// PartOf returns the part of a server among n, from 0. All its addresses are looked up there, so
// that n machines with a set each find the same new pages as one machine [SBFL 1].
func PartOf(server string, n int) int { return int(partKey.Of(server) % uint64(n)) }
