package captures

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// indexed is a line of an index.
type indexed struct {
	url, mime, status, digest string
	stamp                     string // of 14 digits
	time                      time.Time
}

// set stores a column by its letter in CDX files, or its name in the JSON of index servers.
func (i *indexed) set(column string, value cell) {
	if value == "-" {
		return
	}
	switch column {
	case "a", "url", "original":
		i.url = string(value)
	case "b", "timestamp":
		i.stamp = string(value)
	case "m", "mime", "mimetype":
		i.mime = string(value)
	case "s", "status", "statuscode":
		i.status = string(value)
	case "k", "digest":
		i.digest = string(value)
	}
}

// at parses the moment.
func (i *indexed) at() (err error) {
	if len(i.stamp) != len("20060102150405") {
		return fmt.Errorf("the time is %.20q; want 14 digits", i.stamp)
	}
	i.time, err = archive.ParseStamp(i.stamp)
	return err
}

// cell is a JSON text, number or null. Other values become "".
type cell string

func (c *cell) UnmarshalJSON(b []byte) error {
	var text string
	var number json.Number
	if json.Unmarshal(b, &text) == nil {
		*c = cell(text)
	} else if json.Unmarshal(b, &number) == nil {
		*c = cell(number)
	}
	return nil
}

// cdxj reads an index with a JSON object a line, or the JSON lines of an index server.
func (r *reader) cdxj(ctx context.Context, in *Input) error {
	return r.lines(ctx, in, func(n int64, line []byte) error {
		if line[0] == '!' || line[0] == '@' {
			return nil // a header
		}
		i, err := parseCDXJ(line)
		if err != nil {
			r.file.bad(n, err.Error(), line)
			return nil
		}
		return r.indexed(n, line, i)
	})
}

func parseCDXJ(line []byte) (i indexed, err error) {
	if line[0] == '{' {
		var cells map[string]cell
		if err := json.Unmarshal(line, &cells); err != nil {
			return i, errors.New("no JSON object of texts")
		}
		for name, value := range cells {
			i.set(name, value)
		}
		return i, i.at()
	}
	c, err := archive.ParseIndexLine(line)
	if err != nil {
		return i, fmt.Errorf("want a key, a time of 14 digits and a JSON object")
	}
	return indexed{url: c.URL, mime: c.MIME, status: c.Status, digest: c.Digest, time: c.Time}, nil
}

// columnsOf returns the usual columns of an index without a header, by their number, or "". The
// index server of the Wayback Machine has seven.
func columnsOf(n int) string {
	return map[int]string{7: "N b a m s k S", 9: "N b a m s k r V g", 10: "N b a m s k r M V g",
		11: "N b a m s k r M S V g"}[n]
}

// cdx reads an index of columns. Its header names them.
func (r *reader) cdx(ctx context.Context, in *Input) error {
	from := bufio.NewReaderSize(in, mostLine)
	if head, _ := from.Peek(sniffed); jsonRows.Match(withoutMark(head)) {
		_, _ = from.Discard(len(head) - len(withoutMark(head))) // they are there
		return r.rows(ctx, from)
	}
	var columns []string
	return r.lines(ctx, from, func(n int64, line []byte) error {
		if bytes.HasPrefix(line, []byte(" CDX ")) {
			columns = strings.Fields(string(line))[1:]
			return nil
		}
		i, err := parseCDX(line, columns)
		if err != nil {
			r.file.bad(n, err.Error(), line)
			return nil
		}
		return r.indexed(n, line, i)
	})
}

func parseCDX(line []byte, columns []string) (i indexed, err error) {
	words := strings.Fields(string(line))
	if columns == nil {
		columns = strings.Fields(columnsOf(len(words)))
	}
	if len(words) != len(columns) || len(words) == 0 {
		return i, fmt.Errorf("%d columns; want %d, or 7, 9, 10 or 11 without a header",
			len(words), len(columns))
	}
	for at, column := range columns {
		i.set(column, cell(words[at]))
	}
	return i, i.at()
}

// indexed passes on the capture of a line.
func (r *reader) indexed(n int64, line []byte, i indexed) error {
	url, ok := r.page(n, i.url, line)
	if !ok {
		return nil
	}
	c := &Capture{URL: url, Payload: payloadDigest(i.digest)}
	var err error
	if i.status != "" {
		if c.Status, err = strconv.Atoi(i.status); err != nil {
			r.file.bad(n, fmt.Sprintf("the status is %.20q", i.status), line)
			return nil
		}
	}
	mime, _, _ := strings.Cut(strings.ToLower(i.mime), ";")
	switch {
	case mime == archive.Revisit && (c.Status == 0 || c.Status == 200 || c.Status == 203 ||
		c.Status == 304):
		if c.Kind = KindFetched; c.Payload.IsZero() {
			c.Kind = KindUnchanged
		}
	case c.Status == 0 && mime != "": // WARC records without HTTP, for example resource
		c.Kind = KindFetched
	default:
		c.Kind = kindOf(c.Status)
	}
	switch c.Kind {
	case KindUnknown:
		r.file.NoNews++
		return nil
	case KindFetched:
		if mime != archive.Revisit && !isPageType(mime) {
			r.file.NoPages++
			return nil
		}
		if c.Payload.IsZero() {
			r.file.NoNews++ // a page was there, with unknown content: comparable to nothing
			return nil
		}
	case KindGone, KindMoved:
		c.Payload = sitegraph.Digest{}
	}
	return r.capture(c, i.time)
}

// isPageType reports whether a media type is that of a page, or is not known.
func isPageType(mime string) bool {
	switch mime = strings.TrimSpace(mime); mime {
	case "", "-", "unk":
		return true
	}
	return extract.IsHTML(mime)
}

// payloadDigest normalises a digest. SHA-1 is usual, with or without its name, as 32 letters of
// base 32.
func payloadDigest(text string) sitegraph.Digest {
	if text == "" || text == "-" {
		return sitegraph.Digest{}
	}
	algorithm, value, named := strings.Cut(text, ":")
	if !named {
		algorithm, value = "", text
		if len(value) == 32 && strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" {
			algorithm = "sha1"
		}
	}
	return sitegraph.PayloadDigest(strings.ToLower(algorithm), value)
}
