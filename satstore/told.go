package satstore

import (
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Told is told now and then how far long work has come, and of how much: Restore in entries of its
// pages, Checkpoint in bytes. Its error ends that work.
type Told func(what string, done, total int) error

// Untold ends that anybody is told: the store is open.
func (s *Store) Untold() { s.o.Told = nil }

const (
	toldEntries = 1 << 14
	toldBytes   = 4 << 20
)

// count counts what is done of one piece of work; nil counts nothing.
type count struct {
	told        Told
	what        string
	each        int // told when so much was done since the last time
	done, since int
	total       int
	err         error // of who is told; nothing is done after it
}

func (t Told) count(what string, each, total int) *count {
	if t == nil {
		return nil
	}
	return &count{told: t, what: what, each: each, total: total}
}

func (c *count) add(n int) error {
	if c == nil {
		return nil
	}
	c.done += n
	if c.since += n; c.since < c.each {
		return c.err
	}
	return c.tell()
}

func (c *count) tell() error {
	if c.since = 0; c.err == nil {
		c.err = c.told(c.what, min(c.done, c.total), c.total)
	}
	return c.err
}

// toldFS counts what is written below the directory of a copy. The error of who is told fails it
// there, and nowhere else.
type toldFS struct {
	vfs.FS
	copy atomic.Pointer[copying] // nil: none is made; Pebble writes beside it
}

// copying is a copy that is made.
type copying struct {
	below  string // with the separator at its end
	copied *count
}

// begin counts the copy of some directories into dir from now on; done ends that.
func (t *toldFS) begin(dir string, told Told, of ...string) (done func(), err error) {
	if told == nil {
		return func() {}, nil
	}
	bytes := 0
	for _, from := range of {
		names, err := t.List(from)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			info, err := t.Stat(t.PathJoin(from, name))
			if errors.Is(err, fs.ErrNotExist) {
				continue // Pebble removes what it merged
			}
			if err != nil {
				return nil, err
			}
			bytes += int(info.Size())
		}
	}
	t.copy.Store(&copying{strings.TrimSuffix(t.PathJoin(dir, "x"), "x"), told.count("bytes", toldBytes, bytes)})
	return func() { t.copy.Store(nil) }, nil
}

// copiedTo counts what is written to a file; nil: it is in no copy.
func (t *toldFS) copiedTo(name string) *count {
	if c := t.copy.Load(); c != nil && strings.HasPrefix(name, c.below) {
		return c.copied
	}
	return nil
}

func (t *toldFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := t.FS.Create(name, category)
	copied := t.copiedTo(name)
	if err != nil || copied == nil {
		return f, err
	}
	return &toldFile{f, copied}, nil
}

// Link links a file or does not: once it is there, nothing fails any more.
func (t *toldFS) Link(from, to string) error {
	copied := t.copiedTo(to)
	if copied == nil {
		return t.FS.Link(from, to)
	}
	info, err := t.Stat(from)
	if err != nil {
		return err
	}
	if err := copied.tell(); err != nil {
		return err
	}
	if err := t.FS.Link(from, to); err != nil {
		return err
	}
	copied.done += int(info.Size())
	return nil
}

type toldFile struct {
	vfs.File
	copied *count
}

func (f *toldFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.copied.add(len(b)); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, at)
}

func (f *toldFile) Write(b []byte) (int, error) {
	if err := f.copied.add(len(b)); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

// Skip counts a hole, which is not written.
func (f *toldFile) Skip(octets int64) error { return f.copied.add(int(octets)) }
