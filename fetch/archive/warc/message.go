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
	Body    []byte // with its transfer coding; nothing from behind its end
	Whole   bool   // the body has its end, as far as the head tells of one
	Open    bool   // the head tells of none: it ends with the connection
	Payload []byte // SHA-1 of the body without its transfer coding
	Size    int64  // octets of that
	fields  []Field
	undone  bool // the head says that Body has chunks, and it has none
	asIs    bool // Body has no transfer coding, whatever the head says
}

// maxMessageHead bounds the head of a message, in octets. Clients take 128 KiB by default; what
// other writers keep may be longer.
const maxMessageHead = 1 << 20

var errHead = errors.New("the HTTP header has no end")

// ParseResponse reads an answer. Interim answers before it (RFC 9110, 15.2) are left out, and so is
// what came behind its end.
func ParseResponse(raw []byte) (*Message, error) { return parse(raw, nil) }

// ParseRecord reads the answer in the block of a record. Writers undo codings and keep the head as
// it was: a body that is longer than its Content-Length is whole if the digest of the record says
// so, or without one if it is not in the content coding that the head names.
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

// read finds the end of the body (RFC 9112, 6.3) and its digest.
func (m *Message) read(rest []byte) {
	sum := sha1.New()
	length, err := strconv.ParseInt(m.Get(LengthField), 10, 64)
	hasLength := err == nil && length >= 0
	switch {
	case m.Status == 304: // its payload is another record's
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

// isLonger reports whether all that is behind the head is the body, and it was read otherwise.
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

// IsChunked reports whether the head says that the body has chunks.
func (m *Message) IsChunked() bool { return isChunked(m.fields) }

// codings are those that the head names.
func (m *Message) codings() []string { return Codings(m.fields) }

// Codings returns the codings of a body that a header names, chunks apart: those of the content,
// and then those of the transfer.
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

// IsDecoded reports whether the head names a content coding in which the body is not.
func (m *Message) IsDecoded() bool {
	codings := m.codings()
	return len(codings) > 0 && IsPlain(m.Plain(), codings)
}

// Cut says why the body in a record is not whole; "": it is, or nothing tells. The length of a body
// whose coding was undone tells nothing.
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

// Get returns the first value of a field; "" if there is none.
func (m *Message) Get(name string) string { return get(m.fields, name) }

func get(fields []Field, name string) string {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// isChunked reports whether a transfer coding is chunked, wherever it is named, as the fetcher
// reads it.
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

// statusOf reads a status line, also one in small letters and one without a blank behind the code,
// which servers send; 0 if it is none.
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

// headLength is how many octets the head of a message has, its empty line included; -1: it has no
// end.
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

// endsEmpty reports whether the last line is empty, and not the end of a long one.
func endsEmpty(head []byte) bool {
	head = bytes.TrimSuffix(bytes.TrimSuffix(head, []byte("\n")), []byte("\r"))
	return len(head) == 0 || head[len(head)-1] == '\n'
}

// parseFields reads the lines behind the first one. Lines without a colon are left out.
func parseFields(head []byte) (fields []Field) {
	_, rest, _ := strings.Cut(string(head), "\n")
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' { // a line that goes on
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

// maxChunkLine bounds the line before a chunk, in octets; extensions are rare and short.
const maxChunkLine = 4096

// dechunker undoes the chunked transfer coding (RFC 9112, 7.1). A body that says to be chunked and
// does not begin with a chunk is taken as it is: some writers undo the coding and keep the field.
type dechunker struct {
	r       *bufio.Reader
	left    int64 // octets of the chunk under way
	begun   bool
	done    bool // the last chunk and its trailer came
	asIs    bool
	prefix  []byte // of a body that is taken as it is
	between bool   // behind the octets of a chunk
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
	for { // the trailer; of a server that ends without the empty line no content is lost
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

// Fields are the lines of the header.
func (m *Message) Fields() []Field { return m.fields }

// Plain is the body without its transfer coding, as far as that can be undone.
func (m *Message) Plain() []byte {
	if m.asIs || !isChunked(m.fields) {
		return m.Body
	}
	// What is wrong with a chunk ends the body there.
	plain, _ := io.ReadAll(&dechunker{r: bufio.NewReaderSize(bytes.NewReader(m.Body),
		maxChunkLine)})
	return plain
}
