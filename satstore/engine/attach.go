package engine

import "fmt"

// A transaction can take payloads of a foreign store along: what has no log of its own
// becomes durable with the records, at the same commit point. See Options.Apply.

// MaxAttachment bounds the bytes of one payload.
const MaxAttachment = 1 << 30

// Attach adds a payload to the transaction. After the commit point of the next Commit, and
// before it returns, Options.Apply gets all of them in order. payload must stay as it is until
// then.
func (s *Store) Attach(payload []byte) error {
	if err := s.writable(); err != nil {
		return err
	}
	if s.o.Apply == nil {
		return fmt.Errorf("attach %d bytes to a store without Options.Apply", len(payload))
	}
	if len(payload) > MaxAttachment {
		return fmt.Errorf("attach %d bytes: the limit is %d", len(payload), MaxAttachment)
	}
	frame := s.log.begin()
	s.log.buf = append(s.log.buf, payload...)
	s.log.end(frame, logAttachment)
	s.attached = append(s.attached, payload)
	s.attachedBytes += int64(len(payload))
	s.changed = true
	return s.fail(s.log.spill())
}

// applyAttached hands over what the log has durably now.
func (s *Store) applyAttached() error {
	for _, payload := range s.attached {
		if err := s.applyAttachment(payload); err != nil {
			return err
		}
	}
	clear(s.attached)
	s.attached = s.attached[:0]
	return nil
}

func (s *Store) applyAttachment(payload []byte) error {
	if s.o.Apply == nil {
		return fmt.Errorf("the log holds attachments, and there is no Options.Apply")
	}
	if err := s.o.Apply(payload); err != nil {
		return fmt.Errorf("apply attachment: %w", err)
	}
	return nil
}

// flushForeign makes durable elsewhere what the log is about to forget.
func (s *Store) flushForeign() error {
	if s.o.Flush == nil {
		return nil
	}
	if err := s.o.Flush(); err != nil {
		return fmt.Errorf("flush what was attached: %w", err)
	}
	return nil
}
