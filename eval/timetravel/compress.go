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

// minCompressed is the size in bytes from which a body is compressed: below it the answer
// fits one packet either way.
const minCompressed = 1400

// acceptsGzip reads Accept-Encoding (RFC 9110 12.5.3). "*" is not taken for gzip: that a
// client means it is less likely than that it does not care.
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

// compressed is the gzip'd form of a body, made when it is first asked for: an answer 304
// never does.
type compressed struct {
	plain  []byte
	header http.Header // of the answer; gets the length
	r      *bytes.Reader
}

// Seek is what http.ServeContent calls first, to learn the length. It does not announce
// the length of content that has a coding itself.
func (c *compressed) Seek(offset int64, whence int) (int64, error) {
	if c.r == nil {
		b := zip(c.plain)
		c.header.Set("Content-Length", strconv.Itoa(len(b)))
		c.r = bytes.NewReader(b)
	}
	return c.r.Seek(offset, whence)
}

func (c *compressed) Read(b []byte) (int, error) { return c.r.Read(b) }

// Pages are served once or twice each, so speed counts for more than size.
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
	z.Write(plain) // a buffer takes everything
	z.Close()
	return b.Bytes()
}
