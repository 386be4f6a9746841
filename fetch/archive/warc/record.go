package warc

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Types of records (WARC 1.1, 6).
const (
	Info     = "warcinfo"
	Response = "response"
	Request  = "request"
	Revisit  = "revisit"
	Metadata = "metadata"
	Resource = "resource"
)

// Profiles of revisits (WARC 1.1, 6.7).
const (
	SamePayload = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	NotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// Names of fields that are used in several places (WARC 1.1, 5).
const (
	TypeField          = "WARC-Type"
	IDField            = "WARC-Record-ID"
	DateField          = "WARC-Date"
	URIField           = "WARC-Target-URI"
	LengthField        = "Content-Length"
	ContentField       = "Content-Type"
	PayloadDigestField = "WARC-Payload-Digest"
	BlockDigestField   = "WARC-Block-Digest"
	TruncatedField     = "WARC-Truncated"
	AddressField       = "WARC-IP-Address"
	ConcurrentField    = "WARC-Concurrent-To"
	ProfileField       = "WARC-Profile"
	RefersURIField     = "WARC-Refers-To-Target-URI"
	RefersDateField    = "WARC-Refers-To-Date"
	FilenameField      = "WARC-Filename"
)

// Media types of blocks.
const (
	HTTPResponse = "application/http; msgtype=response"
	HTTPRequest  = "application/http; msgtype=request"
	Fields       = "application/warc-fields"
)

// Field is a line of a header.
type Field struct{ Name, Value string }

// dateLayout has microseconds, which WARC 1.1 allows and 1.0 does not (5.4).
const dateLayout = "2006-01-02T15:04:05.000000Z"

// FormatDate returns a time in the form of record headers, in UTC to the microsecond.
func FormatDate(t time.Time) string { return t.UTC().Format(dateLayout) }

// ParseDate reads the date of a record of any version.
func ParseDate(text string) (time.Time, error) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("date %q of a record: want one like 2026-01-31T12:00:00Z", text)
}

// dateLayouts are the forms of dates in the standard (WARC 1.1, 5.4), and two of other writers: a
// zone without a colon, and digits alone.
var dateLayouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006",
	"2006-01-02T15:04:05Z0700", "20060102150405"}

// NewID returns the ID of a new record: a random UUID (RFC 9562, 5.4) as a URI.
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // it cannot fail
	return idOf(b, 4)
}

// NamedID returns the ID of a record that is made several times: the same for the same name (RFC
// 9562, 5.5, in the name space of URLs).
func NamedID(name string) string {
	space := []byte("\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8")
	sum := sha1.Sum(append(space, name...))
	return idOf([16]byte(sum[:16]), 5)
}

func idOf(b [16]byte, version byte) string {
	b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
	text := make([]byte, 0, 47)
	text = append(text, "<urn:uuid:"...)
	for i, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, part)
	}
	return string(append(text, '>'))
}

// DigestText returns a SHA-1 in the form of record headers.
func DigestText(sum []byte) string { return "sha1:" + base32.StdEncoding.EncodeToString(sum) }

// NewRecord is a record to write.
type NewRecord struct {
	Type   string
	ID     string
	Date   time.Time
	Fields []Field  // besides type, ID, date, length and the digest of the block
	Block  [][]byte // pieces in a row
	Coding Coding
}

// Coding is the compression of a record. All codings make gzip.
type Coding uint8

const (
	// Small is the fastest level that looks for repetitions: pages shrink to a third. The default
	// level takes three times as long and saves another 8 %.
	Small Coding = iota
	// Quick only gives frequent octets short codes: pages shrink to 0.6 of their size, in a third
	// of the time.
	Quick
	// Stored does not compress.
	Stored
	codings
)

var levels = [codings]int{gzip.BestSpeed, gzip.HuffmanOnly, gzip.NoCompression}

// Writer writes records. Its zero value is ready.
type Writer struct {
	z     [codings]*gzip.Writer
	head  []byte
	block hash.Hash
}

// appender appends written octets.
type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

// Append appends a record to dst as one gzip member. It fails if a field contains a character that
// would end its line.
func (w *Writer) Append(dst []byte, r *NewRecord) ([]byte, error) {
	if w.block == nil {
		w.block = sha1.New()
	}
	w.block.Reset()
	length := 0
	for _, piece := range r.Block {
		length += len(piece)
		w.block.Write(piece)
	}
	head := append(w.head[:0], "WARC/1.1\r\n"...)
	var err error
	add := func(name, value string) {
		for i := range len(value) {
			if value[i] < ' ' && value[i] != '\t' || value[i] == 0x7f {
				err = fmt.Errorf("field %s of a record: %q has a character that cannot be in "+
					"a header", name, value)
			}
		}
		head = append(append(append(append(head, name...), ": "...), value...), "\r\n"...)
	}
	add(TypeField, r.Type)
	add(IDField, r.ID)
	add(DateField, FormatDate(r.Date))
	for _, f := range r.Fields {
		add(f.Name, f.Value)
	}
	add(BlockDigestField, DigestText(w.block.Sum(nil)))
	add(LengthField, strconv.Itoa(length))
	w.head = append(head, "\r\n"...)
	if err != nil {
		return dst, err
	}
	z := w.z[r.Coding]
	if z == nil {
		var err error
		if z, err = gzip.NewWriterLevel(nil, levels[r.Coding]); err != nil {
			return dst, fmt.Errorf("compress a record: %w", err)
		}
		w.z[r.Coding] = z
	}
	out := appender(dst)
	z.Reset(&out)
	z.Write(w.head)
	for _, piece := range r.Block {
		z.Write(piece)
	}
	io.WriteString(z, "\r\n\r\n")
	if err := z.Close(); err != nil {
		return dst, fmt.Errorf("compress a record: %w", err)
	}
	return out, nil
}
