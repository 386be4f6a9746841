package satstore

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// catalogueFS is the file system of Pebble. It refuses to write once the catalogue is dead: a
// Pebble that could not be closed must not disturb the store opened after it. Readers share its
// lock.
type catalogueFS struct {
	vfs.FS
	c        *catalogue
	readOnly bool

	mu     sync.Mutex
	lock   io.Closer // of the directory
	copied error     // the first failed sync of a directory outside the catalogue
}

// own reports whether a path is the catalogue's directory or in it. A copy is made by the same
// Pebble through the same file system, perhaps on another disk. Errors there fail the copy, and the
// catalogue continues.
func (fs *catalogueFS) own(name string) bool {
	rest, ok := strings.CutPrefix(name, fs.c.dir)
	return ok &&
		(rest == "" || strings.HasPrefix(rest, "/") ||
			strings.HasPrefix(rest, string(os.PathSeparator)))
}

// takeCopied returns the error in the directories of a copy since its last call.
func (fs *catalogueFS) takeCopied() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	err := fs.copied
	fs.copied = nil
	return err
}

func (fs *catalogueFS) writable() error {
	if fs.readOnly {
		return ErrReadOnly
	}
	if isClosed(fs.c.dead) {
		return fs.c.cause
	}
	return nil
}

func (fs *catalogueFS) wrap(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return f, err
	}
	return &catalogueFile{File: f, fs: fs}, nil
}

// Lock takes the lock of the catalogue's directory, whose file Pebble names. It is Pebble's first
// action there.
func (fs *catalogueFS) Lock(name string) (io.Closer, error) {
	disk := fs.FS
	if counted, ok := disk.(*copyFS); ok {
		disk = counted.FS
	}
	lock, err := directory.LockFor(disk, fs.PathDir(name), fs.readOnly)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.lock = lock
	return noLock{}, err
}

type noLock struct{}

func (noLock) Close() error { return nil }

// unlock releases the lock. Pebble cannot always be closed.
func (fs *catalogueFS) unlock() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.lock == nil {
		return nil
	}
	err := fs.lock.Close()
	fs.lock = nil
	return err
}

// Create makes a file. A marker of Pebble names another new file, whose own name must be durable
// first: a disk may keep the names of a directory in any order.
func (fs *catalogueFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := fs.writable(); err != nil {
		return nil, err
	}
	if strings.HasPrefix(fs.PathBase(name), "marker.") {
		if err := directory.Sync(fs.FS, fs.PathDir(name)); err != nil {
			return nil, err
		}
	}
	return fs.wrap(fs.FS.Create(name, category))
}

func (fs *catalogueFS) OpenReadWrite(
	name string,
	category vfs.DiskWriteCategory,
	opts ...vfs.OpenOption,
) (vfs.File, error) {
	if err := fs.writable(); err != nil {
		return nil, err
	}
	return fs.wrap(fs.FS.OpenReadWrite(name, category, opts...))
}

func (fs *catalogueFS) ReuseForWrite(
	oldname, newname string,
	category vfs.DiskWriteCategory,
) (vfs.File, error) {
	if err := fs.writable(); err != nil {
		return nil, err
	}
	return fs.wrap(fs.FS.ReuseForWrite(oldname, newname, category))
}

func (fs *catalogueFS) Link(oldname, newname string) error {
	if err := fs.writable(); err != nil {
		return err
	}
	return fs.FS.Link(oldname, newname)
}

func (fs *catalogueFS) Remove(name string) error {
	if err := fs.writable(); err != nil {
		return err
	}
	return fs.FS.Remove(name)
}

func (fs *catalogueFS) RemoveAll(name string) error {
	if err := fs.writable(); err != nil {
		return err
	}
	return fs.FS.RemoveAll(name)
}

func (fs *catalogueFS) Rename(oldname, newname string) error {
	if err := fs.writable(); err != nil {
		return err
	}
	return fs.FS.Rename(oldname, newname)
}

func (fs *catalogueFS) MkdirAll(dir string, perm os.FileMode) error {
	if err := fs.writable(); err != nil {
		return err
	}
	return fs.FS.MkdirAll(dir, perm)
}

// Unwrap is part of vfs.FS.
func (fs *catalogueFS) Unwrap() vfs.FS { return fs.FS }

// OpenDir returns a directory. If its sync fails, the catalogue ends at once, because some callers
// in Pebble would panic on a goroutine of Pebble if they got the error. If the directory belongs to
// a copy, Sync returns nil, and the caller that made the copy gets the error (takeCopied).
func (fs *catalogueFS) OpenDir(name string) (vfs.File, error) {
	f, err := fs.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &catalogueDir{File: f, fs: fs, own: fs.own(name)}, nil
}

type catalogueDir struct {
	vfs.File
	fs  *catalogueFS
	own bool
}

func (d *catalogueDir) Sync() error {
	err := d.fs.writable()
	if err == nil {
		err = d.File.Sync()
	}
	switch {
	case err == nil || d.fs.readOnly:
		return err
	case d.own:
		d.fs.c.Fatalf("sync directory: %v", err)
	}
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.fs.copied = cmp.Or(d.fs.copied, fmt.Errorf("sync directory: %w", err))
	return nil
}

type catalogueFile struct {
	vfs.File
	fs *catalogueFS
}

func (f *catalogueFile) Write(p []byte) (int, error) {
	if err := f.fs.writable(); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f *catalogueFile) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.fs.writable(); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, offset)
}
