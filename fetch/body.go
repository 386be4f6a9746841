package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// body is what was read of an answer, content coding undone.
type body struct {
	octets    []byte
	truncated bool // not all of the content
	damaged   bool // because its coding is broken, not because it is too long
}

// decoders are used again: each is 40 KB, about twice a page.
var decoders sync.Pool

// firstRead is room for most pages in one piece.
const firstRead = 32 << 10

// read reads at most limit octets, and no more than limit from the wire either: a
// content that is small when decoded can be endless before. What was promised in
// Content-Length is never believed. An error means that the connection failed; what is
// only badly coded is kept as far as it could be read, since asking again would bring
// the same.
func (b *body) read(r *http.Response, limit int64) error {
	codings, err := contentCodings(r.Header)
	if err != nil {
		return err
	}
	wire := &wireReader{r: io.LimitReader(r.Body, limit+1)}
	var buf bytes.Buffer
	buf.Grow(firstRead)
	if len(codings) == 0 {
		_, err = buf.ReadFrom(wire)
	} else {
		err = decode(&buf, wire, len(codings), limit+1)
	}
	if wire.err != nil {
		return fmt.Errorf("read the body: %w", wire.err)
	}
	b.octets = buf.Bytes()
	b.truncated, b.damaged = err != nil, err != nil
	if int64(len(b.octets)) > limit || wire.n > limit {
		b.octets = b.octets[:min(int64(len(b.octets)), limit)]
		b.truncated, b.damaged = true, false
	}
	return nil
}

// wireReader remembers how the transfer itself went, apart from its decoding.
type wireReader struct {
	r   io.Reader
	n   int64
	err error
}

func (w *wireReader) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	w.n += int64(n)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

// maxCodings bounds how often a body may be compressed: a second time is a known
// mistake, a third an attack.
const maxCodings = 2

// contentCodings returns the codings to undo: only gzip, the only one asked for.
func contentCodings(h http.Header) ([]string, error) {
	var codings []string
	for _, line := range h.Values("Content-Encoding") {
		for name := range strings.SplitSeq(line, ",") {
			switch name = strings.ToLower(strings.TrimSpace(name)); name {
			case "", "identity":
			case "gzip", "x-gzip":
				codings = append(codings, name)
			default:
				return nil, fmt.Errorf("content coding %q was not asked for", printable(name))
			}
			if len(codings) > maxCodings {
				return nil, errors.New("too many content codings")
			}
		}
	}
	return codings, nil
}

// decode undoes gzip so many times. Content that lacks the mark of gzip is taken as it
// is: servers say gzip of what they did not compress.
func decode(buf *bytes.Buffer, r io.Reader, times int, limit int64) error {
	for range times {
		var mark [2]byte
		n, err := io.ReadFull(r, mark[:])
		r = io.MultiReader(bytes.NewReader(mark[:n]), r)
		if err != nil || mark != [2]byte{0x1f, 0x8b} {
			break
		}
		z, ok := decoders.Get().(*gzip.Reader)
		if !ok {
			z = new(gzip.Reader)
		}
		defer decoders.Put(z)
		if err := z.Reset(r); err != nil {
			return err
		}
		r = z
	}
	_, err := buf.ReadFrom(io.LimitReader(r, limit))
	return err
}
