package satstore

import (
	"errors"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// InUse tells of the lock, and reads nothing: not a store that could not be opened.
func TestInUse(t *testing.T) {
	for _, fs := range []vfs.FS{vfs.NewMem(), vfs.Default} {
		dir, o := t.TempDir()+"/store", Options{FS: fs, Now: day0}
		inUse := func(want bool) {
			t.Helper()
			if used, err := InUse(dir, o); used != want || err != nil {
				t.Errorf("in use %v, %v, want %v", used, err, want)
			}
		}
		must(t, fs.MkdirAll(dir, 0o755))
		if _, err := InUse(dir, o); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("an empty directory: %v", err)
		}
		if names, err := fs.List(dir); err != nil || len(names) > 0 {
			t.Errorf("an empty directory holds %v, %v", names, err)
		}
		s := mustOpen(t, dir, o)
		inUse(true)
		must(t, s.Close())
		inUse(false)
		must(t, fs.RemoveAll(fs.PathJoin(dir, catalogueName)))
		var damage *DamageError
		if _, err := Open(dir, o); !errors.As(err, &damage) {
			t.Fatalf("a store without catalogue: %v", err)
		}
		inUse(false)
	}
}
