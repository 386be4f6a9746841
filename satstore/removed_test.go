package satstore

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// removedStore makes a store of n pages and removes every second one.
func removedStore(t testing.TB, dir string, o Options, n int) {
	t.Helper()
	s := mustOpen(t, dir, o)
	for p := range sitegraph.PageID(n) {
		must(t, s.Add(newRecord(p, at(1))))
	}
	for p := sitegraph.PageID(0); int(p) < n; p += 2 {
		must(t, s.Remove(p))
	}
	must(t, s.Commit())
	must(t, s.Close())
}

// Open does not look up each removed page.
func TestOpenPassesRemovedPages(t *testing.T) {
	allocations := func(n int) float64 {
		o := Options{FS: vfs.NewMem(), Now: day0}
		removedStore(t, "s", o, n)
		return testing.AllocsPerRun(3, func() { must(t, mustOpen(t, "s", o).Close()) })
	}
	const few, many = 100, 20_100
	// One get per removed page would take more than six times as many. The race detector empties
	// pools, which adds some.
	if a, b := allocations(few), allocations(many); b-a > 2*(many-few) {
		t.Errorf("Open allocates %.0f times with %d removed pages, %.0f times with %d",
			b, many/2, a, few/2)
	}
}

// Open finds lost records among removed pages, wherever they are.
func TestOpenFindsLostAmongRemoved(t *testing.T) {
	const n = 300
	for _, lost := range [][]sitegraph.PageID{{1}, {n - 1}, {1, 3, n - 1}, {151, 153}} {
		o := Options{FS: vfs.NewMem(), Now: day0}
		removedStore(t, "s", o, n)
		s := mustOpen(t, "s", o)
		for _, p := range lost { // the catalogue does not mark them as removed
			must(t, s.runs.Delete(uint32(p)))
		}
		must(t, s.runs.Commit())
		must(t, s.Close())
		s = mustOpen(t, "s", o)
		if got, want := s.Stats().Records, n/2; got != want {
			t.Errorf("lost %v: %d records, want %d", lost, got, want)
		}
		for p := range sitegraph.PageID(n) {
			has, reason := s.runs.Has(uint32(p)), ""
			if has {
				var r sitegraph.Record
				must(t, s.Load(p, &r))
				reason = r.Reason
			}
			if has != (p%2 == 1) || (reason == "record lost") != slices.Contains(lost, p) {
				t.Errorf("lost %v: page %d: record %v, reason %q", lost, p, has, reason)
			}
		}
		must(t, s.Close())
	}
}

// BenchmarkOpenRemoved opens a store in which every second page was removed.
func BenchmarkOpenRemoved(b *testing.B) {
	for _, n := range []int{0, 20_000, 200_000} {
		b.Run(fmt.Sprintf("removed=%d", n), func(b *testing.B) {
			o := Options{FS: vfs.NewMem(), Now: day0}
			removedStore(b, "s", o, 2*n)
			for b.Loop() {
				must(b, mustOpen(b, "s", o).Close())
			}
		})
	}
}
