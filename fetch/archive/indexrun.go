package archive

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sort"
	"strings"
)

// IndexRun is a file of sorted lines.
type IndexRun struct {
	r    io.ReaderAt
	size int64
	// marks are the first whole lines after evenly spaced octets. They keep most steps of a search
	// in memory.
	marks []mark
}

type mark struct {
	at   int64 // of the line
	line []byte
}

const (
	markEvery = 32 << 10 // least octets between two marks
	mostMarks = 4096     // of a run; about 100 octets each
	markBytes = 200      // of a line that a mark keeps: key and time of most addresses
)

// NewIndexRun returns a run of size octets. Unsorted lines are not found.
func NewIndexRun(r io.ReaderAt, size int64) (*IndexRun, error) {
	run := &IndexRun{r: r, size: size}
	step := max(markEvery, size/mostMarks)
	for at := int64(0); at < size; at += step {
		begin, line, err := run.lineBehind(at)
		if err != nil {
			return nil, err
		}
		if begin >= size {
			break
		}
		if n := len(run.marks); n == 0 || run.marks[n-1].at < begin {
			run.marks = append(run.marks,
				mark{begin, bytes.Clone(line[:min(len(line), markBytes)])})
		}
	}
	return run, nil
}

// Size returns the octets of the run.
func (r *IndexRun) Size() int64 { return r.size }

// lineBehind returns the first line that starts at or after an octet, or Size if there is none.
func (r *IndexRun) lineBehind(at int64) (begin int64, line []byte, err error) {
	from := at
	if at > 0 {
		from-- // the previous line end may be there
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r.r, from, r.size-from), 2<<10)
	begin = from
	if at > 0 {
		skipped, err := readLine(in)
		if err != nil {
			return r.size, nil, eofIsNone(err)
		}
		begin += int64(len(skipped))
	}
	line, err = readLine(in)
	if err != nil {
		return r.size, nil, eofIsNone(err)
	}
	return begin, line, nil
}

func eofIsNone(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// readLine reads a line with its end. A line without an end is torn: io.EOF.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil {
		return line, nil
	}
	long := bytes.Clone(line)
	for err == bufio.ErrBufferFull {
		if len(long) > MaxIndexLine {
			return nil, fmt.Errorf("an index line is longer than %d octets", MaxIndexLine)
		}
		line, err = r.ReadSlice('\n')
		long = append(long, line...)
	}
	return long, err
}

// Seek returns the offset of the first line that is not below a text, or Size.
func (r *IndexRun) Seek(text string) (int64, error) {
	// A cut mark that is a prefix of the text says nothing about its line. So the search continues
	// in the file, from before the first such mark to after the last one.
	first := sort.Search(len(r.marks), func(i int) bool {
		line := r.marks[i].line
		return string(line) >= text || len(line) == markBytes &&
			strings.HasPrefix(text, string(line))
	})
	behind := sort.Search(len(r.marks), func(i int) bool { return string(r.marks[i].line) >= text })
	low, high := int64(0), r.size
	if first > 0 {
		low = r.marks[first-1].at
	}
	if behind < len(r.marks) {
		high = r.marks[behind].at
	}
	const near = 4 << 10
	for high-low > near {
		middle := low + (high-low)/2
		begin, line, err := r.lineBehind(middle)
		if err != nil {
			return 0, err
		}
		switch {
		case begin >= high:
			high = middle // no line starts between them
		case string(line) < text:
			low = begin + int64(len(line))
		default:
			high = begin
		}
	}
	// A line that starts before middle may start in the lower part.
	in := bufio.NewReaderSize(io.NewSectionReader(r.r, low, r.size-low), 4<<10)
	for at := low; ; {
		line, err := readLine(in)
		if err == io.EOF {
			return r.size, nil
		}
		if err != nil {
			return 0, err
		}
		if string(line) >= text {
			return at, nil
		}
		at += int64(len(line))
	}
}

// From passes the lines that are not below a text to yield, until yield returns false. A line is
// valid until yield returns.
func (r *IndexRun) From(text string, yield func(line []byte) bool) error {
	at := int64(0)
	if text != "" {
		var err error
		if at, err = r.Seek(text); err != nil {
			return err
		}
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r.r, at, r.size-at), 8<<10)
	for {
		line, err := readLine(in)
		if err != nil {
			return eofIsNone(err)
		}
		if !yield(line) {
			return nil
		}
	}
}

// lastBytes limits the octets that Last reads.
const lastBytes = 32 << 10

// Last returns the last captures of a key by time, in at most 32 KiB of lines.
func (r *IndexRun) Last(key string) ([]*Capture, error) {
	end, err := r.Seek(key + "!") // the character after the blank
	if err != nil {
		return nil, err
	}
	begin := max(end-lastBytes, 0)
	text := make([]byte, end-begin)
	if n, err := r.r.ReadAt(text, begin); err != nil && (err != io.EOF || n < len(text)) {
		return nil, err
	}
	if begin > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	var found []*Capture
	prefix := []byte(key + " ")
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, prefix) {
			continue
		}
		c, err := ParseIndexLine(line)
		if err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, nil
}
