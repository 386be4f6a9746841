package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Ahead describes run files with a whole run that the log did not have when the store was opened
// for reading. A crash within a commit leaves such a run, and so does a log that was cut after the
// commit.
func (s *Store) Ahead() (list []string, err error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	ends := map[int64]int64{} // ends of the files in the log
	for _, f := range s.files.all {
		if f != nil {
			ends[int64(f.number)] = f.size
		}
	}
	slices.Sort(names.runs)
	for _, number := range names.runs {
		end, known := ends[number]
		if !known && number < int64(s.files.next) {
			continue // it was dropped, but its removal was not durable
		}
		ahead, err := s.runBehind(uint32(number), max(end, runAlign))
		if err != nil && !gone(err) && !unreadable(err) {
			return nil, err
		}
		if ahead {
			list = append(list, fmt.Sprintf("%s holds a run behind byte %d that the log does not have",
				s.files.path(uint32(number)), end))
		}
	}
	return list, nil
}

// runBehind reports whether a run of a file begins after those in the log.
func (s *Store) runBehind(number uint32, at int64) (bool, error) {
	f, err := s.fs.Open(s.files.path(number))
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	defer f.Close()
	b, err := readRawBlock(f, s.seed, number, (at+runAlign-1)/runAlign*runAlign)
	return b != nil && binary.LittleEndian.Uint64(b[28:]) > s.serial, err
}

// readRawBlock reads a block that the table of blocks does not have: nil if there is no whole one.
func readRawBlock(f vfs.File, seed, number uint32, at int64) ([]byte, error) {
	head := make([]byte, blockHeader)
	if err := readFull(f, head, at); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[4:])
	if binary.LittleEndian.Uint32(head) != blockMagic || n <= blockHeader || n > maxRawBlock ||
		binary.LittleEndian.Uint32(head[12:]) != number ||
		int64(binary.LittleEndian.Uint32(head[24:]))*blockAlign != at {
		return nil, nil
	}
	b := make([]byte, n)
	if err := readFull(f, b, at); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(b[blockCRCAt:]) != blockCRC(b, seed) {
		return nil, nil
	}
	return b, nil
}

// maxRawBlock bounds the memory of readRawBlock. A page has at most 64 KiB, or one long frame.
const maxRawBlock = maxBlockBytes + 64<<10
