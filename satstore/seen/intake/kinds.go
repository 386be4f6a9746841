package intake

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/recrawl/recrawl/sitegraph"
)

// Kind is why a line is bad.
type Kind uint8

const (
	KindUnknown   Kind = iota
	KindNoAddress      // no whole web address
	KindOther          // another scheme than http and https
	KindTooLong        // longer than an address may be
	KindNotUTF8        // bytes that are no UTF-8
	KindUTF16          // zero bytes, as UTF-16 and UTF-32 have
	kinds
)

var kindNames = [kinds]string{"unknown", "no whole web address", "not http or https", "too long",
	"not UTF-8", "zero bytes: UTF-16?"}

func (k Kind) String() string { return kindNames[k] }

// Example is a bad line.
type Example struct {
	Line int64  `json:"line"`
	Text string `json:"text"` // its beginning
}

// Bad is the bad lines of one kind.
type Bad struct {
	Kind     string    `json:"kind"`
	Lines    int64     `json:"lines"`
	Examples []Example `json:"examples"` // the first ones
}

const (
	// mostExamples is how many bad lines of a kind are told.
	mostExamples = 5
	// exampleBytes is how much of their text.
	exampleBytes = 100
)

// judge says why a line is no address.
func judge(line []byte, err error) Kind {
	switch {
	case bytes.IndexByte(line, 0) >= 0:
		return KindUTF16
	case !utf8.Valid(line):
		return KindNotUTF8
	case errors.Is(err, sitegraph.ErrTooLong):
		return KindTooLong
	case errors.Is(err, sitegraph.ErrNotWeb):
		return KindOther
	}
	return KindNoAddress
}
