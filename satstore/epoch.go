package satstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/satstore/directory"
)

// The epoch counts the batches of the catalogue. Each batch carries its number, and DIR/EPOCH has
// the number of durable batches when the log of the records forgot them. If Pebble cannot read the
// end of its own MANIFEST, it takes it for an interrupted write and continues with an older state.
// The epoch exposes that.
const epochName = "EPOCH"

// KeyEpoch is the key of the catalogue for the number of the last batch: eight bytes, big endian.
var KeyEpoch = []byte{keyEpochs}

func epochText(n uint64) []byte {
	return directory.Sealed(fmt.Appendf(nil, "epoch %d\n", n))
}

// readEpoch returns the number in DIR/EPOCH: 0 if there is none, as in stores older than epochs.
func (s *Store) readEpoch() (n uint64, err error) {
	path, text, err := directory.Read(s.fs, s.dir, epochName)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Sscanf(string(text), "epoch %d\n", &n); err != nil ||
		string(text) != string(epochText(n)) {
		return 0, &DamageError{Path: path, What: "epoch of the catalogue"}
	}
	return n, nil
}

// checkEpoch refuses a catalogue that lacks batches which it had. With a damaged EPOCH only this
// check is lost: Check reports the file, and the next flush replaces it.
func (s *Store) checkEpoch() error {
	has, err := s.cat.epoch()
	if err != nil {
		return err
	}
	s.had = has
	want, err := s.readEpoch()
	var damage *DamageError
	if errors.As(err, &damage) {
		return nil
	}
	if err != nil {
		return err
	}
	s.flushed = want
	if has < want {
		return &DamageError{
			Path: s.catalogueDir(),
			What: fmt.Sprintf("catalogue: it is of batch %d, and had %d", has, want),
		}
	}
	return nil
}

// checkLog refuses a log that was cut after a commit, before anything is written. The catalogue
// gets a batch when the log has it. If it has later batches than the log gave it, or than EPOCH if
// the log gave none, the log had more, and records would silently be older. It sees only batches
// that the catalogue flushed by itself.
func (s *Store) checkLog() error {
	knows, err := s.cat.epoch()
	if err != nil {
		return err
	}
	if s.replayed == 0 && s.flushed > 0 {
		knows = s.flushed
	}
	if s.had > knows {
		return &DamageError{
			Path: s.satDir(),
			What: fmt.Sprintf("log: it ends with batch %d, and the catalogue has batch %d",
				knows, s.had),
		}
	}
	return nil
}

// epoch returns the number of the last batch; 0 for none.
func (c *catalogue) epoch() (uint64, error) {
	v, ok, err := c.get(KeyEpoch)
	if err != nil || !ok {
		return 0, err
	}
	if len(v) != 8 {
		return 0, &DamageError{Path: c.dir, What: "epoch in the catalogue"}
	}
	return binary.BigEndian.Uint64(v), nil
}

// flushCatalogue makes the batches of the catalogue durable before the log of the records forgets
// them.
func (s *Store) flushCatalogue() error {
	if err := s.checkLog(); err != nil {
		return err
	}
	if err := s.cat.flush(); err != nil {
		return err
	}
	n, err := s.cat.epoch()
	if err != nil || n == s.flushed {
		return err
	}
	if err := directory.Write(s.fs, s.dir, epochName, epochText(n)); err != nil {
		return fmt.Errorf("write epoch: %w", err)
	}
	s.flushed = n
	return nil
}

// numberBatch gives the batch to be committed its number.
func (s *Store) numberBatch() error {
	s.batches++
	if err := s.noteTouched(s.batches); err != nil {
		return err
	}
	return s.batch.Set(KeyEpoch, binary.BigEndian.AppendUint64(nil, s.batches), nil)
}
