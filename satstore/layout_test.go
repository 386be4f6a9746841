package satstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const childDir = "RECRAWL_TEST_CHILD_DIR"

// TestMain lets the test program act as another process. It collects garbage less often than usual,
// because the tests spent a fifth of their time on that.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		_, err := Open(dir, Options{})
		if errors.Is(err, ErrInUse) {
			os.Exit(7)
		}
		os.Exit(8)
	}
	debug.SetGCPercent(400)
	m.Run()
}

func TestDirectoryInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "store")
	s := mustOpen(t, dir, Options{Now: day0})
	for _, readOnly := range []bool{false, true} {
		if _, err := Open(dir, Options{ReadOnly: readOnly}); !errors.Is(err, ErrInUse) {
			t.Errorf("same process: %v", err)
		}
	}
	self, err := os.Executable()
	must(t, err)
	child := exec.Command(self)
	child.Env = append(os.Environ(), childDir+"="+dir)
	var exit *exec.ExitError
	if err := child.Run(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("another process: %v", err)
	}
	must(t, s.Add(newRecord(0, at(1))))
	must(t, s.Commit())
	must(t, s.Close())
	must(t, mustOpen(t, dir, Options{ReadOnly: true}).Close())
	s = mustOpen(t, dir, Options{})
	if s.Pages() != 1 {
		t.Error("page lost")
	}
	must(t, s.Close())
}

func TestFormat(t *testing.T) {
	mem := vfs.NewCrashableMem()
	must(t, mustOpen(t, "a/store",
		Options{FS: mem, Now: day0, Unit: time.Hour, Horizon: 100 * time.Hour}).Close())
	for _, o := range []Options{{Unit: 2 * time.Hour}, {Horizon: 500 * time.Hour}, {Unit: -1},
		{Horizon: -1}, {PageBytes: 1}, {BufferBytes: 100}, {Unit: time.Millisecond}} {
		o.FS = mem
		if s, err := Open("a/store", o); err == nil {
			s.Close()
			t.Errorf("opened with %+v", o)
		}
	}
	s := mustOpen(t, "a/store", Options{FS: mem})
	if s.unit != 3600 || s.runs.Horizon() != 120 || s.Clock() != day0 {
		t.Errorf("unit %d, T %d, clock %v", s.unit, s.runs.Horizon(), s.Clock())
	}
	must(t, s.Close())

	text := readAll(t, mem, "a/store/FORMAT")
	for version, what := range map[int]string{1: "of an earlier development version",
		12: "was written by a newer version of recrawl; this one knows up to 2"} {
		other := copyOf(mem)
		writeAll(t, other, "a/store/FORMAT",
			bytes.Replace(text, []byte("satstore 2"), fmt.Appendf(nil, "satstore %d", version), 1))
		for _, readOnly := range []bool{false, true} {
			_, err := Open("a/store", Options{FS: other, ReadOnly: readOnly})
			var format *FormatError
			if !errors.As(err, &format) || format.Found != version || format.Known != 2 ||
				format.Path != "a/store/FORMAT" || !strings.Contains(err.Error(), what) {
				t.Errorf("format %d: %v", version, err)
			}
		}
	}
	for i := range text {
		flipped := copyOf(mem)
		b := bytes.Clone(text)
		b[i] ^= 2
		writeAll(t, flipped, "a/store/FORMAT", b)
		_, err := Open("a/store", Options{FS: flipped})
		var damage *DamageError
		var format *FormatError
		if !errors.As(err, &damage) && !errors.As(err, &format) {
			t.Errorf("version file with byte %d flipped: %v", i, err)
		}
	}
}

func TestForeignDirectoryIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("all of it"), 0o644))
	if _, err := Open(dir, Options{}); err == nil {
		t.Error("opened a directory with foreign content")
	}
	if _, err := Open(filepath.Join(dir, "none"), Options{ReadOnly: true}); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("reading a store that is not there: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "thesis.txt"), Options{}); err == nil {
		t.Error("opened a file")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// A missing log or catalogue is damage: the store is not taken for a new one.
func TestLostParts(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := mustOpen(t, "a/store", Options{FS: mem, Now: day0})
	must(t, s.Add(newRecord(0, at(1))))
	must(t, s.Commit())
	must(t, s.Close())
	for _, readOnly := range []bool{false, true} {
		fs := copyOf(mem)
		must(t, fs.Remove(only(t, fs, "MANIFEST-")))
		var damage *DamageError
		if _, err := Open("a/store", Options{FS: fs, ReadOnly: readOnly}); !errors.As(err,
			&damage) {
			t.Errorf("no log: %v", err)
		}
		fs = copyOf(mem)
		must(t, fs.RemoveAll("a/store/pebble"))
		if s, err := Open("a/store", Options{FS: fs, ReadOnly: readOnly}); err == nil {
			t.Error("no catalogue: opened")
			s.Close()
		}
	}
}
