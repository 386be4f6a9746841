package crashtest

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// FailAt returns a disk on which operation k fails, from 1, of those that counts selects; with
// lasting, all later ones also fail. fired is set when one has failed.
func FailAt(disk vfs.FS, k uint64, lasting bool, counts func(errorfs.Op) bool) (
	fs vfs.FS, fired *atomic.Bool) {
	var n atomic.Uint64
	fired = new(atomic.Bool)
	return errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if !counts(op) {
			return nil
		}
		if i := n.Add(1); i < k || i > k && !lasting {
			return nil
		}
		fired.Store(true)
		return errorfs.ErrInjected
	})), fired
}

// Spared reports whether short tests leave out the i-th of many crashes: they keep every fifth. The
// race detector finds in a few what it finds in all.
func Spared(i int) bool { return testing.Short() && i%5 != 0 }

// Full is a disk with a number of bytes left. A write that does not fit is cut, and fails.
type Full struct {
	vfs.FS
	left *atomic.Int64
}

// NewFull returns another disk with a number of bytes left.
func NewFull(disk vfs.FS, bytes int64) Full {
	f := Full{disk, new(atomic.Int64)}
	f.left.Store(bytes)
	return f
}

// Left returns how many bytes are left; below zero: a write did not fit.
func (f Full) Left() int64 { return f.left.Load() }

// Free sets the number of bytes left.
func (f Full) Free(bytes int64) { f.left.Store(bytes) }

// Create makes a file that takes from the bytes left.
func (f Full) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.FS.Create(name, c)
	if err != nil {
		return nil, err
	}
	return fullFile{file, f.left}, nil
}

// OpenReadWrite opens a file that takes from the bytes left.
func (f Full) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (
	vfs.File, error) {
	file, err := f.FS.OpenReadWrite(name, c, o...)
	if err != nil {
		return nil, err
	}
	return fullFile{file, f.left}, nil
}

type fullFile struct {
	vfs.File
	left *atomic.Int64
}

func (f fullFile) take(p []byte) ([]byte, error) {
	left := f.left.Add(-int64(len(p)))
	if left >= 0 {
		return p, nil
	}
	return p[:max(0, int64(len(p))+left)], syscall.ENOSPC
}

func (f fullFile) Write(p []byte) (int, error) {
	part, full := f.take(p)
	n, err := f.File.Write(part)
	return n, errors.Join(err, full)
}

func (f fullFile) WriteAt(p []byte, at int64) (int, error) {
	part, full := f.take(p)
	n, err := f.File.WriteAt(part, at)
	return n, errors.Join(err, full)
}

// ReadFile returns all of a file.
func ReadFile(t testing.TB, fs vfs.FS, path string) []byte {
	t.Helper()
	f, err := fs.Open(path)
	Must(t, err)
	defer f.Close()
	b, err := io.ReadAll(f)
	Must(t, err)
	return b
}

// WriteFile makes or replaces a file with these bytes.
func WriteFile(t testing.TB, fs vfs.FS, path string, b []byte) {
	t.Helper()
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	Must(t, err)
	_, err = f.Write(bytes.Clone(b))
	Must(t, err)
	Must(t, f.Close())
}
