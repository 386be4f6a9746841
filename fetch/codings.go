package fetch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// Brotli (RFC 7932) and Zstandard (RFC 8878) let a server choose a window of up to 16 MB, which the
// decoder must hold: gigabytes for hundreds of slow servers. So coded content is first read, within
// the bounds of all bodies. A few decoders at a time then undo it in memory, and wait for no
// server.

const (
	// decodersAtOnce limits the decoders with a large window: 64 MB with the largest window of
	// brotli.
	decodersAtOnce = 4
	// zstdWindow is the largest window that a server may choose (RFC 9659 3).
	zstdWindow = 8 << 20
)

// decoding has a place for each decoder at work.
var decoding = make(chan struct{}, decodersAtOnce)

// zstdMark begins every Zstandard frame.
var zstdMark = []byte{0x28, 0xb5, 0x2f, 0xfd}

// decodeHeld undoes codings if the first has a large window, or no mark by which to know it. Text
// that cannot be decoded was not coded.
func decodeHeld(buf *gathering, r io.Reader, codings []string, limit int64,
	endsByClosing bool) error {
	coded := &gathering{ctx: buf.ctx, large: buf.large}
	err := coded.gather(io.LimitReader(r, limit))
	buf.held = coded.held
	if err != nil {
		return err
	}
	if len(coded.octets) == 0 && !endsByClosing {
		return nil
	}
	if buf.held == nil {
		// Most pages are small. A larger one is decoded a second time, because a body that holds a
		// decoder must not wait for the place of a large body.
		err := undo(buf, coded.octets, codings, smallBody, endsByClosing)
		if err != nil || len(buf.octets) < smallBody {
			return buf.unlessPlain(coded.octets, err)
		}
		buf.octets = buf.octets[:0]
		if err := buf.hold(); err != nil {
			return err
		}
	}
	return buf.unlessPlain(coded.octets, undo(buf, coded.octets, codings, limit, endsByClosing))
}

// unlessPlain takes content that cannot be decoded as it is, if it is text. Otherwise it returns
// err.
func (g *gathering) unlessPlain(coded []byte, err error) error {
	if err == nil || isHarmless(err) || g.ctx.Err() != nil || !isPlain(coded) {
		return err
	}
	g.octets = append(g.octets[:0], coded...)
	return nil
}

// undo decodes into buf, which has room for limit octets.
func undo(buf *gathering, coded []byte, codings []string, limit int64, endsByClosing bool) error {
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-buf.ctx.Done():
		return buf.ctx.Err()
	}
	var r io.Reader = bytes.NewReader(coded)
	for _, name := range codings {
		switch name {
		case "br":
			r = brotli.NewReader(r)
		case "deflate":
			var err error
			if r, err = inflate(r); err != nil {
				return err
			}
		case "zstd":
			if !startsWith(&r, zstdMark) {
				continue
			}
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(zstdWindow))
			if err != nil {
				return err
			}
			defer z.Close()
			r = z
		default:
			if !startsWith(&r, []byte{0x1f, 0x8b}) {
				continue
			}
			z, err := gzip.NewReader(r)
			if err != nil {
				return err
			}
			r = z
		}
	}
	before := len(buf.octets)
	err := buf.readFrom(io.LimitReader(contextReader{buf.ctx, r}, limit))
	if len(buf.octets) == before && err == nil && endsByClosing {
		return io.ErrUnexpectedEOF
	}
	return err
}

// inflate undoes deflate. Its format is zlib's (RFC 9110 8.4.1.2), but some servers send bare
// deflate or gzip.
func inflate(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	mark, _ := in.Peek(2) // the next read returns the error again
	switch {
	case isZlib(mark):
		return zlib.NewReader(in)
	case bytes.Equal(mark, []byte{0x1f, 0x8b}):
		return gzip.NewReader(in)
	}
	return flate.NewReader(in), nil
}

// isZlib reports whether octets begin as zlib's format does (RFC 1950 2.2).
func isZlib(mark []byte) bool {
	return len(mark) >= 2 && mark[0]&0x0f == 8 && mark[0] <= 0x78 &&
		binary.BigEndian.Uint16(mark)%31 == 0
}

// startsWith reports whether a reader begins with mark, and lets it be read from its start again.
func startsWith(r *io.Reader, mark []byte) bool {
	start := make([]byte, len(mark))
	n, _ := io.ReadFull(*r, start) // the next read returns the error again
	*r = io.MultiReader(bytes.NewReader(start[:n]), *r)
	return bytes.Equal(start[:n], mark)
}

// contextReader fails once its context has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// isHarmless reports whether a decoder failed after all content was there: the checksum is wrong,
// or octets follow the end.
func isHarmless(err error) bool {
	return errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zlib.ErrChecksum) ||
		errors.Is(err, zstd.ErrCRCMismatch) ||
		errors.Is(err, zstd.ErrMagicMismatch) || err != nil &&
		strings.HasSuffix(err.Error(), "excessive input")
}
