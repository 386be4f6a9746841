package corpus

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/filter"
)

// The first octet of a key names its table. The tables of marks list the pages with work to do. A
// build empties them in this order.
const (
	keyMeta      = 'm' // name: state of the corpus
	keyFile      = 'f' // WARC file: its octets that are read
	keyRow       = 'p' // URL: row
	keyOut       = 'o' // URL: links of the page, target and text
	keyIn        = 'i' // target, 0, whether from another server ('0': yes) and source: text
	keyDigest    = 'd' // digest, order: the selected page of those with the digest
	keySimHash   = 's' // number and value of a block, order: SimHash
	keyServer    = 'q' // server, 0, order: whether the quota has room for it
	keyDraft     = 'b' // URL: document that was read and not yet written
	keyIn1       = 'c' // number of a container: its valid part
	keyContained = 'k' // number of a container, URL: of a document in it
	keyRemoved   = 'r' // rule: URLs that are never added

	markRead  = 'A' // URL: read its last capture
	markAlone = 'B' // URL: judge it alone
	markGroup = 'C' // digest: select a page
	markBlock = 'H' // block, SimHash and order: of a page that entered or left the table
	markNear  = 'D' // URL: check for near copies
	markQuota = 'E' // server: select the pages with room
	markWrite = 'F' // URL: verdict and document
	markIndex = 'G' // URL: the index differs from the document
)

// capture is the place of a page's content.
type capture struct {
	File   string    `json:"file"`
	Offset int64     `json:"offset"`
	Time   time.Time `json:"time"`
	Date   string    `json:"date,omitempty"`
	MIME   string    `json:"mime,omitempty"`
	Digest string    `json:"digest"`

	RefersURI  string `json:"refers_to_uri,omitempty"`
	RefersDate string `json:"refers_to_date,omitempty"`
}

func captureOf(c *archive.Capture) capture {
	return capture{File: c.Filename, Offset: c.Offset, Time: c.Time, Date: c.Date, MIME: c.MIME,
		Digest:    c.Digest,
		RefersURI: c.RefersURI, RefersDate: c.RefersDate}
}

func (c *capture) line(url string) *archive.Capture {
	return &archive.Capture{Key: archive.SURT(url), Time: c.Time, URL: url, MIME: c.MIME,
		Digest:   c.Digest,
		Filename: c.File,
		Offset:   c.Offset, Date: c.Date, RefersURI: c.RefersURI, RefersDate: c.RefersDate}
}

// row is the state of a page.
type row struct {
	Last     capture   `json:"last"`     // last capture with the content
	Seen     time.Time `json:"seen"`     // time of the last answer about the page
	Changed  time.Time `json:"changed"`  // first capture with the content
	Verified time.Time `json:"verified"` // last capture with the content
	Gone     bool      `json:"gone,omitempty"`

	Facts   filter.SelectionFacts   `json:"facts"`
	Alone   filter.SelectionVerdict `json:"alone"`
	Verdict filter.SelectionVerdict `json:"verdict"`
	Judged  bool                    `json:"judged,omitempty"` // counted under Verdict

	// Group to Queued are the page's places in the tables of groups.
	Group  string `json:"group,omitempty"`  // digest; "": in no group
	Order  string `json:"order,omitempty"`  // in all tables
	CopyOf string `json:"copyOf,omitempty"` // page that stays in the group
	Near   bool   `json:"near,omitempty"`   // in the table of SimHashes, by Hash
	Hash   uint64 `json:"hash,omitempty"`
	NearOf string `json:"nearOf,omitempty"`
	Queued bool   `json:"queued,omitempty"` // in the table of its server

	Document *document `json:"document,omitempty"`
}

// document describes a written document.
type document struct {
	Container uint32         `json:"container"`
	XML       ContainerPlace `json:"xml"`
	JSON      ContainerPlace `json:"json"`
	Of        time.Time      `json:"of"`     // Changed of its content
	Digest    []byte         `json:"digest"` // Document.Digest
	Content   uint64         `json:"content"`
}

func key(kind byte, parts ...string) []byte {
	k := []byte{kind}
	for i, part := range parts {
		if i > 0 {
			k = append(k, 0)
		}
		k = append(k, part...)
	}
	return k
}

// under returns the range of the keys with a prefix.
func under(prefix []byte) *pebble.IterOptions {
	end := append([]byte(nil), prefix...)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
	}
	return &pebble.IterOptions{LowerBound: prefix, UpperBound: end}
}

func blockKey(number int, value uint16, order string) []byte {
	k := []byte{keySimHash, byte(number), 0, 0}
	binary.BigEndian.PutUint16(k[2:], value)
	return append(k, order...)
}

const blockHead = 4 // octets of a block's key before the order

func containerKey(kind byte, number uint32, rest string) []byte {
	k := binary.BigEndian.AppendUint32([]byte{kind}, number)
	return append(k, rest...)
}

// tx is a batch that reads its own writes.
type tx struct {
	*pebble.Batch
	c *Corpus
}

func (c *Corpus) begin() *tx { return &tx{c.db.NewIndexedBatch(), c} }

// get returns a copy of a value, or nil.
func get(r pebble.Reader, key []byte) ([]byte, error) {
	value, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	value = append([]byte{}, value...)
	return value, closer.Close()
}

// load reads a JSON value, and returns false if there is none.
func load(r pebble.Reader, key []byte, into any) (bool, error) {
	value, err := get(r, key)
	if err != nil || value == nil {
		return false, err
	}
	if err := json.Unmarshal(value, into); err != nil {
		return false, fmt.Errorf("read %q of the corpus: %w", key, err)
	}
	return true, nil
}

// loadRow returns the row of a URL, or nil.
func loadRow(r pebble.Reader, url string) (*row, error) {
	p := new(row)
	found, err := load(r, key(keyRow, url), p)
	if !found {
		return nil, err
	}
	return p, err
}

func (t *tx) store(key []byte, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return t.Set(key, text, nil)
}

func (t *tx) mark(kind byte, of string) error { return t.Set(key(kind, of), nil, nil) }

// each passes the keys with a prefix, without it, and their values to yield. They are valid during
// the call. yield returns false to stop.
func each(r pebble.Reader, prefix []byte,
	yield func(rest string, value []byte) (bool, error)) error {
	it, err := r.NewIter(under(prefix))
	if err != nil {
		return err
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		more, err := yield(string(it.Key()[len(prefix):]), value)
		if err != nil || !more {
			return err
		}
	}
	return it.Error()
}

// marked returns marks of a kind in batches. It continues after the last one, because skipping many
// deleted marks takes time. At the end it starts once more, for marks that were set meanwhile.
type marked struct {
	kind  byte
	after string // the last one
	some  bool   // found some since the start
}

func (m *marked) next(r pebble.Reader, most int) (keys []string, err error) {
	for {
		it, err := r.NewIter(&pebble.IterOptions{LowerBound: append(key(m.kind, m.after), 0),
			UpperBound: []byte{m.kind + 1}})
		if err != nil {
			return nil, err
		}
		for ok := it.First(); ok && len(keys) < most; ok = it.Next() {
			keys = append(keys, string(it.Key()[1:]))
		}
		if err := errors.Join(it.Error(), it.Close()); err != nil {
			return nil, err
		}
		if len(keys) > 0 {
			m.after, m.some = keys[len(keys)-1], true
			return keys, nil
		}
		if !m.some {
			return nil, nil
		}
		m.after, m.some = "", false
	}
}
