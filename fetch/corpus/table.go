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

// The first octet of a key says which table it belongs to. The tables of marks say what is still to
// be done, and for which page: a build empties them in this order.
const (
	keyMeta      = 'm' // name: state of the corpus
	keyFile      = 'f' // WARC file: octets of it that are taken in
	keyRow       = 'p' // address: row
	keyOut       = 'o' // address: links of the page, target and text
	keyIn        = 'i' // target, 0, whether of another server ('0': it is) and source: text
	keyDigest    = 'd' // digest, order: the page that stays of those with the digest
	keySimHash   = 's' // number and value of a block, order: SimHash
	keyServer    = 'q' // server, 0, order: whether the quota has room for it
	keyDraft     = 'b' // address: document that was read and not yet written
	keyIn1       = 'c' // number of a container: what is valid of it
	keyContained = 'k' // number of a container, address: of a document in it
	keyRemoved   = 'r' // rule: addresses that are never taken in

	markRead  = 'A' // address: its last capture is to be read
	markAlone = 'B' // address: it is to be judged alone
	markGroup = 'C' // digest: which of the pages stays
	markBlock = 'H' // block, SimHash and order: of a page that came into the table or left it
	markNear  = 'D' // address: whether it is a near copy
	markQuota = 'E' // server: which of its pages have room
	markWrite = 'F' // address: verdict and document
	markIndex = 'G' // address: the index has something else than the document
)

// capture is where the content of a page is.
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

// row is what is known of a page.
type row struct {
	Last     capture   `json:"last"`     // with the content
	Seen     time.Time `json:"seen"`     // the last answer that said something of the page
	Changed  time.Time `json:"changed"`  // first seen with the content
	Verified time.Time `json:"verified"` // last seen with it
	Gone     bool      `json:"gone,omitempty"`

	Facts   filter.SelectionFacts   `json:"facts"`
	Alone   filter.SelectionVerdict `json:"alone"`
	Verdict filter.SelectionVerdict `json:"verdict"`
	Judged  bool                    `json:"judged,omitempty"` // it is counted under Verdict

	// Where the page stands in the tables of groups; "": it does not.
	Group  string `json:"group,omitempty"`  // digest
	Order  string `json:"order,omitempty"`  // in all of them
	CopyOf string `json:"copyOf,omitempty"` // of the group
	Near   bool   `json:"near,omitempty"`   // it is in the table of SimHashes, by Hash
	Hash   uint64 `json:"hash,omitempty"`
	NearOf string `json:"nearOf,omitempty"`
	Queued bool   `json:"queued,omitempty"` // it is in the table of its server

	Document *document `json:"document,omitempty"`
}

// document is one that is written.
type document struct {
	Container uint32         `json:"container"`
	XML       ContainerPlace `json:"xml"`
	JSON      ContainerPlace `json:"json"`
	Of        time.Time      `json:"of"`     // Changed of the content
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

// under is the range of the keys that begin so.
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

// tx is a batch whose own writes are seen.
type tx struct {
	*pebble.Batch
	c *Corpus
}

func (c *Corpus) begin() *tx { return &tx{c.db.NewIndexedBatch(), c} }

// get returns a copy of a value; nil: there is none.
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

// load reads a value of JSON; false: there is none.
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

// loadRow reads the row of an address; nil: there is none.
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

// each hands out the keys that begin so, without that beginning, and their values, which are valid
// during the call. yield returns false to end it.
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

// marked hands out marks of a kind, some at a time. It goes on behind the last one: to pass over
// the many that were deleted before it takes time. At the end it looks once more from the
// beginning, for marks that were set meanwhile.
type marked struct {
	kind  byte
	after string // the last one
	some  bool   // were found since the beginning
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
