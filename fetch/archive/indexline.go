package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// MaxIndexLine limits a line, in octets: two URLs and some numbers.
const MaxIndexLine = 256 << 10

// Capture is a line of the CDXJ index: the place of a capture.
//
// A line has a key, a moment of 14 digits (UTC) and a JSON object:
//
//	org,example)/news 20260131120000 {"url": "https://example.org/news", "mime": "text/html", ...}
//
// # Guarantees
//
//  1. The key is the Wayback Machine's SURT: captures of a page are neighbours, and so are pages of
//     a domain. Several URLs may share a key; the object names the captured one.
//  2. Lines in the order of their octets are in the order of key and time.
//  3. ParseIndexLine accepts unknown fields and numbers as text, as others write them. It refuses
//     lines longer than MaxIndexLine.
//
// Sources: the CDXJ format of webrecorder/cdxj-indexer, and the keys of internetarchive/surt.
type Capture struct {
	Key  string    `json:"-"`
	Time time.Time `json:"-"` // to the second
	// Type is the media type in the header of a revisit. It is known only if the record was read.
	Type string `json:"-"`
	// Chunked means that the body was sent in chunks. It is known only if the record was read.
	Chunked bool `json:"-"`

	URL      string `json:"url"`
	MIME     string `json:"mime,omitempty"`   // of the answer; or Revisit
	Status   string `json:"status,omitempty"` // of HTTP
	Digest   string `json:"digest,omitempty"` // of the payload: "sha1:" and base 32
	Length   int64  `json:"length"`           // octets of the record in its file
	Offset   int64  `json:"offset"`
	Filename string `json:"filename"`

	// Date and the fields below are extensions of recrawl's own index. Plain removes them for other
	// tools.
	Date string `json:"date,omitempty"` // of the record, in its form
	// Within is the number of octets before the record in its gzip member, uncompressed. Length is
	// 0 if a member has several records.
	Within     int64  `json:"within,omitempty"`
	Truncated  string `json:"truncated,omitempty"` // why the body is cut
	RefersURI  string `json:"refers_to_uri,omitempty"`
	RefersDate string `json:"refers_to_date,omitempty"`
}

// Plain returns the capture with only the seven usual fields.
func (c Capture) Plain() Capture {
	c.Date, c.Truncated, c.RefersURI, c.RefersDate, c.Within = "", "", "", "", 0
	return c
}

// Revisit is the media type of captures that refer to another one.
const Revisit = "warc/revisit"

const stamp = "20060102150405"

// Stamp returns a moment as 14 digits of UTC.
func Stamp(t time.Time) string { return t.UTC().Format(stamp) }

// ErrStamp is returned for a text that is not a moment.
var ErrStamp = words.Hint(errors.New("not a moment"), replayShows, words.ExitMisuse)

const replayShows = "recrawl replay shows which pages and moments there are"

// ParseStamp reads 1 to 14 digits. Missing digits mean the start: 2026 is the start of that year.
func ParseStamp(text string) (time.Time, error) {
	const first = "00010101000000"
	if len(text) < 4 || len(text) > len(stamp) || strings.Trim(text, "0123456789") != "" {
		return time.Time{}, fmt.Errorf("%w: %.30q; want 4 to 14 digits, such as 20260131120000",
			ErrStamp, text)
	}
	whole := text + first[len(text):]
	if len(text) == 5 || len(text) == 7 { // half a month or day
		whole = text[:len(text)-1] + first[len(text)-1:]
	}
	t, err := time.Parse(stamp, whole)
	if err != nil {
		return t, fmt.Errorf("%w: %q; there is no such day or hour", ErrStamp, text)
	}
	return t, nil
}

// AppendIndexLine appends the line of a capture, with its end. Numbers are written as text, as
// other tools do.
func AppendIndexLine(dst []byte, c *Capture) ([]byte, error) {
	return appendIndexLine(dst, c, Stamp(c.Time))
}

// AppendIndexLineAt is AppendIndexLine with a moment in milliseconds, of 17 digits (CDXJ 0.1.0,
// Integer Timestamp).
func AppendIndexLineAt(dst []byte, c *Capture, at time.Time) ([]byte, error) {
	at = at.UTC()
	return appendIndexLine(dst, c, fmt.Sprintf("%s%03d",
		Stamp(at), at.Nanosecond()/int(time.Millisecond)))
}

func appendIndexLine(dst []byte, c *Capture, at string) ([]byte, error) {
	var object bytes.Buffer
	e := json.NewEncoder(&object)
	e.SetEscapeHTML(false)
	if err := e.Encode(struct {
		URL        string `json:"url"`
		MIME       string `json:"mime,omitempty"`
		Status     string `json:"status,omitempty"`
		Digest     string `json:"digest,omitempty"`
		Length     int64  `json:"length,string"`
		Offset     int64  `json:"offset,string"`
		Filename   string `json:"filename"`
		Within     int64  `json:"within,string,omitempty"`
		Date       string `json:"date,omitempty"`
		Truncated  string `json:"truncated,omitempty"`
		RefersURI  string `json:"refers_to_uri,omitempty"`
		RefersDate string `json:"refers_to_date,omitempty"`
	}{c.URL, c.MIME, c.Status, c.Digest, c.Length, c.Offset, c.Filename, c.Within, c.Date,
		c.Truncated, c.RefersURI, c.RefersDate}); err != nil {
		return dst, fmt.Errorf("index line of %s: %w", c.URL, err)
	}
	dst = append(append(append(dst, c.Key...), ' '), at...)
	return append(append(dst, ' '), object.Bytes()...), nil
}

var errLine = errors.New("want a key, a time of 14 or 17 digits and a JSON object")

// IsStamp reports whether a text has the length of a moment in seconds or in milliseconds (CDXJ
// 0.1.0).
func IsStamp(text []byte) bool { return len(text) == len(stamp) || len(text) == len(stamp)+3 }

// ParseIndexLine reads a line. It drops the milliseconds of the moment.
func ParseIndexLine(line []byte) (*Capture, error) {
	if len(line) > MaxIndexLine {
		return nil, fmt.Errorf("index line of %d octets: want at most %d", len(line), MaxIndexLine)
	}
	parts := bytes.SplitN(bytes.TrimRight(line, "\r\n"), []byte(" "), 3)
	if len(parts) != 3 || len(parts[0]) == 0 || !IsStamp(parts[1]) {
		return nil, fmt.Errorf("index line %.80q: %w", line, errLine)
	}
	at, err := ParseStamp(string(parts[1][:len(stamp)]))
	if err == nil && len(bytes.Trim(parts[1], "0123456789")) > 0 {
		err = ErrStamp
	}
	if err != nil {
		return nil, fmt.Errorf("index line %.80q: %w", line, err)
	}
	var raw struct {
		URL, MIME, Status, Digest, Filename text
		Length, Offset, Within              text
		Date, Truncated                     text
		RefersURI                           text `json:"refers_to_uri"`
		RefersDate                          text `json:"refers_to_date"`
	}
	if err := json.Unmarshal(parts[2], &raw); err != nil {
		return nil, fmt.Errorf("index line %.80q: %w: %v", line, errLine, err)
	}
	c := &Capture{Key: string(parts[0]), Time: at, URL: string(raw.URL), MIME: string(raw.MIME),
		Status: string(raw.Status), Digest: string(raw.Digest), Filename: string(raw.Filename),
		Date: string(raw.Date), Truncated: string(raw.Truncated),
		RefersURI: string(raw.RefersURI), RefersDate: string(raw.RefersDate)}
	for _, n := range []struct {
		text text
		to   *int64
	}{{raw.Length, &c.Length}, {raw.Offset, &c.Offset}, {raw.Within, &c.Within}} {
		if n.text == "" {
			continue
		}
		if *n.to, err = strconv.ParseInt(string(n.text), 10, 64); err != nil || *n.to < 0 {
			return nil, fmt.Errorf("index line %.80q: %q is not a length or offset",
				line, string(n.text))
		}
	}
	return c, nil
}

// text is a JSON string, or a number read as text.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*t = text(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*t = text(n)
	return nil
}
