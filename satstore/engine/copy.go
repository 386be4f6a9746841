package engine

import (
	"errors"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

// CopyTo makes a checkpoint, and a store of the same state in a directory that is empty or missing.
// Run files are linked if the file system can, and copied otherwise. Neither store writes to linked
// files again. Both stores continue independently.
func (s *Store) CopyTo(dir string) error {
	if err := s.writable(); err != nil {
		return err
	}
	if s.visiting != nil {
		return ErrBusy
	}
	share, err := s.links(dir)
	if err == nil {
		if err := s.fail(s.markShared(share)); err != nil {
			return err
		}
		err = s.copyTo(dir, share)
	}
	if err != nil {
		return fmt.Errorf("copy run store %s to %s: %w", s.dir, dir, err)
	}
	return nil
}

// links makes the directory of a copy, and reports whether files of the store can be linked there.
// If not, for example on another disk, no file is shared, and both stores can release garbage.
func (s *Store) links(dir string) (bool, error) {
	if err := directory.MakeEmpty(s.fs, dir); err != nil {
		return false, err
	}
	trial := s.fs.PathJoin(dir, "LINK")
	if s.fs.Link(s.indexPath(s.indexNo), trial) != nil {
		return false, nil
	}
	return true, s.fs.Remove(trial)
}

// endRuns ends the files of both classes.
func (s *Store) endRuns() error {
	var err error
	for class := range classes {
		err = errors.Join(err, s.endRun(class))
	}
	return err
}

// markShared makes a checkpoint that marks all run files as full and, with share, as used by other
// stores.
func (s *Store) markShared(share bool) error {
	s.sharing = share
	defer func() { s.sharing = false }()
	if err := s.endRuns(); err != nil {
		return err
	}
	for _, f := range s.files.all {
		if f != nil {
			f.shared = f.shared || share
		}
	}
	if err := s.commit(true); err != nil {
		return err
	}
	return errors.Join(s.checkpoint(), s.endRuns(), s.endReclaim())
}

// copyTo links run files only if they are marked as shared. Otherwise both stores would punch the
// garbage of one of them.
func (s *Store) copyTo(dir string, share bool) error {
	fs := s.o.CopyFS
	paths := []string{s.indexPath(s.indexNo)}
	for _, f := range s.files.all {
		if f != nil {
			paths = append(paths, s.files.path(f.number))
		}
	}
	for _, path := range paths {
		to := fs.PathJoin(dir, fs.PathBase(path))
		if share && fs.Link(path, to) == nil {
			continue
		}
		// A file that is missing here is missing in the copy. Opening the copy notes it.
		if err := s.copyFile(path, to); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	// The log grows in place, so it is never linked.
	log := s.segmentPath(s.log.number)
	if err := s.copyFile(log, fs.PathJoin(dir, fs.PathBase(log))); err != nil {
		return err
	}
	if err := directory.Sync(fs, dir); err != nil {
		return err
	}
	// The commit point: without this file the directory is no store.
	return directory.WriteFormat(fs, dir, s.formatText())
}

// copyFile copies a file durably, without its holes. Its name is durable once the directory is
// synced.
func (s *Store) copyFile(from, to string) error {
	fs, copied := s.o.CopyFS, false
	if s.fs == vfs.Default {
		var err error
		if copied, err = copySparse(fs, from, to); err != nil {
			return err
		}
	}
	if !copied {
		if err := vfs.Copy(fs, from, to); err != nil {
			return err
		}
	}
	f, err := fs.OpenReadWrite(to, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
