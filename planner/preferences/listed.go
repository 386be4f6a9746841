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

// Listed are weights of single pages from elsewhere, as from a search corpus: how often results
// show a page, or how much trust links bring to it. A page takes some 20 bytes.
type Listed struct {
	of   map[uint64]float32 `state:"-"` // by hash of the address
	sum  string             // of all lines: others have another
	rest float64            // of pages that are not listed
	most float64
}

// LeastListed is the least listed weight that the planner goes by; a smaller one counts as this. So
// a page that no result shows is still visited now and then: what is new there may be shown. Only a
// rule can say never.
const LeastListed = 0.1

// ReadListed reads lines of a weight and a canonical address with white space between; "*" stands
// for all pages that are not listed, whose weight is 1 otherwise. Lines that begin with "#" say
// nothing. Of two lines with one address the later counts.
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

// Of is the weight of a canonical address as it is listed; 1 for all if l is nil.
func (l *Listed) Of(url string) float64 {
	if l == nil {
		return 1
	}
	if w, ok := l.of[hashOf(url)]; ok {
		return float64(w)
	}
	return l.rest
}

// hashOf is a part of a cryptographic hash: nobody can choose addresses that share it.
func hashOf(url string) uint64 {
	sum := sha256.Sum256([]byte(url))
	return binary.LittleEndian.Uint64(sum[:])
}

// Pages is how many pages are listed.
func (l *Listed) Pages() int { return len(l.of) }
