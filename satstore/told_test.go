package satstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// Who is told of long work may end it. The store then goes on as if nothing had been asked.
func TestTold(t *testing.T) {
	t.Parallel()
	const pages = 6000 // three entries each are told of at least once
	var refuse string
	told := map[string]int{}
	enough := errors.New("enough")
	dir := filepath.Join(t.TempDir(), "store")
	store, err := Open(dir, Options{Told: func(what string, done, total int) error {
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
		if err := store.Add(&sitegraph.Record{Page: sitegraph.PageID(i), URL: fmt.Sprintf("http://a.example/%d", i), State: sitegraph.StateNew}); err != nil {
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
	restore := func() error { return store.Restore(sitegraph.NewGraph(), func(*sitegraph.Record) {}) }
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
	store.Untold()
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
