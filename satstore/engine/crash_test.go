package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/recrawl/recrawl/satstore/crashtest"
)

// Short names for helpers of all stores' tests.
var (
	must, seeded, long = crashtest.Must, crashtest.Seeded, crashtest.Long
	readAll, writeAll  = crashtest.ReadFile, crashtest.WriteFile
)

// variant has options under which the same operations must give the same results.
type variant struct {
	name string
	o    Options
}

var small3 = []Level{{1, 8}, {4, 6}, {12, 10}}

func variants() []variant {
	return []variant{
		{"tiny", Options{Levels: []Level{{1, 8}, {4, 12}}, BufferBytes: 1280, PageBytes: 128,
			PartBytes: 1, LogBytes: 4 << 10, MaxFiles: 60, GarbageBytes: 4 << 10}},
		{"logged", Options{Levels: small3, BufferBytes: 1 << 20, PageBytes: 512, PartBytes: 1 << 20,
			LogBytes: 32 << 10}},
		{"mixed", Options{Levels: small3, BufferBytes: 8 << 10, PageBytes: 256, PartBytes: 400,
			LogBytes: 16 << 10, MaxFiles: 60, GarbageBytes: 20 << 10}},
		{"nolook", Options{Levels: []Level{{1, 4}, {4, 3}, {12, 7}}, BufferBytes: 4 << 10,
			PageBytes: 256, PartBytes: 200, LogBytes: 8 << 10, GarbageBytes: 1}},
		{"flat", Options{Levels: []Level{{1, 42}}, BufferBytes: 64 << 10, PageBytes: 1024,
			PartBytes: 2000, LogBytes: 64 << 10}},
		{"hours", Options{Levels: HoursAndDays, BufferBytes: 256 << 10, PageBytes: 1024,
			PartBytes: 1000, LogBytes: 64 << 10}},
	}
}

const storeDir = "a/store"

// After every crash or closing the store equals the map of committed operations, and its own check
// finds nothing.
func TestModelWithCrashesAndReopening(t *testing.T) {
	t.Parallel()
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) { modelTest(t, v.o) })
	}
}

func modelTest(t *testing.T, o Options) {
	rng := seeded(t)
	rounds := 25
	switch {
	case testing.Short():
		rounds = 8
	case long():
		rounds = 2000
	}
	fs := vfs.NewCrashableMem()
	d := &driver{rng: rng, acked: newModel(), pending: newModel(), longGap: true, big: true}
	for round := range rounds {
		if round%50 == 0 { // begin again, with more or fewer records
			fs, d.acked, d.seqs = vfs.NewCrashableMem(), newModel(), 1+rng.IntN(400)
		}
		o.FS = fs
		var err error
		if d.s, err = Open(storeDir, o); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := compare(d.s, d.acked, d.seqs); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		d.pending = d.acked.clone()
		for i := range 10 + rng.IntN(500) {
			if err := d.step(); err != nil {
				t.Fatalf("round %d step %d: %v", round, i, err)
			}
		}
		if err := compare(d.s, d.pending, d.seqs); err != nil {
			t.Fatalf("round %d before its end: %v", round, err)
		}
		checkClean(t, d.s)
		if rng.IntN(2) == 0 {
			clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50,
				100}[rng.IntN(3)], RNG: rng})
			d.s.Close()
			fs = clone
		} else if err := d.s.Close(); err != nil {
			t.Fatalf("round %d: close: %v", round, err)
		}
	}
	t.Logf("%d operations", d.ops)
}

func smallOptions(fs vfs.FS) Options {
	o := variants()[2].o
	o.FS = fs
	return o
}

// The same on files of the system, where runs and index are written in the background and files
// have holes.
func TestModelOnDisk(t *testing.T) {
	t.Parallel()
	for _, v := range variants() {
		for _, direct := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/direct=%v", v.name, direct), func(t *testing.T) {
				t.Parallel() // it waits for the disk
				modelOnDisk(t, v.o, direct)
			})
		}
	}
}

func modelOnDisk(t *testing.T, o Options, direct bool) {
	rng := seeded(t)
	dir := t.TempDir() + "/store"
	d := &driver{rng: rng, acked: newModel(), pending: newModel(), seqs: 1 + rng.IntN(300),
		longGap: true, big: true}
	o.DirectIO = direct
	for round := range 3 {
		var err error
		if d.s, err = Open(dir, o); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := compare(d.s, d.acked, d.seqs); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		d.pending = d.acked.clone()
		for i := range 300 {
			if err := d.step(); err != nil {
				t.Fatalf("round %d step %d: %v", round, i, err)
			}
		}
		checkClean(t, d.s)
		if err := d.s.Close(); err != nil { // without a Commit the last changes are dropped
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// A crash before any operation of the file system leaves the last commit or the one being made.
func TestCrashBeforeEveryOperation(t *testing.T) {
	t.Parallel()
	for _, v := range variants()[:4] {
		t.Run(v.name, func(t *testing.T) { crashBeforeEveryOperation(t, v.o) })
	}
}

func crashBeforeEveryOperation(t *testing.T, o Options) {
	rng := seeded(t)
	type crash struct {
		fs             *vfs.MemFS
		acked, pending *model
	}
	mem := vfs.NewCrashableMem()
	d := &driver{rng: rng, acked: newModel(), pending: newModel(), seqs: 60}
	var crashes []crash
	crashRNG := rand.New(rand.NewPCG(rng.Uint64(), 2))
	o.FS = errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50, 50,
				100}[crashRNG.IntN(4)], RNG: crashRNG})
			crashes = append(crashes, crash{c, d.acked.clone(), d.pending.clone()})
		}
		return nil
	}))
	var err error
	for range 4 { // openings count
		d.pending = d.acked.clone()
		if d.s, err = Open(storeDir, o); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if err := d.step(); err != nil {
				t.Fatal(err)
			}
		}
		if rng.IntN(2) == 0 {
			must(t, d.commit())
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
		o.FS = c.fs
		s, err := Open(storeDir, o)
		if err != nil {
			t.Fatalf("crash %d: %v", i, err)
		}
		if err := compareEither(s,
			&driver{acked: c.acked, pending: c.pending, seqs: d.seqs}); err != nil {
			t.Fatalf("crash %d: %v", i, err)
		}
		checkClean(t, s)
		s.Close()
	}
}

// checkClean fails if the store's own check finds anything.
func checkClean(t *testing.T, s *Store) {
	t.Helper()
	found, err := s.Check()
	if err != nil || len(found) > 0 || len(s.Damage()) > 0 {
		t.Fatalf("check: %v, damage %v, %v", err, found, s.Damage())
	}
}

// run repeats the same operations: open, steps, close.
func run(d *driver, o Options, steps int) (err error) {
	d.acked, d.pending, d.seqs = newModel(), newModel(), 60
	if d.s, err = Open(storeDir, o); err != nil {
		return err
	}
	for range steps {
		if err := d.step(); err != nil {
			if d.s.err != nil && d.s.Commit() == nil {
				err = errors.Join(err, &mismatch{"store goes on after an error"})
			}
			return errors.Join(err, d.s.Close())
		}
	}
	if err := d.commit(); err != nil {
		return errors.Join(err, d.s.Close())
	}
	return d.s.Close()
}

// A write that fails at any operation of opening, use and closing is reported, and loses nothing
// acknowledged. That holds if it alone fails, or all later ones do.
func TestErrorAtEveryOperation(t *testing.T) {
	t.Parallel()
	for _, lasting := range []bool{true, false} {
		for _, v := range variants()[:4] {
			t.Run(fmt.Sprintf("%s/lasting=%v", v.name, lasting), func(t *testing.T) {
				errorAtEveryOperation(t, v.o, lasting)
			})
		}
	}
}

func errorAtEveryOperation(t *testing.T, o Options, lasting bool) {
	seed := seeded(t).Uint64()
	step := uint64(7) // every operation in the long test, a few for the race detector
	switch {
	case long():
		step = 1
	case testing.Short():
		step = 41
	}
	for k := 1 + seed%step; ; k += step {
		mem := vfs.NewCrashableMem()
		fs, fired := crashtest.FailAt(mem, k, lasting, func(op errorfs.Op) bool {
			return op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose
		})
		o.FS = fs
		d := &driver{rng: rand.New(rand.NewPCG(seed, 3))}
		err := run(d, o, 150)
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
			o.FS = fs
			s, err := Open(storeDir, o)
			if err != nil {
				t.Fatalf("operation %d: reopen: %v", k, err)
			}
			if err := compareEither(s, d); err != nil {
				t.Fatalf("operation %d: %v", k, err)
			}
			checkClean(t, s)
			s.Close()
		}
	}
}

// A read that fails is reported and costs no record: the reopened store has all.
func TestErrorAtEveryRead(t *testing.T) {
	seed := seeded(t).Uint64()
	for k := 1 + seed%5; ; k += 5 {
		mem := vfs.NewCrashableMem()
		fs, fired := crashtest.FailAt(mem, k, false, func(op errorfs.Op) bool {
			return op.Kind.ReadOrWrite() == errorfs.OpIsRead
		})
		d := &driver{rng: rand.New(rand.NewPCG(seed, 3))}
		err := run(d, smallOptions(fs), 150)
		if !fired.Load() {
			must(t, err)
			return
		}
		if wrong := (*mismatch)(nil); errors.As(err, &wrong) {
			t.Fatalf("read %d: %v", k, err)
		}
		s, err := Open(storeDir, smallOptions(mem))
		if err != nil {
			t.Fatalf("read %d: reopen: %v", k, err)
		}
		if err := compareEither(s, d); err != nil {
			t.Fatalf("read %d: %v", k, err)
		}
		checkClean(t, s)
		s.Close()
	}
}
