package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// body is what was read of an answer, content coding undone.
type body struct {
	octets    []byte
	truncated bool // not all of the content
	damaged   bool // because its coding is broken, not because it is too long

	large chan struct{} // one of the places for large bodies is taken; nil: none is
}

const (
	// smallBody is what every body may take of memory. Larger ones take places, of which there are
	// so many for pages and for sources, so that hundreds of slow servers cannot have hundreds of
	// large bodies held at a time: 300 MB at most by the default limits.
	smallBody    = 256 << 10
	largePages   = 32
	largeSources = 4
)

// gathering is a body that is being read.
type gathering struct {
	octets []byte
	ctx    context.Context
	large  chan struct{}
	held   chan struct{} // large, once a place there is taken
}

// readFrom adds all that a reader has. Room grows by a quarter, where a bytes.Buffer doubles it: a
// page of usual size that waits for its second half would have room for three. That of large pages
// is doubled, so that they are seldom copied.
func (g *gathering) readFrom(r io.Reader) error {
	for {
		room := bytes.MinRead
		if n := len(g.octets); n >= usualBody && cap(g.octets)-n < room {
			room = n
		}
		g.octets = slices.Grow(g.octets, room)
		n, err := r.Read(g.octets[len(g.octets):cap(g.octets)])
		g.octets = g.octets[:len(g.octets)+n]
		switch err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// gather reads to the end. Before it takes more than smallBody it waits for a place.
func (g *gathering) gather(r io.Reader) error {
	if err := g.readFrom(io.LimitReader(r, smallBody)); err != nil || len(g.octets) < smallBody {
		return err
	}
	if err := g.hold(); err != nil {
		return err
	}
	return g.readFrom(r)
}

// hold waits for a place, unless there is one.
func (g *gathering) hold() error {
	if g.held != nil {
		return nil
	}
	select {
	case g.large <- struct{}{}:
		g.held = g.large
		return nil
	case <-g.ctx.Done():
		return g.ctx.Err()
	}
}

// release gives back the room of a body, and the place of a large one, when it is needed no more:
// nothing of what was read of it may refer to it. Of nil it does nothing.
func (a *answer) release() {
	if a == nil {
		return
	}
	if a.body.large != nil {
		<-a.body.large
		a.body.large = nil
	}
	giveRoom(a.body.octets)
	a.body.octets = nil
}

// decoders are used again: each is 40 KB, about twice a page.
var decoders sync.Pool

const (
	// firstRead is room for half of all pages in one piece. Room that grew for others is used
	// again, so that it seldom must grow; hundreds of visits that wait for slow servers have this.
	firstRead = 16 << 10
	// largestRoom is the largest room that is used again.
	largestRoom = 128 << 10
	// usualBody is more than most pages have.
	usualBody = 64 << 10
)

// rooms are used again: to make and collect one for each page takes a twentieth of a visit.
var rooms sync.Pool

// takeRoom returns an empty slice with room for a page.
func takeRoom() []byte {
	if room, ok := rooms.Get().(*[]byte); ok {
		return *room
	}
	return make([]byte, 0, firstRead)
}

// giveRoom gives back what has grown from takeRoom.
func giveRoom(room []byte) {
	if cap(room) >= firstRead && cap(room) <= largestRoom {
		room = room[:0]
		rooms.Put(&room)
	}
}

// read reads at most limit octets, and no more than limit from the wire either: a
// content that is small when decoded can be endless before. What was promised in
// Content-Length is never believed. An error means that the connection failed, or that the coded
// content ends in the middle: what is lost would look like a change. A wrong checksum, or
// something behind the end, costs nothing of the content, which is kept and marked as truncated.
func (b *body) read(ctx context.Context, r *http.Response, limit int64, large chan struct{}) error {
	codings, unknown, err := contentCodings(r.Header)
	if err != nil {
		return err
	}
	wire := &wireReader{r: io.LimitReader(r.Body, limit+1)}
	buf := &gathering{octets: takeRoom(), ctx: ctx, large: large}
	defer func() { b.large = buf.held }()
	if len(codings) == 0 {
		err = buf.gather(wire)
	} else {
		endsByClosing := r.ContentLength < 0 && len(r.TransferEncoding) == 0 && r.ProtoMajor < 2
		err = decode(buf, wire, codings, limit+1, endsByClosing)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if wire.err != nil {
		return fmt.Errorf("read the body: %w", wire.err)
	}
	b.octets = buf.octets
	switch {
	case int64(len(b.octets)) > limit || wire.n > limit:
		b.octets = b.octets[:min(int64(len(b.octets)), limit)]
		b.truncated = true
	case err == nil:
	case isHarmless(err), errors.Is(err, gzip.ErrHeader) && len(b.octets) > 0:
		b.truncated, b.damaged = true, true
	default:
		return fmt.Errorf("%w ends in the middle, or is damaged: %v", errCoding, err)
	}
	if unknown != "" && !isPlain(b.octets) {
		return fmt.Errorf("%w is %q, which was not asked for", errCoding, printable(unknown))
	}
	return nil
}

// isPlain reports whether octets are text. Servers say of it that it is coded.
func isPlain(octets []byte) bool {
	return strings.HasPrefix(http.DetectContentType(octets), "text/")
}

// isUnknown reports whether octets are neither text nor of a known type. Browsers cannot decode
// such content under the name of a coding either.
func isUnknown(octets []byte) bool {
	return http.DetectContentType(octets) == "application/octet-stream"
}

// errCoding is for answers whose content coding is not as it should be.
var errCoding = errors.New("the coded content")

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

// contentCodings returns the codings to undo, the last one first, and the last name that is none of
// them. Servers write charsets there, and words for nothing; browsers pass over what they do not
// know.
func contentCodings(h http.Header) (codings []string, unknown string, err error) {
	for _, line := range h.Values("Content-Encoding") {
		for name := range strings.SplitSeq(line, ",") {
			name, _, _ = strings.Cut(name, ";")
			name = strings.ToLower(strings.Trim(name, " \t\"'"))
			switch name = strings.TrimPrefix(name, "x-"); name {
			case "", "identity":
			case "gzip", "deflate", "br", "zstd":
				codings = append(codings, name)
			default:
				unknown = name
			}
			if len(codings) > maxCodings {
				return nil, "", fmt.Errorf("%w is coded too many times", errCoding)
			}
		}
	}
	slices.Reverse(codings)
	return codings, unknown, nil
}

// decode undoes the codings. Content that lacks the mark of its coding is taken as it is: servers
// say gzip of what they did not compress. One that ends by closing, before the mark, was cut.
func decode(buf *gathering, r io.Reader, codings []string, limit int64, endsByClosing bool) error {
	for i, name := range codings {
		if name != "gzip" {
			return decodeHeld(buf, r, codings[i:], limit, endsByClosing)
		}
		var mark [2]byte
		n, err := io.ReadFull(r, mark[:])
		r = io.MultiReader(bytes.NewReader(mark[:n]), r)
		if err != nil && endsByClosing {
			return io.ErrUnexpectedEOF // it ends before it can be told what it is
		}
		if err == nil && isZlib(mark[:]) { // which curl reads under either name
			return decodeHeld(buf, r, append([]string{"deflate"}, codings[i+1:]...), limit,
				endsByClosing)
		}
		if err != nil || mark != [2]byte{0x1f, 0x8b} {
			if err = buf.gather(io.LimitReader(r, limit)); err == nil && isUnknown(buf.octets) {
				err = fmt.Errorf("it is no %s", name)
			}
			return err
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
	return buf.gather(io.LimitReader(r, limit))
}
