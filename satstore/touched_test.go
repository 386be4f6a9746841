package satstore_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

var touchedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Touched returns the pages of all commits since a position, also in a later process. It omits
// commits that did not return. If there are too many pages, it says so.
func TestTouched(t *testing.T) {
	fs := vfs.NewCrashableMem()
	open := func(fs vfs.FS) *satstore.Store {
		s, err := satstore.Open("store", satstore.Options{FS: fs, Now: touchedAt})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := open(fs)
	add := func(n int) {
		for range n {
			p := sitegraph.PageID(s.Pages())
			must(s.Add(&sitegraph.Record{Page: p, URL: fmt.Sprintf("http://a/%d", p),
				Due: touchedAt}))
		}
	}
	add(40)
	must(s.Commit())
	if _, ok, err := s.Touched(0); ok || err != nil {
		t.Fatal("pages are noted before a position", err)
	}
	position, err := s.Position(10)
	must(err)
	must(s.Commit())
	check := func(s *satstore.Store, want ...sitegraph.PageID) {
		t.Helper()
		got, ok, err := s.Touched(position)
		if err != nil || !ok || !slices.Equal(got, want) {
			t.Fatalf("touched %v, %v, %v, want %v", got, ok, err, want)
		}
	}
	check(s)
	save := func(p sitegraph.PageID) {
		t.Helper()
		var r sitegraph.Record
		must(s.Load(p, &r))
		must(s.Save(&r))
	}
	save(7)
	must(s.SaveSetting("x", nil))
	must(s.Commit())
	must(s.SaveSetting("x", nil))
	must(s.Commit())
	save(3)
	must(s.SaveLinks(5, []sitegraph.PageID{1}, nil))
	must(s.Commit())
	check(s, 3, 5, 7)
	save(30) // not committed
	check(s, 3, 5, 7)
	crashed := open(fs.CrashClone(vfs.CrashCloneCfg{}))
	check(crashed, 3, 5, 7)
	must(crashed.Close())
	must(s.Close())
	s = open(fs)
	must(s.SaveStart(2))
	add(1)
	must(s.Commit())
	check(s, 2, 3, 5, 7, 40)
	if _, linked, ok, err := s.TouchedParts(position); err != nil || !ok ||
		!slices.Equal(linked, []sitegraph.PageID{5}) {
		t.Errorf("links of pages %v were touched, %v, %v", linked, ok, err)
	}
	if links, frames, err := s.Links(5); err != nil ||
		!slices.Equal(links, []sitegraph.PageID{1}) || len(frames) > 0 {
		t.Errorf("links of page 5 are %v, %v, %v", links, frames, err)
	}
	if _, ok, err := s.Touched(position - 1); ok || err != nil {
		t.Error("pages are known since a position that nobody asked for", err)
	}
	for p := range sitegraph.PageID(12) {
		save(p)
	}
	must(s.Commit())
	if _, ok, err := s.Touched(position); ok || err != nil {
		t.Error("more pages are noted than asked for", err)
	}
	before := position
	position, err = s.Position(10)
	must(err)
	save(9)
	must(s.Commit())
	check(s, 9)
	if _, ok, err := s.Touched(before); ok || err != nil {
		t.Error("pages are known since a position before the last one", err)
	}

	// The store knows the pages since both positions until it forgets the older one.
	before = position
	position, err = s.Position(10)
	must(err)
	must(s.Commit())
	save(4)
	must(s.Commit())
	both := func(s *satstore.Store) {
		t.Helper()
		check(s, 4)
		if got, ok, err := s.Touched(before); err != nil || !ok ||
			!slices.Equal(got, []sitegraph.PageID{4, 9}) {
			t.Fatalf("touched since the position before: %v, %v, %v", got, ok, err)
		}
	}
	both(s)
	crashed = open(fs.CrashClone(vfs.CrashCloneCfg{}))
	both(crashed)
	must(crashed.Close())
	must(s.Forget())
	both(s) // does not see what is uncommitted
	must(s.Commit())
	check(s, 4)
	must(s.Close())
	s = open(fs)
	check(s, 4)
	if _, ok, err := s.Touched(before); ok || err != nil {
		t.Error("pages are known since a position that was forgotten", err)
	}
	for p := range sitegraph.PageID(9) {
		save(p) // with 4 there are ten
	}
	must(s.Commit())
	check(s, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	must(s.Close())
}
