package engine

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// copied returns a store of 100 records, and its copy.
func copied(t *testing.T, fs vfs.FS) (s, c *Store) {
	t.Helper()
	o := smallOptions(fs)
	s = mustOpen(t, storeDir, o)
	for i := range uint32(100) {
		must(t, s.Put(i, int64(i%7), make([]byte, 100)))
	}
	must(t, s.Commit())
	must(t, s.CopyTo("copy"))
	return s, mustOpen(t, "copy", o)
}

// Only linked files are shared. With a copy on another disk both stores can release space as
// before.
func TestCopySharesWhatIsLinked(t *testing.T) {
	for _, linked := range []bool{true, false} {
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpLink && !linked {
				return errorfs.ErrInjected
			}
			return nil
		}))
		s, c := copied(t, fs)
		for name, store := range map[string]*Store{"store": s, "copy": c} {
			files := 0
			for _, f := range store.files.all {
				if f == nil || f.blocks == 0 {
					continue
				}
				if files++; f.shared != linked {
					t.Errorf("linked %v, %s: file %d is shared: %v",
						linked, name, f.number, f.shared)
				}
			}
			if files == 0 || store.Len() != 100 {
				t.Errorf("%s: %d files, %d records", name, files, store.Len())
			}
			must(t, store.Close())
		}
	}
}

// If the trial link fails, no file is linked, even if others could be, for example because the user
// owns only some. Otherwise neither store would mark them as shared, and each would punch its
// garbage.
func TestCopyLinksNothingUnshared(t *testing.T) {
	tried, linked := false, 0
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind != errorfs.OpLink {
			return nil
		}
		if !tried {
			tried = true
			return errorfs.ErrInjected
		}
		linked++
		return nil
	}))
	s, c := copied(t, fs)
	must(t, s.Close())
	if !tried || linked > 0 {
		t.Errorf("tried %v, %d files are linked and not shared", tried, linked)
	}
	if c.Len() != 100 {
		t.Errorf("the copy has %d records", c.Len())
	}
	must(t, c.Close())
}

// A store and its copy have the same id, and give the same numbers to later files. If a file of one
// gets into the other, opening, checking and reading find it. Its records are lost, and none of the
// other store replaces them.
func TestForeignRunFile(t *testing.T) {
	fs := vfs.NewMem()
	s, c := copied(t, fs)
	o := s.o
	for _, of := range []struct {
		s    *Store
		body string
	}{{s, "of the store"}, {c, "of the copy"}} {
		of.s.o.PartBytes = 1
		for i := range uint32(50) {
			must(t, of.s.Put(i, int64(i%7), []byte(of.body)))
		}
		must(t, of.s.Commit())
		must(t, of.s.Close())
	}
	known, err := fs.List("copy")
	must(t, err)
	swapped := 0
	for _, name := range known {
		if _, ok := parseName(name, runPrefix); !ok {
			continue
		}
		from, to := fs.PathJoin("copy", name), fs.PathJoin(storeDir, name)
		theirs, ours := contentOf(t, fs, from), contentOf(t, fs, to)
		if len(ours) > 0 && len(theirs) == len(ours) && string(theirs) != string(ours) {
			must(t, vfs.Copy(fs, from, to))
			swapped++
		}
	}
	if swapped == 0 {
		t.Fatal("no file of one is like that of the other")
	}
	for _, readOnly := range []bool{true, false} {
		o.ReadOnly = readOnly
		s = mustOpen(t, storeDir, o)
		if damage := s.Damage(); len(damage) != swapped || !errors.Is(damage[0], errForeign) {
			t.Fatalf("opened with %d damages %v, want %d of foreign files",
				len(damage), damage, swapped)
		}
		found, err := s.Check()
		must(t, err)
		lost := map[uint32]bool{}
		for _, d := range found {
			for _, seq := range d.Seqs {
				lost[seq] = true
			}
		}
		if len(lost) != 50 {
			t.Errorf("%d records are lost, want 50", len(lost))
		}
		must(t, s.Each(func(r *Record) error {
			if string(r.Body) == "of the copy" {
				t.Errorf("record %d is that of the copy", r.Seq)
			}
			return nil
		}))
		must(t, s.Close())
	}
}

func contentOf(t *testing.T, fs vfs.FS, path string) []byte {
	t.Helper()
	f, err := fs.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	must(t, err)
	defer f.Close()
	b, err := io.ReadAll(f)
	must(t, err)
	return b
}
