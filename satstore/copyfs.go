package satstore

import (
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// EndProgress ends reports to Options.Progress: the store is open.
func (s *Store) EndProgress() { s.o.Progress = nil }

const (
	// reportEntries and reportBytes are the work between two reports of progress.
	reportEntries = 1 << 14
	reportBytes   = 4 << 20
)

// copyFS counts what is written below the directory of a copy. An error of a report fails the copy
// alone.
type copyFS struct {
	vfs.FS
	copy atomic.Pointer[copying] // nil: no copy is being made; Pebble writes beside it
}

// copying is a copy that is being made.
type copying struct {
	below  string // with the separator at its end
	copied *directory.Counter
}

// begin starts counting the copy of some directories into dir; done ends it.
func (t *copyFS) begin(dir string, report directory.Func, of ...string) (done func(), err error) {
	if report == nil {
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
				continue // Pebble removes merged tables
			}
			if err != nil {
				return nil, err
			}
			bytes += int(info.Size())
		}
	}
	t.copy.Store(&copying{strings.TrimSuffix(t.PathJoin(dir, "x"), "x"),
		report.Count("bytes", reportBytes, bytes)})
	return func() { t.copy.Store(nil) }, nil
}

// copiedTo returns the counter of a file; nil: it is in no copy.
func (t *copyFS) copiedTo(name string) *directory.Counter {
	if c := t.copy.Load(); c != nil && strings.HasPrefix(name, c.below) {
		return c.copied
	}
	return nil
}

func (t *copyFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := t.FS.Create(name, category)
	copied := t.copiedTo(name)
	if err != nil || copied == nil {
		return f, err
	}
	return &countedFile{f, copied}, nil
}

// Link links a file or does not: after it exists nothing can fail.
func (t *copyFS) Link(from, to string) error {
	copied := t.copiedTo(to)
	if copied == nil {
		return t.FS.Link(from, to)
	}
	info, err := t.Stat(from)
	if err != nil {
		return err
	}
	if err := copied.Report(); err != nil {
		return err
	}
	if err := t.FS.Link(from, to); err != nil {
		return err
	}
	copied.Pass(int(info.Size()))
	return nil
}

type countedFile struct {
	vfs.File
	copied *directory.Counter
}

func (f *countedFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.copied.Add(len(b)); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, at)
}

func (f *countedFile) Write(b []byte) (int, error) {
	if err := f.copied.Add(len(b)); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

// Skip counts a hole, which is not written.
func (f *countedFile) Skip(octets int64) error { return f.copied.Add(int(octets)) }
