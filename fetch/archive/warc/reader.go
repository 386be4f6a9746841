package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

const (
	// maxHead limits the header of a record, in octets. It has a few URLs.
	maxHead = 256 << 10

	// MaxBlock limits the block of a record, in octets. Without a limit a small gzip file could
	// keep a reader busy for days. Hours of video are smaller.
	MaxBlock = 16 << 30

	// maxBetween limits the empty lines between two records, in octets.
	maxBetween = 64
)

// DamageError is a fault of a file at an offset.
type DamageError struct {
	Offset int64 // of the record or its member
	What   string
	Err    error // io.ErrUnexpectedEOF at the end of the file; may be nil
}

func (e *DamageError) Error() string {
	text := fmt.Sprintf("record at octet %d: %s", e.Offset, e.What)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *DamageError) Unwrap() error { return e.Err }

// IsCut reports whether an error means that a file ends in the middle of a record.
func IsCut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// Record is a record from a Reader, valid until the next call of Next.
type Record struct {
	Version string // for example "WARC/1.1"
	Offset  int64  // of the record or its gzip member
	Stored  int64  // its length in the file, once it is read to its end
	Within  int64  // octets before it in its member, uncompressed; 0: it is the first
	Gzip    bool
	Header  []Field
	Length  int64     // of the block, in octets
	Block   io.Reader // the unread part
}

// Get returns the first value of a header field, or "".
func (r *Record) Get(name string) string { return get(r.Header, name) }

// Type returns the type of the record.
func (r *Record) Type() string { return r.Get(TypeField) }

// URI returns the subject of the record, without the brackets of some writers.
func (r *Record) URI() string {
	return strings.TrimSuffix(strings.TrimPrefix(r.Get(URIField), "<"), ">")
}

// Date returns the time of the capture.
func (r *Record) Date() (time.Time, error) { return ParseDate(r.Get(DateField)) }

// IsHTTP reports whether the block is an HTTP message.
func (r *Record) IsHTTP() bool {
	kind, _, _ := strings.Cut(r.Get(ContentField), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/http")
}

// counter counts the octets that are read from a file.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// Reader reads the records of a file in turn.
type Reader struct {
	base  int64 // offset of the first octet in the file
	count *counter
	file  *bufio.Reader // octets of the file
	z     *gzip.Reader
	in    *bufio.Reader // octets of records: those of file or z
	out   *counter      // octets of z
	zip   bool
	begin int64 // offset of the member
	rec   *Record
	left  io.LimitedReader // rest of the block
	err   error            // of the last Next, permanent
}

// NewReader returns a reader of a file that stands at a record with this offset.
func NewReader(r io.Reader, offset int64) *Reader {
	c := &counter{r: r}
	return &Reader{base: offset, count: c, file: bufio.NewReaderSize(c, 64<<10)}
}

// Skip skips uncompressed octets of the current gzip member: Record.Within is their number before a
// record. Call it before Next.
func (r *Reader) Skip(within int64) error {
	if within == 0 {
		return nil
	}
	if err := r.enter(); err != nil {
		return err
	}
	if !r.zip {
		return r.damage("it is in no gzip member", nil)
	}
	at := r.out.n - int64(r.in.Buffered())
	if _, err := io.CopyN(io.Discard, r.in, within-at); err != nil {
		return r.damage("its gzip member is cut or damaged", unexpected(err))
	}
	return nil
}

// offset returns the offset of the next octet.
func (r *Reader) offset() int64 { return r.base + r.count.n - int64(r.file.Buffered()) }

// Next returns the next record, io.EOF after the last one, or a DamageError. An error of the system
// is returned unchanged. Next skips the unread part of the last record.
func (r *Reader) Next() (*Record, error) {
	if r.err == nil {
		r.err = r.next()
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.rec, nil
}

func (r *Reader) next() error {
	if err := r.Finish(); err != nil {
		return err
	}
	if r.in == nil {
		if err := r.enter(); err != nil {
			return err
		}
	}
	rec := &Record{Gzip: r.zip}
	if r.zip {
		rec.Within = r.out.n - int64(r.in.Buffered())
	} else {
		r.begin = r.offset()
	}
	rec.Offset = r.begin
	if err := r.header(rec); err != nil {
		return err
	}
	r.left = io.LimitedReader{R: r.in, N: rec.Length}
	rec.Block = &blockReader{r}
	r.rec = rec
	return nil
}

// byteOrderMark may begin a text of Windows.
const byteOrderMark = "\xef\xbb\xbf"

// enter starts a member, or an uncompressed record.
func (r *Reader) enter() error {
	for range maxBetween {
		r.begin = r.offset()
		mark, err := r.file.Peek(3)
		switch {
		case err == io.EOF && len(mark) == 0:
			return io.EOF
		case err != nil && err != io.EOF:
			return err
		case mark[0] == '\r' || mark[0] == '\n':
			_, _ = r.file.ReadByte() // there is one
			continue
		case r.begin == 0 && string(mark) == byteOrderMark:
			_, _ = r.file.Discard(len(mark)) // they are there
			continue
		case mark[0] == 'W', r.isARC():
			r.in, r.zip = r.file, false
			return nil
		case len(mark) < 2 && mark[0] == 0x1f:
			return r.damage("the gzip member is cut", io.ErrUnexpectedEOF)
		case len(mark) < 2 || mark[0] != 0x1f || mark[1] != 0x8b:
			return r.damage("neither a gzip member nor a record begins here", nil)
		}
		if r.z == nil {
			r.z = new(gzip.Reader)
		}
		if err := r.z.Reset(r.file); err != nil {
			return r.damage("the gzip member has no header", unexpected(err))
		}
		r.z.Multistream(false)
		r.out = &counter{r: r.z}
		r.in, r.zip = bufio.NewReaderSize(r.out, 32<<10), true
		switch err := r.skipEmpty(); {
		case err == io.EOF: // an empty member; some tools write one at the end
			r.in = nil
			continue
		case err != nil:
			return r.damage("its gzip member is cut or damaged", unexpected(err))
		}
		return nil
	}
	return r.damage("empty lines without end", nil)
}

// goOn continues with the next member if one ended in the middle of a record: tools that compress
// blocks of a file make such members. It returns false if there is none, or if a record begins
// there.
func (r *Reader) goOn() bool {
	if !r.zip {
		return false
	}
	next := r.offset()
	if mark, _ := r.file.Peek(len(memberMark)); !bytes.Equal(mark, memberMark) {
		return false
	}
	if r.z.Reset(r.file) != nil {
		return false
	}
	r.z.Multistream(false)
	r.out = &counter{r: r.z}
	r.in.Reset(r.out)
	head, _ := r.in.Peek(longestARC) // a shorter member has fewer
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.HasPrefix(line, []byte("WARC/")) || arcFields(string(line)) != nil {
		return false
	}
	r.begin = next
	return true
}

// isARC reports whether a record of an ARC file begins here.
func (r *Reader) isARC() bool {
	if c, _ := r.file.Peek(1); c[0]|0x20 < 'a' || c[0]|0x20 > 'z' {
		return false
	}
	head, _ := r.file.Peek(longestARC) // a shorter file has fewer
	line, _, ended := bytes.Cut(head, []byte("\n"))
	return ended && arcFields(string(line)) != nil
}

// skipEmpty skips empty lines. Its error is that of the next octet.
func (r *Reader) skipEmpty() error {
	for range maxBetween {
		next, err := r.in.Peek(1)
		if err != nil {
			return err
		}
		if next[0] != '\r' && next[0] != '\n' {
			break
		}
		_, _ = r.in.Discard(1) // it is there
	}
	return nil
}

func (r *Reader) damage(what string, err error) error {
	return &DamageError{Offset: r.begin, What: what, Err: err}
}

// header reads the header of a record (WARC 1.1, 4).
func (r *Reader) header(rec *Record) error {
	var head []byte
	begin := 0 // start of the line
	for {
		part, err := r.in.ReadSlice('\n')
		head = append(head, part...)
		line := head[begin:]
		switch {
		case len(head) > maxHead:
			return r.damage(fmt.Sprintf("its header is longer than %d octets", maxHead), nil)
		case err == bufio.ErrBufferFull, err == io.EOF && r.goOn():
			continue
		case err != nil:
			return r.damage("its header is cut", unexpected(err))
		}
		if rec.Version == "" {
			rec.Version = strings.TrimSpace(strings.TrimPrefix(string(line), byteOrderMark))
			if rec.Header = arcFields(rec.Version); rec.Header != nil {
				rec.Version = arcVersion
				break
			}
			if !strings.HasPrefix(rec.Version, "WARC/") || len(rec.Version) > 10 {
				return r.damage("it does not begin with WARC/ and a version", nil)
			}
		} else if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
		begin = len(head)
	}
	if rec.Version != arcVersion {
		rec.Header = parseFields(head)
	}
	answer, _ := r.in.Peek(len("HTTP/")) // a block may be shorter
	rec.asHTTP(answer)
	text := rec.Get(LengthField)
	length, err := strconv.ParseUint(text, 10, 62)
	switch {
	case err != nil:
		return r.damage(fmt.Sprintf("its Content-Length is %.40q", text), nil)
	case length > MaxBlock:
		return r.damage(fmt.Sprintf("its block of %d octets is larger than %d",
			length, int64(MaxBlock)), nil)
	}
	rec.Length = int64(length)
	return nil
}

// blockReader reads the block of the record.
type blockReader struct{ r *Reader }

func (b *blockReader) Read(p []byte) (int, error) {
	r := b.r
	n, err := r.left.Read(p)
	for n == 0 && err == io.EOF && r.left.N > 0 && r.goOn() {
		n, err = r.left.Read(p)
	}
	if err != nil && err != io.EOF || err == io.EOF && r.left.N > 0 {
		err = r.damage("its block is cut or damaged", unexpected(err))
	}
	return n, err
}

// Finish reads the last record to its end, which sets Stored. It returns the error that Next would
// return.
func (r *Reader) Finish() error {
	if r.rec == nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, r.rec.Block); err != nil {
		r.err = err
		return err
	}
	rec := r.rec
	r.rec = nil
	r.err = r.leave(rec)
	return r.err
}

// leave reads the end of a record: two empty lines, and the end of the member. It accepts line ends
// without CR, fewer lines before another record or the end of a sound member, and any number of
// them in ARC files.
func (r *Reader) leave(rec *Record) error {
	const most = 4
	end, err := r.in.Peek(most + len("WARC/"))
	if err != nil && err != io.EOF {
		return r.damage("its end is cut or damaged", err)
	}
	lines := end[:min(len(end), most)]
	rest := bytes.TrimLeft(lines, "\r\n")
	next := bytes.TrimLeft(end, "\r\n")
	switch {
	case string(lines) == "\r\n\r\n", bytes.HasPrefix(lines, []byte("\n\n")):
	case rec.Version == arcVersion:
	case len(lines) < most && len(rest) == 0 && r.zip: // and its checksum is right
	case len(lines) < most && len(rest) == 0:
		return r.damage("its end is cut", io.ErrUnexpectedEOF)
	case len(next) < len(end) && (bytes.HasPrefix(next, []byte("WARC/")) ||
		!r.zip && bytes.HasPrefix(next, memberMark)):
	default:
		return r.damage(fmt.Sprintf("%q is behind its block, and no empty line twice", lines), nil)
	}
	_, _ = r.in.Discard(len(lines) - len(rest)) // they are there
	if !r.zip {
		rec.Stored, r.in = r.offset()-rec.Offset, nil
		return nil
	}
	switch err := r.skipEmpty(); {
	case err == io.EOF: // and the checksum is right
		rec.Stored, r.in = r.offset()-rec.Offset, nil
	case err != nil:
		return r.damage("its gzip member is cut or damaged", unexpected(err))
	}
	return nil
}

// memberMark begins a gzip member (RFC 1952, 2.3.1).
var memberMark = []byte{0x1f, 0x8b, 8}
