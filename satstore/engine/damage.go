package engine

import (
	"errors"
	"slices"
)

// maxDamage bounds the list of damages; the count goes on.
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

// Damage returns the damages found since Open, at most 1000 of them.
func (s *Store) Damage() []*DamageError { return slices.Clone(s.damage.list) }

// damaged describes a damaged block: it names the records whose newest version is among the
// frames with these numbers, all if bad is nil.
func (s *Store) damaged(h uint32, bad []uint16, what string, cause error) *DamageError {
	b := &s.blocks[h]
	d := &DamageError{Path: s.pathTo(b), Offset: b.off, What: what, Cause: cause}
	if b.kind == kindRecords {
		d.Seqs = s.seqsIn(h, bad)
	}
	return d
}

// badBlock is what is known of a block that is not whole.
type badBlock struct {
	frames []uint16 // numbers of those lost; nil: all
	cause  error    // of reading; may be nil
}

// noteOnce notes a damaged block if it is not yet; it returns what was noted first. Who reads the
// whole ones of its records pays for the names of the others once.
func (s *Store) noteOnce(h uint32, bad *badBlock) *DamageError {
	path, off := s.pathTo(&s.blocks[h]), s.blocks[h].off
	for _, d := range s.damage.list {
		if d.Path == path && d.Offset == off {
			return d
		}
	}
	return s.note(s.damaged(h, bad.frames, "block", bad.cause))
}

// pathTo returns the file of a block.
func (s *Store) pathTo(b *block) string {
	if b.file < inLimbo {
		return s.files.path(s.files.all[b.file].number)
	}
	return "memory"
}

// seqsIn returns the records whose newest version is one of the frames of a block, of all if bad is
// nil. Cost: the whole index.
func (s *Store) seqsIn(h uint32, bad []uint16) (list []uint32) {
	s.index.each(func(seq uint32, p place) {
		if p.block() == h && (bad == nil || slices.Contains(bad, uint16(p.frame()))) {
			list = append(list, seq)
		}
	})
	return list
}

// lose takes the records of damaged frames of a block, all if bad is nil, out of the index: they
// are gone. While Each looks on, they stay.
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
