package history

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// MaxLineBytes limits a line of a history: 64 times the longest one of 45 real servers (250 kB), so
// that another kind of file fails before it fills the memory.
const MaxLineBytes = 16 << 20

// EachLine calls f with every line of gzip'd or plain JSON Lines, without its end and numbered from
// 1, except blank lines. The bytes are valid during the call only. An *Error of f gets file and
// line. EachLine returns *Errors, perhaps after calls of f.
func EachLine(r io.Reader, file string, maxBytes int, f func(line []byte) error) error {
	number, some := 0, false
	lines := lineReader{maxBytes: maxBytes}
	err := lines.open(r)
	for err == nil {
		var line []byte
		number++
		if line, err = lines.next(); err != nil {
			break
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		some = true
		err = f(line)
	}
	if err == io.EOF {
		if some {
			return nil
		}
		number, err = 0, bad(hintTransfer+", or leave it out", "the file is empty")
	}
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Reason: err.Error(), Err: err}
	}
	if e.File == "" {
		e.File, e.Line = file, number
	}
	return e
}

type lineReader struct {
	maxBytes int
	zipped   bool
	r        *bufio.Reader
	long     []byte // a line longer than r's buffer
}

// open looks at the first two bytes: those of gzip (RFC 1952 2.3.1) cannot begin a JSON text.
func (l *lineReader) open(r io.Reader) error {
	l.r = bufio.NewReaderSize(r, 256<<10)
	start, err := l.r.Peek(2)
	if err != nil && err != io.EOF {
		return err
	}
	if l.zipped = bytes.Equal(start, []byte{0x1f, 0x8b}); !l.zipped {
		return nil
	}
	z, err := gzip.NewReader(l.r)
	if err != nil {
		return l.explain(err)
	}
	l.r = bufio.NewReaderSize(z, 256<<10)
	return nil
}

// next returns io.EOF after the last line.
func (l *lineReader) next() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.long)+len(part) > l.maxBytes {
			return nil, bad(
				"is it a history? want one page version a line",
				"line is longer than %d bytes",
				l.maxBytes,
			)
		}
		switch {
		case err == nil && len(l.long) == 0:
			return part[:len(part)-1], nil
		case err == nil:
			return append(l.long, part[:len(part)-1]...), nil
		case err == bufio.ErrBufferFull:
			l.long = append(l.long, part...)
		case err == io.EOF && len(l.long)+len(part) > 0:
			return append(l.long, part...), nil // the last line has no end
		default:
			return nil, l.explain(err)
		}
	}
}

func (l *lineReader) explain(err error) error {
	var e *Error
	switch {
	case err == io.EOF || !l.zipped:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		e = bad(hintTransfer, "the gzip'd file is truncated: it ends in the middle")
	default:
		e = bad(hintTransfer, "the gzip'd file is damaged: %v", err)
	}
	e.Err = err
	return e
}
