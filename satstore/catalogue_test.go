package satstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// within fails the test if f takes so long that it hangs.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: hangs", what)
	}
}

// catalogueDisk returns a closed store with more than one table in its catalogue. If crashed is
// set, the store crashed instead, and its log holds more of the catalogue.
func catalogueDisk(t *testing.T, crashed bool) (*vfs.MemFS, *driver) {
	d := newDriver(rand.New(rand.NewPCG(7, 7)), small(nil))
	fs := vfs.NewCrashableMem()
	for range 3 {
		d.s = mustOpen(t, "a/store", small(fs))
		for range 150 {
			must(t, d.step())
		}
		must(t, d.commit())
		if !crashed {
			must(t, d.s.Close())
			continue
		}
		clone := copyOf(fs)
		d.s.Close() // of the disk before the crash
		fs = clone
	}
	return copyOf(fs), d
}

// Whatever happens to a file of the catalogue, the store has all that was acknowledged or says in
// one line what is damaged. It never hangs or panics. The test damages one byte and ten bytes at
// each place. With RECRAWL_LONG, it opens each store for reading and for writing; otherwise it
// alternates.
func TestDamagedCatalogue(t *testing.T) {
	t.Parallel()
	for _, crashed := range []bool{false, true} {
		mem, want := catalogueDisk(t, crashed)
		names, err := mem.List("a/store/pebble")
		must(t, err)
		intact, damaged := 0, 0
		both := []bool{true, false}
		try := func(what string, modes []bool, change func(fs vfs.FS)) {
			for _, readOnly := range modes {
				what := fmt.Sprintf("%s, crashed %v, read only %v", what, crashed, readOnly)
				fs := copyOf(mem)
				change(fs)
				within(t, what, func() {
					o := small(fs)
					o.ReadOnly = readOnly
					s, err := Open("a/store", o)
					if err == nil {
						err = want.compare(s, want.acked)
						closing := s.Close()
						if err == nil {
							err = closing
						}
					}
					var damage *DamageError
					switch {
					case err == nil:
						intact++
					case !errors.As(err, &damage):
						t.Errorf("%s: %v", what, err)
					case strings.Contains(err.Error(), "\n") ||
						strings.Contains(err.Error(), "<corruption") ||
						strings.Count(err.Error(), "damaged") != 1 ||
						!strings.HasPrefix(damage.Path, "a/store/"):
						t.Errorf("%s: %q", what, err)
					default:
						damaged++
					}
				})
			}
		}
		tables := 0
		for _, name := range names {
			path := "a/store/pebble/" + name
			if strings.HasSuffix(name, ".sst") {
				tables++
			}
			try("without "+name, both, func(fs vfs.FS) { must(t, fs.Remove(path)) })
			whole := readAll(t, mem, path)
			try("empty "+name, both, func(fs vfs.FS) { writeAll(t, fs, path, nil) })
			try("half of "+name, both, func(fs vfs.FS) {
				writeAll(t, fs, path, whole[:len(whole)/2])
			})
			places := 12
			switch {
			case testing.Short():
				places = 2
			case long() || strings.HasPrefix(name, "MANIFEST"):
				places = len(whole)
			}
			for i := range places {
				at := i * len(whole) / places
				for j, n := range []int{1, 10} {
					modes := both
					if !long() {
						modes = both[(i+j)%2:][:1]
					}
					try(fmt.Sprintf("%d bytes at %d of %s", n, at, name), modes, func(fs vfs.FS) {
						b := bytes.Clone(whole)
						for j := at; j < min(at+n, len(b)); j++ {
							b[j] ^= 0x55
						}
						writeAll(t, fs, path, b)
					})
				}
			}
		}
		if tables == 0 || intact == 0 || damaged == 0 {
			t.Errorf("files %q: %d tables; %d intact, %d damaged", names, tables, intact, damaged)
		}
		t.Logf("crashed %v: %d files, %d tables; %d intact, %d damaged",
			crashed, len(names), tables, intact, damaged)
	}
}

func TestReadingWhatIsNoStore(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o644))
	_, err := Open(dir, Options{ReadOnly: true})
	if want := "open store " + dir + ": the directory holds no store"; !errors.Is(err,
		ErrNoStore) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v %v", names, err)
	}
}
