package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// framing passes on answers in a form that net/http accepts, among them those that curl and
// browsers read and net/http refuses. Other answers pass unchanged. net/http is strict so that two
// readers of one connection agree on the end of an answer; these connections have one answer and
// one reader. framing still refuses answers whose end or kind is unclear: lengths that are negative
// or contradict each other, chunks without a size, a NUL in a field, a line that is no status line.
// If the length is missing or cannot be read, the answer ends with the connection.
//
// framing is a reader between a connection and net/http.
type framing struct {
	raw   *bufio.Reader
	out   []byte // is read before anything else
	err   error  // follows out
	phase framingPhase
	left  uint64 // octets left of the chunk
	room  int64  // octets left for headers

	header, line, field []byte // reused room
}

type framingPhase uint8

const (
	framingHeader  framingPhase = iota
	framingRest                 // unchanged, to the end of the connection
	framingSize                 // size of a chunk
	framingChunk                // content of a chunk
	framingEnd                  // end of a chunk's content
	framingTrailer              // fields behind the last chunk
)

func (f *framing) reset(raw *bufio.Reader, mostHeader int64) {
	const usual = 4 << 10
	if cap(f.header)+cap(f.line)+cap(f.field) > usual {
		f.header, f.line, f.field = nil, nil, nil
	}
	*f = framing{raw: raw, room: mostHeader, header: f.header[:0], line: f.line, field: f.field}
}

func (f *framing) Read(p []byte) (int, error) {
	for {
		switch {
		case len(f.out) > 0:
			n := copy(p, f.out)
			f.out = f.out[n:]
			return n, nil
		case f.err != nil:
			return 0, f.err
		}
		switch f.phase {
		case framingHeader:
			f.readHeader()
		case framingRest:
			return f.raw.Read(p)
		case framingSize:
			f.readSize()
		case framingChunk:
			n, err := f.raw.Read(p[:min(uint64(len(p)), f.left)])
			if f.left -= uint64(n); f.left == 0 {
				f.phase = framingEnd
			}
			return n, err
		case framingEnd:
			f.readEnd()
		case framingTrailer:
			f.readTrailer()
		}
	}
}

// readLine reads a line with its end, or the beginning of a longer line.
func (f *framing) readLine() []byte {
	line, err := f.raw.ReadSlice('\n')
	if err != nil && err != bufio.ErrBufferFull {
		f.err = err
	}
	return line
}

// readSize reads the line before a chunk. Blanks may stand before an extension (RFC 9112 7.1.1),
// and a line may end in LF alone.
func (f *framing) readSize() {
	line := f.readLine()
	digits := 0
	for digits < len(line) && isHex(line[digits]) {
		digits++
	}
	size, err := strconv.ParseUint(string(line[:digits]), 16, 64)
	rest := bytes.TrimRight(line[digits:], "\r\n")
	if f.err != nil || err != nil || line[len(line)-1] != '\n' ||
		len(rest) > 0 && strings.IndexByte("; \t", rest[0]) < 0 {
		f.out, f.phase = line, framingRest // net/http says what is wrong with it
		return
	}
	f.out = append(append(f.header[:0], line[:digits]...), "\r\n"...)
	if f.left, f.phase = size, framingChunk; size == 0 {
		f.phase = framingTrailer
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// readEnd reads the end of line behind a chunk.
func (f *framing) readEnd() {
	next, err := f.raw.Peek(1)
	switch {
	case err != nil:
		f.err = err
	case next[0] == '\n':
		f.raw.Discard(1)
		f.out, f.phase = append(f.header[:0], "\r\n"...), framingSize
	default:
		f.out, f.phase = f.readLine(), framingSize
		if string(f.out) != "\r\n" {
			f.phase = framingRest
		}
	}
}

// readTrailer skips the fields behind the last chunk. They may be missing or wrong, because the
// content is whole without them.
func (f *framing) readTrailer() {
	for f.err == nil {
		if len(bytes.TrimRight(f.readLine(), "\r\n")) == 0 {
			break
		}
	}
	f.out, f.err = append(f.header[:0], "\r\n"...), io.EOF
}

// header is the header of an answer, rewritten line by line.
type header struct {
	out      []byte
	line     []byte   // the current field, with its continued lines joined
	transfer []string // values of Transfer-Encoding and Content-Length, which are written last
	lengths  []string
}

// readHeader reads the header of an answer.
func (f *framing) readHeader() {
	status, whole := f.headerLine(f.line[:0])
	out, code, ok := parseStatusLine(f.header[:0], status)
	if !whole || !ok {
		if f.out, f.phase = status, framingRest; whole {
			f.out = append(f.out, "\r\n"...)
		}
		return
	}
	h := header{out: append(out, "\r\n"...), line: f.field[:0]}
	line := status
	defer func() { f.line, f.field = line, h.line }()
	for {
		line, whole = f.headerLine(line[:0])
		switch {
		case !whole:
			h.field()
			f.out = append(h.out, line...)
			return
		case len(line) == 0:
			h.field()
			chunked := h.frame()
			if f.header = append(h.out, "\r\n"...); chunked {
				// HTTP/1.0 has no chunks, but some servers announce 1.0 and send them.
				copy(f.header, "HTTP/1.1")
			}
			f.out = f.header
			switch {
			case code/100 == 1 && code != http.StatusSwitchingProtocols: // interim
			case chunked:
				f.phase = framingSize
			default:
				f.phase = framingRest
			}
			return
		case line[0] != ' ' && line[0] != '\t':
			h.field()
			h.line = append(h.line[:0], bytes.TrimRight(line, " \t")...)
		case len(h.line) == 0: // no field to continue
		default: // continued (RFC 9112 5.2)
			h.line = append(append(h.line, ' '), bytes.Trim(line, " \t")...)
		}
	}
}

// headerLine appends a line without its end, and reports whether the line is whole.
func (f *framing) headerLine(line []byte) (_ []byte, whole bool) {
	for f.err == nil {
		part := f.readLine()
		if f.room -= int64(len(part)); f.room < 0 {
			f.err = errLongHeader
			break
		}
		line = append(line, part...)
		if n := len(line); n > 0 && line[n-1] == '\n' {
			return bytes.TrimRight(line[:n-1], "\r"), true
		}
	}
	return line, false
}

// parseStatusLine appends a status line as net/http reads it, and returns its code.
func parseStatusLine(out, line []byte) (_ []byte, code int, ok bool) {
	const prefix = "HTTP/"
	if len(line) < len(prefix) || !bytes.EqualFold(line[:len(prefix)], []byte(prefix)) {
		return nil, 0, false
	}
	version, rest, ok := bytes.Cut(line[len(prefix):], []byte(" "))
	switch {
	case len(version) == 3 && isDigit(version[0]) && version[1] == '.' && isDigit(version[2]):
	case len(version) == 1 && (version[0] == '2' || version[0] == '3'):
		version = []byte("1.1") // unknown version: read as 1.1
	default:
		return nil, 0, false
	}
	rest = bytes.TrimLeft(rest, " ")
	if !ok || len(rest) < 3 || !isDigit(rest[0]) || !isDigit(rest[1]) || !isDigit(rest[2]) ||
		len(rest) > 3 && isDigit(rest[3]) {
		return nil, 0, false
	}
	out = append(append(append(out, prefix...), version...), ' ')
	out = append(out, rest[:3]...)
	if len(rest) > 3 && rest[3] != ' ' {
		out = append(out, ' ')
	}
	code = int(rest[0]-'0')*100 + int(rest[1]-'0')*10 + int(rest[2]-'0')
	return append(out, rest[3:]...), code, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// field ends the current field. It drops a line without a name or colon.
func (h *header) field() {
	line := h.line
	h.line = h.line[:0]
	at := bytes.IndexByte(line, ':')
	if bytes.IndexByte(line, 0) >= 0 { // net/http refuses it, and so do browsers
		h.out = append(append(h.out, line...), "\r\n"...)
		return
	}
	name := bytes.TrimRight(line[:max(at, 0)], " \t")
	if len(name) == 0 || slices.ContainsFunc(name, func(c byte) bool { return !isOfName(c) }) {
		return
	}
	value := line[at+1:]
	for i, c := range value {
		if c < ' ' && c != '\t' || c == 0x7f {
			value[i] = ' '
		}
	}
	switch {
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		h.transfer = append(h.transfer, string(value))
	case bytes.EqualFold(name, []byte("Content-Length")):
		h.lengths = append(h.lengths, string(value))
	default:
		h.out = append(append(append(append(h.out, name...), ':'), value...), "\r\n"...)
	}
}

// isOfName reports whether a character may stand in the name of a field (RFC 9110 5.1). A blank
// may, because net/http accepts it.
func isOfName(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		strings.IndexByte(" !#$%&'*+-.^_`|~", c) >= 0
}

// frame writes the fields that define the end of the body, and reports whether the body is chunked.
// Other transfer codings are undone like content codings, after those (RFC 9112 7).
func (h *header) frame() (chunked bool) {
	for _, value := range h.transfer {
		for coding := range strings.SplitSeq(value, ",") {
			switch coding = strings.ToLower(strings.Trim(coding, " \t\"'")); coding {
			case "", "identity", "none":
			case "chunked":
				chunked = true
			default:
				h.fields("Content-Encoding", []string{" " + coding})
			}
		}
	}
	switch length, ok := oneLength(h.lengths); {
	case chunked: // chunks count more than a length (RFC 9112 6.3)
		h.fields("Transfer-Encoding", []string{" chunked"})
	case !ok:
		h.fields("Content-Length", h.lengths)
	case length != "":
		h.fields("Content-Length", []string{" " + length})
	}
	return chunked
}

func (h *header) fields(name string, values []string) {
	for _, value := range values {
		h.out = append(append(append(append(h.out, name...), ':'), value...), "\r\n"...)
	}
}

// oneLength returns the length that all values name, or "" if none is a length. It returns false
// for a negative length and for values that contradict each other, like curl.
func oneLength(values []string) (length string, ok bool) {
	unread := false
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			one = strings.TrimPrefix(strings.Trim(one, " \t"), "+")
			digits := 0
			for digits < len(one) && isDigit(one[digits]) {
				digits++
			}
			switch {
			case one == "":
				continue
			case one[0] == '-':
				return "", false
			}
			rest := one[digits:] // for example "55 bytes", "55;"
			number, err := strconv.ParseInt(one[:digits], 10, 64)
			if err != nil || rest != "" && strings.IndexByte("; \t", rest[0]) < 0 ||
				strings.ContainsAny(rest, "0123456789") {
				unread = true
				continue
			}
			one = strconv.FormatInt(number, 10)
			if length = cmp.Or(length, one); length != one {
				return "", false
			}
		}
	}
	return length, length == "" || !unread
}

// framedConn is a connection of HTTP/1 that reads its one answer through framing.
type framedConn struct {
	net.Conn
	framing
}

func newFramedConn(conn net.Conn, mostHeader int64) *framedConn {
	c := &framedConn{Conn: conn}
	c.framing.reset(bufio.NewReaderSize(conn, talkRead), mostHeader)
	return c
}

func (c *framedConn) Read(p []byte) (int, error) { return c.framing.Read(p) }
