package satstore

import (
	"bytes"
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

// formatVersion is the newest format of a store directory that this program reads, and
// the one it writes.
const formatVersion = 2

const (
	lockName      = "LOCK"
	formatName    = "FORMAT"
	formatTemp    = "FORMAT.new"
	satName       = "sat"
	catalogueName = "pebble"
)

func (s *Store) catalogueDir() string { return s.fs.PathJoin(s.dir, catalogueName) }

func (s *Store) satDir() string { return s.fs.PathJoin(s.dir, satName) }

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
func formatText() []byte {
	b := fmt.Appendf(nil, "recrawl satstore %d\n", formatVersion)
	return fmt.Appendf(b, "crc32c %08x\n", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// writeFormat makes the version file. Its commit point is the sync of the directory.
func writeFormat(fs vfs.FS, dir string) error {
	temp := fs.PathJoin(dir, formatTemp)
	f, err := fs.Create(temp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err = f.Write(formatText()); err == nil {
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
func readFormat(fs vfs.FS, dir string) error {
	path := fs.PathJoin(dir, formatName)
	f, err := fs.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	var version int
	if _, err := fmt.Sscanf(string(text), "recrawl satstore %d\n", &version); err != nil {
		return &DamageError{Path: path, What: "not a version file", Cause: err}
	}
	switch {
	case version > formatVersion, version == 1:
		return &FormatError{Path: path, Found: version, Known: formatVersion}
	case !bytes.Equal(text, formatText()):
		return &DamageError{Path: path, What: "not a version file"}
	}
	return nil
}

// syncDir makes the names in a directory durable.
func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("open directory %s: %w", dir, err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}
