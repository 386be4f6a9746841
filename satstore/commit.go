package satstore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// SaveLinks replaces the in-server links of a page, and those of them that are frames.
func (s *Store) SaveLinks(p sitegraph.PageID, links, frames []sitegraph.PageID) error {
	if err := s.writable(); err != nil {
		return err
	}
	for _, list := range [...][]sitegraph.PageID{{p}, links, frames} {
		for _, q := range list {
			if err := s.known(q); err != nil {
				return fmt.Errorf("links of page %d: %w", p, err)
			}
		}
	}
	s.changed = true
	s.frame = appendLinks(s.frame[:0], links, frames)
	return s.fail(s.batch.Set(pageKey(keyLinks, p), s.frame, nil))
}

// SaveStart makes a page a start page of its server, for good.
func (s *Store) SaveStart(p sitegraph.PageID) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.known(p); err != nil {
		return err
	}
	s.changed = true
	return s.fail(s.batch.Set(pageKey(keyStart, p), nil, nil))
}

func settingKey(name string) []byte { return append([]byte{keySetting}, name...) }

// SaveSetting keeps a small value under a name.
func (s *Store) SaveSetting(name string, value []byte) error {
	if err := s.writable(); err != nil {
		return err
	}
	s.changed = true
	s.settings[name] = slices.Clone(value)
	return s.fail(s.batch.Set(settingKey(name), value, nil))
}

// Setting returns the value last saved under a name, committed or not; false if none was.
func (s *Store) Setting(name string) ([]byte, bool, error) {
	if err := s.usable(); err != nil {
		return nil, false, err
	}
	if v, ok := s.settings[name]; ok {
		return slices.Clone(v), true, nil
	}
	v, ok, err := s.cat.get(settingKey(name))
	if err != nil {
		return nil, false, fmt.Errorf("read setting %q: %w", name, err)
	}
	return v, ok, nil
}

// Commit makes everything since the last Commit durable, as a whole. The sync of the log
// is its commit point. After an error it is not known whether the disk has it: close the
// store and open it again.
func (s *Store) Commit() error {
	if err := s.writable(); err != nil {
		return err
	}
	if !s.changed {
		return nil
	}
	return s.fail(s.commit())
}

func (s *Store) commit() error {
	var repr []byte
	if !s.batch.Empty() {
		repr = s.batch.Repr()
	}
	if err := s.log.commit(s.clock, s.lsn, len(s.index), repr); err != nil {
		return err
	}
	s.changed = false
	if repr != nil {
		if err := s.cat.apply(s.batch); err != nil {
			return fmt.Errorf("apply to catalogue: %w", err)
		}
		if err := s.batch.Close(); err != nil {
			return fmt.Errorf("close catalogue batch: %w", err)
		}
		s.batch = s.cat.db.NewBatch()
		clear(s.settings)
	}
	for len(s.doomed) > 0 { // step 7: their records are durable elsewhere now
		b := s.doomed[0]
		s.doomed = s.doomed[1:]
		if err := s.removeBucket(b); err != nil {
			return err
		}
	}
	if s.log.size < s.o.LogBytes {
		return nil
	}
	return s.checkpoint()
}

// removeBucket deletes the file of a bucket.
func (s *Store) removeBucket(b *bucket) error {
	err := s.files.abandon(b)
	if b.size > 0 {
		err = cmp.Or(err, s.fs.Remove(b.path))
	}
	if err != nil {
		return fmt.Errorf("remove bucket %d: %w", b.unit, err)
	}
	return nil
}
