package tidy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Tables holds the tables that one command writes. Its zero value writes nothing: its tables drop
// their rows.
type Tables struct {
	places []place
	names  []string
	open   []closer
	files  []*directory.AtomicFile
}

// place is a directory for tables in one format.
type place struct{ dir, ending string }

// closer is an unfinished table.
type closer interface {
	close() error
}

// CreateTables starts tables as Parquet in one directory and as CSV in another; "" means not in
// that format. It makes the directories. If a file of a table exists, it returns an os.ErrExist.
// Commit or Discard must follow.
func CreateTables(parquet, csv string, kinds ...Described) (*Tables, error) {
	s := &Tables{}
	for _, k := range kinds {
		s.names = append(s.names, k.Describe().Name)
	}
	for _, p := range []place{{parquet, ".parquet"}, {csv, ".csv"}} {
		if p.dir == "" {
			continue
		}
		if err := os.MkdirAll(p.dir, 0o755); err != nil {
			return nil, fmt.Errorf("directory of the tables: %w", err)
		}
		for _, name := range s.names {
			if err := p.free(name); err != nil {
				return nil, err
			}
		}
		if err := directory.CheckAtomicFile(p.path("")); err != nil {
			return nil, err
		}
		s.places = append(s.places, p)
	}
	return s, nil
}

func (p place) path(name string) string { return filepath.Join(p.dir, name+p.ending) }

// free returns an os.ErrExist if there is a file for a table of this name.
func (p place) free(name string) error {
	if _, err := os.Lstat(p.path(name)); err == nil {
		return fmt.Errorf("write %s: %w", p.path(name), os.ErrExist)
	}
	return nil
}

// Empty reports whether the set writes no tables.
func (s *Tables) Empty() bool { return len(s.places) == 0 }

// Names returns the names of the tables.
func (s *Tables) Names() []string { return s.names }

// Commit completes the tables and gives their files their names. After an error there is no file,
// unless the renaming failed.
func (s *Tables) Commit() error {
	defer s.Discard()
	for _, t := range s.open {
		if err := t.close(); err != nil {
			return err
		}
	}
	for _, f := range s.files {
		if err := f.Flush(); err != nil {
			return fmt.Errorf("write tables: %w", err)
		}
	}
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Commit())
	}
	return errors.Join(errs...)
}

// Discard removes what was not committed.
func (s *Tables) Discard() {
	for _, f := range s.files {
		f.Discard()
	}
}
