package frontier

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"time"
)

// DefaultCrawl is the name of the crawl called "".
const DefaultCrawl = "DEFAULT"

// Bounds of what is stored. Longer items are skipped.
const (
	mostURL      = 16 << 10
	mostName     = 1 << 10 // of keys and names of crawls
	mostMetadata = 256 << 10
)

// Item is one address of a queue.
type Item struct {
	Crawl string // "": DefaultCrawl
	Key   string // of the queue; "": the host of URL
	URL   string
	// Known is true if the crawler reports a visit, and false if it discovered the address.
	Known bool
	// Date is the time from which a known address may be handed out again; the zero time: never.
	Date time.Time
	// Created is when the address was first stored; Put ignores it.
	Created time.Time
	// Ask lets the judge choose the date of a known address. Without a judge the date is a day
	// later.
	Ask bool
	// Metadata belong to the address, in any form that the caller likes.
	Metadata []byte
	// Outcome is what the visit saw; nil: the crawler does not report it.
	Outcome *Outcome
}

// Status says whether Put stored an item.
type Status uint8

const (
	Stored  Status = iota // new, or overwritten
	Skipped               // already known, or malformed: to send it again is useless
	Failed                // not stored; it may be sent again
)

// HostOf returns the host of a URL without its port, or "" if there is no host. The host is the key
// of an item that was put without a key.
func HostOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if end := strings.IndexAny(url, "/?&#"); end >= 0 {
		url = url[:end]
	}
	if _, rest, ok := strings.Cut(url, "@"); ok {
		url = rest
	}
	if strings.HasPrefix(url, "[") { // IPv6
		if end := strings.IndexByte(url, ']'); end > 0 {
			return url[:end+1]
		}
		return ""
	}
	host, _, _ := strings.Cut(url, ":")
	return host
}

// CrawlName is the name under which a crawl is stored.
func CrawlName(name string) string {
	if name == "" {
		return DefaultCrawl
	}
	return name
}

func (it *Item) complete() bool {
	it.Crawl = CrawlName(it.Crawl)
	if it.Key == "" {
		it.Key = HostOf(it.URL)
	}
	return it.URL != "" && it.Key != "" && len(it.URL) <= mostURL && len(it.Key) <= mostName &&
		len(it.Crawl) <= mostName && len(it.Metadata) <= mostMetadata
}

// Keys of the store.
const (
	itemPrefix  = 'i' // followed by number of the queue and id: an item
	leasePrefix = 'l' // followed by the same: the end of its lease, in milliseconds since 1970
	queuePrefix = 'q' // followed by its number: a queue
	settingsKey = 'g' // the settings of the frontier
)

// storeKey is the key of an item or of its lease. Keys of a queue lie side by side.
type storeKey [1 + 4 + len(id{})]byte

// key returns the key of the item or the lease of a slot.
func (s *slot) key(prefix byte) (k storeKey) {
	k[0] = prefix
	binary.BigEndian.PutUint32(k[1:], s.queue)
	copy(k[5:], s.id[:])
	return k
}

func parseKey(b []byte) (queue uint32, i id, ok bool) {
	if len(b) != len(storeKey{}) {
		return 0, i, false
	}
	return binary.BigEndian.Uint32(b[1:]), id(b[5:]), true
}

// The first bytes of a stored item: created and date in unix seconds.
const itemHead = 8

// appendItem appends an item. setHead fills in its first two fields.
func appendItem(b []byte, it *Item, evidence []byte) []byte {
	b = append(b, make([]byte, itemHead)...)
	b = appendString(b, it.URL)
	b = append(binary.AppendUvarint(b, uint64(len(evidence))), evidence...)
	return append(b, it.Metadata...)
}

func setHead(b []byte, created, date uint32) {
	binary.LittleEndian.PutUint32(b, created)
	binary.LittleEndian.PutUint32(b[4:], date)
}

var errItem = errors.New("a stored address is damaged: restore the directory from a copy")

// stored is an item in the store. Its bytes belong to the store.
type stored struct {
	created, date uint32
	url, evidence []byte
	metadata      []byte
}

func parseItem(b []byte) (stored, error) {
	var s stored
	if len(b) < itemHead {
		return s, errItem
	}
	s.created = binary.LittleEndian.Uint32(b)
	s.date = binary.LittleEndian.Uint32(b[4:])
	var ok bool
	if s.url, b, ok = cutBytes(b[itemHead:]); !ok {
		return s, errItem
	}
	if s.evidence, s.metadata, ok = cutBytes(b); !ok {
		return s, errItem
	}
	return s, nil
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func cutBytes(b []byte) (s, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return nil, nil, false
	}
	b = b[used:]
	return b[:n], b[n:], true
}

// seconds returns a time in unix seconds, as the store has it: 0 only for the zero time.
func seconds(t time.Time) uint32 {
	if t.IsZero() {
		return 0
	}
	return uint32(min(max(t.Unix(), 1), math.MaxUint32))
}

func fromSeconds(s uint32) time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(int64(s), 0).UTC()
}
