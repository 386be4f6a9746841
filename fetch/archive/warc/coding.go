package warc

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	// mostCodings limits the codings of a body. Two are a known mistake, more are an attack.
	mostCodings = 4

	// mostBetween limits the octets that a step makes for the next one.
	mostBetween = 64 << 20

	// zstdWindow is the largest window that a server may choose (RFC 9659, 3), in octets.
	zstdWindow = 8 << 20
)

// names are codings that can be undone, and those that cannot (false).
var names = map[string]bool{"gzip": true, "x-gzip": true, "deflate": true, "br": true,
	"zstd": true, "compress": false, "x-compress": false, "dcb": false, "dcz": false,
	"sdch": false, "exi": false, "pack200-gzip": false}

// CodingsOf returns the codings in values of Content-Encoding, in the order of their application.
// It leaves out unknown names.
func CodingsOf(values ...string) (codings []string) {
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			name = strings.ToLower(strings.Trim(strings.TrimSpace(name), `"'`))
			if _, ok := names[name]; ok {
				codings = append(codings, name)
			}
		}
	}
	return codings
}

// Decode undoes the content codings of a body (RFC 9110, 8.4; see CodingsOf), and returns at most
// most octets. With an error it returns the octets before the damage. The result may be body
// itself.
//
// Codings are gzip, deflate with and without the header of zlib, br and zstd.
//
// # Guarantees
//
//  1. A body that is not in the coding of its header stays unchanged: writers of archives undo the
//     coding and keep the header, and servers name unused codings. A mark of gzip, zstd or zlib
//     decides. For a coding without a mark, a body stays unchanged if it cannot be decoded and
//     begins like text or a known file.
//  2. For a damaged or cut body the readable part and an error are returned.
//  3. Each step makes a bounded number of octets.
//
// Unknown names ("none", "utf-8", "binary") are skipped, as in browsers.
//
// All functions may be called concurrently.
func Decode(body []byte, codings []string, most int64) ([]byte, error) {
	if len(codings) > mostCodings {
		return nil, fmt.Errorf("the body has %d content codings; want at most %d",
			len(codings), mostCodings)
	}
	var bad error
	for i, name := range slices.Backward(codings) {
		limit := most
		if i > 0 {
			limit = max(most, mostBetween)
		}
		plain, err := undo(body, name, limit)
		if err != nil {
			bad = errors.Join(bad, fmt.Errorf("undo the content coding %s: %w", name, err))
		}
		body = plain
	}
	return body[:min(int64(len(body)), most)], bad
}

// IsPlain reports whether a body is not in the last of its codings. It returns true if there is
// none.
func IsPlain(body []byte, codings []string) bool {
	if len(codings) == 0 || len(body) == 0 {
		return true
	}
	if isGzip(body) || isZstd(body) {
		return false
	}
	const enough = 64 << 10 // octets that show whether it can be decoded
	plain, _ := undo(body, codings[len(codings)-1], enough)
	return len(plain) > 0 && &plain[0] == &body[0]
}

// opener starts to decode.
type opener func(*bytes.Reader) (io.Reader, error)

func openFlate(r *bytes.Reader) (io.Reader, error)  { return flate.NewReader(r), nil }
func openBrotli(r *bytes.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }

func openZlib(r *bytes.Reader) (io.Reader, error) {
	_, err := zlib.NewReader(r) // reads the header
	return &inflater{r, flate.NewReader(r), len("sum4"), nil}, err
}

func openGzip(r *bytes.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r) // reads the header
	return &inflater{r, flate.NewReader(r), len("sum4size"), z}, err
}

// inflater reads the data between the header and the checksum of zlib or gzip, and skips the
// checksum: a missing one costs no content. It continues with further gzip members. Other data
// after them costs no content.
type inflater struct {
	in      *bytes.Reader
	z       io.ReadCloser
	trailer int          // octets
	members *gzip.Reader // reads further headers; nil: there is one member
}

func (f *inflater) Read(p []byte) (int, error) {
	n, err := f.z.Read(p)
	if err != io.EOF {
		return n, err
	}
	_, _ = f.in.Seek(int64(min(f.trailer, f.in.Len())), io.SeekCurrent) // it is in memory
	var mark [2]byte
	if _, err := f.in.ReadAt(mark[:], f.in.Size()-int64(f.in.Len())); f.members == nil ||
		err != nil || mark != [2]byte{0x1f, 0x8b} {
		f.z = io.NopCloser(strings.NewReader("")) // it stays at the end
		return n, io.EOF
	}
	if err := f.members.Reset(f.in); err != nil {
		return n, err
	}
	return n, f.z.(flate.Resetter).Reset(f.in, nil)
}

func openZstd(r *bytes.Reader) (io.Reader, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// undo undoes one coding. It returns an uncoded body unchanged.
func undo(body []byte, name string, most int64) (plain []byte, err error) {
	var tries []opener
	zlibMark := len(body) > 1 && body[0]&0x8f == 8 && body[1]&0x20 == 0 &&
		(int(body[0])<<8|int(body[1]))%31 == 0 // RFC 1950, 2.2
	switch {
	case len(body) == 0:
		return body, nil
	case isGzip(body): // whatever the header names
		plain, _, err = decode(body, openGzip, most)
		return plain, err
	case isZstd(body):
		plain, _, err = decode(body, openZstd, most)
		return plain, err
	case name == "br":
		tries = []opener{openBrotli}
	case name == "deflate" && zlibMark:
		tries = []opener{openZlib, openFlate}
	case name == "deflate":
		tries = []opener{openFlate}
	case zlibMark:
		tries = []opener{openZlib}
	case !names[name] && !isKnown(body):
		return nil, errors.New("it is not known how")
	}
	for _, open := range tries {
		part, left, bad := decode(body, open, most)
		if bad == nil && left == 0 {
			return part, nil
		}
		if len(part) > len(plain) || err == nil {
			plain, err = part, bad
		}
	}
	if name != "br" && name != "deflate" || isKnown(body) {
		return body, nil
	}
	return plain, err
}

// isGzip reports whether a body begins with the mark of gzip (RFC 1952, 2.3.1).
func isGzip(body []byte) bool { return bytes.HasPrefix(body, []byte{0x1f, 0x8b, 8}) }

// isZstd reports whether a body begins with a frame of zstd, or with a skippable frame (RFC 8878,
// 3.1).
func isZstd(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0x28, 0xb5, 0x2f, 0xfd}) || len(body) > 4 &&
		body[0]&0xf0 == 0x50 && bytes.HasPrefix(body[1:], []byte{0x2a, 0x4d, 0x18})
}

// decode reads at most most octets. left is the number of unused octets of the body. Errors of a
// checksum, or after the end, cost no content and are ignored.
func decode(body []byte, open opener, most int64) (plain []byte, left int, err error) {
	in := bytes.NewReader(body)
	r, err := open(in)
	if err != nil {
		return nil, len(body), err
	}
	if c, ok := r.(io.Closer); ok {
		defer c.Close()
	}
	plain, err = io.ReadAll(io.LimitReader(r, most))
	if int64(len(plain)) == most {
		return plain, 0, nil
	}
	switch {
	case errors.Is(err, zstd.ErrCRCMismatch),
		len(plain) > 0 && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch)):
		err = nil
	case err != nil && strings.HasSuffix(err.Error(), "excessive input"): // of brotli
		return plain, max(in.Len(), 1), nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return plain, in.Len(), err
}

// isKnown reports whether a body begins like text or a known file, but not like a cut gzip file.
func isKnown(body []byte) bool {
	kind := http.DetectContentType(body)
	return kind != "application/octet-stream" && kind != "application/x-gzip"
}
