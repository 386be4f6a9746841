package captures

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// Sorter sorts captures by server, URL and time. Captures beyond its memory are on disk, in its own
// directory, which Close removes. The next Sorter in the same place removes the one of a killed
// process.
type Sorter struct {
	dir    string
	memory int
	arena  []byte
	rows   []row // of the arena
	runs   []string
	made   int // runs ever written
	row    []byte
}

// row is the place of a sorted capture in the arena.
type row struct{ at, key, size int }

// Known is the number of a URL that the caller already has.
type Known struct {
	Page uint32
	Is   bool
}

// Group has all evidence about a URL.
type Group struct {
	URL      string
	Known    Known
	Captures []Capture // by time, without duplicates
	Requests uint64    // requests for it in logs
}

const (
	// mostRuns limits the runs that are merged at once. Each takes a buffer of runBuffer octets.
	mostRuns  = 64
	runBuffer = 64 << 10

	// LeastMemory is the least memory of a Sorter, in octets.
	LeastMemory = 1 << 20
)

// NewSorter returns a sorter with about memory octets, at least LeastMemory.
func NewSorter(dir string, memory int) (*Sorter, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("sort captures: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("sort captures: %w", err)
	}
	// The arena grows by doubling: half of the memory may be its copy.
	return &Sorter{dir: dir, memory: max(memory, LeastMemory) / 2}, nil
}

// Close removes the files of the sorter.
func (s *Sorter) Close() error { return os.RemoveAll(s.dir) }

// knownMark takes the code of KindUnknown: a page that the caller has. It sorts before all
// captures.
const knownMark = byte(KindUnknown)

// Add adds a capture, and does not refer to it afterwards.
func (s *Sorter) Add(c *Capture) error {
	s.row = binary.BigEndian.AppendUint32(s.begin(c.URL), c.Time)
	s.row = c.appendBody(s.row)
	return s.add(len(c.URL))
}

// AddKnown adds a URL that the caller has.
func (s *Sorter) AddKnown(url []byte, page uint32) error {
	s.row = binary.BigEndian.AppendUint32(s.begin(string(url)), 0)
	s.row = binary.BigEndian.AppendUint32(append(s.row, knownMark), page)
	return s.add(len(url))
}

// begin starts a row with its key: the server and the URL, each followed by a zero octet.
func (s *Sorter) begin(url string) []byte {
	b := append(append(s.row[:0], sitegraph.ServerName(url)...), 0)
	return append(append(b, url...), 0)
}

func (s *Sorter) add(url int) error {
	key := bytes.IndexByte(s.row, 0) + 1 + url + 1
	s.rows = append(s.rows, row{len(s.arena), key, len(s.row)})
	s.arena = append(s.arena, s.row...)
	if len(s.arena)+len(s.rows)*24 < s.memory {
		return nil
	}
	return s.spill()
}

// sorted passes the rows of the arena to yield, in order.
func (s *Sorter) sorted(yield func(key int, row []byte) error) error {
	of := func(r row) []byte { return s.arena[r.at : r.at+r.size] }
	slices.SortFunc(s.rows, func(a, b row) int { return bytes.Compare(of(a), of(b)) })
	for i, r := range s.rows {
		if i > 0 && bytes.Equal(of(r), of(s.rows[i-1])) && !counts(of(r)[r.key:]) {
			continue
		}
		if err := yield(r.key, of(r)); err != nil {
			return err
		}
	}
	s.arena, s.rows = s.arena[:0], s.rows[:0]
	return nil
}

// counts reports whether equal rows count several times: requests in a log.
func counts(rest []byte) bool { return Kind(rest[4]) == KindListed }

func (s *Sorter) spill() error {
	err := s.write(func(yield func(int, []byte) error) error { return s.sorted(yield) })
	if err == nil && len(s.runs) >= mostRuns {
		old := slices.Clone(s.runs)
		s.runs = nil
		err = s.write(func(yield func(int, []byte) error) error { return s.merge(old, nil, yield) })
		for _, path := range old {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// write writes a run of rows.
func (s *Sorter) write(each func(yield func(key int, row []byte) error) error) (err error) {
	path := filepath.Join(s.dir, fmt.Sprintf("run-%d", s.made))
	s.made++
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("sort captures: %w", err)
	}
	w := bufio.NewWriterSize(f, runBuffer)
	var head []byte
	err = each(func(key int, row []byte) error {
		head = binary.AppendUvarint(binary.AppendUvarint(head[:0], uint64(key)), uint64(len(row)))
		if _, err := w.Write(head); err != nil {
			return err
		}
		_, err := w.Write(row)
		return err
	})
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("sort captures: %w", err)
	}
	s.runs = append(s.runs, path)
	return nil
}

// cursor is a place in a run.
type cursor struct {
	in  *bufio.Reader
	key int
	row []byte
}

func (c *cursor) next() error {
	key, err := binary.ReadUvarint(c.in)
	if err != nil {
		return err // io.EOF at the end
	}
	size, err := binary.ReadUvarint(c.in)
	if err != nil || key > size || size > 1<<30 {
		return errBody
	}
	c.key, c.row = int(key), slices.Grow(c.row[:0], int(size))[:size]
	if _, err := io.ReadFull(c.in, c.row); err != nil {
		return errBody
	}
	return nil
}

type cursors []*cursor

func (c cursors) Len() int           { return len(c) }
func (c cursors) Less(i, j int) bool { return bytes.Compare(c[i].row, c[j].row) < 0 }
func (c cursors) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)        { *c = append(*c, x.(*cursor)) }
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// merge passes the rows of runs to yield, in order, each once unless it counts.
func (s *Sorter) merge(runs []string, ctx context.Context,
	yield func(key int, row []byte) error) error {
	var from cursors
	for _, path := range runs {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("sort captures: %w", err)
		}
		defer f.Close() // it was read only
		c := &cursor{in: bufio.NewReaderSize(f, runBuffer)}
		if err := c.next(); err == nil {
			from = append(from, c)
		} else if err != io.EOF {
			return fmt.Errorf("sort captures: %s: %w", path, err)
		}
	}
	heap.Init(&from)
	var last []byte
	for n := 0; len(from) > 0; n++ {
		c := from[0]
		if !bytes.Equal(c.row, last) || counts(c.row[c.key:]) {
			if err := yield(c.key, c.row); err != nil {
				return err
			}
			last = append(last[:0], c.row...)
		}
		switch err := c.next(); err {
		case nil:
			heap.Fix(&from, 0)
		case io.EOF:
			heap.Pop(&from)
		default:
			return fmt.Errorf("sort captures: %w", err)
		}
		if n%1024 == 0 && ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Each passes the group of each URL to yield, by server and URL. A group is valid until yield
// returns. An error of yield ends Each and is returned. It can be called once.
func (s *Sorter) Each(ctx context.Context, yield func(*Group) error) error {
	each := func(yield func(int, []byte) error) error { return s.sorted(yield) }
	if len(s.runs) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
		each = func(yield func(int, []byte) error) error { return s.merge(s.runs, ctx, yield) }
	}
	var g Group
	var key []byte
	done := func() error {
		if len(key) == 0 {
			return nil
		}
		return yield(&g)
	}
	err := each(func(n int, row []byte) error {
		if !bytes.Equal(row[:n], key) {
			if err := errors.Join(done(), ctx.Err()); err != nil {
				return err
			}
			key = append(key[:0], row[:n]...)
			_, url, _ := bytes.Cut(row[:n-1], []byte{0})
			g = Group{URL: string(url), Captures: g.Captures[:0]}
		}
		at, body := binary.BigEndian.Uint32(row[n:]), row[n+4:]
		if body[0] == knownMark {
			g.Known = Known{binary.BigEndian.Uint32(body[1:]), true}
			return nil
		}
		c := Capture{URL: g.URL, Time: at}
		if err := c.parseBody(body); err != nil {
			return err
		}
		if c.Kind == KindListed {
			g.Requests += c.Requests
			if n := len(g.Captures); n > 0 && g.Captures[n-1].Kind == KindListed {
				return nil
			}
		}
		g.Captures = append(g.Captures, c)
		return nil
	})
	if err == nil {
		err = done()
	}
	return cmp.Or(err, ctx.Err())
}
