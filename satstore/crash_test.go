package satstore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/recrawl/recrawl/satstore/crashtest"
	"github.com/recrawl/recrawl/satstore/engine"
)

// Short names for functions of crashtest.
var (
	must, seeded, long = crashtest.Must, crashtest.Seeded, crashtest.Long
	readAll, writeAll  = crashtest.ReadFile, crashtest.WriteFile
)

// small returns options with small limits, so that every buffer overflows soon.
func small(fs vfs.FS) Options { return variants()[0].with(fs) }

func (o Options) with(fs vfs.FS) Options {
	o.FS = fs
	return o
}

// variants returns options under which the same operations must have the same results.
func variants() []Options {
	tiny := Options{Now: day0, Unit: 24 * time.Hour, Horizon: modelUnits * 24 * time.Hour,
		BufferBytes: 2560, PageBytes: 128,
		LogBytes: 4 << 10, Apply: appendMessages, tune: func(o *engine.Options) {
			o.PartBytes, o.MaxFiles, o.GarbageBytes = 400, 60, 4<<10
		}}
	hours := Options{Now: day0, Unit: time.Hour, Horizon: 10 * 24 * time.Hour,
		BufferBytes: 32 << 10, PageBytes: 256,
		LogBytes: 16 << 10, Apply: appendMessages, tune: func(o *engine.Options) {
			o.PartBytes = 1000
		}}
	logged := Options{Now: day0, Unit: time.Minute, Horizon: 5 * 24 * time.Hour, LogBytes: 32 << 10,
		Apply: appendMessages}
	return []Options{tiny, hours, logged}
}

// After each crash or close, the store agrees with the map of committed writes, opened for writing
// or for reading.
func TestModelWithCrashesAndReopening(t *testing.T) {
	t.Parallel()
	rng := seeded(t)
	rounds := 60
	switch {
	case testing.Short():
		rounds = 15
	case long():
		rounds = 10000 // each of about 70 operations, for each variant
	}
	for i, o := range variants() {
		t.Run(fmt.Sprint(i), func(t *testing.T) { modelTest(t, rng, o, rounds) })
	}
}

func modelTest(t *testing.T, rng *rand.Rand, o Options, rounds int) {
	fs := vfs.NewCrashableMem()
	d := newDriver(rng, o)
	d.longGap = true
	for round := range rounds {
		if len(d.acked.records) > 500 { // large enough: begin again
			fs, d.acked = vfs.NewCrashableMem(), newModel()
		}
		o := o.with(fs)
		if rng.IntN(3) == 0 {
			o.BufferBytes, o.PageBytes, o.LogBytes = 1<<16, 1<<10, 1<<15
		}
		var err error
		if d.s, err = Open("a/store", o); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := d.compare(d.s, d.acked); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		d.pending = d.acked.clone()
		for i := range 10 + rng.IntN(120) {
			if err := d.step(); err != nil {
				t.Fatalf("round %d step %d: %v", round, i, err)
			}
		}
		if n := d.s.Damage(); len(n) > 0 {
			t.Fatalf("round %d: damage without cause: %v", round, n)
		}
		if rng.IntN(4) == 0 {
			d.copies++
			tryCopy(t, d, fs, fmt.Sprintf("a/copy%d", d.copies))
		}
		if rng.IntN(2) == 0 {
			clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50,
				100}[rng.IntN(3)], RNG: rng})
			d.s.Close()
			fs = clone
		} else if err := d.s.Close(); err != nil {
			t.Fatalf("round %d: close: %v", round, err)
		}
		if rng.IntN(4) == 0 {
			readBack(t, fs, d)
		}
	}
	t.Logf("%d operations", d.ops)
}

// readBack opens a store for reading, on a disk where only the lock may be written, and compares
// the store with the model.
func readBack(t *testing.T, fs vfs.FS, d *driver) {
	t.Helper()
	o := d.o.with(errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpLock &&
			op.Kind != errorfs.OpFileClose {
			t.Errorf("reading only: wrote %s (%d)", op.Path, op.Kind)
		}
		return nil
	})))
	o.ReadOnly = true
	s, err := Open("a/store", o)
	if err != nil {
		t.Fatalf("open for reading: %v", err)
	}
	if err := d.compare(s, d.acked); err != nil {
		t.Fatalf("reading only: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// tryCopy copies the store while it is open, and compares the copy.
func tryCopy(t *testing.T, d *driver, fs vfs.FS, dir string) {
	t.Helper()
	must(t, d.s.Checkpoint(dir))
	d.acked = d.pending.clone()
	for _, readOnly := range []bool{true, false} {
		o := d.o.with(fs)
		o.ReadOnly = readOnly
		s, err := Open(dir, o)
		must(t, err)
		must(t, d.compare(s, d.acked))
		must(t, s.Close())
	}
}

// A crash before any single operation of the file system leaves the last commit or the commit in
// progress.
func TestCrashBeforeEveryOperation(t *testing.T) {
	t.Parallel()
	for i, o := range variants() {
		t.Run(fmt.Sprint(i), func(t *testing.T) { crashBeforeEveryOperation(t, o) })
	}
}

func crashBeforeEveryOperation(t *testing.T, o Options) {
	rng := seeded(t)
	type crash struct {
		fs *vfs.MemFS
		*promise
	}
	mem := vfs.NewCrashableMem()
	d := newDriver(rng, o)
	d.promise.Store(&promise{newModel(), newModel()})
	var mu sync.Mutex // goroutines of the catalogue write, too
	var crashes []crash
	crashRNG := rand.New(rand.NewPCG(rng.Uint64(), 2))
	born := false
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			mu.Lock()
			defer mu.Unlock()
			// Load the promise before the clone: the clone lacks what is promised later.
			if p := d.promise.Load(); born {
				c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: crashRNG})
				crashes = append(crashes, crash{c, p})
			}
		}
		return nil
	}))
	var err error
	for range 3 { // openings, too
		if d.s, err = Open("a/store", o.with(fs)); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		born = true
		mu.Unlock()
		d.pending = d.acked.clone()
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
	t.Logf("%d crashes", len(crashes))
	for i, c := range crashes {
		if crashtest.Spared(i) {
			continue
		}
		s, err := Open("a/store", o.with(c.fs))
		if err != nil {
			t.Fatalf("crash %d: %v", i, err)
		}
		d.acked, d.pending = c.acked, c.pending
		if err := d.compareEither(s); err != nil {
			t.Fatalf("crash %d: %v", i, err)
		}
		if len(s.Damage()) > 0 {
			t.Fatalf("crash %d: damage %v", i, s.Damage())
		}
		s.Close()
	}
}

// If a store crashes while it is made, it can be made again.
func TestCrashDuringCreation(t *testing.T) {
	mem := vfs.NewCrashableMem()
	rng := rand.New(rand.NewPCG(1, 2))
	var clones []*vfs.MemFS
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			for _, percent := range []int{0, 50, 100} {
				clones = append(clones,
					mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng}))
			}
		}
		return nil
	}))
	s, err := Open("a/store", small(fs))
	if err != nil {
		t.Fatal(err)
	}
	made := mem.CrashClone(vfs.CrashCloneCfg{})
	s.Close()
	for i, fs := range append(clones, made) {
		s, err := Open("a/store", small(fs))
		if err != nil {
			t.Fatalf("crash %d of %d: %v", i, len(clones), err)
		}
		if err := newDriver(rng, small(nil)).compare(s, newModel()); err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
}

// run repeats the same operations: open, steps, close.
func run(d *driver, fs vfs.FS, steps int) (err error) {
	d.acked, d.pending = newModel(), newModel()
	if d.s, err = Open("a/store", small(fs)); err != nil {
		return err
	}
	for range steps {
		if err := d.step(); err != nil {
			if again := d.s.Commit(); again == nil {
				err = errors.Join(err, errors.New("store goes on after an error"))
			}
			return errors.Join(err, d.s.Close())
		}
	}
	if err := d.commit(); err != nil {
		return errors.Join(err, d.s.Close())
	}
	return d.s.Close()
}

// If write 1, 2, 3, ... of opening, use and closing fails, the caller gets the error, and no
// acknowledged write is lost. This holds if only this write fails and if all later ones fail, too.
func TestErrorAtEveryOperation(t *testing.T) {
	t.Parallel()
	for _, lasting := range []bool{true, false} {
		t.Run(fmt.Sprintf("lasting=%v", lasting), func(t *testing.T) {
			errorAtEveryOperation(t, lasting)
		})
	}
}

func errorAtEveryOperation(t *testing.T, lasting bool) {
	seed := seeded(t).Uint64()
	step := uint64(3) // every operation in the long form, a few for the race detector
	switch {
	case long():
		step = 1
	case testing.Short():
		step = 17
	}
	for k := 1 + seed%step; ; k += step {
		mem := vfs.NewCrashableMem()
		fs, fired := crashtest.FailAt(mem, k, lasting, func(op errorfs.Op) bool {
			return op.Kind.ReadOrWrite() == errorfs.OpIsWrite &&
				op.Kind != errorfs.OpFileClose && op.Kind != errorfs.OpFilePreallocate
		})
		d := newDriver(rand.New(rand.NewPCG(seed, 3)), small(nil))
		err := run(d, fs, 80)
		if !fired.Load() {
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("no error fired at operation %d", k)
			return
		}
		if wrong := (*mismatch)(nil); errors.As(err, &wrong) {
			t.Fatalf("operation %d: %v", k, err)
		}
		if err != nil && !errors.Is(err, errorfs.ErrInjected) {
			t.Fatalf("operation %d: error does not wrap the cause: %v", k, err)
		}
		clone := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: d.rng})
		for _, fs := range []*vfs.MemFS{mem, clone} {
			s, err := Open("a/store", small(fs))
			if err != nil {
				t.Fatalf("operation %d: reopen: %v", k, err)
			}
			if err := d.compareEither(s); err != nil {
				t.Fatalf("operation %d: %v", k, err)
			}
			s.Close()
		}
	}
}

// A full disk returns ENOSPC and loses no acknowledged write. Once space is free, the store goes
// on.
func TestFullDisk(t *testing.T) {
	rng := seeded(t)
	seed := rng.Uint64()
	step := int64(1500)
	if long() {
		step = 40
	}
	for quota := rng.Int64N(300); ; quota += step {
		mem := vfs.NewCrashableMem()
		fs := crashtest.NewFull(mem, quota)
		d := newDriver(rand.New(rand.NewPCG(seed, 4)), small(nil))
		err := run(d, fs, 80)
		if fs.Left() >= 0 {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes: want ENOSPC, got %v", quota, err)
		}
		fs.Free(1 << 40)
		if d.s, err = Open("a/store", small(fs)); err != nil {
			t.Fatalf("%d bytes: reopen: %v", quota, err)
		}
		if err := d.compareEither(d.s); err != nil {
			t.Fatalf("%d bytes: %v", quota, err)
		}
		if err := d.compare(d.s, d.acked); err != nil {
			d.acked = d.pending
		}
		d.pending = d.acked.clone()
		for range 30 {
			if err := d.step(); err != nil {
				t.Fatalf("%d bytes: after space was freed: %v", quota, err)
			}
		}
		if err := d.s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
