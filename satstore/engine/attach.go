package engine

import "fmt"

// A transaction can carry payloads of a foreign store, which needs no log of its own: they become
// durable with the records, at the same commit point. See Options.Apply.

// MaxAttachment bounds one payload, in bytes.
const MaxAttachment = 1 << 30

// Attach adds a payload to the transaction. After the commit point of the next Commit, and before
// it returns, Options.Apply receives all payloads in order. payload must not change until then.
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

// applyAttached passes the payloads to Options.Apply once the log has them durably.
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

// flushForeign makes the payloads durable elsewhere that the log is about to forget.
func (s *Store) flushForeign() error {
	if s.o.Flush == nil {
		return nil
	}
	if err := s.o.Flush(); err != nil {
		return fmt.Errorf("flush attachments: %w", err)
	}
	return nil
}
