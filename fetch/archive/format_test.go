package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore/directory"
)

// TestFormatOfIndex checks that the index of a newer program is refused and stays unchanged. An
// index without a format number is from an older program, and is read.
func TestFormatOfIndex(t *testing.T) {
	dir := t.TempDir()
	a, err := Open(dir, Options{Now: func() time.Time { return time.Unix(1e9, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.warc"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for text, newer := range map[string]bool{
		`{"format":3,"next":1,"runs":[],"covered":{}}`:         true,
		`{"next":"one","runs":{"a":1},"format":4,"covered":7}`: true,
		`{"format":2,"next":1,"runs":[],"covered":{}}`:         false,
		`{"format":1,"next":1,"runs":[],"covered":{}}`:         false,
		`{"next":1,"runs":[],"covered":{}}`:                    false,
	} {
		x := newIndex(dir)
		if err := os.MkdirAll(x.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := directory.WritePath(x.dir, stateName, []byte(text)); err != nil {
			t.Fatal(err)
		}
		refused := func(what string, err error) {
			if newer != (err != nil &&
				strings.Contains(err.Error(), "written by a newer version")) {
				t.Errorf("%s with %s: %v", what, text, err)
			}
		}
		r, err := OpenReader(dir)
		refused("reader", err)
		if err == nil {
			r.Close()
		}
		a, err := Open(dir, Options{Now: time.Now})
		refused("writer", err)
		if err == nil {
			a.Close()
		}
		if after, err := os.ReadFile(filepath.Join(x.dir, stateName)); newer && (err != nil ||
			string(after) != text) {
			t.Errorf("%s became %s, %v", text, after, err)
		}
	}
}
