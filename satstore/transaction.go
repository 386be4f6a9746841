package satstore

import (
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
	s.touchLinks(p)
	s.frame = appendLinks(s.frame[:0], links, frames)
	return s.fail(s.batch.Set(pageKey(KeyLinks, p), s.frame, nil))
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
	s.touch(p)
	return s.fail(s.batch.Set(pageKey(KeyStart, p), nil, nil))
}

func settingKey(name string) []byte { return append([]byte{KeySetting}, name...) }

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

// Commit makes all changes since the last Commit durable, as a whole: the batch of the catalogue
// goes to the log of the records, whose sync is the commit point. After an error it is unknown
// whether the disk has the commit: close the store and open it again.
func (s *Store) Commit() error {
	if err := s.writable(); err != nil {
		return err
	}
	for s.changed {
		if err := s.fail(s.commit()); err != nil {
			return err
		}
		if err := s.replaceLost(); err != nil { // of files that the commit rewrote
			return err
		}
	}
	return nil
}

func (s *Store) commit() error {
	if !s.batch.Empty() || len(s.touching.pages) > 0 {
		if err := s.numberBatch(); err != nil {
			return err
		}
		if err := s.runs.Attach(s.batch.Repr()); err != nil {
			return err
		}
	}
	if err := s.runs.Commit(); err != nil {
		return err
	}
	s.changed = false
	s.batch.Reset()
	clear(s.settings)
	clear(s.removed)
	return nil
}
