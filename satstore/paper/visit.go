package paper

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Visit is a record that is due. It is good until the function it was given to returns.
type Visit struct {
	Seq uint32
	// Body begins with the id. It may be changed in place or replaced, but for the id.
	Body []byte
	// Messages are the payloads of the requests since the last visit, the oldest first.
	Messages [][]byte
}

// Visit hands out the records of the next unit, once each, and stores them as visit leaves
// them in the bucket of the unit that it returns, 1 to T after this one (steps 0.5 to 6).
// Add and Request may be called from visit. Commit must follow.
func (s *Store) Visit(visit func(v *Visit) (due int64)) error {
	if s.err != nil {
		return s.err
	}
	if s.reading != 0 {
		return fmt.Errorf("unit %d is not committed", s.reading)
	}
	s.reading, s.visiting = s.now(), true
	err := s.visitBucket(s.calendar.at(0, s.now()), visit)
	s.visiting = false
	clear(s.held)
	return s.fail(err)
}

func (s *Store) visitBucket(b *bucket, visit func(v *Visit) (due int64)) error {
	for _, part := range b.streams() { // sealed: what is put from now on is due later
		if err := s.flushAll(part); err != nil {
			return err
		}
	}
	if b.records.size == 0 {
		return nil
	}
	if s.o.Form != Basic && s.o.Delivery == Sorted {
		return s.visitSorted(&b.records, visit)
	}
	if err := s.table.load(s, &b.messages); err != nil {
		return err
	}
	return s.each(&b.records, func(f frame) error {
		messages, drop := s.table.of(f.seq())
		return s.visitOne(f, messages, drop, visit)
	})
}

// each calls f for the frames in the file of a stream, through a handle of its own: what f
// does may open and close others.
func (s *Store) each(part *stream, f func(f frame) error) (err error) {
	if part.size == 0 {
		return nil
	}
	file, err := s.o.FS.Open(s.files.path(part.name), vfs.SequentialReadsOption)
	if err != nil {
		return fmt.Errorf("open %s: %w", part.name, err)
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	s.reader.reset(part.name, file, 0, part.size, readBytes)
	for {
		one, err := s.reader.next()
		if one == nil || err != nil {
			return err
		}
		if err := f(one); err != nil {
			return err
		}
	}
}

// visitOne visits a record and writes it back, and after it what was held for it.
func (s *Store) visitOne(f frame, messages [][]byte, drop bool,
	visit func(v *Visit) (due int64)) error {
	seq := f.seq()
	if _, done := s.done[seq]; done {
		return nil
	}
	if drop {
		s.index.drop(seq)
		return nil
	}
	s.stats.Visited++
	s.stats.Messages += int64(len(messages))
	id := f.id()
	s.visit = Visit{seq, f.body(), messages}
	due := s.clamp(visit(&s.visit))
	body := s.visit.Body
	if len(body) < idBytes || len(body) > maxBody || ID(body) != id {
		return fmt.Errorf("record %x came back from its visit with %d bytes or another id",
			id, len(body))
	}
	if err := s.putLogged(kindRecord, seq, due, body); err != nil {
		return err
	}
	if s.ids != nil {
		s.index.set(seq, due, s.clock)
	}
	if len(s.held) == 0 {
		return nil
	}
	for _, m := range s.held[seq] {
		if err := s.putLogged(m.kind, seq, due, m.body); err != nil {
			return err
		}
	}
	delete(s.held, seq)
	return nil
}
