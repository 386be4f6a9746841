package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func mustOpen(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	must(t, err)
	return s
}

func TestOneStorePerDirectory(t *testing.T) {
	for _, fs := range []vfs.FS{vfs.NewMem(), vfs.Default} {
		dir := t.TempDir() + "/store"
		s := mustOpen(t, dir, Options{FS: fs})
		if _, err := Open(dir, Options{FS: fs}); !errors.Is(err, ErrInUse) {
			t.Errorf("second open: %v", err)
		}
		if _, err := Open(dir, Options{FS: fs, ReadOnly: true}); !errors.Is(err, ErrInUse) {
			t.Errorf("second open for reading: %v", err)
		}
		must(t, s.Close())
		must(t, mustOpen(t, dir, Options{FS: fs}).Close())
	}
}

func TestFixedOptionsMustAgree(t *testing.T) {
	fs := vfs.NewMem()
	must(t, mustOpen(t, "d", Options{FS: fs, Unit: 60, Levels: MinutesHoursAndDays,
		Base: 7}).Close())
	s := mustOpen(t, "d", Options{FS: fs})
	if s.Clock() != 7 || s.Horizon() != 400*1440 || s.o.Unit != 60 {
		t.Errorf("clock %d, horizon %d, unit %d", s.Clock(), s.Horizon(), s.o.Unit)
	}
	must(t, s.Close())
	for _, o := range []Options{{Unit: 3600}, {Levels: Days}, {PageBytes: 1}, {BufferBytes: 10},
		{MaxFiles: 3}, {Base: -1}} {
		o.FS = fs
		if s, err := Open("d", o); err == nil {
			s.Close()
			t.Errorf("opened with %+v", o)
		}
	}
}

func TestForeignDirectoriesAreRefused(t *testing.T) {
	fs := vfs.NewMem()
	must(t, fs.MkdirAll("d", 0o755))
	if _, err := Open("d", Options{FS: fs, ReadOnly: true}); !errors.Is(err, ErrNoStore) {
		t.Errorf("reading an empty directory: %v", err)
	}
	if _, err := Open("none", Options{FS: fs, ReadOnly: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading no directory: %v", err)
	}
	writeAll(t, fs, "d/letter", []byte("x"))
	if _, err := Open("d", Options{FS: fs}); err == nil ||
		!strings.Contains(err.Error(), "letter") {
		t.Errorf("directory of something else: %v", err)
	}
	must(t, mustOpen(t, "e", Options{FS: fs}).Close())
	text := readAll(t, fs, "e/FORMAT")
	writeAll(t, fs, "e/FORMAT", []byte(strings.Replace(string(text), "runs 1", "runs 2", 1)))
	var format *FormatError
	if _, err := Open("e", Options{FS: fs}); !errors.As(err, &format) || format.Found != 2 {
		t.Errorf("a newer format: %v", err)
	}
}

func TestArgumentsAndClosedStores(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, "d", Options{FS: fs})
	if s.Put(MaxSeq+1, 1, nil) == nil || s.Put(1, 1, make([]byte, MaxBody+1)) == nil ||
		s.Advance(maxUnit+1, nil) == nil {
		t.Error("arguments out of range were taken")
	}
	must(t, s.Put(MaxSeq, 1, make([]byte, MaxBody)))
	must(t, s.Put(0, -9, nil))
	if body, due, ok, err := s.Load(0, nil); len(body) != 0 || due != 1 || !ok || err != nil {
		t.Errorf("an empty record: %x %d %v %v", body, due, ok, err)
	}
	must(t, s.Commit())
	must(t, s.Close())
	for i, err := range []error{s.Put(1, 1, nil), s.Commit(), s.Advance(1, nil), s.Message(1, nil),
		s.Delete(1), s.Checkpoint(), s.CopyTo("x"), s.Close()} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("call %d on a closed store: %v", i, err)
		}
	}
	s = mustOpen(t, "d", Options{FS: fs, ReadOnly: true})
	defer s.Close()
	for i, err := range []error{s.Put(1, 1, nil), s.Commit(), s.Advance(1, nil), s.Message(1, nil),
		s.Delete(1), s.Checkpoint(), s.CopyTo("x")} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("call %d on a store for reading: %v", i, err)
		}
	}
	if body, _, ok, err := s.Load(MaxSeq, nil); len(body) != MaxBody || !ok || err != nil ||
		s.Next() != MaxSeq+1 {
		t.Errorf("the longest record: %d bytes, %v %v", len(body), ok, err)
	}
}

// A copy holds the state at its time, and both stores continue without effect on each other.
func TestCopyIsIndependent(t *testing.T) {
	for _, fs := range []vfs.FS{vfs.NewMem(), vfs.Default} {
		root := t.TempDir()
		o := Options{FS: fs, Levels: small3, PartBytes: 1, PageBytes: 4096}
		s := mustOpen(t, root+"/a", o)
		m := newModel()
		fill := func(s *Store, m *model, text string) {
			for i := range uint32(3000) {
				body := []byte(strings.Repeat(fmt.Sprint(text, i, " "), 10))
				must(t, s.Put(i, s.Clock()+1+int64(i%50), body))
				m.put(i, s.Clock()+1+int64(i%50), body, s.Horizon())
			}
		}
		next := func(s *Store, m *model, units int64) {
			m.clock += units
			must(t, s.Advance(s.Clock()+units, func(r *Record) (int64, []byte) {
				m.put(r.Seq, m.clock+7, r.Body, s.Horizon())
				return m.clock + 7, r.Body
			}))
			must(t, s.Commit())
		}
		fill(s, m, "first")
		next(s, m, 3)
		must(t, s.CopyTo(root+"/b"))
		if err := s.CopyTo(root + "/b"); err == nil {
			t.Error("copied over a store")
		}
		c := mustOpen(t, root+"/b", o)
		mc := m.clone()
		fill(s, m, "second")
		for range 30 {
			next(s, m, 1)
			next(c, mc, 2)
		}
		for i, side := range []struct {
			s *Store
			m *model
		}{{s, m}, {c, mc}} {
			if err := compare(side.s, side.m, 3000); err != nil {
				t.Fatalf("store %d: %v", i, err)
			}
			checkClean(t, side.s)
			must(t, side.s.Close())
		}
		side := mustOpen(t, root+"/b", o)
		if err := compare(side, mc, 3000); err != nil {
			t.Fatal(err)
		}
		must(t, side.Close())
	}
}

// Many openings, and many commits of any size, leave a bounded number of files and descriptors, on
// disks with and without holes.
func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("work of one goroutine, which the race detector has nothing to say of")
	}
	for _, fs := range []vfs.FS{vfs.NewMem(), vfs.Default} {
		dir := filepath.Join(t.TempDir(), "store")
		o := Options{FS: fs, PartBytes: 300, MaxFiles: 60, LogBytes: 20 << 10}
		most := 0
		seq := uint32(0)
		for round := range 40 {
			s := mustOpen(t, dir, o)
			for range 25 {
				for range 5 {
					must(t, s.Put(seq%500, s.Clock()+int64(seq*7919%9600), make([]byte, 100)))
					seq++
				}
				if round%3 > 0 {
					must(t, s.Advance(s.Clock()+1, func(r *Record) (int64, []byte) {
						return r.Due + 30, r.Body
					}))
				}
				must(t, s.Commit())
				names, err := fs.List(dir)
				must(t, err)
				most = max(most, len(names))
				if st := s.Stats(); st.OpenFiles > maxOpenFiles+classes {
					t.Fatalf("%d files are open", st.OpenFiles)
				}
			}
			checkClean(t, s)
			must(t, s.Close())
		}
		if most > o.MaxFiles+5 {
			t.Errorf("%d files, want at most %d", most, o.MaxFiles+5)
		}
		t.Logf("at most %d files", most)
	}
}

// Records that are handed out and kept again cost no allocation each, and the index is small.
func TestAdvanceAllocatesLittle(t *testing.T) {
	const n = 40_000
	s := mustOpen(t, t.TempDir()+"/store", Options{})
	defer s.Close()
	body := make([]byte, 170)
	for i := range uint32(n) {
		must(t, s.Put(i, int64(1+i%4), body))
	}
	must(t, s.Checkpoint())
	due := 0
	per := testing.AllocsPerRun(4, func() {
		must(t, s.Advance(s.Clock()+1, func(r *Record) (int64, []byte) {
			due++
			return r.Due + 4, r.Body
		}))
		must(t, s.Commit())
	})
	if due != n/4*5 || per > 800 {
		t.Errorf("%d records, %.0f allocations for %d", due, per, n/4)
	}
	if st := s.Stats(); float64(st.IndexBytes)/n > 12 { // the index grows by 65,536 records
		t.Errorf("%d bytes of index for %d records", st.IndexBytes, n)
	}
}

// Each unit moves an even share of the next coarse slot.
func TestSplittingIsSpread(t *testing.T) {
	s := mustOpen(t, "d", Options{FS: vfs.NewMem(), PartBytes: 1})
	defer s.Close()
	for i := range uint32(24 * 500) {
		must(t, s.Put(i, 48+int64(i%24), make([]byte, 100)))
	}
	must(t, s.Commit())
	for unit := int64(1); unit < 80; unit++ {
		before := s.fresh[classNear]
		must(t, s.Advance(unit, func(r *Record) (int64, []byte) {
			if r.Due != unit {
				t.Fatalf("unit %d: due %d", unit, r.Due)
			}
			return -1, nil
		}))
		moved := s.fresh[classNear] - before
		must(t, s.Commit())
		if low, high := int64(30_000), int64(90_000); unit >= 24 && unit < 48 &&
			(moved < low || moved > high) {
			t.Errorf("unit %d moved %d bytes, want %d to %d", unit, moved, low, high)
		}
	}
	if s.Len() != 0 {
		t.Errorf("%d records left", s.Len())
	}
}
