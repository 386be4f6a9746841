package runs

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// formatVersion is the newest format of a directory that this program reads, and the one it writes.
const formatVersion = 1

const (
	lockName    = "LOCK"
	formatName  = "FORMAT"
	formatTemp  = "FORMAT.new"
	runPrefix   = "run-"
	logPrefix   = "MANIFEST-"
	logTemp     = "MANIFEST.new"
	indexPrefix = "index-"
	formatMost  = 1024 // bytes of the version file
)

func (s *Store) segmentPath(number int64) string {
	return s.fs.PathJoin(s.dir, fmt.Sprintf("%s%06d", logPrefix, number))
}

func (s *Store) indexPath(number int64) string {
	return s.fs.PathJoin(s.dir, fmt.Sprintf("%s%06d", indexPrefix, number))
}

// parseName returns the number in a file name of ours.
func parseName(name, prefix string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n >= 0
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
func (s *Store) formatText() []byte { return formatText(s.o.Unit, s.id, s.o.Levels) }

func formatText(unit int64, id [16]byte, levels []Level) []byte {
	b := fmt.Appendf(nil, "recrawl runs %d\nunit_seconds %d\nstore %x\nlevels", formatVersion, unit, id)
	for _, l := range levels {
		b = fmt.Appendf(b, " %dx%d", l.Slots, l.Units)
	}
	b = append(b, '\n')
	return fmt.Appendf(b, "crc32c %08x\n", crc32.Checksum(b, castagnoli))
}

// writeFormat makes the version file in a directory. Its commit point is the sync of the directory.
func (s *Store) writeFormat(dir string) error {
	temp := s.fs.PathJoin(dir, formatTemp)
	f, err := s.fs.Create(temp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err = f.Write(s.formatText()); err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if err := s.fs.Rename(temp, s.fs.PathJoin(dir, formatName)); err != nil {
		return err
	}
	return syncDir(s.fs, dir)
}

// newFormat chooses what is fixed for a new store.
func (s *Store) newFormat() error {
	if s.o.Unit == 0 {
		s.o.Unit = 3600
	}
	if s.o.Levels == nil {
		s.o.Levels = HoursAndDays
	}
	if err := checkLevels(s.o.Levels); err != nil {
		return err
	}
	if _, err := rand.Read(s.id[:]); err != nil {
		return err
	}
	return s.writeFormat(s.dir)
}

// readFormat reads the version file; os.ErrNotExist if there is none.
func (s *Store) readFormat() error {
	path := s.fs.PathJoin(s.dir, formatName)
	f, err := s.fs.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, formatMost))
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	var version int
	if _, err := fmt.Sscanf(string(text), "recrawl runs %d\n", &version); err != nil {
		return &DamageError{Path: path, What: "not a version file", Cause: err}
	}
	if version > formatVersion {
		return &FormatError{Path: path, Found: version, Known: formatVersion}
	}
	unit, id, levels, err := parseFormat(string(text))
	if err != nil {
		return &DamageError{Path: path, What: "not a version file", Cause: err}
	}
	if !bytes.Equal(text, formatText(unit, id, levels)) {
		return &DamageError{Path: path, What: "not a version file"}
	}
	s.id = id
	return s.o.settle(unit, levels)
}

func parseFormat(text string) (unit int64, id [16]byte, levels []Level, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 6 {
		return 0, id, nil, fmt.Errorf("%d lines", len(lines))
	}
	if _, err := fmt.Sscanf(lines[1], "unit_seconds %d", &unit); err != nil {
		return 0, id, nil, err
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(lines[2], "store "))
	if err != nil || copy(id[:], raw) != len(id) {
		return 0, id, nil, fmt.Errorf("store id: %w", cmp.Or(err, errPayload))
	}
	for _, word := range strings.Fields(strings.TrimPrefix(lines[3], "levels")) {
		var l Level
		if _, err := fmt.Sscanf(word, "%dx%d", &l.Slots, &l.Units); err != nil {
			return 0, id, nil, err
		}
		levels = append(levels, l)
	}
	return unit, id, levels, checkLevels(levels)
}
