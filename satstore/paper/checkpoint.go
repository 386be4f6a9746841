package paper

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// formatVersion is in the head of each log.
const formatVersion = 1

// head is the payload of chunkHead, as JSON: what a store is made with.
type head struct {
	Version  int
	Form     Form
	Units    int
	Levels   []Level
	Delivery Delivery
}

func (o Options) head() head {
	return head{formatVersion, o.Form, o.Units, o.Levels, o.Delivery}
}

// tableRow is one bucket of chunkTable.
//
//	0 4 level, 4 8 number, 12 8 bytes of records, 20 8 bytes of messages
const tableRow = 28

const logPrefix = "log-"

func logName(n int64) string { return fmt.Sprintf("%s%08d", logPrefix, n) }

func logNumber(name string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, logPrefix)
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ok && err == nil && logName(n) == name
}

// checkpoint makes all buckets durable and begins a new log with what is in the buffers.
// It comes into being by its name, so it is there whole or not at all.
func (s *Store) checkpoint() error {
	if err := s.calendar.all(func(b *bucket) error {
		for _, part := range b.streams() {
			if err := s.files.sync(part); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := s.files.syncDir(); err != nil {
		return err
	}
	old := s.log
	s.logNumber++
	name := logName(s.logNumber)
	part := s.files.path(name + ".part")
	file, err := s.o.FS.Create(part, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	s.log = logFile{file: file, name: name, total: old.total, buf: old.buf[:0], most: s.o.logChunk}
	if old.file != nil {
		if err := old.file.Close(); err != nil {
			return fmt.Errorf("close %s: %w", old.name, err)
		}
	}
	if err := s.writeCheckpoint(); err != nil {
		return err
	}
	if err := s.o.FS.Rename(part, s.files.path(name)); err != nil {
		return fmt.Errorf("rename %s: %w", name, err)
	}
	if err := s.files.syncDir(); err != nil {
		return err
	}
	s.checkpointed = s.log.size
	if old.name != "" {
		s.spent = append(s.spent, old.name)
	}
	return s.removeSpent()
}

// writeCheckpoint writes and syncs the chunks of a checkpoint.
func (s *Store) writeCheckpoint() error {
	payload, err := json.Marshal(s.o.head())
	if err != nil {
		return err
	}
	if err := s.log.chunk(chunkHead, payload); err != nil {
		return err
	}
	// The clock first: it says where frames belong.
	if err := s.log.chunk(chunkCommit, appendCommit(nil, s.clock, s.nextSeq)); err != nil {
		return err
	}
	le, table := binary.LittleEndian, []byte(nil)
	_ = s.calendar.all(func(b *bucket) error {
		table = le.AppendUint32(table, uint32(b.level))
		table = le.AppendUint64(table, uint64(b.number))
		table = le.AppendUint64(table, uint64(b.records.size))
		table = le.AppendUint64(table, uint64(b.messages.size))
		return nil
	})
	if err := s.log.chunk(chunkTable, table); err != nil {
		return err
	}
	var done []byte
	for seq := range s.done {
		done = le.AppendUint32(done, seq)
	}
	if err := s.log.chunk(chunkDone, done); err != nil {
		return err
	}
	if err := s.saveBuffers(); err != nil {
		return err
	}
	return s.log.commit(s.clock, s.nextSeq)
}

// saveBuffers writes what all buffers hold as chunks of frames, none of which is cut: in memory
// are one chunk and a page more, and a frame where one is longer.
func (s *Store) saveBuffers() error {
	out := append(s.out[:0], make([]byte, chunkHeader)...)
	defer func() { s.out = out }()
	write := func(n int) error { // the first n bytes, all of whole frames
		if n <= chunkHeader {
			return nil
		}
		err := s.log.write(chunkFrames, 0, out[:n])
		out = out[:chunkHeader+copy(out[chunkHeader:], out[n:])]
		return err
	}
	if err := s.calendar.all(func(b *bucket) error {
		for _, part := range b.streams() {
			whole := len(out) // of frames; a buffer begins and ends with whole ones
			if err := s.arena.each(&part.buf, func(page []byte) error {
				out = append(out, page...)
				for {
					n, ok := frameLength(out[whole:])
					if !ok || whole+n > len(out) {
						break
					}
					whole += n
				}
				if whole < chunkBytes {
					return nil
				}
				err := write(whole)
				whole = chunkHeader
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return write(len(out))
}

// removeSpent removes files that nothing durable needs any more.
func (s *Store) removeSpent() error {
	for _, name := range s.spent {
		if err := s.o.FS.Remove(s.files.path(name)); err != nil {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	s.spent = s.spent[:0]
	return nil
}
