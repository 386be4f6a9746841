package intake

import (
	"github.com/recrawl/recrawl/sitegraph/listed"
)

// Example is a line that was left out.
type Example struct {
	Line int64  `json:"line"`
	Text string `json:"text"` // its beginning
}

// Bad describes the lines of one kind that were left out.
type Bad struct {
	Kind     string    `json:"kind"` // as in listed.Kind
	Lines    int64     `json:"lines"`
	Examples []Example `json:"examples"` // the first ones
}

// Meant reports whether lines of the kind were not meant to be addresses.
func (b *Bad) Meant() bool {
	return b.Kind == listed.Comment.String() || b.Kind == listed.Header.String()
}

const (
	// mostExamples bounds the reported lines of a kind.
	mostExamples = 5
	// exampleBytes bounds their text.
	exampleBytes = 100
)
