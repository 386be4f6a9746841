package paper

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// sorter sorts the frames of a bucket by id, a record before its messages and these in order of
// arrival (step 0.5). It sorts in memory if they fit, else in runs on disk that are merged.
type sorter struct {
	mem   []byte // frames of the run being made
	refs  []frameRef
	file  vfs.File // runs one after the other
	name  string
	runs  []extent
	end   int64
	out   []byte
	heap  []*runReader
	spare []*runReader

	longest int   // frame of the bucket being sorted
	written int64 // to runs
}

type extent struct{ from, to int64 }

type frameRef struct {
	high, low uint64 // of the id
	at        uint32 // in mem: also the order of arrival
	rank      uint8  // of a message 1
}

// mergeBytes is the size of a read of a run. More runs than fit SortBytes are merged in passes.
const mergeBytes = 16 << 10

// sorted calls f for the frames in the file of a stream.
func (s *Store) sorted(part *stream, f func(f frame) error) (err error) {
	x := &s.sorter
	x.runs, x.end, x.mem, x.refs, x.longest = x.runs[:0], 0, x.mem[:0], x.refs[:0], 0
	defer func() {
		if x.file != nil {
			err = cmp.Or(err, s.dropRuns())
		}
	}()
	if err := s.each(part, func(one frame) error {
		if len(x.mem) > 0 && len(x.mem)+len(one) > s.o.SortBytes {
			if err := s.writeRun(); err != nil {
				return err
			}
		}
		x.longest = max(x.longest, len(one))
		rank := uint8(0)
		if one.kind() != kindRecord {
			rank = 1
		}
		body := one.body()
		x.refs = append(
			x.refs,
			frameRef{
				binary.BigEndian.Uint64(body),
				binary.BigEndian.Uint64(body[8:]),
				uint32(len(x.mem)),
				rank,
			},
		)
		x.mem = append(x.mem, one...)
		return nil
	}); err != nil {
		return err
	}
	if len(x.runs) == 0 {
		return x.eachInMemory(f)
	}
	if err := s.writeRun(); err != nil {
		return err
	}
	reader := mergeBytes
	if x.longest > reader {
		reader += x.longest // frames.next makes room for it
	}
	most := max(2, s.o.SortBytes/reader)
	if len(x.spare) > most { // grown for frames of another bucket
		clear(x.spare[most:])
		x.spare = x.spare[:most]
	}
	for len(x.runs) > most {
		if err := s.mergePass(most); err != nil {
			return err
		}
	}
	return x.merge(x.runs, f)
}

func (x *sorter) eachInMemory(f func(f frame) error) error {
	slices.SortFunc(x.refs, func(a, b frameRef) int {
		return cmp.Or(
			cmp.Compare(a.high, b.high),
			cmp.Compare(a.low, b.low),
			cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.at, b.at),
		)
	})
	for _, r := range x.refs {
		n, _ := frameLength(x.mem[r.at:])
		if err := f(frame(x.mem[r.at : int(r.at)+n])); err != nil {
			return err
		}
	}
	x.mem, x.refs = x.mem[:0], x.refs[:0]
	return nil
}

// writeRun sorts the frames in memory and appends them to the file of runs.
func (s *Store) writeRun() error {
	x := &s.sorter
	if x.file == nil {
		if err := s.newRuns(); err != nil {
			return err
		}
	}
	from := x.end
	if err := x.eachInMemory(s.appendRun); err != nil {
		return err
	}
	return s.endRun(from)
}

func (s *Store) newRuns() (err error) {
	x := &s.sorter
	x.name = "sort-" + fmt.Sprint(x.written)
	if x.file, err = s.o.FS.Create(s.files.path(x.name), vfs.WriteCategoryUnspecified); err != nil {
		x.file = nil
		return fmt.Errorf("create %s: %w", x.name, err)
	}
	x.end = 0
	return nil
}

func (s *Store) appendRun(f frame) error {
	x := &s.sorter
	x.out = append(x.out, f...)
	if len(x.out) < outBytes {
		return nil
	}
	return s.flushRun()
}

func (s *Store) flushRun() error {
	x := &s.sorter
	n, err := x.file.WriteAt(x.out, x.end)
	x.end += int64(n)
	x.written += int64(n)
	x.out = x.out[:0]
	if err != nil {
		return fmt.Errorf("write %s: %w", x.name, err)
	}
	return nil
}

func (s *Store) endRun(from int64) error {
	if err := s.flushRun(); err != nil {
		return err
	}
	s.sorter.runs = append(s.sorter.runs, extent{from, s.sorter.end})
	return nil
}

// dropRuns removes the file of runs.
func (s *Store) dropRuns() error {
	x := &s.sorter
	err := x.file.Close()
	x.file, x.out = nil, x.out[:0]
	return cmp.Or(err, s.o.FS.Remove(s.files.path(x.name)))
}

// mergePass merges neighbouring runs, most at a time, into a new file.
func (s *Store) mergePass(most int) (err error) {
	x := &s.sorter
	old, file, name := slices.Clone(x.runs), x.file, x.name
	defer func() { err = cmp.Or(err, file.Close(), s.o.FS.Remove(s.files.path(name))) }()
	x.runs = x.runs[:0]
	if err := s.newRuns(); err != nil {
		return err
	}
	for group := range slices.Chunk(old, most) {
		from := x.end
		if err := x.mergeFrom(name, file, group, s.appendRun); err != nil {
			return err
		}
		if err := s.endRun(from); err != nil {
			return err
		}
	}
	return nil
}

// runReader reads a run during a merge.
type runReader struct {
	frames
	head  frame
	order int
}

func (x *sorter) merge(runs []extent, f func(f frame) error) error {
	return x.mergeFrom(x.name, x.file, runs, f)
}

// mergeFrom calls f for the frames of some runs in order. Of equal ids, those of an earlier run
// come first, after the record.
func (x *sorter) mergeFrom(name string, file vfs.File, runs []extent, f func(f frame) error) error {
	x.heap = x.heap[:0]
	for i, run := range runs {
		if i == len(x.spare) {
			x.spare = append(x.spare, &runReader{})
		}
		r := x.spare[i]
		r.order = i
		r.reset(name, file, run.from, run.to, mergeBytes)
		var err error
		if r.head, err = r.next(); err != nil {
			return err
		}
		x.heap = append(x.heap, r)
	}
	for i := len(x.heap)/2 - 1; i >= 0; i-- {
		x.sink(i)
	}
	for len(x.heap) > 0 {
		r := x.heap[0]
		if err := f(r.head); err != nil {
			return err
		}
		var err error
		if r.head, err = r.next(); err != nil {
			return err
		}
		if r.head == nil {
			x.heap[0] = x.heap[len(x.heap)-1]
			x.heap = x.heap[:len(x.heap)-1]
		}
		x.sink(0)
	}
	return nil
}

func (a *runReader) less(b *runReader) bool {
	idA, idB := a.head[headerBytes:headerBytes+idBytes], b.head[headerBytes:headerBytes+idBytes]
	if c := bytes.Compare(idA, idB); c != 0 {
		return c < 0
	}
	if ra, rb := a.head.kind() == kindRecord, b.head.kind() == kindRecord; ra != rb {
		return ra
	}
	return a.order < b.order
}

func (x *sorter) sink(i int) {
	for {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(x.heap) && x.heap[c].less(x.heap[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		x.heap[i], x.heap[least] = x.heap[least], x.heap[i]
		i = least
	}
}
