package satstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// A function that gets the progress of long work may end the work. The store then goes on as if the
// work had never begun.
func TestProgress(t *testing.T) {
	t.Parallel()
	const pages = 6000 // the progress counts at least three entries a page
	var refuse string
	told := map[string]int{}
	enough := errors.New("enough")
	dir := filepath.Join(t.TempDir(), "store")
	store, err := Open(dir, Options{Progress: func(what string, done, total int) error {
		told[what]++
		if done < 0 || done > total {
			t.Errorf("%d of %d %s", done, total, what)
		}
		if what == refuse {
			return enough
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for i := range pages {
		if err := store.Add(&sitegraph.Record{Page: sitegraph.PageID(i),
			URL: fmt.Sprintf("http://a.example/%d", i), State: sitegraph.StateNew}); err != nil {
			t.Fatal(err)
		}
		if err := store.SaveLinks(sitegraph.PageID(i), []sitegraph.PageID{0}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Commit(); err != nil {
		t.Fatal(err)
	}
	const entries, bytes = "addresses, links and records", "bytes"
	restore := func() error {
		return store.Restore(sitegraph.NewGraph(), func(*sitegraph.Record) {})
	}
	copied := 0
	checkpoint := func() error {
		copied++
		return store.Checkpoint(filepath.Join(filepath.Dir(dir), fmt.Sprint("copy-", copied)))
	}
	for _, c := range []struct {
		what string
		work func() error
	}{{entries, restore}, {bytes, checkpoint}} {
		refuse = c.what
		if err := c.work(); !errors.Is(err, enough) {
			t.Errorf("%s: error %v", c.what, err)
		}
		refuse = ""
		before := told[c.what]
		if err := errors.Join(store.Commit(), c.work()); err != nil || told[c.what] == before {
			t.Errorf("%s: error %v, told %v", c.what, err, told)
		}
	}
	store.EndProgress()
	refuse = bytes
	if err := checkpoint(); err != nil {
		t.Errorf("with nobody to be told: %v", err)
	}
	again, err := Open(filepath.Join(filepath.Dir(dir), "copy-2"), Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Pages() != pages {
		t.Errorf("the copy has %d pages", again.Pages())
	}
}

// A copy that fails does not fail a store beside it whose name begins like the copy's. The
// background writes of that store cause no data race.
func TestProgressOfTheCopyAlone(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	for _, dir := range []string{"/keep", "/keep-2"} {
		if err := disk.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	enough := errors.New("enough")
	write := func(fs vfs.FS, name string) error {
		f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		_, err = f.Write(make([]byte, reportBytes))
		return errors.Join(err, f.Close())
	}
	fs := &copyFS{FS: disk}
	beside := make(chan error)
	go func() { beside <- write(fs, "/keep-2/beside") }()
	done, err := fs.begin("/keep", func(string, int, int) error { return enough }, "/keep-2")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-beside, write(fs, "/keep-2/file"),
		fs.Link("/keep-2/file", "/keep-2/linked")); err != nil {
		t.Errorf("in the store: error %v", err)
	}
	if err := write(fs, "/keep/file"); !errors.Is(err, enough) {
		t.Errorf("in the copy: error %v", err)
	}
	if err := fs.Link("/keep-2/file", "/keep/linked"); !errors.Is(err, enough) {
		t.Errorf("linked into the copy: error %v", err)
	}
	done()
	if err := write(fs, "/keep/file"); err != nil {
		t.Errorf("after the copy: error %v", err)
	}
}
