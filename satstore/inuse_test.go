package satstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// InUse looks only at the lock. It reads no file, so it also works for a store that cannot be
// opened.
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

// Any number of readers share a store, in one process and in others. Meanwhile nobody writes. A
// writer is alone.
func TestReadersShareStore(t *testing.T) {
	if dir := os.Getenv("RECRAWL_TEST_READS"); dir != "" { // another process
		s, err := Open(dir, Options{Now: day0, ReadOnly: os.Getenv("RECRAWL_TEST_WRITES") == ""})
		if err == nil {
			must(t, s.Close())
		} else if !errors.Is(err, ErrInUse) {
			t.Fatal(err)
		}
		fmt.Println("in use:", err != nil)
		return
	}
	dir := t.TempDir() + "/store"
	other := func(writes string, want bool) {
		t.Helper()
		p := exec.Command(os.Args[0], "-test.run", "^TestReadersShareStore$", "-test.v")
		p.Env = append(os.Environ(), "RECRAWL_TEST_READS="+dir, "RECRAWL_TEST_WRITES="+writes)
		out, err := p.CombinedOutput()
		if err != nil || !strings.Contains(string(out), fmt.Sprint("in use: ", want)) {
			t.Errorf("want in use: %v, got %v\n%s", want, err, out)
		}
	}
	open := func(reads bool) *Store {
		t.Helper()
		return mustOpen(t, dir, Options{Now: day0, ReadOnly: reads})
	}
	refused := func(reads bool) {
		t.Helper()
		if _, err := Open(dir, Options{Now: day0, ReadOnly: reads}); !errors.Is(err, ErrInUse) {
			t.Errorf("reading %v: %v", reads, err)
		}
	}
	s := open(false)
	must(t, s.Add(&sitegraph.Record{URL: "http://h.example/", Due: day0}))
	must(t, s.Commit())
	refused(true)
	refused(false)
	other("", true)
	other("1", true)
	must(t, s.Close())
	first, second := open(true), open(true)
	other("", false)
	must(t, first.Close())
	refused(false)
	other("1", true) // the second reader still has it open
	var r sitegraph.Record
	must(t, second.Load(0, &r))
	must(t, second.Close())
	other("1", false)
	must(t, open(false).Close())
}

// The locks are on the open directories and on their version files. So nobody frees a lock by
// removing a file, and nobody bypasses it through a link.
func TestLockHasNoName(t *testing.T) {
	if dir := os.Getenv("RECRAWL_TEST_LOCKED"); dir != "" { // another process
		s, err := Open(dir, Options{Now: day0, ReadOnly: os.Getenv("RECRAWL_TEST_READS") != ""})
		if err == nil {
			must(t, s.Close())
		}
		fmt.Println("in use:", errors.Is(err, ErrInUse), err)
		return
	}
	for name, lead := range map[string]func(dir, to string) error{
		"same":  func(dir, to string) error { return os.Symlink(dir, to) },
		"above": func(dir, to string) error { return os.Symlink(dir+"/../store/.", to) },
		"halves": func(dir, to string) error {
			return errors.Join(os.Mkdir(to, 0o755), os.Symlink(dir+"/sat", to+"/sat"),
				os.Symlink(dir+"/pebble", to+"/pebble"), os.Link(dir+"/FORMAT", to+"/FORMAT"))
		},
		"runs of another": func(dir, to string) error {
			must(t, mustOpen(t, to, Options{Now: day0}).Close())
			return errors.Join(os.RemoveAll(to+"/sat"), os.Symlink(dir+"/sat", to+"/sat"))
		},
		"catalogue of another": func(dir, to string) error {
			must(t, mustOpen(t, to, Options{Now: day0}).Close())
			return errors.Join(os.RemoveAll(to+"/pebble"), os.Symlink(dir+"/pebble", to+"/pebble"))
		},
		"hard links": func(dir, to string) error {
			return exec.Command("cp", "-al", dir, to).Run()
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, to := t.TempDir()+"/store", t.TempDir()+"/other"
			s := mustOpen(t, dir, Options{Now: day0})
			must(t, s.Add(&sitegraph.Record{URL: "http://h.example/", Due: day0}))
			must(t, s.Commit())
			must(t, lead(dir, to))
			for range 2 {
				for _, path := range []string{dir, to} {
					for _, lock := range []string{"/LOCK", "/sat/LOCK", "/pebble/LOCK"} {
						if err := os.Remove(path + lock); err != nil && !os.IsNotExist(err) {
							t.Fatal(err)
						}
					}
					for _, reads := range []string{"", "1"} {
						// In this process, a failed Open must not free the lock; other processes
						// must see it.
						_, err := Open(path, Options{Now: day0, ReadOnly: reads != ""})
						if !errors.Is(err, ErrInUse) {
							t.Errorf("%s, reading %q: %v", path, reads, err)
						}
						p := exec.Command(os.Args[0], "-test.run", "^TestLockHasNoName$", "-test.v")
						p.Env = append(os.Environ(), "RECRAWL_TEST_LOCKED="+path,
							"RECRAWL_TEST_READS="+reads)
						if out, err := p.CombinedOutput(); err != nil ||
							!strings.Contains(string(out), "in use: true") {
							t.Errorf("%s, reading %q: %v\n%s", path, reads, err, out)
						}
					}
				}
			}
			must(t, s.Add(&sitegraph.Record{Page: 1, URL: "http://h.example/1", Due: day0}))
			must(t, s.Commit())
			must(t, s.Close())
			s = mustOpen(t, dir, Options{Now: day0})
			if r, err := s.Check(t.Context(), nil, nil); err != nil || r.Records != 2 ||
				len(r.Damage) > 0 {
				t.Errorf("afterwards: %+v, %v", r, err)
			}
			must(t, s.Close())
		})
	}
}

// A writer waits for a process that reads, says so once, and goes on when that process ends.
func TestAwaitReaders(t *testing.T) {
	if dir := os.Getenv("RECRAWL_TEST_READS_LONG"); dir != "" { // another process
		s := mustOpen(t, dir, Options{Now: day0, ReadOnly: true})
		fmt.Println("reading")
		_, _ = io.ReadAll(os.Stdin) // until it is closed
		must(t, s.Close())
		return
	}
	dir, o := t.TempDir()+"/store", Options{Now: day0}
	never := func() { t.Error("nobody reads") }
	must(t, AwaitReaders(t.Context(), dir, o, never)) // there is no store
	must(t, mustOpen(t, dir, o).Close())
	reader := exec.Command(os.Args[0], "-test.run", "^TestAwaitReaders$")
	reader.Env = append(os.Environ(), "RECRAWL_TEST_READS_LONG="+dir)
	stdin, err := reader.StdinPipe()
	must(t, err)
	stdout, err := reader.StdoutPipe()
	must(t, err)
	must(t, reader.Start())
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "reading\n" {
		t.Fatal(line, err)
	}
	if _, err := Open(dir, o); !errors.Is(err, ErrRead) || !errors.Is(err, ErrInUse) {
		t.Errorf("opened while it is read: %v", err)
	}
	if is, err := InUse(dir, o); !is || err != nil {
		t.Errorf("in use while it is read: %v, %v", is, err)
	}
	waited := 0
	ctx, cancel := context.WithCancel(t.Context())
	if err := AwaitReaders(ctx, dir, o, func() {
		waited++
		cancel()
	}); !errors.Is(err, context.Canceled) || waited != 1 {
		t.Errorf("the wait was ended: %v after %d", err, waited)
	}
	must(t, AwaitReaders(t.Context(), dir, o, func() {
		waited++
		must(t, stdin.Close())
	}))
	s := mustOpen(t, dir, o)
	must(t, reader.Wait())
	if waited != 2 {
		t.Errorf("waited %d times", waited)
	}
	must(t, AwaitReaders(t.Context(), dir, o, never)) // AwaitReaders does not wait for a writer
	if _, err := Open(dir, o); errors.Is(err, ErrRead) || !errors.Is(err, ErrInUse) {
		t.Errorf("opened while somebody writes: %v", err)
	}
	must(t, s.Close())
}

// A store on a read-only medium can be read and checked. A backup should be on such a medium.
func TestReadOnlyMedium(t *testing.T) {
	mem := vfs.NewMem()
	s := mustOpen(t, "store", Options{FS: mem, Now: day0})
	must(t, s.Add(&sitegraph.Record{URL: "http://h.example/", Due: day0}))
	must(t, s.Commit())
	must(t, s.Close())
	for _, reason := range []error{syscall.EROFS, syscall.EACCES} {
		fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose {
				return &os.PathError{Op: "open", Path: op.Path, Err: reason}
			}
			return nil
		}))
		s, err := Open("store", Options{FS: fs, Now: day0, ReadOnly: true})
		if err != nil {
			t.Errorf("%v: %v", reason, err)
			continue
		}
		if r, err := s.Check(t.Context(), nil, nil); err != nil || len(r.Damage) > 0 {
			t.Errorf("%v: check: %+v, %v", reason, r, err)
		}
		must(t, s.Close())
		if _, err := Open("store", Options{FS: fs, Now: day0}); !errors.Is(err, reason) {
			t.Errorf("%v: open for writing: %v", reason, err)
		}
	}
}
