package satstore

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/recrawl/recrawl/satstore/crashtest"
)

const copyDir = "b/c/copy"

// isOfCopy reports whether a path is the copy, in the copy, or a directory made for it.
func isOfCopy(path string) bool { return path == "b" || strings.HasPrefix(path, "b/") }

// otherDisk refuses links, as file systems do between two disks.
type otherDisk struct{ vfs.FS }

func (otherDisk) Link(oldname, newname string) error {
	return &fs.PathError{Op: "link", Path: newname, Err: syscall.EXDEV}
}

// linkAlone holds mu while it makes a link, and clones of the file system hold mu, too, while they
// are made. For MemFS.Link takes its read lock twice, and would wait for ever if a clone waited for
// the lock in between.
type linkAlone struct {
	vfs.FS
	mu *sync.Mutex
}

func (l linkAlone) Link(oldname, newname string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.FS.Link(oldname, newname)
}

// openCopy opens a copy for reading. If the copy is not a store, openCopy returns nil: then the
// form of the directory must be the only error.
func openCopy(t *testing.T, what string, d *driver, disk vfs.FS) *Store {
	t.Helper()
	o := d.o.with(disk)
	o.ReadOnly = true
	s, err := Open(copyDir, o)
	if err == nil {
		return s
	}
	if !errors.Is(err, ErrNoStore) && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s: the copy is neither a store nor none: %v", what, err)
	}
	if names, _ := disk.List(copyDir); len(names) > 0 { // nor is it opened as a new store
		if s, err := Open(copyDir, d.o.with(disk)); err == nil {
			s.Close()
			onlyTemp := true
			for _, name := range names {
				onlyTemp = onlyTemp && strings.HasPrefix(name, "FORMAT.")
			}
			if !onlyTemp {
				t.Fatalf("%s: a copy cut short, of %v, was taken for a new store", what, names)
			}
		}
	}
	return nil
}

// If write 1, 2, 3, ... of a copy fails, the copy is either no store or complete. The source goes
// on.
func TestErrorAtEveryOperationOfACopy(t *testing.T) {
	t.Parallel()
	for _, linked := range []bool{true, false} {
		for _, lasting := range []bool{true, false} {
			t.Run(fmt.Sprintf("linked=%v/lasting=%v", linked, lasting), func(t *testing.T) {
				errorsOfACopy(t, linked, lasting)
			})
		}
	}
}

func errorsOfACopy(t *testing.T, linked, lasting bool) {
	rng := seeded(t)
	seed := rng.Uint64()
	step := 1
	if testing.Short() {
		step = 5
	}
	for k := 1; ; k += step {
		what := fmt.Sprintf("operation %d", k)
		var mu sync.Mutex // the catalogue has goroutines
		n := 0
		mem := vfs.NewCrashableMem()
		var disk vfs.FS = errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || op.Kind == errorfs.OpFileClose ||
				op.Kind == errorfs.OpFilePreallocate || !isOfCopy(op.Path) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			if n++; n == k || n > k && lasting {
				return errorfs.ErrInjected
			}
			return nil
		}))
		if !linked {
			disk = otherDisk{disk}
		}
		d := newDriver(rand.New(rand.NewPCG(seed, 5)), small(nil))
		var err error
		if d.s, err = Open("a/store", small(disk)); err != nil {
			t.Fatal(err)
		}
		for range 60 {
			must(t, d.step())
		}
		err = d.s.Checkpoint(copyDir)
		mu.Lock()
		fired := n >= k
		n = -1 << 30
		mu.Unlock()
		if !fired {
			must(t, err)
			t.Logf("no error fired at operation %d", k)
			must(t, d.s.Close())
			return
		}
		if err != nil && !errors.Is(err, errorfs.ErrInjected) {
			t.Fatalf("%s: error does not wrap the cause: %v", what, err)
		}
		d.acked = d.pending.clone()
		s := openCopy(t, what, d, mem)
		if s == nil && err == nil {
			t.Fatalf("%s: Checkpoint returned nil, and there is no copy", what)
		}
		if s != nil {
			if err := d.compare(s, d.acked); err != nil {
				t.Fatalf("%s: copy: %v", what, err)
			}
			must(t, s.Close())
		}
		for range 30 {
			if err := d.step(); err != nil {
				t.Fatalf("%s: the source does not go on: %v", what, err)
			}
		}
		must(t, d.commit())
		if err := d.s.Close(); err != nil {
			t.Fatalf("%s: close the source: %v", what, err)
		}
		if d.s, err = Open("a/store", small(mem)); err != nil {
			t.Fatalf("%s: reopen the source: %v", what, err)
		}
		if err := d.compare(d.s, d.acked); err != nil {
			t.Fatalf("%s: source: %v", what, err)
		}
		must(t, d.s.Close())
	}
}

// A crash before any operation of a copy leaves the source unchanged, and the copy complete or no
// store.
func TestCrashDuringACopy(t *testing.T) {
	t.Parallel()
	for i, o := range variants() {
		for _, linked := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d/linked=%v", i, linked), func(t *testing.T) {
				crashesOfACopy(t, o, linked)
			})
		}
	}
}

func crashesOfACopy(t *testing.T, o Options, linked bool) {
	rng := seeded(t)
	mem := vfs.NewCrashableMem()
	crashRNG := rand.New(rand.NewPCG(rng.Uint64(), 2))
	var mu sync.Mutex
	var crashes []*vfs.MemFS
	copying := false
	var disk vfs.FS = errorfs.Wrap(linkAlone{mem, &mu},
		errorfs.InjectorFunc(func(op errorfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if copying && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
				for _, percent := range []int{0, 50, 100} {
					crashes = append(crashes,
						mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent,
							RNG: crashRNG}))
				}
			}
			return nil
		}))
	if !linked {
		disk = otherDisk{disk}
	}
	d := newDriver(rng, o)
	d.s = mustOpen(t, "a/store", o.with(disk))
	for range 80 {
		must(t, d.step())
	}
	must(t, d.commit())
	for range 20 { // Checkpoint commits first
		must(t, d.step())
	}
	mu.Lock()
	copying = true
	mu.Unlock()
	must(t, d.s.Checkpoint(copyDir))
	mu.Lock()
	copying = false
	crashes = append(crashes, mem.CrashClone(vfs.CrashCloneCfg{})) // with the promised data only
	mu.Unlock()
	before, after := d.acked, d.pending.clone()
	whole := 0
	for i, disk := range crashes {
		if crashtest.Spared(i) && i < len(crashes)-1 {
			continue
		}
		what := fmt.Sprintf("crash %d of %d", i, len(crashes))
		d.acked, d.pending = before, after
		if s := openCopy(t, what, d, disk); s != nil {
			whole++
			if err := d.compare(s, after); err != nil {
				t.Fatalf("%s: copy: %v", what, err)
			}
			must(t, s.Close())
		} else if i == len(crashes)-1 {
			t.Fatal("Checkpoint returned nil, and a crash takes the copy away")
		}
		s, err := Open("a/store", o.with(disk))
		if err != nil {
			t.Fatalf("%s: source: %v", what, err)
		}
		if err := d.compareEither(s); err != nil {
			t.Fatalf("%s: source: %v", what, err)
		}
		must(t, s.Close())
	}
	t.Logf("%d crashes, %d with a whole copy", len(crashes), whole)
	d.acked = after
	must(t, d.s.Close())
}
