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

// setting is the name of the setting that keeps a copy. Rules keep theirs under their names, so
// that the order of a file does not matter.
func (k copyKey) setting(w *Watch) string {
	sum := md5.Sum([]byte(w.rules[k.rule].Name + "\n" + k.url))
	return "watch/copy/" + hex.EncodeToString(sum[:])
}

// kept is the copy of a page under a rule, and what was told of it.
type kept struct {
	None        bool             `json:"none,omitempty"` // there is no text: it was never read
	Fingerprint uint32           `json:"rule,omitempty"` // of what the text was made by
	Sum         sitegraph.Digest `json:"sum,omitempty"`  // of the text
	Title       string           `json:"title,omitempty"`
	Seen        time.Time        `json:"seen,omitzero"` // when this text was seen first
	Matches     []string         `json:"matches,omitempty"`
	New         bool             `json:"new,omitempty"`     // its first visit is told
	Gone        bool             `json:"gone,omitempty"`    // that was told
	Failing     bool             `json:"failing,omitempty"` // likewise
	Blank       time.Time        `json:"blank,omitzero"`    // when that no text is there was told
	text        string
}

// copyOf reads a copy; what it returns is not to be changed, unless it is given to put.
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

// encode writes a copy: a line of JSON, then the text, deflated.
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

// flat is a text as copies have it: words with a blank between. Where lines end is no difference.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
