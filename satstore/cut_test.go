package satstore

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// Open refuses a log that lost commits which the catalogue has, however often it is tried, and
// writes nothing to the log. Open accepts a log that lost no commits.
func TestCutLog(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := mustOpen(t, "store", Options{FS: fs, Now: day0})
	add := func() {
		t.Helper()
		p := sitegraph.PageID(s.Pages())
		must(t, s.Add(&sitegraph.Record{Page: p, URL: fmt.Sprintf("http://h.example/%d", p),
			Due: day0}))
		must(t, s.Commit())
	}
	logOf := func(fs vfs.FS) (path string, content []byte) {
		t.Helper()
		names, err := fs.List("store/sat")
		must(t, err)
		for _, name := range names {
			if strings.HasPrefix(name, "MANIFEST-") {
				path = "store/sat/" + name
			}
		}
		f, err := fs.Open(path)
		must(t, err)
		defer f.Close()
		content, err = io.ReadAll(f)
		must(t, err)
		return path, content
	}
	add()
	must(t, s.Close())
	s = mustOpen(t, "store", Options{FS: fs, Now: day0})
	_, empty := logOf(fs)
	add()
	_, first := logOf(fs)
	add()
	must(t, s.cat.flush()) // as Pebble does by itself after some MiB
	_, second := logOf(fs)
	add()
	path, whole := logOf(fs)
	for i, cut := range [][]byte{empty, first, second, whole} {
		crashed := fs.CrashClone(vfs.CrashCloneCfg{})
		f, err := crashed.Create(path, vfs.WriteCategoryUnspecified)
		must(t, err)
		_, err = f.Write(cut)
		must(t, errors.Join(err, f.Sync(), f.Close()))
		for _, reads := range []bool{true, false, false} {
			again, err := Open("store", Options{FS: crashed, Now: day0, ReadOnly: reads})
			var damage *DamageError
			if i < 2 {
				if !errors.As(err, &damage) || !strings.Contains(err.Error(), "log") {
					t.Errorf("cut %d, reading %v: %v", i, reads, err)
				}
				continue
			}
			must(t, err)
			if n := again.Pages(); n != i+1 {
				t.Errorf("cut %d: %d pages", i, n)
			}
			must(t, again.Close())
		}
	}
	must(t, s.Close())
}
