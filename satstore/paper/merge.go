package paper

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

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

// runReader is a run that is being merged.
type runReader struct {
	frames
	head  frame
	order int
}

func (x *sorter) merge(runs []extent, f func(f frame) error) error {
	return x.mergeFrom(x.name, x.file, runs, f)
}

// mergeFrom calls f for the frames of some runs in order. Of equal ids those of an earlier
// run come first, but for the record.
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
