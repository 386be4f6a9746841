package satstore

import (
	"fmt"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Checkpoint commits, and makes a copy of the store in a directory that is empty or missing: an
// independent store, with files linked if the file system can. The copy is a store only when
// Checkpoint has returned nil. Open refuses what a crash or an error leaves, which can be removed.
// This store continues, also if the copy failed (a full disk, or a broken one), but not if its own
// disk did.
func (s *Store) Checkpoint(dir string) error {
	if err := s.Commit(); err != nil {
		return err
	}
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.copyTo(dir); err != nil {
		return fmt.Errorf("copy store %s to %s: %w", s.dir, dir, err)
	}
	return s.replaceLost() // the copy does so when it is opened
}

func (s *Store) copyTo(dir string) error {
	if err := directory.MakeEmpty(s.fs, dir); err != nil {
		return err
	}
	done, err := s.copies.begin(dir, s.o.Progress, s.satDir(), s.catalogueDir())
	if err != nil {
		return err
	}
	defer done()
	// The runs make a checkpoint, before which the catalogue is flushed.
	if err := s.runs.CopyTo(s.fs.PathJoin(dir, satName)); err != nil {
		return err
	}
	if err := s.cat.flush(); err != nil {
		return err
	}
	if err := s.cat.copyTo(s.fs.PathJoin(dir, catalogueName)); err != nil {
		return err
	}
	// The commit point: without this file the directory is no store.
	return directory.WriteFormat(s.fs, dir, formatText())
}
