package satstore

import (
	"bytes"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// formatVersion is the format that this program writes, and the newest that it reads.
const formatVersion = 2

const (
	satName       = "sat"
	catalogueName = "pebble"
)

func (s *Store) catalogueDir() string { return s.fs.PathJoin(s.dir, catalogueName) }

func (s *Store) satDir() string { return s.fs.PathJoin(s.dir, satName) }

// formatText returns the content of the version file.
func formatText() []byte {
	return directory.Sealed(fmt.Appendf(nil, "recrawl satstore %d\n", formatVersion))
}

// readFormat reads the version file; os.ErrNotExist if there is none.
func readFormat(fs vfs.FS, dir string) error {
	path, text, err := directory.ReadFormat(fs, dir)
	if err != nil {
		return err
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
