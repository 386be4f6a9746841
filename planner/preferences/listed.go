package preferences

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/sitegraph/listed"
)

// Listed are weights of single pages from elsewhere, for example from a search corpus: how often
// results show a page, or how much trust links give it. A page takes about 20 bytes.
type Listed struct {
	of   map[uint64]float32 `state:"-"` // by hash of the address
	sum  string             // checksum of all lines: other lists differ
	rest float64            // of pages that are not listed
	most float64
}

// LeastListed is the least listed weight in planning; smaller ones count as this. So a page that no
// result shows is still visited now and then, since its news may be shown. Only a rule can exclude
// a page.
const LeastListed = 0.1

// ReadListed reads lines of a weight and a canonical address, separated by white space. "*" means
// all pages that are not listed, whose weight is otherwise 1. Lines that begin with "#" are
// comments. Of two lines with one address the later counts.
func ReadListed(r io.Reader) (*Listed, error) {
	l, sum := &Listed{of: map[uint64]float32{}, rest: 1}, sha256.New()
	in := bufio.NewScanner(listed.Ends(r))
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		fmt.Fprintln(sum, text)
		head, address, _ := strings.Cut(text, "\t")
		if address == "" {
			head, address, _ = strings.Cut(text, " ")
		}
		weight, err := strconv.ParseFloat(head, 64)
		if err != nil || !(weight >= 0 && weight <= mostWeight) {
			return nil, fmt.Errorf("line %d: weight %.40q: want a number from 0 to %g, and an "+
				"address behind it", n, head, mostWeight)
		}
		l.most = max(l.most, weight)
		if address = strings.TrimSpace(address); address == "*" {
			l.rest = weight
			continue
		}
		url, kind := listed.One(address)
		if kind != listed.Address {
			return nil, fmt.Errorf("line %d: address %.120q: %v", n, address, kind)
		}
		l.of[hashOf(url)] = float32(weight)
	}
	l.most, l.sum = max(l.most, l.rest), string(sum.Sum(nil))
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read weights: %w", err)
	}
	return l, nil
}

// Of returns the listed weight of a canonical address; 1 for all if l is nil.
func (l *Listed) Of(url string) float64 {
	if l == nil {
		return 1
	}
	if w, ok := l.of[hashOf(url)]; ok {
		return float64(w)
	}
	return l.rest
}

// hashOf returns a part of a cryptographic hash: nobody can choose addresses that share it.
func hashOf(url string) uint64 {
	sum := sha256.Sum256([]byte(url))
	return binary.LittleEndian.Uint64(sum[:])
}

// Pages returns how many pages are listed.
func (l *Listed) Pages() int { return len(l.of) }
