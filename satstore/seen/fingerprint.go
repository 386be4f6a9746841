package seen

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/dchest/siphash"
)

// Key makes the fingerprints of a set: SipHash-2-4 under it. Without it nobody can make an address
// that has the fingerprint of another, and so hide a page.
type Key [2]uint64

// NewKey draws a key.
func NewKey() (Key, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return Key{}, err
	}
	return Key{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}, nil
}

// Of is the fingerprint of an address. It allocates nothing.
func (k Key) Of(url string) uint64 {
	return siphash.Hash(k[0], k[1], unsafe.Slice(unsafe.StringData(url), len(url)))
}

// partKey is the same in all machines that share the servers among them, and fixed for ever.
var partKey = Key{0x7265637261776c20, 0x7061727469746e73}

// ParsePart reads the second of four parts, as "2/4"; the part is counted from 0.
func ParsePart(text string) (part, parts int, err error) {
	var rest string
	n, err := fmt.Sscanf(text+" end", "%d/%d %s", &part, &parts, &rest)
	if err != nil || n != 3 || rest != "end" || part < 1 || part > parts {
		return 0, 0, fmt.Errorf("%q is no part", text)
	}
	return part - 1, parts, nil
}

// PartOf says which of n parts, from 0, a server belongs to: all its addresses are looked up there,
// so that n machines, each with a set of its own, find the same pages new as one [SBFL 1].
func PartOf(server string, n int) int { return int(partKey.Of(server) % uint64(n)) }
