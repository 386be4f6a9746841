package engine

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/satstore/directory"
)

// formatVersion is the format that this program writes, and the newest that it reads.
const formatVersion = 1

const (
	runPrefix   = "run-"
	logPrefix   = "MANIFEST-"
	logTemp     = "MANIFEST.new"
	indexPrefix = "index-"
)

func (s *Store) segmentPath(number int64) string {
	return s.fs.PathJoin(s.dir, fmt.Sprintf("%s%06d", logPrefix, number))
}

func (s *Store) indexPath(number int64) string {
	return s.fs.PathJoin(s.dir, fmt.Sprintf("%s%06d", indexPrefix, number))
}

// parseName returns the number in the name of a file of the store.
func parseName(name, prefix string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n >= 0
}

// formatText returns the content of the version file.
func (s *Store) formatText() []byte { return formatText(s.o.Unit, s.id, s.o.Levels) }

func formatText(unit int64, id [16]byte, levels []Level) []byte {
	b := fmt.Appendf(nil, "recrawl runs %d\nunit_seconds %d\nstore %x\nlevels",
		formatVersion, unit, id)
	for _, l := range levels {
		b = fmt.Appendf(b, " %dx%d", l.Slots, l.Units)
	}
	return directory.Sealed(append(b, '\n'))
}

// newFormat sets the values that are fixed for a new store.
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
	return directory.WriteFormat(s.fs, s.dir, s.formatText())
}

// readFormat reads the version file; os.ErrNotExist if there is none.
func (s *Store) readFormat() error {
	path, text, err := directory.ReadFormat(s.fs, s.dir)
	if err != nil {
		return err
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
	return s.o.adoptFixed(unit, levels)
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
