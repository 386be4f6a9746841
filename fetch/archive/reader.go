package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Reader reads the WARC files of a directory, also while a run adds to them. Goroutines may share
// it.
type Reader struct {
	dir   string
	index *index
	temp  string // directory of a temporary index of this reader, or ""
	files []WARCFile
	notes []string
}

// WARCFile is a file as a Reader sees it.
type WARCFile struct {
	Name string
	Size int64 // octets up to the end of the last whole record
}

// ErrNoFiles is returned for a directory without WARC files.
var ErrNoFiles = words.Hint(
	errors.New("no WARC file (.warc.gz or .warc), nor one of ARC, is in it"),
	"name the directory of recrawl run --archive, or another one with WARC files",
	words.ExitFailed)

// OpenReader opens a directory of WARC files of any writer. It reads the parts of files that their
// index does not cover: all of them if there is no index.
func OpenReader(dir string) (r *Reader, err error) {
	r = &Reader{dir: dir}
	names, err := warcFiles(dir)
	if err == nil && len(names) == 0 {
		err = ErrNoFiles
	}
	if err != nil {
		return nil, fmt.Errorf("read archive %s: %w", dir, err)
	}
	const tries = 3 // a run may merge the index at the same time
	for range tries {
		if r.index, err = openIndex(dir); !errors.Is(err, errState) {
			break
		}
	}
	if err != nil && !errors.Is(err, errState) {
		return nil, err
	}
	if err != nil || len(r.index.covered) == 0 || r.index.disagrees(dir, names) != "" {
		if r.index != nil {
			r.index.close()
		}
		if r.temp, err = os.MkdirTemp("", "recrawl-index-"); err != nil {
			return nil, fmt.Errorf("make an index of %s: %w", dir, err)
		}
		r.index = newIndex(r.temp)
	}
	for _, name := range names {
		if err := r.catchUp(name); err != nil {
			return nil, errors.Join(fmt.Errorf("read archive %s: %w", dir, err), r.Close())
		}
	}
	return r, nil
}

func (r *Reader) catchUp(name string) error {
	path := filepath.Join(r.dir, name)
	end, damage, err := scan(path, r.index.covered[name], func(c *Capture, end int64) error {
		r.index.add([]*Capture{c}, name, end)
		if r.index.count >= mostRecent && r.temp != "" {
			return r.index.flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range damage {
		if !warc.IsCut(d) { // the end may be in the process of being written
			r.notes = append(r.notes, fmt.Sprintf("%s: %v", name, d))
		}
	}
	r.files = append(r.files, WARCFile{name, end})
	return nil
}

// Close closes the files.
func (r *Reader) Close() error {
	r.index.close()
	if r.temp != "" {
		return os.RemoveAll(r.temp)
	}
	return nil
}

// Files returns the WARC files, by name.
func (r *Reader) Files() []WARCFile { return r.files }

// Notes lists damage; empty if there is none.
func (r *Reader) Notes() []string { return r.notes }

// Open opens a WARC file up to its last whole record.
func (r *Reader) Open(f WARCFile) (io.ReadCloser, error) {
	file, err := os.Open(filepath.Join(r.dir, f.Name))
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(file, f.Size), file}, nil
}

// Each passes all captures to yield, by key and time. An error of yield ends it and is returned.
func (r *Reader) Each(yield func(*Capture) error) error { return r.From("", yield) }

// From is Each for the captures whose lines in an index are not below a text, such as a key.
func (r *Reader) From(text string, yield func(*Capture) error) error {
	sources := []source{r.index.memory(text)}
	for _, run := range r.index.runs {
		at, err := run.Seek(text)
		if err != nil {
			return fmt.Errorf("read the index: %w", err)
		}
		sources = append(sources, fromRun(run, at))
	}
	return merged(sources, func(line []byte) error {
		if bytes.HasPrefix(line, []byte(contentMark)) {
			return nil // a line of a body
		}
		c, err := ParseIndexLine(line)
		if err != nil {
			return err
		}
		return yield(c)
	})
}

// Of returns the captures of a URL by time, oldest first: at most most, nearest to a moment. If
// there are none, it returns those of the URL with the other scheme (http or https), or else those
// with or without "www.". All are of one URL.
func (r *Reader) Of(url string, near time.Time, most int) ([]*Capture, error) {
	return r.index.of(url, near, most)
}

// Answer is a captured answer of a server.
type Answer struct {
	Capture *Capture
	Status  int
	Header  []warc.Field // of HTTP; empty for a resource
	Body    []byte       // without transfer coding, in its content coding
	Cut     string       // why the body is cut; "": it is whole
}

// Get returns the first value of a header field, or "".
func (a *Answer) Get(name string) string {
	for _, f := range a.Header {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// ErrNoBody is returned for a capture that refers to a record outside these files.
var ErrNoBody = errors.New("the record that has its body is not in this archive")

// MostBody limits an answer's body that is read into memory, in octets.
const MostBody = 64 << 20

// Answer reads a capture. A revisit has its own header, and the body of the record that it refers
// to.
func (r *Reader) Answer(c *Capture) (*Answer, error) { return shelf{r.dir, r.Of}.answer(c) }

// shelf is the WARC files of a directory with a function that finds their captures, like Reader.Of.
type shelf struct {
	dir string
	of  func(url string, near time.Time, most int) ([]*Capture, error)
}

func (r shelf) answer(c *Capture) (*Answer, error) {
	a, err := r.record(c)
	if err != nil || c.MIME != Revisit {
		return a, err
	}
	from, err := r.original(c)
	if err != nil {
		return nil, fmt.Errorf("capture of %s at %s: %w", c.URL, Stamp(c.Time), err)
	}
	original, err := r.record(from)
	if err != nil {
		return nil, fmt.Errorf("capture of %s at %s: %w", c.URL, Stamp(c.Time), err)
	}
	a.Body, a.Cut = original.Body, original.Cut
	if a.Status == 304 || a.Status == 0 { // nothing changed, or no header was kept
		a.Status, a.Header = original.Status, original.Header
	}
	for _, name := range []string{"Content-Type", "Content-Encoding"} {
		// Some writers keep few fields of a revisit. The same body has the same type and coding.
		if value := original.Get(name); value != "" && a.Get(name) == "" {
			a.Header = append(slices.Clip(a.Header), warc.Field{Name: name, Value: value})
		}
	}
	return a, nil
}

// Original returns the capture that a revisit refers to, or ErrNoBody. A revisit without a
// reference, as in WARC 1.0, means one with the same URL and digest.
func (r *Reader) Original(c *Capture) (*Capture, error) {
	return shelf{r.dir, r.Of}.original(c)
}

// isShared reports whether a capture refers to the body of another URL.
func (c *Capture) isShared() bool {
	return c.MIME == Revisit && c.RefersURI != "" && identity(c.RefersURI) != identity(c.URL)
}

// sharedType returns the media type of the record with the body of a shared capture; "" if that
// record is not in this archive.
func (r *Reader) sharedType(c *Capture) (string, error) {
	original, err := r.Original(c)
	if errors.Is(err, ErrNoBody) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return original.MIME, nil
}

func (r shelf) original(c *Capture) (*Capture, error) {
	at, err := warc.ParseDate(c.RefersDate)
	if err != nil {
		return r.sameDigest(c)
	}
	const near = 64 // captures within one second of it
	past, err := r.of(c.RefersURI, at, near)
	if err != nil {
		return nil, err
	}
	for _, p := range past {
		if date, err := warc.ParseDate(p.Date); err == nil && date.Equal(at) &&
			identity(p.URL) == identity(c.RefersURI) && p.MIME != Revisit {
			return p, nil
		}
	}
	return nil, ErrNoBody
}

func (r shelf) sameDigest(c *Capture) (*Capture, error) {
	const near = 1000 // captures of the URL
	past, err := r.of(c.URL, c.Time, near)
	if err != nil {
		return nil, err
	}
	for _, p := range past {
		if p.MIME != Revisit && p.Digest == c.Digest && c.Digest != "" {
			return p, nil
		}
	}
	return nil, ErrNoBody
}

// record reads one record.
func (r shelf) record(c *Capture) (*Answer, error) {
	fail := func(err error) (*Answer, error) {
		return nil, fmt.Errorf("read %s at octet %d: %w", c.Filename, c.Offset, err)
	}
	f, err := os.Open(filepath.Join(r.dir, filepath.Base(c.Filename)))
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	in := warc.NewReader(io.NewSectionReader(f, c.Offset, math.MaxInt64-c.Offset), c.Offset)
	if err := in.Skip(c.Within); err != nil {
		return fail(err)
	}
	rec, err := in.Next()
	if err != nil {
		return fail(err)
	}
	if rec.Length > MostBody {
		return fail(fmt.Errorf("its block of %d octets is larger than %d", rec.Length, MostBody))
	}
	block, err := io.ReadAll(rec.Block)
	if err == nil {
		err = in.Finish()
	}
	if err != nil {
		return fail(err)
	}
	a := &Answer{Capture: c, Status: 200, Cut: rec.Get(warc.TruncatedField)}
	if !rec.IsHTTP() && rec.Type() != warc.Revisit {
		a.Header = []warc.Field{{Name: warc.ContentField, Value: rec.Get(warc.ContentField)}}
		a.Body = block
		return a, nil
	}
	m, err := warc.ParseRecord(rec, block)
	if err != nil && rec.Type() == warc.Revisit {
		m, err = new(warc.Message), nil // it may have no header
	}
	if err != nil {
		return fail(err)
	}
	a.Status, a.Header, a.Body, a.Cut = m.Status, m.Fields(), m.Plain(), m.Cut(rec)
	return a, nil
}

// Text returns the body without its content codings, at most most octets. With an error it returns
// the part before the damage.
func (a *Answer) Text(most int64) ([]byte, error) {
	return warc.Decode(a.Body, warc.Codings(a.Header), most)
}

// IsCoded reports whether the body is in the content coding of its header.
func (a *Answer) IsCoded() bool { return !warc.IsPlain(a.Body, warc.Codings(a.Header)) }

// Since passes the captures of records after the known octets of each WARC file to yield, by file
// name and place. Captures that share a gzip member are left out. It returns the octets that are
// known now. An error of yield ends it and is returned.
func (r *Reader) Since(known map[string]int64, yield func(*Capture) error) (
	map[string]int64, error) {
	now := make(map[string]int64, len(r.files))
	for _, f := range r.files {
		from := min(known[f.Name], f.Size)
		if from < f.Size {
			if _, _, err := scan(filepath.Join(r.dir, f.Name), from,
				func(c *Capture, end int64) error {
					if end > f.Size || c.Length == 0 {
						return nil // the next reader sees it, or its offset is not enough
					}
					return yield(c)
				}); err != nil {
				return nil, err
			}
		}
		now[f.Name] = f.Size
	}
	return now, nil
}
