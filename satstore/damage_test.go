package satstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// only returns the path of the only file in DIR/sat that has a prefix.
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

// copyOf returns a copy of a disk. All data of the copy is synced.
func copyOf(fs *vfs.MemFS) *vfs.MemFS {
	for _, dir := range []string{"a/store/sat", "a/store/pebble", "a/store"} {
		if err := directory.Sync(fs, dir); err != nil {
			panic(err)
		}
	}
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100,
		RNG: rand.New(rand.NewPCG(1, 1))})
}

// logOf makes three commits of one page each. It returns the disk, and the length of the log after
// each commit.
func logOf(t *testing.T) (fs *vfs.MemFS, ends []int) {
	fs = vfs.NewCrashableMem()
	s := mustOpen(t, "a/store", Options{FS: fs, Now: day0})
	defer s.Close() // of the disk before the copy
	for p := range sitegraph.PageID(3) {
		must(t, s.Add(newRecord(p, at(1))))
		must(t, s.Commit())
		ends = append(ends, int(s.Stats().LogBytes))
	}
	return copyOf(fs), ends
}

// stride returns the distance between damaged bytes: 1, or 7 in short tests. The race detector runs
// the short tests, and has nothing to find here.
func stride() int {
	if testing.Short() {
		return 7
	}
	return 1
}

// A log cut at any byte of its last commit is opened at the commit before.
func TestTornLogTailIsCut(t *testing.T) {
	t.Parallel()
	fs, ends := logOf(t)
	path := only(t, fs, "MANIFEST-")
	whole := readAll(t, fs, path)
	for cut := ends[1]; cut <= ends[2]; cut += stride() {
		tails := []string{"", "\xff\x00\x00\x00\x00\x00\x00\x00", "garbage"}
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
			for range 2 { // the cut is durable
				s := mustOpen(t, "a/store", Options{FS: fs})
				if s.Pages() != want || s.Stats().Damaged > 0 {
					t.Fatalf("cut at %d of %d: %d pages, want %d; damage %v",
						cut, ends[2], s.Pages(), want, s.Damage())
				}
				must(t, s.Close())
			}
		}
	}
}

// A flipped bit before a later commit is damage, not the end of the log. In the last commit it
// looks like a torn write.
func TestFlippedBitInLog(t *testing.T) {
	t.Parallel()
	fs, ends := logOf(t)
	path := only(t, fs, "MANIFEST-")
	whole := readAll(t, fs, path)
	for i := 0; i < len(whole); i += stride() {
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

// oneRun returns a closed store of three pages in one block of one run.
func oneRun(t *testing.T) (fs *vfs.MemFS, path string) {
	fs = vfs.NewCrashableMem()
	s := mustOpen(t, "a/store", Options{FS: fs, Now: day0})
	for p := range sitegraph.PageID(3) {
		r := newRecord(p, at(20))
		r.State = sitegraph.StateAlive
		must(t, s.Add(r))
	}
	must(t, s.Commit())
	must(t, s.Close())
	return fs, only(t, fs, "run-")
}

// A flipped bit in a block costs one record, or none if the bit is in the header of the block. The
// lost record begins again, and the report names the file and the offset of the block. Check finds
// the damage, too.
func TestFlippedBitInRun(t *testing.T) {
	t.Parallel()
	mem, path := oneRun(t)
	whole := readAll(t, mem, path)
	const block, runHeader = 4096, 40
	end := block + int(binary.LittleEndian.Uint32(whole[block+4:]))
	for i := block; i < end; i += stride() + i%3 {
		lost := 1
		if i < block+runHeader {
			lost = 0 // all the data of the header is known from elsewhere
		}
		for _, readOnly := range []bool{true, false} {
			fs := copyOf(mem)
			b := bytes.Clone(whole)
			b[i] ^= 1 << (i % 8)
			writeAll(t, fs, path, b)
			s := mustOpen(t, "a/store", Options{FS: fs, ReadOnly: readOnly})
			report, err := s.Check(context.Background(), nil, nil)
			must(t, err)
			if d := report.Damage; len(d) != 1 || d[0].Path != path || d[0].Offset != block ||
				len(d[0].Seqs) != lost {
				t.Fatalf("byte %d: check %v", i, d)
			}
			n, fresh := 0, 0
			must(t, s.Restore(sitegraph.NewGraph(), func(r *sitegraph.Record) {
				n++
				if r.State == sitegraph.StateNew && r.Reason == "record lost" &&
					r.URL == modelURL(r.Page) {
					fresh++
				}
			}))
			if d := s.Damage(); n != 3 || fresh != lost || len(d) != 1 || s.Stats().Damaged != 1 {
				t.Fatalf("byte %d: %d pages, damage %v", i, n, d)
			}
			must(t, s.Close())
		}
	}
}

// A damaged record can be loaded, saved and brought forward. If nobody does so, it is replaced when
// it is due. So each page goes on, once.
func TestDamageGoesOn(t *testing.T) {
	mem, path := oneRun(t)
	for _, how := range []string{"due", "save", "reschedule", "remove"} {
		fs := copyOf(mem)
		b := readAll(t, fs, path)
		b[4096+50] ^= 1
		writeAll(t, fs, path, b)
		s := mustOpen(t, "a/store", Options{FS: fs})
		var r sitegraph.Record
		must(t, s.Load(0, &r))
		if r.Reason != "record lost" || len(s.Damage()) != 1 {
			t.Errorf("loaded %+v, damage %v", r, s.Damage())
		}
		want := 3
		switch how {
		case "save":
			r.Reason, r.Due = "saved", at(25)
			must(t, s.Save(&r))
		case "reschedule":
			must(t, s.Reschedule([]sitegraph.PageID{0, 2}, dueAt(at(1))))
		case "remove":
			must(t, s.Remove(1))
			want = 2
		}
		must(t, s.Commit())
		got := map[sitegraph.PageID]int{}
		again := func(r *sitegraph.Record) { got[r.Page]++; r.Due = at(300) }
		for _, day := range []int{1, 20, 21, 30} {
			must(t, s.Advance(at(day).Add(time.Hour), again))
			must(t, s.Commit())
		}
		if len(got) != want || got[0] != 1 {
			t.Errorf("%s: handed out %v", how, got)
		}
		must(t, s.Close())
		s = mustOpen(t, "a/store", Options{FS: fs})
		report, err := s.Check(context.Background(), nil, nil)
		must(t, err)
		if len(report.Damage) > 0 || report.Records != want {
			t.Errorf("%s: afterwards %+v", how, report)
		}
		must(t, s.Close())
	}
}

// A run file that is missing or too short is damage, too.
func TestLostRunFile(t *testing.T) {
	mem, path := oneRun(t)
	whole := readAll(t, mem, path)
	for _, keep := range []int{-1, 0, 4096, 4200} {
		fs := copyOf(mem)
		if keep < 0 {
			must(t, fs.Remove(path))
		} else {
			writeAll(t, fs, path, whole[:keep])
		}
		for range 2 {
			s := mustOpen(t, "a/store", Options{FS: fs})
			fresh := 0
			must(t, s.Restore(sitegraph.NewGraph(), func(r *sitegraph.Record) {
				if r.Reason == "record lost" {
					fresh++
				}
			}))
			if fresh != 3 || len(s.Damage()) == 0 {
				t.Fatalf("%d bytes kept: %d records fresh; %v", keep, fresh, s.Damage())
			}
			must(t, s.Close())
		}
	}
}

// Check finds disagreements between runs and catalogue.
func TestCheckFindsDisagreement(t *testing.T) {
	address := func(p sitegraph.PageID) []byte { return pageKey(KeyAddress, p) }
	for name, c := range map[string]struct {
		change func(s *Store) error
		want   string
	}{
		"other address": {func(s *Store) error {
			return s.batch.Set(address(1), []byte("http://other/"), nil)
		}, "another"},
		"no address": {func(s *Store) error {
			return s.batch.Delete(address(1), nil)
		}, "no address of page 1"},
		"no record": {func(s *Store) error { return s.runs.Delete(1) }, "no record of page 1"},
		"removed": {func(s *Store) error {
			return s.batch.Set(pageKey(KeyRemoved, 1), nil, nil)
		}, "which was removed"},
		"record of none": {func(s *Store) error {
			return s.batch.Set(address(9), []byte("http://h/"), nil)
		}, "of page 9 of 3"},
		"unknown key": {func(s *Store) error {
			return s.batch.Set([]byte("?"), nil, nil)
		}, "unknown catalogue key"},
		"links out of range": {func(s *Store) error {
			return s.batch.Set(pageKey(KeyLinks, 0), appendLinks(nil, []sitegraph.PageID{7}, nil),
				nil)
		}, "links of page 0"},
		"no record inside": {func(s *Store) error {
			return s.runs.Put(2, s.runs.Clock()+9, []byte("?"))
		}, "cannot be decoded"},
	} {
		mem, _ := oneRun(t)
		s := mustOpen(t, "a/store", Options{FS: mem})
		must(t, c.change(s))
		s.changed = true
		must(t, s.Commit())
		report, err := s.Check(context.Background(), nil, nil)
		must(t, err)
		if len(report.Damage) != 1 || !strings.Contains(report.Damage[0].Error(), c.want) {
			t.Errorf("%s: %v", name, report.Damage)
		}
		must(t, s.Close())
	}
}

func TestDamageErrorSaysWhere(t *testing.T) {
	err := fmt.Errorf("open: %w",
		&DamageError{Path: "d/sat/due-7", Offset: 12, What: "not a record"})
	if want := "open: d/sat/due-7: damaged at byte 12: not a record"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

// A log that is cut at a commit gives an older store. Check finds it by the visits it is given,
// down to the last commit, and by runs that the log does not have.
func TestCheckOfCutLog(t *testing.T) {
	for _, inRuns := range []bool{false, true} {
		mem := vfs.NewCrashableMem()
		o := Options{FS: mem, Now: day0}
		if inRuns {
			o.tune = func(o *engine.Options) { o.PartBytes = 1 }
		}
		s := mustOpen(t, "a/store", o)
		visited := map[string]time.Time{}
		visit := func(p sitegraph.PageID, hours int) {
			r := newRecord(p, at(20))
			r.Tried = at(0).Add(time.Duration(hours) * time.Hour)
			visited[r.URL] = r.Tried
			if int(p) == s.Pages() {
				must(t, s.Add(r))
			} else {
				must(t, s.Save(r))
			}
		}
		for p := range sitegraph.PageID(4) {
			visit(p, 1)
		}
		must(t, s.Remove(3)) // a visit of a removed page is not missed
		must(t, s.Commit())
		end := int(s.Stats().LogBytes)
		visit(1, 1) // in the same second as the visits before it
		visit(2, 2)
		must(t, s.Commit())
		fs := copyOf(mem)
		defer s.Close()
		for _, cut := range []bool{false, true} {
			path := only(t, fs, "MANIFEST-")
			if cut {
				writeAll(t, fs, path, readAll(t, fs, path)[:end+1])
			}
			s := mustOpen(t, "a/store", Options{FS: fs, ReadOnly: true})
			r, err := s.Check(t.Context(), nil, visited)
			must(t, err)
			must(t, s.Close())
			_, behind := r.Behind[modelURL(2)]
			if len(r.Damage) > 0 || behind != cut || len(r.Behind) > 1 ||
				(len(r.Ahead) > 0) != (cut && inRuns) {
				t.Errorf("runs %v, cut %v: %+v", inRuns, cut, r)
			}
		}
	}
}

// A newer program wrote a record whose version or marks are unknown here. The store does not report
// damage, and keeps all data unchanged.
func TestRecordOfNewerVersion(t *testing.T) {
	mem, _ := oneRun(t)
	s := mustOpen(t, "a/store", Options{FS: mem})
	body, err := AppendRecord(nil, &sitegraph.Record{Page: 1, URL: modelURL(1), Misses: 1})
	must(t, err)
	for name, newer := range map[string]func(b []byte){
		"version": func(b []byte) { b[0] = recordVersionMisses + 1 },
		"marks":   func(b []byte) { b[fixedRecordBytes+1] = 128 },
	} {
		b := bytes.Clone(body)
		newer(b)
		must(t, s.runs.Put(1, s.runs.Clock()+9, b))
		s.changed = true
		must(t, s.Commit())
		for what, use := range map[string]func(s *Store) error{
			"load": func(s *Store) error { return s.Load(1, &sitegraph.Record{}) },
			"reschedule": func(s *Store) error {
				return s.Reschedule([]sitegraph.PageID{1}, dueAt(at(1)))
			},
			"due": func(s *Store) error {
				_, err := s.Due(at(0), func(*sitegraph.Record, [][]byte) {})
				return err
			},
			"restore": func(s *Store) error {
				return s.Restore(sitegraph.NewGraph(), func(*sitegraph.Record) {})
			},
			"check": func(s *Store) error {
				_, err := s.Check(t.Context(), nil, nil)
				return err
			},
			"advance": func(s *Store) error { return s.Advance(at(9), func(*sitegraph.Record) {}) },
		} {
			s := mustOpen(t, "a/store", Options{FS: copyOf(mem)})
			var format *FormatError
			if err := use(s); !errors.As(err, &format) ||
				!strings.Contains(err.Error(), "a/store/sat: ") ||
				!strings.Contains(err.Error(), "was written by a newer version of recrawl") {
				t.Errorf("%s of a record of newer %s: %v", what, name, err)
			}
			if len(s.Damage()) > 0 {
				t.Errorf("%s of a record of newer %s is damage: %v", what, name, s.Damage())
			}
			_ = s.Close()
		}
	}
	must(t, s.Close())
}

// A used store whose log is missing, or has no valid beginning, is damaged and not new: Open writes
// nothing. Open completes a creation that was cut short.
func TestLostLog(t *testing.T) {
	for name, c := range map[string]struct {
		keep int // bytes of the log; -1: the log is removed
		file string
		used bool
	}{
		"removed, journal":       {-1, "journal/2009-01-02.jsonl", true},
		"empty, journal":         {0, "journal/2009-01-02.jsonl", true},
		"cut, journal":           {16, "journal/2009-01-02.jsonl", true},
		"removed, epoch":         {-1, epochName, true},
		"cut, epoch":             {16, epochName, true},
		"removed, table":         {-1, "pebble/000004.sst", true},
		"removed, creation":      {-1, "", false},
		"empty, creation":        {0, "", false},
		"cut, creation":          {16, "", false},
		"removed, other journal": {-1, "journal/LOCK", false},
	} {
		fs := vfs.NewCrashableMem()
		s := mustOpen(t, "a/store", Options{FS: fs, Now: day0})
		must(t, s.Add(newRecord(0, at(20))))
		must(t, s.Commit())
		killed := copyOf(fs)
		must(t, s.Close())
		fs = killed
		path := only(t, fs, "MANIFEST-")
		if c.keep < 0 {
			must(t, fs.Remove(path))
		} else {
			writeAll(t, fs, path, readAll(t, fs, path)[:c.keep])
		}
		if c.file != "" {
			path := "a/store/" + c.file
			must(t, fs.MkdirAll(fs.PathDir(path), 0o755))
			writeAll(t, fs, path, []byte("{}\n"))
		}
		for _, readOnly := range []bool{true, false} {
			s, err := Open("a/store", Options{FS: fs, Now: day0, ReadOnly: readOnly})
			var damage *DamageError
			switch {
			case c.used && (!errors.As(err, &damage) ||
				!strings.HasPrefix(damage.Path, "a/store/sat")):
				t.Errorf("%s, read-only %v: %v", name, readOnly, err)
			case !c.used && readOnly && !errors.Is(err, ErrUnborn):
				t.Errorf("%s: to a reader %v", name, err)
			case !c.used && !readOnly && (err != nil || s.Pages() != 0):
				t.Errorf("%s: %v", name, err)
			}
			if s != nil {
				must(t, s.Close())
			}
		}
	}
}
