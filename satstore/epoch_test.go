package satstore

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// linked returns a closed store whose last transaction saved only links, and the same store before
// that transaction.
func linked(t *testing.T) (before, fs *vfs.MemFS) {
	t.Helper()
	fs = vfs.NewCrashableMem()
	o := Options{FS: fs, Now: day0}
	s := mustOpen(t, "a/store", o)
	for p := range sitegraph.PageID(5) {
		must(t, s.Add(newRecord(p, at(20))))
	}
	must(t, s.Commit())
	must(t, s.Close())
	before = copyOf(fs)
	s = mustOpen(t, "a/store", o)
	must(t, s.SaveLinks(0, []sitegraph.PageID{1}, nil))
	must(t, s.Commit())
	must(t, s.Close())
	return before, copyOf(fs)
}

// linksOf returns the links of page 0.
func linksOf(t *testing.T, s *Store) []sitegraph.PageID {
	t.Helper()
	g := sitegraph.NewGraph()
	must(t, s.Restore(g, func(*sitegraph.Record) {}))
	return slices.Clone(g.Links(0))
}

// A catalogue of an older state is damage. Pebble makes one if it takes its last edit for a torn
// write.
func TestEpochTellsAnOlderCatalogue(t *testing.T) {
	before, fs := linked(t)
	names, err := fs.List("a/store/pebble")
	must(t, err)
	for _, name := range names {
		must(t, fs.Remove("a/store/pebble/"+name))
	}
	names, err = before.List("a/store/pebble")
	must(t, err)
	for _, name := range names {
		writeAll(t, fs, "a/store/pebble/"+name, readAll(t, before, "a/store/pebble/"+name))
	}
	for _, readOnly := range []bool{true, false} {
		_, err := Open("a/store", Options{FS: copyOf(fs), ReadOnly: readOnly})
		var damage *DamageError
		if !errors.As(err, &damage) || damage.Path != "a/store/pebble" ||
			!strings.Contains(err.Error(), "batch") {
			t.Errorf("read only %v: %v", readOnly, err)
		}
	}
	s := mustOpen(t, "a/store", Options{FS: before}) // undamaged
	if got := linksOf(t, s); len(got) > 0 {
		t.Errorf("page 0 links to %v before it did", got)
	}
	must(t, s.Close())
}

// Check finds a damaged EPOCH. The damage costs nothing, and the next flush writes the file again.
func TestDamagedEpoch(t *testing.T) {
	_, fs := linked(t)
	whole := readAll(t, fs, "a/store/EPOCH")
	for i := range whole {
		broken := copyOf(fs)
		b := bytes.Clone(whole)
		b[i] ^= 1 << (i % 8)
		writeAll(t, broken, "a/store/EPOCH", b)
		s := mustOpen(t, "a/store", Options{FS: broken})
		report, err := s.Check(context.Background(), nil, nil)
		must(t, err)
		if len(report.Damage) != 1 || !strings.HasSuffix(report.Damage[0].Path, "EPOCH") {
			t.Fatalf("byte %d: %v", i, report.Damage)
		}
		must(t, s.SaveLinks(0, []sitegraph.PageID{4}, nil))
		must(t, s.Commit())
		must(t, s.Close())
		s = mustOpen(t, "a/store", Options{FS: broken})
		report, err = s.Check(context.Background(), nil, nil)
		must(t, err)
		if got := linksOf(t, s); len(report.Damage) > 0 || len(got) != 1 || got[0] != 4 {
			t.Fatalf("byte %d: afterwards %v, links %v", i, report.Damage, got)
		}
		must(t, s.Close())
	}
}
