package planner

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// encodingVersion is the first byte of EncodeClaims.
const encodingVersion = 1

var errClaims = errors.New("not what was kept of a source")

// EncodeClaims encodes the claims of a source for the store, so that the next process need not read
// the source again. The form is: version and kind, then for each page its number, seconds since
// 1970 (0: no date) and seconds between changes (0: not claimed), as unsigned varints.
func EncodeClaims(kind HintKind, said []Claim) []byte {
	value := append(make([]byte, 0, 2+12*len(said)), encodingVersion, byte(kind))
	for _, s := range said {
		value = binary.AppendUvarint(value, uint64(s.Page))
		value = binary.AppendUvarint(value, uint64(sitegraph.Unix32(s.Modified)))
		value = binary.AppendUvarint(value, uint64(s.Every/time.Second))
	}
	return value
}

// DecodeClaims decodes what EncodeClaims returned.
func DecodeClaims(value []byte) (kind HintKind, said []Claim, err error) {
	if len(value) < 2 || value[0] != encodingVersion || HintKind(value[1]) >= kindCount {
		return UnknownKind, nil, errClaims
	}
	kind, value = HintKind(value[1]), value[2:]
	for len(value) > 0 {
		var of [3]uint64
		for i := range of {
			n := 0
			if of[i], n = binary.Uvarint(value); n <= 0 || of[i] > 1<<32-1 {
				return UnknownKind, nil, errClaims
			}
			value = value[n:]
		}
		s := Claim{Page: sitegraph.PageID(of[0]), Every: time.Duration(of[2]) * time.Second}
		if of[1] > 0 {
			s.Modified = time.Unix(int64(of[1]), 0).UTC()
		}
		said = append(said, s)
	}
	return kind, said, nil
}
