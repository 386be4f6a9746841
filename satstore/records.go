package satstore

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/sitegraph"
)

// ReasonLost is the reason of a record that replaces a damaged one: only the address of its page is
// known.
const ReasonLost = "record lost"

// Add registers a new page: r.Page must be Pages(), and r.URL its address.
func (s *Store) Add(r *sitegraph.Record) error {
	if err := s.writable(); err != nil {
		return err
	}
	if int(r.Page) != s.Pages() {
		return fmt.Errorf("page %d cannot be added: the next is %d", r.Page, s.Pages())
	}
	if err := s.put(r, 0); err != nil {
		return err
	}
	return s.fail(s.batch.Set(pageKey(KeyAddress, r.Page), []byte(r.URL), nil))
}

// Addresses passes the committed addresses of all pages from one on to each, in the order of their
// numbers, until each fails. The address is valid until each returns.
func (s *Store) Addresses(from sitegraph.PageID,
	each func(p sitegraph.PageID, url []byte) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.cat.eachFrom(KeyAddress, from, each)
}

// Save replaces the record of a page. The unit of r.Due, moved to 1 to T units after the clock,
// keeps the record; the field itself stays as it is. It removes the messages that Load applied to
// the record; later ones keep waiting. A removed page exists again.
func (s *Store) Save(r *sitegraph.Record) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.known(r.Page); err != nil {
		return err
	}
	missing := !s.runs.Has(uint32(r.Page))
	if err := s.put(r, s.applied[r.Page]); err != nil {
		return err
	}
	delete(s.applied, r.Page)
	if missing { // removed, or lost
		s.removed[r.Page] = false
		return s.fail(s.batch.Delete(pageKey(KeyRemoved, r.Page), nil))
	}
	return nil
}

// put encodes a record and gives it to the runs. An error before any change is the caller's (an
// address too long); the store continues.
func (s *Store) put(r *sitegraph.Record, done int) error {
	b, err := AppendRecord(s.frame[:0], r)
	if err != nil {
		return err
	}
	s.frame = b
	s.changed = true
	s.touch(r.Page)
	return s.fail(s.runs.Replace(uint32(r.Page), s.dueUnit(r.Due), b, done))
}

// Load reads the newest record of a page into r: one bounded read. It keeps equal strings of r.
// Times are in UTC. Waiting messages are applied to r; Save makes that durable. A damaged record
// comes back fresh, and Damage reports it.
func (s *Store) Load(p sitegraph.PageID, r *sitegraph.Record) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.known(p); err != nil {
		return err
	}
	found, err := s.read(p, r)
	if err != nil {
		return fmt.Errorf("load page %d: %w", p, err)
	}
	if !found {
		delete(s.applied, p)
		return s.fresh(p, r)
	}
	return s.applyWaiting(p, r)
}

// read reads a record as it is stored; false if there is none that is readable.
func (s *Store) read(p sitegraph.PageID, r *sitegraph.Record) (bool, error) {
	body, _, ok, err := s.runs.Load(uint32(p), s.body[:0])
	var damage *DamageError
	if errors.As(err, &damage) {
		return false, nil
	}
	if err != nil || !ok {
		return false, err
	}
	s.body = body
	r.Page = p
	if err := DecodeRecord(body, r); err != nil {
		return false, s.undecodable(p, err)
	}
	return true, nil
}

// undecodable notes that a record is damaged. A record of a newer program is an error instead,
// since replacing it would lose it.
func (s *Store) undecodable(p sitegraph.PageID, err error) error {
	var format *FormatError
	if errors.As(err, &format) {
		format.Path = s.satDir()
		return fmt.Errorf("record of page %d: %w", p, format)
	}
	s.note(&DamageError{Path: s.satDir(), What: "record", Seqs: []uint32{uint32(p)}, Cause: err})
	return nil
}

// fresh sets r to the record of a page with nothing but its address: never visited, and due at
// once.
func (s *Store) fresh(p sitegraph.PageID, r *sitegraph.Record) error {
	if gone, err := s.isRemoved(p); err != nil {
		return err
	} else if gone {
		return fmt.Errorf("page %d: %w", p, ErrRemoved)
	}
	url, ok, err := s.cat.get(pageKey(KeyAddress, p))
	if err != nil {
		return fmt.Errorf("read address of page %d: %w", p, err)
	}
	if !ok {
		return &DamageError{Path: s.catalogueDir(), What: fmt.Sprintf("no address of page %d", p)}
	}
	*r = s.freshOf(p, string(url))
	return nil
}

func (s *Store) freshOf(p sitegraph.PageID, url string) sitegraph.Record {
	return sitegraph.Record{
		Page:   p,
		URL:    url,
		State:  sitegraph.StateNew,
		Due:    s.timeOf(s.runs.Clock() + 1),
		Reason: ReasonLost,
	}
}

// Remove removes the record of a page and the messages to it. Number, address and links stay, and
// the number is never reused: Save brings the page back.
func (s *Store) Remove(p sitegraph.PageID) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.known(p); err != nil {
		return err
	}
	s.changed = true
	s.touch(p)
	delete(s.applied, p)
	s.removed[p] = true
	if err := s.runs.Delete(uint32(p)); err != nil {
		return s.fail(err)
	}
	return s.fail(s.batch.Set(pageKey(KeyRemoved, p), nil, nil))
}

// isRemoved reports whether a page without record was removed, and not lost.
func (s *Store) isRemoved(p sitegraph.PageID) (bool, error) {
	if gone, ok := s.removed[p]; ok {
		return gone, nil
	}
	_, ok, err := s.cat.get(pageKey(KeyRemoved, p))
	return ok, err
}

// replaceMissing gives a fresh record to every page without one that was not removed: an earlier
// transaction lost it. A store for reading only makes these when they are read. The marks of
// removed pages are read once, in the order of pages: asking for each would take as long as Open
// for a hundredth of their number.
func (s *Store) replaceMissing() error {
	if s.runs.Len() == s.Pages() || s.o.ReadOnly {
		return nil
	}
	next := sitegraph.PageID(0)
	missing := func(end sitegraph.PageID) {
		for ; next < end; next++ {
			if !s.runs.Has(uint32(next)) {
				s.lost = append(s.lost, next)
			}
		}
	}
	pages := sitegraph.PageID(s.Pages())
	err := s.cat.each(KeyRemoved, func(p sitegraph.PageID, _ []byte) error {
		missing(min(p, pages))
		next = max(next, p+1)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read which pages were removed: %w", err)
	}
	missing(pages)
	if err := s.replaceLost(); err != nil {
		return err
	}
	return s.Commit()
}

// replaceLost puts a fresh record for each lost one, due in the next unit.
func (s *Store) replaceLost() error {
	var r sitegraph.Record
	for len(s.lost) > 0 {
		p := s.lost[len(s.lost)-1]
		s.lost = s.lost[:len(s.lost)-1]
		if s.runs.Has(uint32(p)) {
			continue
		}
		delete(s.applied, p)
		err := s.fresh(p, &r)
		if errors.Is(err, ErrRemoved) {
			continue
		}
		if err == nil {
			err = s.put(&r, 0)
		}
		if err != nil {
			return s.fail(fmt.Errorf("replace the lost record of page %d: %w", p, err))
		}
	}
	return nil
}
