package directory

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Names in the directory of a store.
const (
	LockName   = "LOCK"
	FormatName = "FORMAT"
	tempSuffix = ".new"
)

// smallMost bounds what is read of a small file.
const smallMost = 1024

// ErrInUse says that another process, or another store of this one, has the directory open.
var ErrInUse = errors.New("store is in use")

// ErrRead is the ErrInUse of a directory that other processes only read.
var ErrRead = fmt.Errorf("%w by a process that reads it", ErrInUse)

// Lock takes DIR/LOCK for itself.
func Lock(fs vfs.FS, dir string) (io.Closer, error) {
	path := fs.PathJoin(dir, LockName)
	var lock io.Closer
	var err error
	if fs == vfs.Default {
		lock, err = held.take(path, false, lockAlone)
	} else {
		lock, err = fs.Lock(path)
	}
	if err == nil {
		return lock, nil
	}
	if err != ErrRead && isLocked(err) {
		err = ErrInUse
	}
	return nil, fmt.Errorf("lock %s: %w", dir, err)
}

// isLocked reports whether an error says that somebody else has a lock.
func isLocked(err error) bool {
	var file *os.PathError // the file itself could not be made
	return errors.Is(err, ErrInUse) || errors.Is(err, syscall.EAGAIN) ||
		errors.Is(err, syscall.EACCES) && !errors.As(err, &file) ||
		strings.Contains(err.Error(), "lock held by current process")
}

// lockAlone locks a file of the disk, or says whether those who have the lock share it.
func lockAlone(path string) (io.Closer, error) {
	lock, err := vfs.Default.Lock(path)
	if err == nil || !canShare || !isLocked(err) {
		return lock, err
	}
	if shared, err := lockFile(path); err == nil {
		return nil, cmp.Or(shared.Close(), ErrRead)
	}
	return nil, ErrInUse
}

// LockFor is Lock for one who perhaps only reads: then others may read, too, and nobody writes.
// Where there is no lock file and none can be made, as on a medium that is read-only, it locks
// nobody out.
func LockFor(fs vfs.FS, dir string, reading bool) (io.Closer, error) {
	if !reading || fs != vfs.Default || !canShare {
		lock, err := Lock(fs, dir)
		if reading && (errors.Is(err, syscall.EROFS) || errors.Is(err, os.ErrPermission)) {
			return unlocked{}, nil
		}
		return lock, err
	}
	lock, err := held.take(fs.PathJoin(dir, LockName), true, lockFile)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return lock, nil
}

// Make makes a directory and those above it, durably.
func Make(fs vfs.FS, dir string) error {
	var missing []string
	for d := dir; ; {
		if _, err := fs.Stat(d); err == nil {
			break
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		missing = append(missing, d)
		up := fs.PathDir(d)
		if up == d {
			break
		}
		d = up
	}
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range missing {
		if err := Sync(fs, fs.PathDir(d)); err != nil {
			return err
		}
	}
	return nil
}

// MakeEmpty makes a directory for a copy, and refuses one that holds anything.
func MakeEmpty(fs vfs.FS, dir string) error {
	if err := Make(fs, dir); err != nil {
		return err
	}
	names, err := fs.List(dir)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("the directory holds %d files: choose an empty or a new one", len(names))
	}
	return err
}

// CheckOwn refuses a directory without version file that holds anything but what a
// creation cut short leaves.
func CheckOwn(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != LockName && name != FormatName+tempSuffix {
			return fmt.Errorf("directory %s holds %q and no store: choose an empty or a new one",
				dir, name)
		}
	}
	return nil
}

// WriteFormat makes the version file.
func WriteFormat(fs vfs.FS, dir string, text []byte) error {
	return Write(fs, dir, FormatName, text)
}

// Sealed returns the text of a small file with a last line that has its CRC32C.
func Sealed(text []byte) []byte {
	return fmt.Appendf(text, "crc32c %08x\n",
		crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// Write makes a small file, or another in its place.
func Write(fs vfs.FS, dir, name string, text []byte) error {
	temp := fs.PathJoin(dir, name+tempSuffix)
	f, err := fs.Create(temp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if err := fs.Rename(temp, fs.PathJoin(dir, name)); err != nil {
		return err
	}
	return Sync(fs, dir)
}

// ReadFormat returns the path of the version file and its first KiB; os.ErrNotExist if there is
// none.
func ReadFormat(fs vfs.FS, dir string) (path string, text []byte, err error) {
	return Read(fs, dir, FormatName)
}

// Read is the same for another small file.
func Read(fs vfs.FS, dir, name string) (path string, text []byte, err error) {
	path = fs.PathJoin(dir, name)
	f, err := fs.Open(path)
	if err != nil {
		return path, nil, err
	}
	defer f.Close()
	if text, err = io.ReadAll(io.LimitReader(f, smallMost)); err != nil {
		return path, nil, fmt.Errorf("read %s: %w", path, err)
	}
	return path, text, nil
}

// Sync makes the names in a directory durable.
func Sync(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("open directory %s: %w", dir, err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}

// SyncPath is Sync of a directory of the system.
func SyncPath(dir string) error { return Sync(vfs.Default, dir) }

// WritePath makes a small file of the operating system's, or another in its place.
func WritePath(dir, name string, text []byte) error { return Write(vfs.Default, dir, name, text) }

// Free is how many bytes the file system of a directory has left for us.
func Free(dir string) (int64, error) {
	usage, err := vfs.Default.GetDiskUsage(dir)
	return int64(usage.AvailBytes), err
}

// Claim makes a directory if need be, and takes its lock, as Lock does on the disk.
func Claim(dir string) (io.Closer, error) {
	if err := Make(vfs.Default, dir); err != nil {
		return nil, err
	}
	return Lock(vfs.Default, dir)
}
