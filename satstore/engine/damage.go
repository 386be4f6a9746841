package engine

import (
	"errors"
	"slices"
)

// maxDamage bounds the list of damages. Their count continues.
const maxDamage = 1000

type damageList struct {
	list  []*DamageError
	count int
}

// note keeps a damage for Damage, once for each place.
func (s *Store) note(d *DamageError) *DamageError {
	for _, e := range s.damage.list {
		if e.Path == d.Path && e.Offset == d.Offset && len(e.Seqs) >= len(d.Seqs) {
			return d
		}
	}
	s.damage.count++
	if len(s.damage.list) < maxDamage {
		s.damage.list = append(s.damage.list, d)
	}
	return d
}

// Damage returns the damages found since Open, at most 1000.
func (s *Store) Damage() []*DamageError { return slices.Clone(s.damage.list) }

// damaged describes a damaged block. It names the records whose newest version is in the frames
// numbered in bad, or in any frame if bad is nil.
func (s *Store) damaged(h uint32, bad []uint16, what string, cause error) *DamageError {
	b := &s.blocks[h]
	d := &DamageError{Path: s.pathTo(b), Offset: b.off, What: what, Cause: cause}
	if b.kind == kindRecords {
		d.Seqs = s.seqsIn(h, bad)
	}
	return d
}

// badBlock describes a block that is not whole.
type badBlock struct {
	frames []uint16 // numbers of the lost frames; nil: all
	cause  error    // of the read error; may be nil
}

// noteOnce notes a damaged block unless it is noted already, and returns the first note. So a
// reader of its whole records looks up the names of the others once.
func (s *Store) noteOnce(h uint32, bad *badBlock) *DamageError {
	path, off := s.pathTo(&s.blocks[h]), s.blocks[h].off
	for _, d := range s.damage.list {
		if d.Path == path && d.Offset == off {
			return d
		}
	}
	return s.note(s.damaged(h, bad.frames, "block", bad.cause))
}

// pathTo returns the path of a block's file.
func (s *Store) pathTo(b *block) string {
	if b.file < inLimbo {
		return s.files.path(s.files.all[b.file].number)
	}
	return "memory"
}

// seqsIn returns the records whose newest version is in the frames of a block that are numbered in
// bad, or in any if bad is nil. It reads the whole index.
func (s *Store) seqsIn(h uint32, bad []uint16) (list []uint32) {
	s.index.each(func(seq uint32, p place) {
		if p.block() == h && (bad == nil || slices.Contains(bad, uint16(p.frame()))) {
			list = append(list, seq)
		}
	})
	return list
}

// lose removes the records of damaged frames of a block from the index, of all frames if bad is
// nil. While Each reads, they stay.
func (s *Store) lose(h uint32, bad []uint16, what string, cause error) {
	d := s.note(s.damaged(h, bad, what, cause))
	if s.looking {
		return
	}
	if s.o.Lost != nil && len(d.Seqs) > 0 {
		s.o.Lost(d.Seqs)
	}
	for _, seq := range d.Seqs {
		s.delete(seq)
	}
}

func isDamage(err error) bool {
	var d *DamageError
	return errors.As(err, &d)
}
