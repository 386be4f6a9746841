package satstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// RecordsIn returns the directory of the records of a store, which is one of package engine.
func RecordsIn(fs vfs.FS, dir string) string { return (&Store{fs: fs, dir: dir}).satDir() }

// CheckFormat returns a *FormatError if a newer program wrote the store in a directory, and no
// error if its version file is missing or damaged.
func CheckFormat(fs vfs.FS, dir string) error {
	var format *FormatError
	if err := readFormat(fs, dir); !errors.As(err, &format) {
		return nil
	}
	// Only a newer program writes another number with a right checksum.
	if _, text, err := directory.ReadFormat(fs, dir); err != nil || !directory.IsSealed(text) {
		return nil
	}
	return format
}

// Epoch returns how many batches the catalogue of a store had; 0 if that is unknown.
func Epoch(fs vfs.FS, dir string) uint64 {
	n, err := (&Store{fs: fs, dir: dir}).readEpoch()
	if err != nil {
		return 0
	}
	return n
}

// Table is a file of the catalogue, with the bounds of its keys if they are known.
type Table struct {
	Path     string
	From, To []byte
}

// Tables returns the tables of the catalogue of a store. If Pebble cannot open it, or opens an
// older state, that is damage, and these are all tables in its directory.
func Tables(fs vfs.FS, store string) (tables []Table, damage, err error) {
	s := Store{fs: fs, dir: store}
	dir := s.catalogueDir()
	c, err := openCatalogue(fs, dir, true, false)
	if err == nil {
		s.cat = c
		if err = s.checkEpoch(); err != nil {
			err = errors.Join(err, c.close())
		}
	}
	if err == nil {
		var levels [][]pebble.SSTableInfo
		err = c.finish(func() (err error) {
			levels, err = c.db.SSTables()
			return err
		})
		for _, t := range slices.Concat(levels...) {
			tables = append(tables, Table{fs.PathJoin(dir, fmt.Sprintf("%06d.sst", t.FileNum)),
				slices.Clone(t.Smallest.UserKey), slices.Clone(t.Largest.UserKey)})
		}
		err = errors.Join(err, c.close())
	}
	if err == nil || errors.Is(err, ErrInUse) {
		return tables, nil, err
	}
	names, e := fs.List(dir)
	if e != nil {
		return nil, err, nil // the directory is missing
	}
	tables = nil
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") {
			tables = append(tables, Table{Path: fs.PathJoin(dir, name)})
		}
	}
	// Pebble names the first missing table. Its keys are unknown.
	if _, number, ok := strings.Cut(err.Error(), ": file "); ok {
		if number, rest, _ := strings.Cut(number, " "); strings.HasPrefix(rest, "(type sstable)") {
			tables = append(tables, Table{Path: fs.PathJoin(dir, number+".sst")})
		}
	}
	return tables, err, nil
}
