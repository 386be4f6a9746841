package satstore

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Checkpoint commits, and makes a copy of the store in a directory that is empty or not
// there: a store of its own, with the files of this one linked where the file system can. It is
// a store when Checkpoint returned nil, not before. This one goes on.
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
	// The runs make a checkpoint, before which the catalogue is flushed.
	if err := s.runs.CopyTo(s.fs.PathJoin(dir, satName)); err != nil {
		return err
	}
	if err := s.cat.flush(); err != nil {
		return err
	}
	err := s.cat.finish(func() error {
		return s.cat.db.Checkpoint(s.fs.PathJoin(dir, catalogueName), pebble.WithFlushedWAL())
	})
	if err != nil {
		return err
	}
	return directory.WriteFormat(s.fs, dir, formatText()) // the commit point: without it the directory is no store
}
