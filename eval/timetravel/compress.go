package timetravel

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minCompressed is the size in bytes from which a body is compressed. A smaller body fits into one
// packet without compression.
const minCompressed = 1400

// acceptsGzip reports whether the values of Accept-Encoding accept gzip (RFC 9110 12.5.3). "*" does
// not count: a client that sends it probably does not care.
func acceptsGzip(values []string) bool {
	for _, value := range values {
		for coding := range strings.SplitSeq(value, ",") {
			name, weight, _ := strings.Cut(coding, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				key, q, _ := strings.Cut(strings.TrimSpace(weight), "=")
				n, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
				return !strings.EqualFold(strings.TrimSpace(key), "q") || err == nil && n > 0
			}
		}
	}
	return false
}

// compressed is the gzip'd form of a body, made at the first request for it: an answer 304 never
// needs it.
type compressed struct {
	plain  []byte
	header http.Header // of the answer; gets the length
	r      *bytes.Reader
}

// Seek is the first call of http.ServeContent, to learn the length, which it does not announce for
// content with a coding.
func (c *compressed) Seek(offset int64, whence int) (int64, error) {
	if c.r == nil {
		b := zip(c.plain)
		c.header.Set("Content-Length", strconv.Itoa(len(b)))
		c.r = bytes.NewReader(b)
	}
	return c.r.Seek(offset, whence)
}

func (c *compressed) Read(b []byte) (int, error) { return c.r.Read(b) }

// Pages are served only once or twice each, so speed is more important than size.
var writers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	return z
}}

func zip(plain []byte) []byte {
	z := writers.Get().(*gzip.Writer)
	defer writers.Put(z)
	var b bytes.Buffer
	z.Reset(&b)
	z.Write(plain) // a buffer accepts everything
	z.Close()
	return b.Bytes()
}
