package satstore

import (
	"errors"
	"fmt"
	"math"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// Restore fills an empty graph with all pages, in the order of their numbers, and their start
// pages, links and frames. Then it passes the newest record of every page to each, once, with its
// messages applied: slot after slot by due time, in each in the order of storage. If there are many
// pages, that is done for parts of their numbers (partsOf). Fresh records for damaged ones come
// last.
//
// Removed pages are in the graph, and have no record. The record is valid until each returns, its
// strings for ever. each must not change the store.
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
	g.SpareMemory(s.Pages())
	entries := s.o.Progress.Count("addresses, links and records", reportEntries, 3*s.Pages())
	if err := s.restoreGraph(g, entries); err != nil {
		return fmt.Errorf("restore the graph: %w", err)
	}
	s.busy = true
	defer func() { s.busy = false }()
	s.addressAlone = 0
	hand := func(r *sitegraph.Record) {
		if r.Reason == ReasonLost {
			s.addressAlone++
		}
		each(r)
	}
	seen := make([]uint64, (s.Pages()+63)/64)
	var r sitegraph.Record
	take := func(f *engine.Record) error {
		if err := entries.Add(1); err != nil {
			return err
		}
		p := sitegraph.PageID(f.Seq)
		if err := s.known(p); err != nil {
			return &DamageError{Path: s.satDir(), What: err.Error()}
		}
		if r.Page, r.URL = p, ""; g.Scratch() == nil {
			r.URL = g.URL(p) // shared; elsewhere it would have to be read from a file
		}
		if err := DecodeRecord(f.Body, &r); err != nil {
			return s.undecodable(p, err)
		}
		s.apply(&r, f.Messages)
		seen[p/64] |= 1 << (p % 64)
		hand(&r)
		return nil
	}
	parts := partsOf(s.Pages())
	for i := range parts {
		first, last := i*s.Pages()/parts, (i+1)*s.Pages()/parts-1
		if i == parts-1 {
			last = math.MaxUint32 // there should be none of those
		}
		if err := s.runs.EachOf(uint32(first), uint32(last), take); err != nil {
			return fmt.Errorf("restore the records: %w", err)
		}
	}
	for p := range sitegraph.PageID(s.Pages()) {
		if seen[p/64]&(1<<(p%64)) != 0 {
			continue
		}
		if gone, err := s.isRemoved(p); err != nil {
			return err
		} else if gone {
			continue
		}
		r = s.freshOf(p, g.URL(p))
		hand(&r)
	}
	return nil
}

// mostParts bounds how often the records are read, each time for a part of the pages. With a third
// of the pages at a time, 20 bytes a page are written to, of the 28 that may be in memory
// (sitegraph.Graph.SpareMemory).
const mostParts = 3

// partPages is the least number of pages in a part. Tests set fewer.
var partPages = 3_000_000

// partsOf returns the number of parts for a number of pages. Records come by due time, but what a
// planner keeps of each, about 60 bytes, is stored by page number. In one pass, all of that would
// have to be in memory, or be read and written many times.
func partsOf(pages int) int { return min(max(pages/partPages, 1), mostParts) }

// AddressAlone returns the number of pages of which the last Restore found only the address, since
// their records were damaged.
func (s *Store) AddressAlone() int { return s.addressAlone }

func (s *Store) restoreGraph(g *sitegraph.Graph, entries *directory.Counter) error {
	damaged := func(format string, args ...any) error {
		return &DamageError{Path: s.catalogueDir(), What: fmt.Sprintf(format, args...)}
	}
	err := s.cat.each(KeyAddress, func(p sitegraph.PageID, url []byte) error {
		if err := entries.Add(1); err != nil {
			return err
		}
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
	if g.Pages() != s.Pages() {
		return damaged("addresses of %d pages, not %d", g.Pages(), s.Pages())
	}
	err = s.cat.each(KeyStart, func(p sitegraph.PageID, _ []byte) error {
		if s.known(p) != nil {
			return damaged("start page %d of %d", p, s.Pages())
		}
		g.MakeStart(p)
		return nil
	})
	if err != nil {
		return err
	}
	return s.cat.each(KeyLinks, func(p sitegraph.PageID, value []byte) error {
		if err := entries.Add(1); err != nil {
			return err
		}
		if s.known(p) != nil {
			return damaged("links of page %d of %d", p, s.Pages())
		}
		links, frames, err := DecodeLinks(value, s.Pages())
		if err != nil {
			return damaged("links of page %d: %v", p, err)
		}
		g.SetLinkIDs(p, links, frames)
		return nil
	})
}
