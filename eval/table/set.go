package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/satstore/whole"
)

// Set is the tables of one command under way. Its zero value is nowhere: tables of it take rows and
// write nothing.
type Set struct {
	places []place
	names  []string
	open   []closer
	files  []*whole.File
}

// place is a directory that has tables in one format.
type place struct{ dir, ending string }

// closer is a table under way.
type closer interface {
	close() error
}

// Create begins the tables of these names as Parquet in one directory and as CSV in another, which
// are made if need be; "" for none. It fails with an os.ErrExist where one of the tables is there.
// A set must end with Commit or Discard.
func Create(parquet, csv string, kinds ...Described) (*Set, error) {
	s := &Set{}
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
		if err := whole.Check(p.path("")); err != nil {
			return nil, err
		}
		s.places = append(s.places, p)
	}
	return s, nil
}

func (p place) path(name string) string { return filepath.Join(p.dir, name+p.ending) }

// free reports an os.ErrExist where a table of this name is there.
func (p place) free(name string) error {
	if _, err := os.Lstat(p.path(name)); err == nil {
		return fmt.Errorf("write %s: %w", p.path(name), os.ErrExist)
	}
	return nil
}

// Empty reports whether tables of the set are written nowhere.
func (s *Set) Empty() bool { return len(s.places) == 0 }

// Names are those of the tables that Create was told of.
func (s *Set) Names() []string { return s.names }

// Commit ends the tables and gives their files their names. After an error no file is there, unless
// a name could not be given.
func (s *Set) Commit() error {
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
func (s *Set) Discard() {
	for _, f := range s.files {
		f.Discard()
	}
}
