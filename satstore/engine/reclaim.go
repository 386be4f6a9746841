package engine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// punchBytes is the least hole by class: a smaller one costs more than it releases. Near files are
// soon removed as a whole.
var punchBytes = [classes]int64{64 << 10, 16 << 10}

// reclaimSkips is how many commits in a row may leave releasing space to a later one, since
// removing long files can take longer than a commit.
const reclaimSkips = 8

// reclaimWork is the space that a commit releases: holes, and files without needed bytes.
type reclaimWork struct {
	holes   []extent
	made    []int64 // bytes of each hole
	remove  []string
	err     error
	done    chan struct{}
	fs      vfs.FS
	pathsOf []string // of the holes' files
	skipped int      // commits since it began
}

// reclaim releases the space of freed blocks to the disk. It is called after a commit, when the new
// versions of their records are durable. On the file system of the machine reclaim works in the
// background, because making holes takes as long as writing. Until this work is done, further calls
// do nothing; after reclaimSkips such calls, the next one waits.
func (s *Store) reclaim() error {
	if w := s.reclaiming; w != nil && w.skipped < reclaimSkips {
		select {
		case <-w.done:
		default:
			w.skipped++
			return nil
		}
	}
	if err := s.endReclaim(); err != nil {
		return err
	}
	w := &reclaimWork{holes: s.holes(), remove: s.outdated, fs: s.fs, done: make(chan struct{})}
	s.outdated = nil
	for _, e := range w.holes {
		w.pathsOf = append(w.pathsOf, s.files.path(e.f.number))
	}
	for _, f := range s.files.all {
		if f != nil && f.blocks == 0 && !s.writing(f) {
			w.remove = append(w.remove, s.files.path(f.number))
			s.files.drop(f)
		}
	}
	s.reclaiming = w
	if s.fs == vfs.Default {
		go w.run()
		return nil
	}
	w.run()
	return s.endReclaim()
}

// holes returns the extents worth a hole, and forgets all free extents.
func (s *Store) holes() (list []extent) {
	slices.SortFunc(s.dead, func(a, b extent) int {
		return cmp.Or(cmp.Compare(a.f.number, b.f.number), cmp.Compare(a.off, b.off))
	})
	for i := 0; i < len(s.dead); {
		e := s.dead[i]
		for i++; i < len(s.dead) && s.dead[i].f == e.f &&
			s.dead[i].off-(e.off+e.size) < blockAlign; i++ {
			e.size = s.dead[i].off + s.dead[i].size - e.off
		}
		if s.fs == vfs.Default && e.f.blocks > 0 && !e.f.shared && e.size >= punchBytes[e.f.class] {
			list = append(list, e)
		}
	}
	s.dead = s.dead[:0]
	return list
}

func (w *reclaimWork) run() {
	defer close(w.done)
	for i, e := range w.holes {
		w.made = append(w.made, punch(w.pathsOf[i], e))
	}
	for _, path := range w.remove {
		if err := w.fs.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			w.err = fmt.Errorf("remove %s: %w", path, err)
			return
		}
	}
}

// endReclaim waits for the work that was begun.
func (s *Store) endReclaim() error {
	w := s.reclaiming
	if w == nil {
		return nil
	}
	<-w.done
	s.reclaiming = nil
	for i, n := range w.made {
		w.holes[i].f.punched += n
	}
	return w.err
}

// writing reports whether runs are still appended to a file.
func (s *Store) writing(f *runFile) bool {
	w := s.writers[f.class]
	return w != nil && w.f == f
}

// punch makes a hole and returns its bytes; 0 if the system has no holes. Unlike vfs.FS it never
// makes a file: one that is missing stays missing, and its readers report it.
func punch(path string, e extent) int64 {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	from := (e.off + runAlign - 1) &^ (runAlign - 1)
	to := (e.off + e.size) &^ (runAlign - 1)
	if to <= from || !punchHole(file.Fd(), from, to-from) {
		return 0
	}
	return to - from
}

// garbage returns the bytes of a file that are not needed and not released.
func (f *runFile) garbage() int64 { return max(f.size-f.punched-f.live, 0) }
