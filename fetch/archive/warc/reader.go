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
	// maxHead bounds the header of a record, in octets. It holds a few addresses.
	maxHead = 256 << 10

	// MaxBlock bounds the block of a record, in octets: without a bound, a small gzip file could
	// keep a reader busy for days. Video of hours is smaller.
	MaxBlock = 16 << 30

	// maxBetween bounds empty lines between two records, in octets.
	maxBetween = 64
)

// DamageError says where a file is not what a WARC file must be.
type DamageError struct {
	Offset int64 // of the record, or of its member, in the file
	What   string
	Err    error // io.ErrUnexpectedEOF if the file ends there; may be nil
}

func (e *DamageError) Error() string {
	text := fmt.Sprintf("record at octet %d: %s", e.Offset, e.What)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *DamageError) Unwrap() error { return e.Err }

// IsCut reports whether an error says that a file ends in the middle of a record.
func IsCut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// Record is a record that is read. It is valid until the next call of Next.
type Record struct {
	Version string // as "WARC/1.1"
	Offset  int64  // of the record, or of its gzip member
	Stored  int64  // octets that it takes in the file, once it is read to its end
	Within  int64  // octets before it in its member, uncompressed: it is not the first there
	Gzip    bool
	Header  []Field
	Length  int64     // of the block, in octets
	Block   io.Reader // what is left of it
}

// Get returns the first value of a field of the header; "" if there is none.
func (r *Record) Get(name string) string { return get(r.Header, name) }

// Type is what kind of record it is.
func (r *Record) Type() string { return r.Get(TypeField) }

// URI is what the record is about, without the brackets that some writers put around it.
func (r *Record) URI() string {
	return strings.TrimSuffix(strings.TrimPrefix(r.Get(URIField), "<"), ">")
}

// Date is when the record was captured.
func (r *Record) Date() (time.Time, error) { return ParseDate(r.Get(DateField)) }

// IsHTTP reports whether the block is an HTTP message.
func (r *Record) IsHTTP() bool {
	kind, _, _ := strings.Cut(r.Get(ContentField), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/http")
}

// counter counts what is read of a file.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// Reader reads the records of a file one after the other.
type Reader struct {
	base  int64 // offset of the first octet in the file
	count *counter
	file  *bufio.Reader // octets of the file
	z     *gzip.Reader
	in    *bufio.Reader // octets of records: of file, or of z
	out   *counter      // octets of z
	zip   bool
	begin int64 // offset of the member
	rec   *Record
	left  io.LimitedReader // the block
	err   error            // of the last Next, which stays
}

// NewReader returns a reader of a file that is at a record, at this offset.
func NewReader(r io.Reader, offset int64) *Reader {
	c := &counter{r: r}
	return &Reader{base: offset, count: c, file: bufio.NewReaderSize(c, 64<<10)}
}

// Skip skips octets of the gzip member at which the reader is, uncompressed: Record.Within is how
// many are before a record. It is called before Next.
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

// offset is that of the next octet of the file.
func (r *Reader) offset() int64 { return r.base + r.count.n - int64(r.file.Buffered()) }

// Next returns the next record; io.EOF behind the last one, or a DamageError. An error of the
// system is returned as it is. What the last record has left is skipped.
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

// byteOrderMark begins a text of Windows, perhaps.
const byteOrderMark = "\xef\xbb\xbf"

// enter begins a member, or a plain record.
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
		case err == io.EOF: // an empty member, which some tools write at the end
			r.in = nil
			continue
		case err != nil:
			return r.damage("its gzip member is cut or damaged", unexpected(err))
		}
		return nil
	}
	return r.damage("empty lines without end", nil)
}

// goOn goes on with the next member where one ended in the middle of a record: tools that compress
// blocks of a file make members so. False: there is none, or a record begins there.
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
	head, _ := r.in.Peek(longestARC) // of a shorter member there are fewer
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
	head, _ := r.file.Peek(longestARC) // of a shorter file there are fewer
	line, _, ended := bytes.Cut(head, []byte("\n"))
	return ended && arcFields(string(line)) != nil
}

// skipEmpty skips empty lines. Its error is that of the octet behind them.
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
	begin := 0 // of the line
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

// Finish reads the last record to its end, which sets Stored. It returns what Next would.
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

// leave reads what is behind a block: an empty line twice, and the end of the member. Line ends
// without CR are taken, fewer of them where another record or the end of a sound member follows,
// and any number of them in ARC files.
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
