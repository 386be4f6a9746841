package satstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/sitegraph"
)

// A program that keeps a copy of the store's content asks the store to note which pages are touched
// from then on: their records, links or marks of start pages. Each batch of the catalogue then has
// a note as a setting, named by its number. A batch without one comes from a program without notes,
// which makes them useless.
const (
	// 8 bytes, big endian, for the number of the batch since which notes are made; 8 more for the
	// bound on noted pages; the last byte is notesForm
	positionSetting = "touched/since"
	touchedSetting  = "touched/at/" // + number of the batch, 8 bytes, big endian
	// notesForm marks notes that also have the touched links. Notes without it are not used.
	notesForm = 2
)

// touching notes the touched pages.
type touching struct {
	on    bool
	pages map[sitegraph.PageID]bool // in the transaction; true: also links
	all   int                       // since the notes began
	most  int
	// later counts those since the last call of Position, which is position.
	later    int
	position uint64
}

// Position returns a number for Touched: pages touched from now on are noted. It is durable with
// the next commit, which is part of the position. Earlier notes stay until Forget. All notes end
// when they name more than most pages.
func (s *Store) Position(most int) (uint64, error) {
	if err := s.writable(); err != nil {
		return 0, err
	}
	t, position := &s.touching, s.batches+1 // position of the next commit
	if t.on {
		t.later, t.position, t.most = 0, position, most
		s.changed = true
		return position, nil
	}
	if err := s.endNotes(); err != nil {
		return 0, err
	}
	*t = touching{on: true, pages: map[sitegraph.PageID]bool{}, most: most, position: position}
	return position, s.savePosition()
}

// Forget drops the notes before the last position, durable with the next commit.
func (s *Store) Forget() error {
	if err := s.writable(); err != nil {
		return err
	}
	t := &s.touching
	if !t.on {
		return nil
	}
	t.all = t.later
	until := binary.BigEndian.AppendUint64(settingKey(touchedSetting), t.position)
	if err := s.fail(s.batch.DeleteRange(settingKey(touchedSetting), until, nil)); err != nil {
		return err
	}
	return s.savePosition()
}

func (s *Store) savePosition() error {
	value := binary.BigEndian.AppendUint64(nil, s.touching.position)
	value = append(binary.BigEndian.AppendUint64(value, uint64(s.touching.most)), notesForm)
	return s.SaveSetting(positionSetting, value)
}

// endNotes drops all notes.
func (s *Store) endNotes() error {
	s.touching = touching{}
	s.changed = true
	return s.fail(errors.Join(
		s.batch.Delete(settingKey(positionSetting), nil),
		s.batch.DeleteRange(settingKey(touchedSetting),
			settingKey(touchedSetting[:len(touchedSetting)-1]+"0"), nil),
	))
}

// touch notes a page.
func (s *Store) touch(p sitegraph.PageID) {
	if s.touching.on && !s.touching.pages[p] {
		s.touching.pages[p] = false
	}
}

// touchLinks notes a page whose links are touched.
func (s *Store) touchLinks(p sitegraph.PageID) {
	if s.touching.on {
		s.touching.pages[p] = true
	}
}

// noteTouched adds the note of the batch to be committed as number n.
func (s *Store) noteTouched(n uint64) error {
	t := &s.touching
	if !t.on {
		return nil
	}
	t.later += len(t.pages)
	if t.all += len(t.pages); t.all > t.most {
		return s.endNotes()
	}
	pages := make([]sitegraph.PageID, 0, len(t.pages))
	var linked []sitegraph.PageID
	for p, links := range t.pages {
		if pages = append(pages, p); links {
			linked = append(linked, p)
		}
	}
	slices.Sort(pages)
	slices.Sort(linked)
	clear(t.pages)
	s.frame = appendLinks(s.frame[:0], pages, linked)
	return s.batch.Set(binary.BigEndian.AppendUint64(settingKey(touchedSetting), n), s.frame, nil)
}

// recallTouching continues the notes of an earlier process.
func (s *Store) recallTouching() error {
	if s.o.ReadOnly {
		return nil
	}
	position, most, ok, err := s.position()
	if err != nil || !ok {
		return err
	}
	s.touching = touching{on: true, pages: map[sitegraph.PageID]bool{}, most: most,
		position: position}
	pages, ok, err := s.Touched(position)
	s.touching.all, s.touching.later = len(pages), len(pages)
	if err == nil && !ok {
		s.touching = touching{} // the next position drops them
	}
	return err
}

// position returns since when notes are made; false: there are none.
func (s *Store) position() (position uint64, most int, ok bool, err error) {
	v, ok, err := s.cat.get(settingKey(positionSetting))
	if err != nil || !ok || len(v) != 17 || v[16] != notesForm {
		return 0, 0, false, err
	}
	return binary.BigEndian.Uint64(v), int(binary.BigEndian.Uint64(v[8:])), true, nil
}

// Touched returns the pages that commits touched since a position, ascending; false: unknown.
func (s *Store) Touched(since uint64) (pages []sitegraph.PageID, ok bool, err error) {
	pages, _, ok, err = s.TouchedParts(since)
	return pages, ok, err
}

// TouchedParts is Touched, and which of the pages had their links touched.
func (s *Store) TouchedParts(since uint64) (pages, linked []sitegraph.PageID, ok bool, err error) {
	if err := s.usable(); err != nil {
		return nil, nil, false, err
	}
	position, _, ok, err := s.position()
	if err != nil || !ok || since < position || since > s.batches+1 {
		return nil, nil, false, err
	}
	next := position
	prefix := settingKey(touchedSetting)
	damaged := false
	err = s.cat.eachSetting(prefix, func(name, value []byte) {
		if len(name) != 8 || binary.BigEndian.Uint64(name) != next {
			damaged = true
			return
		}
		next++
		if next <= since {
			return
		}
		some, links, err := DecodeLinks(value, s.Pages())
		if err != nil {
			damaged = true
			return
		}
		pages, linked = append(pages, some...), append(linked, links...)
	})
	if err != nil {
		return nil, nil, false, fmt.Errorf("read which pages were touched: %w", err)
	}
	if last, err := s.cat.epoch(); err != nil || damaged || next != last+1 {
		return nil, nil, false, err
	}
	slices.Sort(pages)
	slices.Sort(linked)
	return slices.Compact(pages), slices.Compact(linked), true, nil
}

// Links returns the in-server links of a page and which of them are frames, by the last commit.
func (s *Store) Links(p sitegraph.PageID) (links, frames []sitegraph.PageID, err error) {
	if err := s.usable(); err != nil {
		return nil, nil, err
	}
	v, ok, err := s.cat.get(pageKey(KeyLinks, p))
	if err != nil || !ok {
		return nil, nil, err
	}
	if links, frames, err = DecodeLinks(v, s.Pages()); err != nil {
		return nil, nil, &DamageError{Path: s.catalogueDir(),
			What: fmt.Sprintf("links of page %d: %v", p, err)}
	}
	return links, frames, nil
}

// Starts passes the start pages to each, ascending.
func (s *Store) Starts(each func(p sitegraph.PageID)) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.cat.each(KeyStart, func(p sitegraph.PageID, _ []byte) error {
		if err := s.known(p); err != nil {
			return &DamageError{Path: s.catalogueDir(), What: "start " + err.Error()}
		}
		each(p)
		return nil
	})
}

// eachSetting passes to each the settings whose key has a prefix, in order, by the rest of the key.
func (c *catalogue) eachSetting(prefix []byte, each func(name, value []byte)) error {
	end := slices.Clone(prefix)
	end[len(end)-1]++
	type entry struct{ name, value []byte }
	found := make(chan []entry, 1)
	err := c.finish(func() error {
		it, err := c.read.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: end})
		if err != nil {
			return err
		}
		var all []entry
		for it.First(); it.Valid(); it.Next() {
			value, err := it.ValueAndErr()
			if err != nil {
				return errors.Join(err, it.Close())
			}
			all = append(all, entry{slices.Clone(it.Key()[len(prefix):]), slices.Clone(value)})
		}
		found <- all
		return errors.Join(it.Error(), it.Close())
	})
	if err != nil {
		return err
	}
	for _, e := range <-found {
		each(e.name, e.value)
	}
	return nil
}
