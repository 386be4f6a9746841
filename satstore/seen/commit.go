package seen

import (
	"errors"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/satstore/directory"
)

// fanout is the number of runs of one size that are merged into one. A key is written once more for
// each level of 8 times the keys (twice more for 1e8 keys in batches of 1e6), and at most 7 runs a
// level are asked. With batches of that size both costs are about equal.
const fanout = 8

// flush writes the buffer as a run, which counts from the next Commit on.
func (s *Set) flush() error {
	if s.buffer.len() == 0 {
		return nil
	}
	w, err := newRunWriter(s.fs, s.dir, s.next)
	if err != nil {
		return fmt.Errorf("write a run: %w", err)
	}
	s.next++
	for _, key := range s.buffer.sorted() {
		if err = w.add(key); err != nil {
			break
		}
	}
	s.buffer.clear()
	return s.finish(w, err)
}

// finish ends the writing of a run, and opens it. It tries to remove a run that could not be
// written, which may have filled the disk.
func (s *Set) finish(w *runWriter, err error) error {
	name, ended := w.end(err)
	if ended != nil {
		_ = s.fs.Remove(runPath(s.fs, s.dir, w.number))
		return fmt.Errorf("write a run: %w", ended)
	}
	s.stats.Written += name.keys
	r, err := openRun(s.fs, s.dir, name)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, r)
	return nil
}

// Commit makes all keys durable together with a mark, and merges runs if many have one size. After
// an error it is unknown whether the disk has them: close the set and open it again.
func (s *Set) Commit(mark Mark) error {
	if err := s.writable(); err != nil {
		return err
	}
	if s.buffer.len() == 0 && len(s.runs) == len(s.m.runs) && mark == s.m.mark {
		return nil
	}
	if err := s.fail(s.flush()); err != nil {
		return err
	}
	if err := s.fail(s.publish(mark)); err != nil {
		return err
	}
	for {
		from, to := s.crowded()
		if from == to {
			return nil
		}
		if err := s.fail(s.merge(from, to)); err != nil {
			return fmt.Errorf("merge runs of set %s, all of which is committed: %w", s.dir, err)
		}
	}
}

// publish writes the manifest of the present runs.
func (s *Set) publish(mark Mark) error {
	if err := directory.Sync(s.fs, s.dir); err != nil { // their names
		return err
	}
	m := manifest{key: s.m.key, mark: mark, next: s.next}
	for _, r := range s.runs {
		m.runs = append(m.runs, r.name)
	}
	if err := m.write(s.fs, s.dir); err != nil {
		return fmt.Errorf("commit set %s: %w", s.dir, err)
	}
	s.m = m
	return nil
}

// crowded returns the range [from, to) of the runs to merge; from equals to if there are none. Runs
// are in the order of their levels, the highest first. New runs are last. A merged run takes the
// place of its parts, so it still comes before all runs of lower levels.
func (s *Set) crowded() (from, to int) {
	for to = len(s.runs); to > 0; to = from {
		level := s.level(s.runs[to-1])
		for from = to - 1; from > 0 && s.level(s.runs[from-1]) <= level; from-- {
		}
		if to-from >= fanout {
			return from, to
		}
	}
	return 0, 0
}

// level returns the level of a run's size, by factors of fanout.
func (s *Set) level(r *run) int {
	l := 0
	for n := uint64(s.buffer.most); n < r.name.keys; n *= fanout {
		l++
	}
	return l
}

// merge writes the runs [from, to) as one run that replaces them, and removes them once that is
// committed.
func (s *Set) merge(from, to int) error {
	old := s.runs[from:to:to]
	w, err := newRunWriter(s.fs, s.dir, s.next)
	if err != nil {
		return err
	}
	s.next++
	err = mergeInto(w, old)
	rest := append([]*run(nil), s.runs[to:]...)
	kept := s.runs[:from:from]
	if err := s.finish(w, err); err != nil {
		return err
	}
	merged := s.runs[len(s.runs)-1]
	s.runs = append(append(kept, merged), rest...)
	s.stats.Merges++
	if err := s.publish(s.m.mark); err != nil {
		return err
	}
	for _, r := range old {
		if err := errors.Join(r.file.Close(), s.fs.Remove(r.path)); err != nil &&
			!errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// mergeInto writes the keys of runs in order. No key is in two runs.
func mergeInto(w *runWriter, runs []*run) error {
	var readers []*runReader
	for _, r := range runs {
		rd := newRunReader(r)
		if err := rd.next(); err != nil {
			return err
		}
		readers = append(readers, rd)
	}
	for len(readers) > 0 {
		least := 0
		for i, rd := range readers {
			if rd.key < readers[least].key {
				least = i
			}
		}
		rd := readers[least]
		if err := w.add(rd.key); err != nil {
			return err
		}
		if err := rd.next(); err != nil {
			return err
		}
		if rd.done {
			readers = append(readers[:least], readers[least+1:]...)
		}
	}
	return nil
}

// runReader reads and verifies all keys of a run, in order.
type runReader struct {
	r          *run
	key        uint64
	done       bool
	chunk      []byte
	begin, end int64 // blocks in chunk
	block      int64
	i, n       int // key in block, and its number of keys
}

func newRunReader(r *run) *runReader {
	return &runReader{r: r, chunk: make([]byte, chunkBlocks*blockBytes), block: -1}
}

// next reads the next key, or sets done.
func (rd *runReader) next() error {
	if rd.i++; rd.i >= rd.n {
		if rd.block++; rd.block == rd.r.blocks() {
			rd.done = true
			return nil
		}
		if rd.block == rd.end {
			rd.begin, rd.end = rd.block, min(rd.block+chunkBlocks, rd.r.blocks())
			if err := rd.r.read(rd.chunk[:(rd.end-rd.begin)*blockBytes], rd.begin); err != nil {
				return err
			}
		}
		if err := rd.r.verify(rd.bytes(), rd.block); err != nil {
			return err
		}
		rd.i, rd.n = 0, rd.r.keysIn(rd.block)
	}
	rd.key = keyAt(rd.bytes(), rd.i)
	return nil
}

func (rd *runReader) bytes() []byte {
	at := (rd.block - rd.begin) * blockBytes
	return rd.chunk[at : at+blockBytes]
}
