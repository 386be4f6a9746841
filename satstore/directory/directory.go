package directory

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// Names in the directory of a store.
const (
	LockName   = "LOCK"
	FormatName = "FORMAT"
	tempSuffix = ".new"
)

// smallMost bounds the read of a small file.
const smallMost = 1024

// ErrInUse reports that another process, or another store of this one, has the directory open.
var ErrInUse = words.Hint(errors.New("store is in use"),
	"another recrawl works on this directory; stop it, take another --data, or read a copy: "+
		"recrawl checkpoint", words.ExitFailed)

// ErrRead is the ErrInUse of a directory that other processes only read.
var ErrRead = words.Hint(fmt.Errorf("%w by a process that reads it", ErrInUse),
	"another recrawl, such as check or serve, reads this directory; try again when it has ended, or "+
		"stop it", words.ExitFailed)

// Lock locks a directory for writing, as LockFor does.
func Lock(fs vfs.FS, dir string) (io.Closer, error) { return LockFor(fs, dir, false) }

// isLocked reports whether an error means that somebody else has a lock.
func isLocked(err error) bool {
	var file *os.PathError // the file itself could not be made
	return errors.Is(err, ErrInUse) || errors.Is(err, syscall.EAGAIN) ||
		errors.Is(err, syscall.EACCES) && !errors.As(err, &file) ||
		strings.Contains(err.Error(), "lock held by current process")
}

// LockFor locks a directory. Readers share it with other readers, and nobody writes meanwhile. On a
// disk it locks the open directory and its version file, so that removing a file does not free
// them, and no symbolic or hard link bypasses them. It also locks DIR/LOCK, for programs and
// systems that have no other lock. If no lock is available, as on some network disks, or for a
// reader on a read-only medium, nobody is locked out.
func LockFor(fs vfs.FS, dir string, reading bool) (io.Closer, error) {
	var lock io.Closer
	var err error
	path := fs.PathJoin(dir, LockName)
	if fs == vfs.Default {
		lock, err = held.acquire(identity(dir), reading, func() (io.Closer, error) {
			return lockDirectory(dir, path, reading)
		})
	} else {
		lock, err = fs.Lock(path)
	}
	switch {
	case err == nil:
		return lock, nil
	case reading && (errors.Is(err, syscall.EROFS) || errors.Is(err, os.ErrPermission)):
		return unlocked{}, nil
	case err != ErrRead && isLocked(err):
		err = ErrInUse
	}
	return nil, fmt.Errorf("lock %s: %w", dir, err)
}

// LockFormat locks the version file, which was just made, of a locked directory.
func LockFormat(fs vfs.FS, dir string) (io.Closer, error) {
	if fs != vfs.Default {
		return unlocked{}, nil
	}
	return lockPath(fs.PathJoin(dir, FormatName), false)
}

// identity returns the same text for all paths of a directory.
func identity(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// lockDirectory takes the locks of a directory of the disk.
func lockDirectory(dir, path string, reading bool) (io.Closer, error) {
	var all both
	for _, name := range []string{dir, filepath.Join(dir, FormatName)} {
		lock, err := lockPath(name, reading)
		if err != nil {
			return nil, cmp.Or(err, all.Close())
		}
		all = append(all, lock)
	}
	file := lockAlone
	if reading && canShare {
		file = lockFile
	}
	lock, err := file(path)
	if err != nil {
		_ = all.Close() // the first error matters
		return nil, err
	}
	return append(all, lock), nil
}

// both are locks that are held together.
type both []io.Closer

func (b both) Close() error {
	var errs []error
	for _, lock := range b {
		errs = append(errs, lock.Close())
	}
	return errors.Join(errs...)
}

// lockAlone locks a file of the disk, or reports whether the holders of the lock share it.
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

// Make makes a directory and its parents, durably.
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

// MakeEmpty makes a directory for a copy, and refuses one that is not empty.
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

// CheckOwn refuses a directory without version file that holds more than an interrupted creation
// leaves.
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

// Write makes or replaces a small file.
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

// Read is ReadFormat for another small file.
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

// WritePath makes or replaces a small file of the operating system.
func WritePath(dir, name string, text []byte) error { return Write(vfs.Default, dir, name, text) }

// Free returns how many bytes the file system of a directory has left for this user.
func Free(dir string) (int64, error) {
	usage, err := vfs.Default.GetDiskUsage(dir)
	return int64(usage.AvailBytes), err
}

// Claim makes a directory if necessary, and takes its lock, like Lock on the disk.
func Claim(dir string) (io.Closer, error) {
	if err := Make(vfs.Default, dir); err != nil {
		return nil, err
	}
	return Lock(vfs.Default, dir)
}

// IsSealed reports whether a small file is as Sealed made it.
func IsSealed(text []byte) bool {
	end := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
	return bytes.Equal(text, Sealed(bytes.Clone(text[:end])))
}

// CheckVersion returns an error unless the first line of a version file has the known name and
// number. For a higher number it reports that a newer program wrote it.
func CheckVersion(path string, text []byte, name string, known int) error {
	line, _, _ := strings.Cut(string(text), "\n")
	digits, named := strings.CutPrefix(line, name+" ")
	switch found, err := strconv.Atoi(digits); {
	case !named || err != nil || found < 1:
		return fmt.Errorf("%s is damaged, or is of something else: want %q", path,
			fmt.Sprint(name, " ", known))
	case found > known:
		return fmt.Errorf("%s: %q was written by a newer version of recrawl; this one knows up to "+
			"%d: use the newer one (nothing was changed)", path, line, known)
	case found < known:
		return fmt.Errorf("%s: %q is of an earlier version; this one knows %d", path, line, known)
	}
	return nil
}
