package runs

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// copied is a store of 100 records, and its copy.
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

// Only files that a copy has a link to are shared: those of a copy on another disk can be given
// back as before, by both.
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
					t.Errorf("linked %v, %s: file %d is shared: %v", linked, name, f.number, f.shared)
				}
			}
			if files == 0 || store.Len() != 100 {
				t.Errorf("%s: %d files, %d records", name, files, store.Len())
			}
			must(t, store.Close())
		}
	}
}

// Where the trial fails, nothing is linked, though others could be, as where only some files are
// of the user: neither store marks them as shared, and each would give back what is garbage to it.
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
