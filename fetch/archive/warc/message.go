package warc

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Message is an HTTP answer as it was received.
type Message struct {
	Status  int
	Head    []byte // status line, fields and the empty line
	Body    []byte // with its transfer coding, and without octets after its end
	Whole   bool   // the body is complete, as far as the head shows
	Open    bool   // the head does not show the end: it ends with the connection
	Payload []byte // SHA-1 of the body without its transfer coding
	Size    int64  // octets of the body without transfer coding
	fields  []Field
	undone  bool // the head announces chunks, and Body has none
	asIs    bool // Body has no transfer coding, whatever the head announces
}

// maxMessageHead limits the head of a message, in octets. Clients accept 128 KiB by default; other
// writers may keep longer ones.
const maxMessageHead = 1 << 20

var errHead = errors.New("the HTTP header has no end")

// ParseResponse reads an answer. It drops interim answers before it (RFC 9110, 15.2), and octets
// after its end.
func ParseResponse(raw []byte) (*Message, error) { return parse(raw, nil) }

// ParseRecord reads the answer in the block of a record. Some writers undo codings and keep the
// head. So a body longer than its Content-Length is complete if the record's digest matches, or
// without a digest, if the body is not in the content coding of the head.
func ParseRecord(rec *Record, block []byte) (*Message, error) { return parse(block, rec) }

func parse(raw []byte, of *Record) (*Message, error) {
	for {
		n := headLength(raw)
		if n < 0 {
			return nil, errHead
		}
		head, rest := raw[:n], raw[n:]
		m := &Message{Status: statusOf(head), fields: parseFields(head), Head: head}
		if m.Status >= 100 && m.Status < 200 && m.Status != 101 && len(rest) > 0 {
			raw = rest
			continue
		}
		m.read(rest)
		if of != nil && m.Body != nil && of.Type() == Response && m.isLonger(rest, of) {
			sum := sha1.Sum(rest)
			m.Body, m.Whole, m.asIs = rest, true, true
			m.Payload, m.Size = sum[:], int64(len(rest))
		}
		return m, nil
	}
}

// read finds the end of the body (RFC 9112, 6.3), and its digest.
func (m *Message) read(rest []byte) {
	sum := sha1.New()
	length, err := strconv.ParseInt(m.Get(LengthField), 10, 64)
	hasLength := err == nil && length >= 0
	switch {
	case m.Status == 304: // its payload is that of another record
		m.Whole = true
		return
	case m.Status == 204:
		m.Whole = true
	case isChunked(m.fields):
		from := bytes.NewReader(rest)
		buffered := bufio.NewReaderSize(from, maxChunkLine)
		d := &dechunker{r: buffered}
		m.Size, _ = io.Copy(sum, d)
		m.Whole, m.undone = d.done, d.asIs
		m.Body = rest
		if d.done {
			m.Body = rest[:len(rest)-from.Len()-buffered.Buffered()]
		}
		m.Payload = sum.Sum(nil)
		return
	case hasLength:
		m.Whole = int64(len(rest)) >= length
		m.Body = rest[:min(int64(len(rest)), length)]
	default:
		m.Body, m.Whole, m.Open = rest, true, true
	}
	m.Size = int64(len(m.Body))
	sum.Write(m.Body)
	m.Payload = sum.Sum(nil)
}

// isLonger reports whether the body is everything after the head, although the head shows an
// earlier end.
func (m *Message) isLonger(rest []byte, of *Record) bool {
	chunked := isChunked(m.fields)
	if chunked && m.Whole || !chunked && len(m.Body) == len(rest) {
		return false
	}
	if claim := of.Get(PayloadDigestField); claim != "" {
		if isDigest(m.Plain(), claim) {
			return false
		}
		if isDigest(rest, claim) {
			return true
		}
	}
	return !chunked && IsPlain(rest, m.codings()) && len(m.codings()) > 0
}

// IsChunked reports whether the head announces chunks.
func (m *Message) IsChunked() bool { return isChunked(m.fields) }

// codings returns the codings in the head.
func (m *Message) codings() []string { return Codings(m.fields) }

// Codings returns the codings of a body by its header, except chunks: those of the content, and
// then those of the transfer.
func Codings(header []Field) []string {
	var content, transfer []string
	for _, f := range header {
		switch {
		case strings.EqualFold(f.Name, "Content-Encoding"):
			content = append(content, f.Value)
		case strings.EqualFold(f.Name, "Transfer-Encoding"):
			transfer = append(transfer, f.Value)
		}
	}
	return CodingsOf(append(content, transfer...)...)
}

// IsDecoded reports whether the body is not in the content coding of the head.
func (m *Message) IsDecoded() bool {
	codings := m.codings()
	return len(codings) > 0 && IsPlain(m.Plain(), codings)
}

// Cut returns why the body in a record is not complete, or "" if it is or may be. The length of a
// decoded body shows nothing.
func (m *Message) Cut(rec *Record) string {
	why := rec.Get(TruncatedField)
	switch {
	case why != "" || rec.Type() == Revisit:
	case rec.Get("WARC-Segment-Number") != "":
		why = "it goes on in other records"
	case !m.Whole && !m.undone && !m.IsDecoded():
		why = "it has no end"
	}
	return why
}

// Get returns the first value of a field, or "".
func (m *Message) Get(name string) string { return get(m.fields, name) }

func get(fields []Field, name string) string {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// isChunked reports whether a transfer coding is chunked, anywhere in the list, like the fetcher.
func isChunked(fields []Field) bool {
	for _, f := range fields {
		if !strings.EqualFold(f.Name, "Transfer-Encoding") {
			continue
		}
		for name := range strings.SplitSeq(f.Value, ",") {
			if strings.EqualFold(strings.Trim(name, " \t\"'"), "chunked") {
				return true
			}
		}
	}
	return false
}

// statusOf returns the status in a status line, or 0. It accepts lower case, and no blank after the
// code: servers send both.
func statusOf(head []byte) int {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	words := strings.Fields(string(line[:min(len(line), 100)]))
	if len(words) < 2 || !strings.HasPrefix(strings.ToUpper(words[0]), "HTTP/") {
		return 0
	}
	code, digits := words[1], 0
	for digits < len(code) && code[digits] >= '0' && code[digits] <= '9' {
		digits++
	}
	if digits != 3 {
		return 0
	}
	status, _ := strconv.Atoi(code[:digits])
	return status
}

// headLength returns the length of a message's head with its empty line, or -1 if it has no end.
func headLength(raw []byte) int {
	for at := 0; at < min(len(raw), maxMessageHead); {
		n := bytes.IndexByte(raw[at:], '\n')
		if n < 0 {
			return -1
		}
		if len(bytes.TrimRight(raw[at:at+n], "\r")) == 0 {
			return at + n + 1
		}
		at += n + 1
	}
	return -1
}

// messageHead reads the head of a message to its empty line.
func messageHead(r *bufio.Reader) (head []byte, fields []Field, err error) {
	for {
		line, err := r.ReadSlice('\n')
		head = append(head, line...)
		if len(head) > maxMessageHead {
			return head, nil, fmt.Errorf("%w within %d octets", errHead, maxMessageHead)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return head, nil, errHead
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 && endsEmpty(head) {
			return head, parseFields(head), nil
		}
	}
}

// endsEmpty reports whether the last line is empty, and is not the end of a long one.
func endsEmpty(head []byte) bool {
	head = bytes.TrimSuffix(bytes.TrimSuffix(head, []byte("\n")), []byte("\r"))
	return len(head) == 0 || head[len(head)-1] == '\n'
}

// parseFields reads the lines after the first one. It drops lines without a colon.
func parseFields(head []byte) (fields []Field) {
	_, rest, _ := strings.Cut(string(head), "\n")
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' { // a continued line
			if n := len(fields); n > 0 {
				fields[n-1].Value += " " + strings.TrimSpace(line)
			}
			continue
		}
		if name, value, ok := strings.Cut(line, ":"); ok {
			fields = append(fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	return fields
}

// maxChunkLine limits the line before a chunk, in octets; extensions are rare and short.
const maxChunkLine = 4096

// dechunker undoes the chunked transfer coding (RFC 9112, 7.1). A body that does not begin with a
// chunk stays unchanged: some writers undo the coding and keep the field.
type dechunker struct {
	r       *bufio.Reader
	left    int64 // octets left of the chunk
	begun   bool
	done    bool // after the last chunk and its trailer
	asIs    bool
	prefix  []byte // start of a body that stays unchanged
	between bool   // after the octets of a chunk
}

func (d *dechunker) Read(p []byte) (int, error) {
	for {
		switch {
		case len(d.prefix) > 0:
			n := copy(p, d.prefix)
			d.prefix = d.prefix[n:]
			return n, nil
		case d.asIs:
			return d.r.Read(p)
		case d.done:
			return 0, io.EOF
		case d.left > 0:
			n, err := d.r.Read(p[:min(int64(len(p)), d.left)])
			d.left -= int64(n)
			d.between = d.left == 0
			return n, unexpected(err)
		}
		if err := d.next(); err != nil {
			return 0, err
		}
	}
}

// next reads the line before a chunk.
func (d *dechunker) next() error {
	line, err := d.line()
	if err == nil && d.between && len(bytes.TrimRight(line, "\r\n")) == 0 {
		d.between = false
		line, err = d.line()
	}
	text, _, _ := strings.Cut(string(line), ";")
	size, bad := strconv.ParseUint(strings.TrimSpace(text), 16, 62)
	switch {
	case (err != nil || bad != nil) && !d.begun:
		d.asIs, d.prefix = true, bytes.Clone(line)
		return nil
	case err != nil:
		return unexpected(err)
	case bad != nil:
		return fmt.Errorf("a chunk begins with %q", text)
	}
	d.begun = true
	if d.left = int64(size); size > 0 {
		return nil
	}
	for { // the trailer; a missing empty line at its end costs no content
		line, err := d.line()
		if err != nil && (err != io.EOF || len(line) > 0) {
			return unexpected(err)
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			d.done = true
			return nil
		}
	}
}

func (d *dechunker) line() ([]byte, error) {
	line, err := d.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return line, errors.New("the line before a chunk has no end")
	}
	return line, err
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Fields returns the lines of the header.
func (m *Message) Fields() []Field { return m.fields }

// Plain returns the body without its transfer coding, as far as it can be undone.
func (m *Message) Plain() []byte {
	if m.asIs || !isChunked(m.fields) {
		return m.Body
	}
	// A fault in a chunk ends the body there.
	plain, _ := io.ReadAll(&dechunker{r: bufio.NewReaderSize(bytes.NewReader(m.Body),
		maxChunkLine)})
	return plain
}
