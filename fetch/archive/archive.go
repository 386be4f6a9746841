package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/satstore/directory"
)

// DefaultMaxFile is the size in octets at which a WARC file ends: the usual size of the field.
const DefaultMaxFile = 1_000_000_000

// Options of an archive. The zero value of each field means its default.
type Options struct {
	MaxFile int64 // size in octets at which a file ends; default DefaultMaxFile
	// Stored keeps all answers as they came. Without it, uncompressed answers are compressed: to a
	// third of their size up to smallPerSecond, and beyond that to six tenths, which takes a tenth
	// of the work on a visit.
	Stored bool
	// Software and UserAgent identify the writer in the first record of each file (WARC 1.1, 6.2).
	Software, UserAgent string
	Now                 func() time.Time // names files, and limits smallPerSecond; default time.Now

	create func(path string) (file, error) // for tests
}

// file is a WARC file that is written.
type file interface {
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(int64) error
}

// Archive stores captures, with the guarantees of the package. A nil Archive stores nothing: Take
// only makes the visit, and Notes, Sync and Close do nothing.
type Archive struct {
	dir  string
	o    Options
	lock io.Closer

	mu      sync.Mutex // guards all below
	f       file       // nil: none is open
	name    string     // of f
	serial  int        // number of the next file
	end     int64      // of f
	synced  int64
	full    []fullFile          // full files, not yet synced
	pending []placed            // captures not yet synced, in order of place
	shared  map[string]*Capture // captures of pending with a body, by contentKey
	index   *index
	notes   []string
	broken  error // error after which nothing is stored
	small   budget

	syncing sync.Mutex // allows one Sync at a time; locked before mu
	// writers limits the concurrent writers; callers wait for one. A writer takes about 1 MB once
	// it has compressed, too much to make one for each visit.
	writers chan *writer
}

type fullFile struct {
	file
	name string
	end  int64
}

// placed holds the captures of one Put, and the length of their file after them.
type placed struct {
	captures []*Capture
	file     string
	end      int64
}

// Open opens the archive in a directory, and makes the directory if necessary.
func Open(dir string, o Options) (a *Archive, err error) {
	if o.MaxFile == 0 {
		o.MaxFile = DefaultMaxFile
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.create == nil {
		o.create = func(path string) (file, error) {
			return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		}
	}
	a = &Archive{dir: dir, o: o, shared: map[string]*Capture{},
		writers: make(chan *writer, 2*runtime.GOMAXPROCS(0))}
	for range cap(a.writers) {
		a.writers <- new(writer)
	}
	if err := directory.Make(vfs.Default, dir); err != nil {
		return nil, fmt.Errorf("open archive %s: %w", dir, err)
	}
	if a.lock, err = directory.Lock(vfs.Default, dir); err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	if err := a.recover(); err != nil {
		return nil, errors.Join(fmt.Errorf("open archive %s: %w", dir, err), a.lock.Close())
	}
	return a, nil
}

// Notes lists what Open found and repaired; empty if nothing was wrong.
func (a *Archive) Notes() []string {
	if a == nil {
		return nil
	}
	return a.notes
}

// writer makes the records of one visit.
type writer struct {
	warc.Writer
	data []byte // records of the last visit
}

// budget is the number of answer octets that may be compressed well, which takes as long as a third
// of a visit: half a percent of a processor at smallPerSecond. A polite crawl seldom has more
// uncompressed octets, so its archive is as small as possible. A crawl at full speed has no time
// for it.
type budget struct {
	left float64
	at   time.Time // time of left
}

const (
	smallPerSecond = 1 << 19
	smallAtOnce    = 2 * smallPerSecond
)

// spend takes octets from the budget, if any are left.
func (b *budget) spend(octets int, now time.Time) bool {
	b.left = min(b.left+max(now.Sub(b.at).Seconds(), 0)*smallPerSecond, smallAtOnce)
	b.at = now
	if b.left <= 0 {
		return false
	}
	b.left -= float64(octets)
	return true
}

// coding returns the coding for the record of an answer.
func (a *Archive) coding(r *warc.NewRecord) warc.Coding {
	octets := 0
	for _, piece := range r.Block {
		octets += len(piece)
	}
	switch {
	case r.Coding == warc.Stored || a.o.Stored && r.Type == warc.Response:
		return warc.Stored
	case octets <= smallAnswer:
		return warc.Small
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.small.spend(octets, a.o.Now()) {
		return warc.Small
	}
	return warc.Quick
}

// keptData limits the data that a writer keeps, in octets.
const keptData = 256 << 10

func (a *Archive) giveBack(w *writer) {
	if cap(w.data) > keptData {
		w.data = nil
	}
	a.writers <- w
}

// append writes records to the end of a file, and stores their captures. Their offsets are relative
// to data.
func (a *Archive) append(data []byte, captures []*Capture) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken != nil {
		return a.broken
	}
	if a.f == nil || a.end >= a.o.MaxFile {
		if err := a.turn(); err != nil {
			return err
		}
	}
	if err := a.writeAtEnd(data); err != nil {
		return err
	}
	for _, c := range captures {
		c.Offset += a.end
		c.Filename = a.name
		if key := contentKey(c); key != "" && c.Length >= leastShared && a.shared[key] == nil {
			a.shared[key] = c
		}
	}
	a.end += int64(len(data))
	a.pending = append(a.pending, placed{captures, a.name, a.end})
	return nil
}

// writeAtEnd writes all of data or nothing.
func (a *Archive) writeAtEnd(data []byte) error {
	_, err := a.f.WriteAt(data, a.end)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("write archive file %s: %w", filepath.Join(a.dir, a.name), err)
	if undone := a.f.Truncate(a.end); undone != nil {
		a.broken = errors.Join(err, fmt.Errorf("cut off its incomplete end: %w", undone))
		return a.broken
	}
	return err
}

// turn starts the next file.
func (a *Archive) turn() error {
	name := fmt.Sprintf("recrawl-%s-%05d.warc.gz", Stamp(a.o.Now()), a.serial)
	path := filepath.Join(a.dir, name)
	f, err := a.o.create(path)
	if err != nil {
		return fmt.Errorf("begin archive file: %w", err)
	}
	var w warc.Writer
	info, err := w.Append(nil, a.info(name))
	if err == nil {
		_, err = f.WriteAt(info, 0)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("begin archive file %s: %w", path, err), f.Close(),
			os.Remove(path))
	}
	if a.f != nil {
		a.full = append(a.full, fullFile{a.f, a.name, a.end})
	}
	a.f, a.name, a.end, a.synced = f, name, int64(len(info)), 0
	a.serial++
	return nil
}

// info returns the first record of a file (WARC 1.1, 6.2).
func (a *Archive) info(name string) *warc.NewRecord {
	fields := []warc.Field{
		{Name: "software", Value: a.o.Software},
		{Name: "http-header-user-agent", Value: a.o.UserAgent},
		{Name: "robots", Value: "obey"},
		{Name: "format", Value: "WARC File Format 1.1"},
		{Name: "conformsTo",
			Value: "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
	}
	return &warc.NewRecord{
		Type: warc.Info, ID: warc.NewID(), Date: a.o.Now(),
		Fields: []warc.Field{{Name: warc.FilenameField, Value: name},
			{Name: warc.ContentField, Value: warc.Fields}},
		Block: [][]byte{fieldsBlock(fields)},
	}
}

// Sync makes stored captures durable.
func (a *Archive) Sync() error {
	if a == nil {
		return nil
	}
	a.syncing.Lock()
	defer a.syncing.Unlock()
	a.mu.Lock()
	f, end, full, pending := a.f, a.end, a.full, a.pending
	begun := a.synced == 0
	if a.broken != nil || f == nil || end == a.synced && len(full) == 0 {
		defer a.mu.Unlock()
		return a.broken
	}
	a.full, a.pending = nil, nil
	a.mu.Unlock()

	var err error
	for _, old := range full {
		err = errors.Join(err, old.Sync(), old.Close())
	}
	err = errors.Join(err, f.Sync())
	if begun || len(full) > 0 {
		err = errors.Join(err, directory.SyncPath(a.dir))
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		for _, p := range pending {
			a.index.add(p.captures, p.file, p.end)
			for _, c := range p.captures {
				if key := contentKey(c); a.shared[key] == c {
					delete(a.shared, key)
				}
			}
		}
		if a.index.count >= mostRecent {
			err = a.index.flush()
		}
	}
	if err != nil {
		// After a failed sync the state of the disk is unknown.
		a.broken = fmt.Errorf("make archive %s durable: %w", a.dir, err)
		return a.broken
	}
	if a.f == f {
		a.synced = end
	}
	return nil
}

// Close makes all captures durable and releases the directory.
func (a *Archive) Close() error {
	if a == nil {
		return nil
	}
	err := a.Sync()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		err = a.index.flush()
	}
	a.index.close()
	for _, old := range a.full {
		err = errors.Join(err, old.Close())
	}
	if a.f != nil {
		err = errors.Join(err, a.f.Close())
		a.f = nil
	}
	if a.broken == nil {
		a.broken = errors.New("the archive is closed")
	}
	return errors.Join(err, a.lock.Close())
}
