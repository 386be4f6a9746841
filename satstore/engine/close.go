package engine

import (
	"errors"
	"slices"
)

// Close releases the store and drops uncommitted changes. If there are none, it ends with a
// checkpoint, so that the next Open replays nothing. A store that failed, or is being advanced, is
// only released.
func (s *Store) Close() error {
	if s.closed {
		return ErrClosed
	}
	if s.visiting != nil {
		return ErrBusy
	}
	err := s.err
	if err == nil && !s.o.ReadOnly && !s.changed && s.log.size > s.log.start {
		err = s.Checkpoint()
	}
	s.closed = true
	return errors.Join(err, s.letGo())
}

// letGo releases the system resources of the store.
func (s *Store) letGo() error {
	var err error
	if p := s.pending; p != nil {
		<-p.done
		s.pending = nil
		err = p.err
		if p.segment != nil {
			err = errors.Join(err, p.segment.Close())
		}
	}
	err = errors.Join(err, s.endReclaim())
	for class, w := range s.writers {
		if w != nil {
			err = errors.Join(err, s.closeWriter(w))
			s.writers[class] = nil
		}
	}
	s.files.closeAll()
	if s.log.file != nil {
		err = errors.Join(err, s.log.file.Close())
		s.log.file = nil
	}
	for _, lock := range slices.Backward(s.locks) {
		err = errors.Join(err, lock.Close())
	}
	s.locks = nil
	return err
}
