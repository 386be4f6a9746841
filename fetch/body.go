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

// body is the part of an answer that was read, with its content coding undone.
type body struct {
	octets    []byte
	truncated bool // not all of the content
	damaged   bool // because its coding is broken, not because it is too long

	large chan struct{} // taken place for a large body; nil: no place is taken
}

const (
	// smallBody is the memory that every body may take, in octets. A larger body needs one of a few
	// places, counted for pages and for sources. They limit the large bodies of hundreds of slow
	// servers to 300 MB at a time with the default limits.
	smallBody    = 256 << 10
	largePages   = 32
	largeSources = 4
)

// gathering is a body that is being read.
type gathering struct {
	octets []byte
	ctx    context.Context
	large  chan struct{}
	held   chan struct{} // large, once a place in it is taken
}

// readFrom appends all that a reader has. Room grows by a quarter: a bytes.Buffer doubles it, and a
// usual page that waits for its second half would have room for three. For large pages the room
// doubles, so that they are seldom copied.
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

// gather reads to the end of r. It waits for a place before it takes more than smallBody.
func (g *gathering) gather(r io.Reader) error {
	if err := g.readFrom(io.LimitReader(r, smallBody)); err != nil || len(g.octets) < smallBody {
		return err
	}
	if err := g.hold(); err != nil {
		return err
	}
	return g.readFrom(r)
}

// hold waits for a place if the body has none.
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

// release gives back the room of a body and the place of a large one. Nothing that was read from
// the body may be used afterwards. On nil it does nothing.
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

// decoders are reused: each takes 40 KB, about twice a page.
var decoders sync.Pool

const (
	// firstRead is enough room for half of all pages. Hundreds of visits that wait for slow servers
	// have this much. Room that grew for other pages is reused, so it seldom must grow again.
	firstRead = 16 << 10
	// largestRoom is the largest room that is reused.
	largestRoom = 128 << 10
	// usualBody is larger than most pages.
	usualBody = 64 << 10
)

// rooms are reused: making and collecting one for each page takes a twentieth of a visit.
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

// read reads at most limit octets of content, and at most limit octets from the wire, because small
// content can have an endless coded form. It never believes Content-Length. An error means that the
// connection failed or that the coded content ends in the middle: a lost part would look like a
// change. After a wrong checksum, or octets behind the end, the content is kept and marked as
// truncated.
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

// isPlain reports whether octets are text. Some servers send plain text and say that it is coded.
func isPlain(octets []byte) bool {
	return strings.HasPrefix(http.DetectContentType(octets), "text/")
}

// isUnknown reports whether octets are neither text nor of a known type. Browsers do not decode
// such content either, whatever coding the server names.
func isUnknown(octets []byte) bool {
	return http.DetectContentType(octets) == "application/octet-stream"
}

// errCoding is wrapped by errors of answers with a wrong or broken content coding.
var errCoding = errors.New("the coded content")

// wireReader remembers how the transfer ended, apart from the decoding.
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

// maxCodings limits how often a body may be compressed: twice is a known mistake of servers, three
// times an attack.
const maxCodings = 2

// contentCodings returns the codings to undo, the last one first, and the last name that is no
// coding. Servers also write charsets and meaningless words there; browsers ignore unknown names.
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

// decode undoes the codings. If content does not begin with the two octets that mark gzip, decode
// takes it as it is, because some servers name gzip and do not compress. If the connection closes
// before these octets, the content was cut, and decode returns io.ErrUnexpectedEOF.
func decode(buf *gathering, r io.Reader, codings []string, limit int64, endsByClosing bool) error {
	for i, name := range codings {
		if name != "gzip" {
			return decodeHeld(buf, r, codings[i:], limit, endsByClosing)
		}
		var mark [2]byte
		n, err := io.ReadFull(r, mark[:])
		r = io.MultiReader(bytes.NewReader(mark[:n]), r)
		if err != nil && endsByClosing {
			return io.ErrUnexpectedEOF // too short to show its coding
		}
		if err == nil && isZlib(mark[:]) { // curl reads it under either name
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
