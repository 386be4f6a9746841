package seen

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/recrawl/recrawl/satstore/crashtest"
	"github.com/recrawl/recrawl/satstore/directory"
)

var must = crashtest.Must

const setDir = "a/seen"

// known is the expected content of a set.
type known map[uint64]bool

func (k known) clone() known {
	c := make(known, len(k))
	for key := range k {
		c[key] = true
	}
	return c
}

// batch draws keys, old and new, with repeats, including the smallest and the largest.
func batch(rng *rand.Rand, k known) []uint64 {
	keys := make([]uint64, 1+rng.IntN(200))
	for i := range keys {
		switch rng.IntN(6) {
		case 0:
			keys[i] = uint64(rng.IntN(4))
		case 1:
			keys[i] = ^uint64(rng.IntN(4))
		case 2:
			keys[i] = keys[rng.IntN(i+1)]
		case 3:
			for key := range k {
				keys[i] = key
				break
			}
		default:
			keys[i] = rng.Uint64() >> (rng.IntN(3) * 20)
		}
	}
	return keys
}

// decide compares an answer of the set with the expected content, and adds the new keys to that.
func decide(s *Set, k known, keys []uint64) error {
	found, fresh := make([]bool, len(keys)), make([]bool, len(keys))
	if err := s.Has(keys, found); err != nil {
		return err
	}
	for i, key := range keys {
		if found[i] != k[key] {
			return fmt.Errorf("key %d: found %v, want %v", key, found[i], k[key])
		}
	}
	if err := s.Decide(keys, fresh); err != nil {
		return err
	}
	for i, key := range keys {
		if fresh[i] == k[key] {
			return fmt.Errorf("key %d: new %v, known %v", key, fresh[i], k[key])
		}
		k[key] = true
	}
	if s.Len() != uint64(len(k)) {
		return fmt.Errorf("%d keys, want %d", s.Len(), len(k))
	}
	return nil
}

// whole compares all keys, and some that are missing.
func whole(rng *rand.Rand, s *Set, k known) error {
	keys := make([]uint64, 0, len(k)+100)
	for key := range k {
		keys = append(keys, key)
	}
	for range 100 {
		keys = append(keys, rng.Uint64())
	}
	found := make([]bool, len(keys))
	if err := s.Has(keys, found); err != nil {
		return err
	}
	for i, key := range keys {
		if found[i] != k[key] {
			return fmt.Errorf("key %d: found %v, want %v", key, found[i], k[key])
		}
	}
	if s.Len() != uint64(len(k)) {
		return fmt.Errorf("%d keys, want %d", s.Len(), len(k))
	}
	return nil
}

// After every crash or closing the set has the keys and the mark of the last commit.
func TestSetWithCrashesAndReopening(t *testing.T) {
	rng := seeded(t)
	rounds := 30
	if crashtest.Long() {
		rounds = 3000
	}
	fs := vfs.NewCrashableMem()
	acked, mark, merges := known{}, uint64(0), uint64(0)
	for round := range rounds {
		s, err := OpenSet(setDir, SetOptions{FS: fs, BufferKeys: 8 << rng.IntN(6)})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if s.Mark().Count != mark || mark > 0 && s.Mark().Check != 7 {
			t.Fatalf("round %d: mark %v, want %d", round, s.Mark(), mark)
		}
		if err := whole(rng, s, acked); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		pending := acked.clone()
		for range rng.IntN(40) {
			if err := decide(s, pending, batch(rng, pending)); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if rng.IntN(3) == 0 {
				mark++
				must(t, s.Commit(Mark{Count: mark, Check: 7}))
				acked = pending.clone()
			}
		}
		merges += s.Stats().Merges
		if damage, err := s.Check(); err != nil || len(damage) > 0 {
			t.Fatalf("round %d: check: %v %v", round, damage, err)
		}
		if rng.IntN(2) == 0 {
			clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50,
				100}[rng.IntN(3)], RNG: rng})
			s.Close()
			fs = clone
		} else {
			must(t, s.Close())
		}
	}
	if merges == 0 {
		t.Error("no runs were merged")
	}
	t.Logf("%d keys, %d merges", len(acked), merges)
}

// A crash before any write, sync, rename or removal, also in merges and openings, leaves the last
// commit or the one being made.
func TestSetCrashBeforeEveryOperation(t *testing.T) {
	rng := seeded(t)
	type crash struct {
		fs             *vfs.MemFS
		acked, pending known
	}
	mem := vfs.NewCrashableMem()
	acked, pending := known{}, known{}
	var crashes []crash
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50,
				100}[rng.IntN(3)], RNG: rng})
			crashes = append(crashes, crash{c, acked.clone(), pending.clone()})
		}
		return nil
	}))
	merges := uint64(0)
	for range 3 {
		s, err := OpenSet(setDir, SetOptions{FS: fs, BufferKeys: 16})
		must(t, err)
		for i := range uint64(14) {
			must(t, decide(s, pending, batch(rng, pending)[:1]))
			must(t, s.Commit(Mark{Count: uint64(len(acked)) + i}))
			acked = pending.clone()
		}
		merges += s.Stats().Merges
		must(t, s.Close())
		pending = acked.clone()
	}
	if merges == 0 {
		t.Fatal("no runs were merged")
	}
	t.Logf("%d crashes, %d merges", len(crashes), merges)
	for i, c := range crashes {
		s, err := OpenSet(setDir, SetOptions{FS: c.fs})
		if err != nil {
			t.Fatalf("crash %d: %v", i, err)
		}
		if one := whole(rng, s, c.acked); one != nil {
			if err := whole(rng, s, c.pending); err != nil {
				t.Fatalf("crash %d: neither the commit before (%v) nor the one being made (%v)",
					i, one, err)
			}
		}
		names, err := c.fs.List(setDir)
		must(t, err)
		runs := slices.DeleteFunc(names, func(n string) bool {
			return !strings.HasPrefix(n, runPrefix)
		})
		if len(runs) != len(s.runs) {
			t.Fatalf("crash %d: %d runs, and files %v", i, len(s.runs), runs)
		}
		must(t, s.Close())
	}
}

// Any operation that fails, once or from then on, is reported. Later calls return its error, and
// after reopening all acknowledged keys are there.
func TestSetFailsAtEveryOperation(t *testing.T) {
	for _, lasting := range []bool{false, true} {
		for k := uint64(1); ; k++ {
			mem := vfs.NewCrashableMem()
			fs, fired := crashtest.FailAt(mem, k, lasting, func(op errorfs.Op) bool {
				return op.Kind.ReadOrWrite() == errorfs.OpIsWrite
			})
			acked, err := someWork(fs)
			if !fired.Load() {
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("lasting %v: %d operations", lasting, k-1)
				break
			}
			if err == nil && lasting {
				t.Fatalf("operation %d failed, and no call told", k)
			}
			s, err := OpenSet(setDir, SetOptions{FS: mem})
			if err != nil {
				t.Fatalf("after operation %d failed: %v", k, err)
			}
			for key := range acked {
				found := []bool{false}
				must(t, s.Has([]uint64{key}, found))
				if !found[0] {
					t.Fatalf("after operation %d failed: key %d was acknowledged and is gone",
						k, key)
				}
			}
			must(t, s.Close())
		}
	}
}

// someWork adds keys in many commits, so that runs are merged, and returns the acknowledged ones.
func someWork(fs vfs.FS) (known, error) {
	acked := known{}
	s, err := OpenSet(setDir, SetOptions{FS: fs, BufferKeys: 8})
	if err != nil {
		return acked, err
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range uint64(10) {
		keys := []uint64{rng.Uint64(), rng.Uint64()}
		err := s.Decide(keys, make([]bool, 2))
		if err == nil {
			err = s.Commit(Mark{Count: i + 1})
		}
		if err != nil {
			if again := s.Commit(Mark{Count: 99, Check: 7}); again == nil {
				return acked, errors.New("a set that failed goes on")
			}
			_ = s.Close()
			return acked, err
		}
		acked[keys[0]], acked[keys[1]] = true, true
	}
	return acked, s.Close()
}

// A full disk is reported. With room again the set continues from the last commit.
func TestSetOnFullDisk(t *testing.T) {
	for bytes := int64(3000); bytes < 300_000; bytes += 13_000 {
		mem := vfs.NewMem()
		disk := crashtest.NewFull(mem, bytes)
		acked, err := someWork(disk)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes: %v", bytes, err)
		}
		disk.Free(1 << 20)
		s, err := OpenSet(setDir, SetOptions{FS: disk})
		if err != nil {
			t.Fatalf("%d bytes, then room: %v", bytes, err)
		}
		for key := range acked {
			found := []bool{false}
			must(t, s.Has([]uint64{key}, found))
			if !found[0] {
				t.Fatalf("%d bytes: key %d was acknowledged and is gone", bytes, key)
			}
		}
		must(t, s.Decide([]uint64{7}, make([]bool, 1)))
		must(t, s.Commit(Mark{Count: 100, Check: 7}))
		must(t, s.Close())
	}
}

// Any changed byte of any file, and any cut or missing file, is found and named. No answer uses it.
func TestSetDamage(t *testing.T) {
	rng := seeded(t)
	mem := vfs.NewMem()
	s, err := OpenSet(setDir, SetOptions{FS: mem, BufferKeys: 1024})
	must(t, err)
	k := known{}
	for range 3 {
		keys := make([]uint64, 1500)
		for i := range keys {
			keys[i] = rng.Uint64()
			k[keys[i]] = true
		}
		must(t, s.Decide(keys, make([]bool, len(keys))))
		must(t, s.Commit(Mark{Count: 1, Check: 7}))
	}
	must(t, s.Close())
	names, err := mem.List(setDir)
	must(t, err)
	names = slices.DeleteFunc(names, func(n string) bool { return n == directory.LockName })
	for _, name := range names {
		path := mem.PathJoin(setDir, name)
		whole := crashtest.ReadFile(t, mem, path)
		places := []int{0, 7, len(whole) / 2, len(whole) - 1}
		for range 20 {
			places = append(places, rng.IntN(len(whole)))
		}
		for _, at := range places {
			bad := slices.Clone(whole)
			bad[at] ^= 1 << rng.IntN(8)
			crashtest.WriteFile(t, mem, path, bad)
			expectDamage(t, mem, path, at, k)
		}
		for _, length := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
			crashtest.WriteFile(t, mem, path, whole[:length])
			expectDamage(t, mem, path, length, k)
		}
		if name != directory.FormatName {
			must(t, mem.Remove(path))
			expectDamage(t, mem, path, 0, k)
		}
		crashtest.WriteFile(t, mem, path, whole)
	}
	if damage, err := checkSet(mem); err != nil || len(damage) > 0 {
		t.Fatalf("made whole again: %v %v", damage, err)
	}
}

// checkSet opens a set for reading and verifies it; if it does not open, that is the only finding.
func checkSet(fs vfs.FS) ([]*DamageError, error) {
	s, err := OpenSet(setDir, SetOptions{FS: fs, ReadOnly: true, BufferKeys: 1})
	var damage *DamageError
	if errors.As(err, &damage) {
		return []*DamageError{damage}, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := s.Check()
	return found, errors.Join(err, s.Close())
}

func expectDamage(t *testing.T, fs vfs.FS, path string, at int, k known) {
	t.Helper()
	found, err := checkSet(fs)
	var format *FormatError
	if errors.As(err, &format) && strings.HasSuffix(path, directory.FormatName) {
		return // a digit of the version became another
	}
	if err != nil || len(found) != 1 {
		t.Fatalf("%s damaged at %d: found %v, %v", path, at, found, err)
	}
	d := found[0]
	if d.Path != path || d.Offset > int64(at) || int64(at)-d.Offset >= blockBytes &&
		!strings.Contains(d.What, "not") {
		t.Fatalf("%s damaged at %d, told: %v", path, at, d)
	}
	s, err := OpenSet(setDir, SetOptions{FS: fs, ReadOnly: true})
	if err != nil {
		return
	}
	defer s.Close()
	keys := make([]uint64, 0, len(k))
	for key := range k {
		keys = append(keys, key)
	}
	var damage *DamageError
	if err := s.Has(keys, make([]bool, len(keys))); !errors.As(err, &damage) {
		t.Fatalf("%s damaged at %d: all keys were looked up: %v", path, at, err)
	}
}

// OpenSet refuses a directory that is in use, of something else, of nothing, or of a newer program.
func TestSetRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenSet(dir+"/none", SetOptions{ReadOnly: true}); !errors.Is(err, ErrNoSet) {
		t.Errorf("no directory: %v", err)
	}
	s, err := OpenSet(dir+"/seen", SetOptions{})
	must(t, err)
	if _, err := OpenSet(dir+"/seen", SetOptions{}); !errors.Is(err, directory.ErrInUse) {
		t.Errorf("twice: %v", err)
	}
	must(t, s.Close())
	if err := s.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	if err := s.Decide(nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("used after Close: %v", err)
	}
	must(t, os.MkdirAll(dir+"/other", 0o755))
	must(t, os.WriteFile(dir+"/other/thesis.txt", nil, 0o644))
	if _, err := OpenSet(dir+"/other", SetOptions{}); err == nil ||
		!strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("a directory of something else: %v", err)
	}
	reader, err := OpenSet(dir+"/seen", SetOptions{ReadOnly: true})
	must(t, err)
	if err := reader.Commit(Mark{Count: 1, Check: 7}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("read only: %v", err)
	}
	must(t, reader.Close())
	must(t, os.WriteFile(dir+"/seen/FORMAT", []byte("recrawl seen 2\n"), 0o644))
	var format *FormatError
	if _, err := OpenSet(dir+"/seen", SetOptions{}); !errors.As(err, &format) {
		t.Errorf("newer format: %v", err)
	}
}

// The buffer returns its keys in order, in its own memory.
func TestBuffer(t *testing.T) {
	rng := seeded(t)
	for range 200 {
		b := newBuffer(1 + rng.IntN(60))
		k := known{}
		for !b.full() {
			key := rng.Uint64() >> (rng.IntN(4) * 20)
			if rng.IntN(20) == 0 {
				key = 0
			}
			if b.has(key) != k[key] {
				t.Fatalf("key %d: %v, want %v", key, b.has(key), k[key])
			}
			if !k[key] {
				b.add(key)
				k[key] = true
			}
		}
		var want []uint64
		for key := range k {
			want = append(want, key)
		}
		slices.Sort(want)
		if got := b.sorted(); !slices.Equal(got, want) {
			t.Fatalf("sorted %v, want %v", got, want)
		}
		b.clear()
		if b.len() != 0 || b.has(want[0]) {
			t.Fatal("not empty after clear")
		}
	}
}

// Asks are sorted by key, and equal keys by place.
func TestOrder(t *testing.T) {
	rng := seeded(t)
	for range 300 {
		asks := make([]ask, rng.IntN(3000))
		low, wide := rng.Uint64(), uint64(1)<<rng.IntN(64)
		for i := range asks {
			asks[i] = ask{key: low + rng.Uint64N(wide), at: uint32(i)}
		}
		rng.Shuffle(len(asks), func(i, j int) { asks[i], asks[j] = asks[j], asks[i] })
		want := slices.Clone(asks)
		slices.SortFunc(want, compareAsks)
		if sortAsks(asks); !slices.Equal(asks, want) {
			t.Fatalf("%d asks of %d from %d are out of order", len(asks), wide, low)
		}
	}
}
