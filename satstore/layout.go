package satstore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// formatVersion is the newest format of a store directory that this program reads, and
// the one it writes.
const formatVersion = 1

const (
	lockName      = "LOCK"
	formatName    = "FORMAT"
	formatTemp    = "FORMAT.new"
	satName       = "sat"
	catalogueName = "pebble"
	bucketPrefix  = "due-"
	logPrefix     = "log-"
)

func (s *Store) catalogueDir() string { return s.fs.PathJoin(s.dir, catalogueName) }

func (s *Store) bucketPath(unit int64) string {
	return s.fs.PathJoin(s.satDir, bucketPrefix+strconv.FormatInt(unit, 10))
}

func (s *Store) logPath(number int64) string {
	return s.fs.PathJoin(s.satDir, fmt.Sprintf("%s%06d", logPrefix, number))
}

// parseName returns the number in a file name of ours.
func parseName(name, prefix string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// lockDir takes DIR/LOCK.
func lockDir(fs vfs.FS, dir string) (io.Closer, error) {
	lock, err := fs.Lock(fs.PathJoin(dir, lockName))
	if err == nil {
		return lock, nil
	}
	var path *os.PathError // the file itself could not be made
	held := errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) && !errors.As(err, &path) ||
		strings.Contains(err.Error(), "lock held by current process")
	if held {
		return nil, fmt.Errorf("lock %s: %w", dir, ErrInUse)
	}
	return nil, fmt.Errorf("lock %s: %w", dir, err)
}

// makeDir makes a directory and those above it, durably.
func makeDir(fs vfs.FS, dir string) error {
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
		if err := syncDir(fs, fs.PathDir(d)); err != nil {
			return err
		}
	}
	return nil
}

// checkOwn refuses a directory without version file that holds anything but what a
// creation cut short leaves.
func checkOwn(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != lockName && name != formatTemp {
			return fmt.Errorf("directory %s holds %q and no store: choose an empty or a new one", dir, name)
		}
	}
	return nil
}

// formatText is the content of the version file.
func formatText(unit time.Duration, units int) []byte {
	b := fmt.Appendf(nil, "recrawl satstore %d\nunit_seconds %d\nunits %d\n", formatVersion, unit/time.Second, units)
	return fmt.Appendf(b, "crc32c %08x\n", crc32.Checksum(b, castagnoli))
}

// writeFormat makes the version file. Its commit point is the sync of the directory.
func writeFormat(fs vfs.FS, dir string, unit time.Duration, units int) error {
	temp := fs.PathJoin(dir, formatTemp)
	f, err := fs.Create(temp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err = f.Write(formatText(unit, units)); err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if err := fs.Rename(temp, fs.PathJoin(dir, formatName)); err != nil {
		return err
	}
	return syncDir(fs, dir)
}

// readFormat reads the version file; os.ErrNotExist if there is none.
func readFormat(fs vfs.FS, dir string) (unit time.Duration, units int, err error) {
	path := fs.PathJoin(dir, formatName)
	f, err := fs.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	var buf [256]byte
	n, err := readSome(f, buf[:], 0)
	if err != nil {
		return 0, 0, fmt.Errorf("read %s: %w", path, err)
	}
	text := buf[:n]
	var version int
	if _, err := fmt.Sscanf(string(text), "recrawl satstore %d\n", &version); err != nil {
		return 0, 0, &DamageError{Path: path, What: "not a version file", Cause: err}
	}
	if version > formatVersion {
		return 0, 0, &FormatError{Path: path, Found: version, Known: formatVersion}
	}
	var seconds int64
	if _, err := fmt.Sscanf(string(text), "recrawl satstore %d\nunit_seconds %d\nunits %d\n", &version, &seconds, &units); err != nil {
		return 0, 0, &DamageError{Path: path, What: "not a version file", Cause: err}
	}
	unit = time.Duration(seconds) * time.Second
	if seconds < 1 || units < 1 || units > maxUnits || !bytes.Equal(text, formatText(unit, units)) {
		return 0, 0, &DamageError{Path: path, What: "not a version file"}
	}
	return unit, units, nil
}
