package satstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/satstore/directory"
)

// The epoch counts the batches of the catalogue. Each batch carries its number, and DIR/EPOCH says
// how many the catalogue had for good when the log of the records forgot them. Pebble takes what it
// cannot read at the end of its own MANIFEST for a write cut short, and goes on with an older
// state: the epoch tells that from the newest one.
const epochName = "EPOCH"

// KeyEpoch is the key of the catalogue that holds the number of the last batch: eight bytes, big
// endian.
var KeyEpoch = []byte{keyEpochs}

func epochText(n uint64) []byte {
	return directory.Sealed(fmt.Appendf(nil, "epoch %d\n", n))
}

// readEpoch returns what DIR/EPOCH says: 0 where there is none yet, or a store older than epochs.
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

// checkEpoch refuses a catalogue that lacks batches which it had. A damaged EPOCH alone costs
// nothing but this: Check finds it, and the next flush writes it anew.
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

// checkLog refuses a log that was cut behind a commit, before anything is written: the catalogue
// gets a batch when the log has it. So if it has later ones than the log gave it, or, where the log
// gave none, than EPOCH says, the log had more, and the records would be older ones in silence. It
// sees only what the catalogue had flushed by itself.
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

// epoch is the number of the last batch; 0 for none.
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

// flushCatalogue makes durable what the catalogue got: the log of the records is about to forget
// it.
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

// numberBatch gives the batch that is to be committed its number.
func (s *Store) numberBatch() error {
	s.batches++
	if err := s.noteTouched(s.batches); err != nil {
		return err
	}
	return s.batch.Set(KeyEpoch, binary.BigEndian.AppendUint64(nil, s.batches), nil)
}
