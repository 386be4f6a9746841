package paper

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/recrawl/recrawl/satstore/crashtest"
)

// After each crash or closing, of which some come in the middle of a unit, the store agrees
// with the map of what was acknowledged.
func TestModelWithCrashesAndReopening(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			d := newDriver(v.Options, seeded(t))
			rounds := 12
			if long() {
				rounds = 8000 // each of 55 operations or so
			}
			fs, ops := vfs.NewCrashableMem(), 0
			for round := range rounds {
				if len(d.acked.records) > 300 { // enough: begin again
					fs, d = vfs.NewCrashableMem(), newDriver(v.Options, d.rng)
				}
				if err := d.open(fs); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				if err := d.settle(); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				for i := range 10 + d.rng.IntN(100) {
					ops++
					if err := d.step(); err != nil {
						t.Fatalf("round %d, step %d: %v", round, i, err)
					}
				}
				how := d.rng.IntN(3)
				if how == 2 { // in a unit
					if err := d.unit(); err != nil {
						t.Fatalf("round %d: %v", round, err)
					}
				}
				if how == 0 {
					if err := d.s.Close(); err != nil {
						t.Fatalf("round %d: close: %v", round, err)
					}
					continue
				}
				clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50,
					100}[d.rng.IntN(3)], RNG: d.rng})
				d.s.Close()
				fs = clone
			}
			t.Logf("%d operations", ops)
		})
	}
}

// ours reports whether an operation is one of our files, not of Pebble's or the lock.
func ours(op errorfs.Op) bool {
	return !strings.Contains(op.Path, "/"+idsName) && !strings.HasSuffix(op.Path, lockName) &&
		op.Kind.ReadOrWrite() == errorfs.OpIsWrite
}

// A crash before any single write, sync, creation, renaming or removal of our files loses
// nothing. Those of Pebble's own goroutines are left out: they race with the model.
func TestCrashBeforeEveryOperation(t *testing.T) {
	type crash struct {
		fs *vfs.MemFS
		d  driver
	}
	inAll, whole := 0, 0
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			d := newDriver(v.Options, seeded(t))
			mem := vfs.NewCrashableMem()
			crashRNG := rand.New(rand.NewPCG(d.rng.Uint64(), 2))
			var crashes []crash
			record := false
			fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if ours(op) && record {
					c := crash{mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50,
						RNG: crashRNG}), *d}
					c.d.acked, c.d.pending = d.acked.clone(), d.pending.clone()
					crashes = append(crashes, c)
				}
				return nil
			}))
			for range 2 { // openings, too
				record = d.s != nil
				if err := d.open(fs); err != nil {
					t.Fatal(err)
				}
				if err := d.settle(); err != nil {
					t.Fatal(err)
				}
				record = true
				for range 60 {
					if err := d.step(); err != nil {
						t.Fatal(err)
					}
				}
				if err := d.commit(); err != nil {
					t.Fatal(err)
				}
				if err := d.s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			parts := 0
			for i, c := range crashes {
				if err := afterCrash(&c.d, c.fs); err != nil {
					t.Fatalf("crash %d: %v", i, err)
				}
				parts += c.d.parts - d.parts
			}
			t.Logf("%d crashes, %d in the middle of a unit", len(crashes), parts)
			inAll += parts
			whole++
		})
	}
	// of one form alone chance may break off none
	if inAll == 0 && whole == len(variants()) {
		t.Error("no crash broke off a unit: the test is worth less")
	}
}

// afterCrash opens what a crash left, compares it, and goes on for two units.
func afterCrash(d *driver, fs vfs.FS) error {
	if err := d.open(fs); err != nil {
		return err
	}
	d.rng = rand.New(rand.NewPCG(7, 7))
	err := d.settle()
	for range 2 {
		if err == nil {
			err = d.unit()
		}
		if err == nil {
			err = d.commit()
		}
	}
	return errors.Join(err, d.s.Close())
}

// A write that fails at operation 1, 2, 3 ... is told and ends the use of the store;
// nothing acknowledged is lost.
func TestErrorAtEveryOperation(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			seed := seeded(t).Uint64()
			step := uint64(5)
			if long() {
				step = 1
			}
			for k := 1 + seed%step; ; k += step {
				mem := vfs.NewCrashableMem()
				fs, fired := crashtest.FailAt(mem, k, false, func(op errorfs.Op) bool {
					return ours(op) && op.Kind != errorfs.OpFileClose &&
						op.Kind != errorfs.OpFilePreallocate
				})
				d := newDriver(v.Options, rand.New(rand.NewPCG(seed, 3)))
				err := use(d, fs, 60)
				if !fired.Load() {
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("no error fired at operation %d", k)
					return
				}
				if wrong := (*mismatch)(nil); errors.As(err, &wrong) ||
					!errors.Is(err, errorfs.ErrInjected) {
					t.Fatalf("operation %d: error %v", k, err)
				}
				clone := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: d.rng})
				for _, fs := range []*vfs.MemFS{mem, clone} {
					again := *d
					again.acked, again.pending = d.acked.clone(), d.pending.clone()
					if err := afterCrash(&again, fs); err != nil {
						t.Fatalf("operation %d: %v", k, err)
					}
				}
			}
		})
	}
}

// use opens, steps, commits and closes, and checks that nothing goes on after an error.
func use(d *driver, fs vfs.FS, steps int) error {
	if err := d.open(fs); err != nil {
		return err
	}
	for range steps {
		if err := d.step(); err != nil {
			if again := d.s.Commit(); again == nil {
				err = errors.Join(err, &mismatch{"the store goes on after an error"})
			}
			return errors.Join(err, d.s.Close())
		}
	}
	if err := d.commit(); err != nil {
		return errors.Join(err, d.s.Close())
	}
	return d.s.Close()
}

// A store without log keeps what Close saved, and says so when it was not closed.
func TestWithoutLog(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			v.NoLog = true
			d := newDriver(v.Options, seeded(t))
			fs := vfs.NewCrashableMem()
			for range 4 {
				if err := d.open(fs); err != nil {
					t.Fatal(err)
				}
				if err := d.settle(); err != nil {
					t.Fatal(err)
				}
				for range 80 {
					if err := d.step(); err != nil {
						t.Fatal(err)
					}
				}
				crashed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: d.rng})
				if _, err := Open("a/store", Options{FS: crashed, Form: v.Form, Units: v.Units,
					Levels: v.Levels, Delivery: v.Delivery}); !errors.Is(err, ErrNotClosed) {
					t.Fatalf("a store that was not closed opens with error %v", err)
				}
				if err := d.commit(); err != nil {
					t.Fatal(err)
				}
				if err := d.s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A flipped byte in a bucket or in a checkpoint is found.
func TestDamage(t *testing.T) {
	for _, prefix := range []string{recordsPrefix, logPrefix} {
		fs := vfs.NewMem()
		d := newDriver(variants()[1].Options, seeded(t))
		if err := d.open(fs); err != nil {
			t.Fatal(err)
		}
		for range 200 {
			if err := d.add(); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(d.commit(), d.s.Close()); err != nil {
			t.Fatal(err)
		}
		flip(t, fs, prefix)
		err := d.open(fs)
		if damage := (*DamageError)(nil); !errors.As(err, &damage) {
			t.Errorf("%s: error %v", prefix, err)
		} else if text := err.Error(); !strings.Contains(text, prefix) {
			t.Errorf("%s: error does not name it: %v", prefix, err)
		}
	}
}

// flip inverts a byte in the first file of a prefix.
func flip(t *testing.T, fs *vfs.MemFS, prefix string) {
	t.Helper()
	names, err := fs.List("a/store")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		f, err := fs.OpenReadWrite("a/store/"+name, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 60)
		if _, err := f.ReadAt(b, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte{^b[40]}, 40); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no file %s*", prefix)
}
