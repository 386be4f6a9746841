package satstore

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/sitegraph"
)

// Restore fills an empty graph with all pages, in the order of their numbers, their start
// pages, links and frames, and then hands the newest record of every page to each, once: bucket
// after bucket by due unit, in the order of the file, and at last those not yet in a
// file. The record is good until each returns, its strings for ever. each must not change
// the store.
func (s *Store) Restore(g *sitegraph.Graph, each func(r *sitegraph.Record)) error {
	if err := s.usable(); err != nil {
		return err
	}
	if g.Pages() != 0 {
		return fmt.Errorf("restore needs an empty graph, not one of %d pages", g.Pages())
	}
	if s.changed {
		return errors.New("restore with changes that are not committed")
	}
	if err := s.restoreGraph(g); err != nil {
		return fmt.Errorf("restore the graph: %w", err)
	}
	s.busy = true
	defer func() { s.busy = false }()
	seen := make([]uint64, (len(s.index)+63)/64)
	var r sitegraph.Record
	for _, b := range s.order {
		err := s.eachFrame(b, func(f frame, offset int64) error {
			p := f.page()
			if s.known(p) != nil || s.index[p] != makeLocation(b.slot, inFile, offset) {
				return nil
			}
			r.Page, r.URL = p, g.URL(p) // the graph's string is shared
			if err := decodeRecord(f.body(), &r); err != nil {
				s.note(DamageError{Path: b.path, Offset: offset, What: "record", Cause: err})
				return nil
			}
			seen[p/64] |= 1 << (p % 64)
			each(&r)
			return nil
		})
		if err != nil {
			return fmt.Errorf("restore bucket %d: %w", b.unit, err)
		}
	}
	for p := range s.index {
		if seen[p/64]&(1<<(p%64)) != 0 {
			continue
		}
		id := sitegraph.PageID(p)
		r.URL = g.URL(id)
		err := s.Load(id, &r)
		var damage *DamageError
		if errors.As(err, &damage) {
			s.note(*damage)
			err = s.fresh(id, &r)
		}
		if err != nil {
			return err
		}
		each(&r)
	}
	return nil
}

func (s *Store) restoreGraph(g *sitegraph.Graph) error {
	damaged := func(format string, args ...any) error {
		return &DamageError{Path: s.catalogueDir(), What: fmt.Sprintf(format, args...)}
	}
	err := s.cat.each(keyAddress, func(p sitegraph.PageID, url []byte) error {
		if int(p) != g.Pages() {
			return damaged("no address of page %d", g.Pages())
		}
		if g.Add(string(url)) != p {
			return damaged("page %d has the address %q of another", p, url)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if g.Pages() != len(s.index) {
		return damaged("addresses of %d pages, not %d", g.Pages(), len(s.index))
	}
	err = s.cat.each(keyStart, func(p sitegraph.PageID, _ []byte) error {
		if s.known(p) != nil {
			return damaged("start page %d of %d", p, len(s.index))
		}
		g.AddStart(g.URL(p))
		return nil
	})
	if err != nil {
		return err
	}
	return s.cat.each(keyLinks, func(p sitegraph.PageID, value []byte) error {
		if s.known(p) != nil {
			return damaged("links of page %d of %d", p, len(s.index))
		}
		links, frames, err := decodeLinks(value, len(s.index))
		if err != nil {
			return damaged("links of page %d: %v", p, err)
		}
		g.SetLinkIDs(p, links, frames)
		return nil
	})
}
