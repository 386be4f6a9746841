package watch

import (
	"bytes"
	"compress/flate"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// copyKey names the copy of a page under a rule.
type copyKey struct {
	rule int
	url  string
}

// setting returns the name of the setting with a copy. It contains the rule's name, so that the
// order in a file does not matter.
func (k copyKey) setting(w *Watch) string {
	sum := md5.Sum([]byte(w.rules[k.rule].Name + "\n" + k.url))
	return "watch/copy/" + hex.EncodeToString(sum[:])
}

// kept is the copy of a page under a rule, and what was reported about it.
type kept struct {
	None        bool             `json:"none,omitempty"` // there is no text: the page was never read
	Fingerprint uint32           `json:"rule,omitempty"` // fingerprint of the rule for text
	Sum         sitegraph.Digest `json:"sum,omitempty"`  // of the text
	Title       string           `json:"title,omitempty"`
	Seen        time.Time        `json:"seen,omitzero"` // first time that this text was seen
	Matches     []string         `json:"matches,omitempty"`
	New         bool             `json:"new,omitempty"`     // the first visit will be reported
	Gone        bool             `json:"gone,omitempty"`    // reported as gone
	Failing     bool             `json:"failing,omitempty"` // reported as failing
	Blank       time.Time        `json:"blank,omitzero"`    // when the missing text was reported
	text        string
}

// copyOf returns a copy. Callers must not change it unless they pass it to put.
func (w *Watch) copyOf(rule int, url string) (*kept, error) {
	key := copyKey{rule, url}
	if c, ok := w.copies[key]; ok {
		clone := *c
		return &clone, nil
	}
	value, ok, err := w.o.Setting(key.setting(w))
	if err != nil {
		return nil, err
	}
	if !ok || len(value) == 0 {
		return &kept{None: true}, nil
	}
	c, err := decodeCopy(value)
	if err != nil {
		return nil, fmt.Errorf("the text kept of %s: %w", url, err)
	}
	return c, nil
}

func (w *Watch) put(rule int, url string, c *kept) { w.copies[copyKey{rule, url}] = c }

// encode encodes a copy: a line of JSON, then the text, deflated.
func (c *kept) encode() ([]byte, error) {
	line, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(append(line, '\n'))
	if c.text == "" {
		return b.Bytes(), nil
	}
	z, err := flate.NewWriter(b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(z, c.text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func decodeCopy(value []byte) (*kept, error) {
	line, deflated, ok := bytes.Cut(value, []byte("\n"))
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	c := new(kept)
	if err := json.Unmarshal(line, c); err != nil {
		return nil, err
	}
	if len(deflated) == 0 {
		return c, nil
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(deflated)),
		extract.MostWatched))
	c.text = string(text)
	return c, err
}

// flat returns a text in the form of copies: words with a blank between, so that line ends make no
// difference.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
