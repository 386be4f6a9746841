package satstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

func memFile(b []byte) vfs.File { return vfs.NewMemFile(b) }

func readAll(t *testing.T, fs vfs.FS, path string) []byte {
	t.Helper()
	f, err := fs.Open(path)
	must(t, err)
	defer f.Close()
	stat, err := f.Stat()
	must(t, err)
	b := make([]byte, stat.Size())
	must(t, readFull(f, b, 0))
	return b
}

func writeAll(t *testing.T, fs vfs.FS, path string, b []byte) {
	t.Helper()
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	must(t, err)
	_, err = f.Write(bytes.Clone(b))
	must(t, err)
	must(t, f.Close())
}

// only returns the path of the only file of DIR/sat with a prefix.
func only(t *testing.T, fs vfs.FS, prefix string) string {
	t.Helper()
	names, err := fs.List("a/store/sat")
	must(t, err)
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, prefix) })
	if len(names) != 1 {
		t.Fatalf("files %q, want one with %q", names, prefix)
	}
	return "a/store/sat/" + names[0]
}

// copyOf returns a copy of a disk on which nothing waits to be written.
func copyOf(fs *vfs.MemFS) *vfs.MemFS {
	for _, dir := range []string{"a/store/sat", "a/store/pebble", "a/store"} {
		if err := syncDir(fs, dir); err != nil {
			panic(err)
		}
	}
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
}

// logOf makes three commits of one page each and returns the disk, and the length of the
// log after each.
func logOf(t *testing.T) (fs *vfs.MemFS, ends []int) {
	fs = vfs.NewCrashableMem()
	s := mustOpen(t, "a/store", Options{FS: fs, Now: day0})
	defer s.Close() // of the disk as it was before
	for p := range sitegraph.PageID(3) {
		must(t, s.Add(newRecord(p, at(1))))
		must(t, s.Commit())
		ends = append(ends, int(s.log.size))
	}
	return copyOf(fs), ends
}

// A log cut at any byte of its last commit is that of the commit before.
func TestTornLogTailIsCut(t *testing.T) {
	fs, ends := logOf(t)
	path := only(t, fs, logPrefix)
	whole := readAll(t, fs, path)
	for cut := ends[1]; cut <= ends[2]; cut++ {
		tails := []string{"", "\x00\x00\x00\x00\x00\x00\x00\x00", "garbage"}
		if !long() {
			tails = tails[cut%len(tails):][:1]
		}
		for _, tail := range append(tails, "") {
			fs := copyOf(fs)
			writeAll(t, fs, path, append(whole[:cut:cut], tail...))
			want := 2
			if cut == ends[2] {
				want = 3
			}
			for range 2 { // what was cut stays cut
				s := mustOpen(t, "a/store", Options{FS: fs})
				if s.Pages() != want || s.Stats().Damaged > 0 {
					t.Fatalf("cut at %d of %d: %d pages, want %d; damage %v", cut, ends[2], s.Pages(), want, s.Damage())
				}
				must(t, s.Close())
			}
		}
	}
}

// A flipped bit before a later commit is damage, and not taken for the end of the log; in
// the last commit it cannot be told from a torn write.
func TestFlippedBitInLog(t *testing.T) {
	fs, ends := logOf(t)
	path := only(t, fs, logPrefix)
	whole := readAll(t, fs, path)
	for i := range whole {
		fs := copyOf(fs)
		b := bytes.Clone(whole)
		b[i] ^= 1 << (i % 8)
		writeAll(t, fs, path, b)
		s, err := Open("a/store", Options{FS: fs})
		var damage *DamageError
		switch {
		case i < ends[1]:
			if !errors.As(err, &damage) || damage.Path != path {
				t.Fatalf("byte %d of %v: %v", i, ends, err)
			}
		case err != nil || s.Pages() != 2:
			t.Fatalf("byte %d of %v: %v", i, ends, err)
		}
		if s != nil {
			s.Close()
		}
	}
}

// A flipped bit in a bucket file costs one record, which is counted and begins afresh.
func TestFlippedBitInBucket(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := mustOpen(t, "a/store", Options{FS: fs, Now: day0})
	for p := range sitegraph.PageID(3) {
		r := newRecord(p, at(2))
		r.State = sitegraph.StateAlive
		must(t, s.Add(r))
	}
	must(t, s.Commit())
	must(t, s.Close())
	path := only(t, fs, bucketPrefix)
	whole := readAll(t, fs, path)
	for i := range whole {
		for _, readOnly := range []bool{true, false} {
			fs := copyOf(fs)
			b := bytes.Clone(whole)
			b[i] ^= 1 << (i % 8)
			writeAll(t, fs, path, b)
			s := mustOpen(t, "a/store", Options{FS: fs, ReadOnly: readOnly})
			lost := i / (len(whole) / 3)
			if d := s.Damage(); len(d) != 1 || s.Stats().Damaged != 1 || d[0].Path != path || d[0].Offset != int64(lost*len(whole)/3) {
				t.Fatalf("byte %d: damage %v", i, d)
			}
			n := 0
			must(t, s.Restore(sitegraph.NewGraph(), func(r *sitegraph.Record) {
				n++
				if fresh := r.State == sitegraph.StateNew; fresh != (int(r.Page) == lost) || r.URL != modelURL(r.Page) {
					t.Errorf("byte %d: page %d is %+v", i, r.Page, r)
				}
			}))
			if n != 3 {
				t.Fatalf("byte %d: %d pages", i, n)
			}
			must(t, s.Close())
		}
	}
}

// Damage that appears while the store is open costs the same.
func TestDamageWhileOpen(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := mustOpen(t, "a/store", Options{FS: fs, Now: day0})
	for p := range sitegraph.PageID(3) {
		must(t, s.Add(newRecord(p, at(2))))
	}
	must(t, s.Commit())
	must(t, s.Close())
	path := only(t, fs, bucketPrefix)
	s = mustOpen(t, "a/store", Options{FS: fs})
	defer s.Close()
	b, err := fs.UnsafeGetFileDataBuffer(path)
	must(t, err)
	b[40] ^= 1
	var damage *DamageError
	if err := s.Load(0, &sitegraph.Record{}); !errors.As(err, &damage) || damage.Path != path {
		t.Errorf("load: %v", err)
	}
	got := map[sitegraph.PageID]string{}
	must(t, s.Advance(at(2), func(r *sitegraph.Record) { got[r.Page] = r.Reason; r.Due = at(5) }))
	if len(got) != 3 || got[0] == "" || got[1] != "" || s.Stats().Damaged == 0 {
		t.Errorf("handed out %v, damage %v", got, s.Damage())
	}
	must(t, s.Commit())
}

// A bucket file that is missing or short is damage too.
func TestLostBucketFile(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := mustOpen(t, "a/store", Options{FS: fs, Now: day0})
	for p := range sitegraph.PageID(4) {
		r := newRecord(p, at(2))
		r.State = sitegraph.StateAlive
		must(t, s.Add(r))
	}
	must(t, s.Commit())
	must(t, s.Close())
	path := only(t, fs, bucketPrefix)
	whole := readAll(t, fs, path)
	for _, keep := range []int{-1, 0, len(whole)/2 - 1, len(whole) / 2} {
		fs := copyOf(fs)
		if keep < 0 {
			must(t, fs.Remove(path))
		} else {
			writeAll(t, fs, path, whole[:keep])
		}
		for range 2 {
			s := mustOpen(t, "a/store", Options{FS: fs})
			alive := 0
			must(t, s.Restore(sitegraph.NewGraph(), func(r *sitegraph.Record) {
				if r.State == sitegraph.StateAlive {
					alive++
				}
			}))
			if want := max(keep, 0) * 4 / len(whole); alive != want {
				t.Fatalf("%d bytes kept: %d records alive, want %d; %v", keep, alive, want, s.Damage())
			}
			must(t, s.Close())
		}
	}
}

func TestDamageErrorSaysWhere(t *testing.T) {
	err := fmt.Errorf("open: %w", &DamageError{Path: "d/sat/due-7", Offset: 12, What: "not a record"})
	if want := "open: d/sat/due-7: damaged at byte 12: not a record"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
