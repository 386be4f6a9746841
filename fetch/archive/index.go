package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/satstore/directory"
)

const (
	indexDir  = "index"
	stateName = "state.json"

	// mostRecent is the number of captures in memory before they become a run: about 10 MB. After a
	// crash at most as many are read again from the WARC files.
	mostRecent = 1 << 14

	// indexFormat is raised when older programs must not use the indexes of newer ones. Runs of
	// format 1 have no lines of contents.
	indexFormat = 2

	// fanout is the number of runs of similar size that are merged into one. A look-up searches all
	// runs, and each capture is rewritten log(captures/mostRecent)/log(fanout) times.
	fanout = 4
)

// state describes the runs of an index.
type state struct {
	Format  int              `json:"format"`  // indexFormat; not in older ones
	Next    int              `json:"next"`    // number of the next run
	Runs    []runState       `json:"runs"`    // the largest first
	Covered map[string]int64 `json:"covered"` // octets that are covered of each WARC file
}

type runState struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// index holds the places of captures: in runs on disk, and the latest in memory.
type index struct {
	dir     string
	state   state
	runs    []openRun // as in state
	recent  map[string][]*Capture
	count   int              // of recent
	covered map[string]int64 // octets of files that runs and recent cover
}

type openRun struct {
	*IndexRun
	file *os.File
}

var errState = errors.New("the index is not whole")

func newIndex(dir string) *index {
	return &index{dir: filepath.Join(dir, indexDir), recent: map[string][]*Capture{},
		covered: map[string]int64{}}
}

// openIndex opens the runs of a directory. A missing index is empty. errState means that it is
// damaged and must be rebuilt.
func openIndex(dir string) (*index, error) {
	x := newIndex(dir)
	text, err := os.ReadFile(filepath.Join(x.dir, stateName))
	if errors.Is(err, os.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	err = json.Unmarshal(text, &x.state) // a field of another type is no reason to fail
	if x.state.Format > indexFormat {
		return nil, fmt.Errorf("%s: the index has format %d and was written by a newer version of "+
			"recrawl; this one knows up to %d: use the newer one, or remove %s, which is made anew "+
			"from the WARC files (nothing was changed)", filepath.Join(x.dir, stateName),
			x.state.Format, indexFormat, x.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %v", errState, stateName, err)
	}
	maps.Copy(x.covered, x.state.Covered)
	for _, r := range x.state.Runs {
		opened, err := x.openRun(r)
		if err != nil {
			x.close()
			return nil, err
		}
		x.runs = append(x.runs, opened)
	}
	return x, nil
}

func (x *index) openRun(r runState) (openRun, error) {
	path := filepath.Join(x.dir, filepath.Base(r.Name))
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return openRun{}, fmt.Errorf("%w: %s is missing", errState, path)
	}
	if err != nil {
		return openRun{}, fmt.Errorf("read the index: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() != r.Size {
		err = fmt.Errorf("%w: %s has %d octets of %d", errState, path, info.Size(), r.Size)
	}
	var run *IndexRun
	if err == nil {
		run, err = NewIndexRun(f, r.Size)
	}
	if err != nil {
		f.Close()
		return openRun{}, fmt.Errorf("read the index: %w", err)
	}
	return openRun{run, f}, nil
}

func (x *index) close() {
	for _, r := range x.runs {
		r.file.Close() // was read only
	}
	x.runs = nil
}

// clear removes the whole index, also on disk.
func (x *index) clear() error {
	x.close()
	next := x.state.Next
	x.state = state{Next: next}
	x.recent, x.count, x.covered = map[string][]*Capture{}, 0, map[string]int64{}
	if err := os.RemoveAll(x.dir); err != nil {
		return fmt.Errorf("remove the index: %w", err)
	}
	return nil
}

// add stores captures of a file, which is covered up to an octet.
func (x *index) add(captures []*Capture, file string, covered int64) {
	for _, c := range captures {
		x.recent[c.Key] = append(x.recent[c.Key], c)
		x.count++
		if key := contentKey(c); key != "" && c.Length >= leastShared && x.recent[key] == nil {
			x.recent[key] = []*Capture{{Key: key, Time: c.Time, URL: c.URL, Date: c.Date}}
			x.count++
		}
	}
	x.covered[file] = covered
}

// contentMark begins the keys of lines for bodies. No URL has such a key.
const contentMark = "="

// contentKey returns the index key of a body, whatever its URL, or "" if the body is not shared. A
// chunked body has its own key, because readers use the header of the revisit.
func contentKey(c *Capture) string {
	if c.MIME == Revisit || c.Status != "200" || c.Truncated != "" || c.Digest == "" ||
		strings.ContainsAny(c.Digest, " \n") {
		return ""
	}
	if c.Chunked {
		return contentMark + "chunked/" + c.Digest
	}
	return contentMark + c.Digest
}

// under returns the captures under a key, oldest first in each run.
func (x *index) under(key string) (found []*Capture, err error) {
	found = slices.Clone(x.recent[key])
	for _, r := range x.runs {
		more, err := r.Last(key)
		if err != nil {
			return nil, fmt.Errorf("read the index: %w", err)
		}
		found = append(found, more...)
	}
	return found, nil
}

// last returns the latest captures of a URL, newest first.
func (x *index) last(url string) ([]*Capture, error) {
	var found []*Capture
	for _, key := range SURTs(url) {
		more, err := x.under(key)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	found = slices.DeleteFunc(found, func(c *Capture) bool { return c.URL != url })
	slices.SortStableFunc(found, func(a, b *Capture) int {
		return cmp.Compare(b.Date, a.Date)
	})
	return found, nil
}

// has reports whether a record of a URL at a date has a body. The date has the form of records.
func (x *index) has(url, date string) bool {
	at, err := warc.ParseDate(date)
	if err != nil {
		return false
	}
	is := func(c *Capture) bool {
		return c.URL == url && c.Date == date && c.MIME != Revisit
	}
	for _, key := range SURTs(url) {
		found := slices.ContainsFunc(x.recent[key], is)
		for _, run := range x.runs {
			begin := key + " " + Stamp(at)
			err := run.From(begin, func(line []byte) bool {
				if found || !bytes.HasPrefix(line, []byte(begin)) {
					return false
				}
				c, err := ParseIndexLine(line)
				found = err == nil && is(c)
				return !found
			})
			if err != nil {
				return false
			}
		}
		if found {
			return true
		}
	}
	return false
}

// of implements Reader.Of.
func (x *index) of(url string, near time.Time, most int) ([]*Capture, error) {
	var found []*Capture
	of := newWanted(url)
	for _, key := range SURTs(url) {
		found = append(found, x.recent[key]...)
		for _, run := range x.runs {
			var bad error
			err := run.From(key+" ", func(line []byte) bool {
				if !bytes.HasPrefix(line, []byte(key+" ")) {
					return false
				}
				c, err := ParseIndexLine(line)
				if bad = err; err == nil {
					found = append(found, c)
				}
				if len(found) > 2*most+1000 {
					found = of.nearest(found, near, most)
				}
				return err == nil
			})
			if err = cmp.Or(err, bad); err != nil {
				return nil, fmt.Errorf("read the index: %w", err)
			}
		}
	}
	return of.one(of.nearest(found, near, most), near), nil
}

// flush writes the captures in memory as a run, and merges runs of similar size.
func (x *index) flush() error {
	if x.count == 0 && maps.Equal(x.covered, x.state.Covered) {
		return nil
	}
	if err := os.MkdirAll(x.dir, 0o755); err != nil {
		return fmt.Errorf("make the index: %w", err)
	}
	next := state{Format: indexFormat, Next: x.state.Next, Runs: slices.Clone(x.state.Runs),
		Covered: maps.Clone(x.covered)}
	runs := slices.Clone(x.runs)
	var made, old []openRun
	undo := func(err error) error {
		for _, r := range made {
			r.file.Close()
			os.Remove(r.file.Name())
		}
		return err
	}
	write := func(sources []source) error {
		r := runState{Name: fmt.Sprintf("%06d.cdxj", next.Next)}
		next.Next++
		size, err := writeDurable(filepath.Join(x.dir, r.Name), func(w io.Writer) error {
			return merge(w, sources)
		})
		if err != nil {
			return err
		}
		r.Size = size
		opened, err := x.openRun(r)
		if err != nil {
			return err
		}
		made = append(made, opened)
		runs, next.Runs = append(runs, opened), append(next.Runs, r)
		return nil
	}
	if x.count > 0 {
		if err := write([]source{x.memory("")}); err != nil {
			return undo(err)
		}
	}
	for {
		first := tooMany(next.Runs)
		if first < 0 {
			break
		}
		together := slices.Clone(runs[first:])
		runs, next.Runs = runs[:first:first], next.Runs[:first:first]
		sources := make([]source, len(together))
		for i, r := range together {
			sources[i] = fromRun(r, 0)
		}
		if err := write(sources); err != nil {
			return undo(err)
		}
		old = append(old, together...)
	}
	text, err := json.MarshalIndent(next, "", " ")
	if err != nil {
		return undo(err)
	}
	if _, err := writeDurable(filepath.Join(x.dir, stateName), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}); err != nil {
		return undo(err)
	}
	x.state, x.runs = next, runs
	x.recent, x.count = map[string][]*Capture{}, 0
	for _, r := range old {
		r.file.Close()
		os.Remove(r.file.Name()) // a file that stays takes space only
	}
	return nil
}

// tooMany returns the first of the last runs that must be merged, or -1. Sizes are similar if they
// differ by a factor below fanout.
func tooMany(runs []runState) int {
	if len(runs) < fanout {
		return -1
	}
	first := len(runs) - fanout
	if runs[first].Size < fanout*max(runs[len(runs)-1].Size, 1) {
		return first
	}
	return -1
}

// source returns lines in order, and io.EOF at the end. A line is valid until the next call.
type source func() ([]byte, error)

// memory returns the lines in memory that are not below a text.
func (x *index) memory(text string) source {
	all := make([]*Capture, 0, x.count)
	for _, c := range x.recent {
		all = append(all, c...)
	}
	lines := make([][]byte, 0, len(all))
	return func() ([]byte, error) {
		if all != nil {
			for _, c := range all {
				line, err := AppendIndexLine(nil, c)
				if err != nil {
					return nil, err
				}
				if string(line) >= text {
					lines = append(lines, line)
				}
			}
			slices.SortFunc(lines, bytes.Compare)
			all = nil
		}
		if len(lines) == 0 {
			return nil, io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return line, nil
	}
}

// fromRun returns the lines of a run from an octet on.
func fromRun(r openRun, at int64) source {
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, at, r.Size()-at), MaxIndexLine)
	return func() ([]byte, error) {
		line, err := in.ReadSlice('\n')
		if err == io.EOF && len(line) > 0 {
			return nil, fmt.Errorf("%w: %s ends in the middle of a line", errState, r.file.Name())
		}
		return line, err
	}
}

// merge writes the lines of all sources in order, each once.
func merge(w io.Writer, sources []source) error {
	return merged(sources, func(line []byte) error {
		_, err := w.Write(line)
		return err
	})
}

// merged passes the lines of all sources to yield in order, each once. A line is valid until yield
// returns.
func merged(sources []source, yield func(line []byte) error) error {
	var h heads
	var last []byte
	for _, s := range sources {
		line, err := s()
		if err == nil {
			h = append(h, head{bytes.Clone(line), s})
		} else if err != io.EOF {
			return err
		}
	}
	heap.Init(&h)
	for len(h) > 0 {
		if !bytes.Equal(h[0].line, last) {
			if err := yield(h[0].line); err != nil {
				return err
			}
			last = append(last[:0], h[0].line...)
		}
		line, err := h[0].from()
		switch {
		case err == io.EOF:
			heap.Pop(&h)
		case err != nil:
			return err
		default:
			h[0].line = append(h[0].line[:0], line...)
			heap.Fix(&h, 0)
		}
	}
	return nil
}

type head struct {
	line []byte
	from source
}

type heads []head

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return bytes.Compare(h[i].line, h[j].line) < 0 }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(head)) }
func (h *heads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// writeDurable writes a file whole or not at all, also after a power failure.
func writeDurable(path string, write func(io.Writer) error) (size int64, err error) {
	temp := path + ".new"
	f, err := os.Create(temp)
	if err != nil {
		return 0, err
	}
	defer os.Remove(temp) // does nothing after the rename
	w := bufio.NewWriterSize(f, 64<<10)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		size, err = f.Seek(0, io.SeekEnd)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err == nil {
		err = directory.SyncPath(filepath.Dir(path))
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	return size, nil
}
