package planner

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Hinter is a policy that wants to know within a round that a source says something else of pages than
// when the round began, so that it can rank them anew. Corpus.Hint tells what.
type Hinter interface {
	Hinted(p sitegraph.PageID)
}

// Hear takes what a source says that was just read, as Corpus.Hear, and tells the policy.
func (p *Planner) Hear(source sitegraph.PageID, kind HintKind, said []Said, whole bool) {
	changed := p.Corpus.Hear(source, kind, said, whole)
	if hinter, ok := p.Policy.(Hinter); ok {
		for _, page := range changed {
			hinter.Hinted(page)
		}
	}
}

// claimsVersion begins what EncodeClaims writes.
const claimsVersion = 1

var errClaims = errors.New("not what was kept of a source")

// EncodeClaims is what a store keeps of what a source said, so that the next process need not read it
// again: version and kind, then of each page its number, seconds since 1970 (0: no date) and
// seconds between changes (0: not told), as unsigned varints.
func EncodeClaims(kind HintKind, said []Said) []byte {
	value := append(make([]byte, 0, 2+12*len(said)), claimsVersion, byte(kind))
	for _, s := range said {
		value = binary.AppendUvarint(value, uint64(s.Page))
		value = binary.AppendUvarint(value, uint64(unix32(s.Modified)))
		value = binary.AppendUvarint(value, uint64(s.Every/time.Second))
	}
	return value
}

// DecodeClaims reads what EncodeClaims wrote.
func DecodeClaims(value []byte) (kind HintKind, said []Said, err error) {
	if len(value) < 2 || value[0] != claimsVersion || HintKind(value[1]) >= hintKinds {
		return HintUnknown, nil, errClaims
	}
	kind, value = HintKind(value[1]), value[2:]
	for len(value) > 0 {
		var of [3]uint64
		for i := range of {
			n := 0
			if of[i], n = binary.Uvarint(value); n <= 0 || of[i] > 1<<32-1 {
				return HintUnknown, nil, errClaims
			}
			value = value[n:]
		}
		s := Said{Page: sitegraph.PageID(of[0]), Every: time.Duration(of[2]) * time.Second}
		if of[1] > 0 {
			s.Modified = time.Unix(int64(of[1]), 0).UTC()
		}
		said = append(said, s)
	}
	return kind, said, nil
}
