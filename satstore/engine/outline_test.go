package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// breakIndex damages or removes the index files of a store, and returns how many.
func breakIndex(t testing.TB, fs vfs.FS, how int) (n int) {
	t.Helper()
	for name, b := range contents(t, fs, storeDir) {
		if _, ok := parseName(name, indexPrefix); !ok {
			continue
		}
		n++
		path := fs.PathJoin(storeDir, name)
		if how == 0 {
			must(t, fs.Remove(path))
			continue
		}
		b = bytes.Clone(b)
		if len(b) > 0 {
			b[how%len(b)] ^= 1
		}
		writeAll(t, fs, path, b)
	}
	return n
}

// A store whose index is damaged or missing at every opening still equals the map of committed
// operations, including deletions, messages and moves between slots.
func TestIndexIsMadeAnew(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("work of one goroutine, which the race detector has nothing to say of")
	}
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) { indexIsMadeAnew(t, v.o) })
	}
}

func indexIsMadeAnew(t *testing.T, o Options) {
	rng := seeded(t)
	rounds := 20
	if long() {
		rounds = 1000
	}
	fs := vfs.NewCrashableMem()
	d := &driver{rng: rng, acked: newModel(), pending: newModel(), longGap: true, big: true}
	broken := 0
	for round := range rounds {
		if round%50 == 0 {
			fs, d.acked, d.seqs = vfs.NewCrashableMem(), newModel(), 1+rng.IntN(400)
		}
		o.FS = fs
		var err error
		for _, readOnly := range []bool{true, false} {
			o.ReadOnly = readOnly && round%50 > 0
			if d.s, err = Open(storeDir, o); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if err := compare(d.s, d.acked, d.seqs); err != nil {
				t.Fatalf("round %d: read only %v: %v", round, readOnly, err)
			}
			if o.ReadOnly {
				must(t, d.s.Close())
			}
			if round%50 == 0 {
				break
			}
		}
		if found, err := d.s.Check(); err != nil || len(found) > 0 {
			t.Fatalf("round %d: check: %v, %v", round, found, err)
		}
		d.pending = d.acked.clone()
		for i := range 10 + rng.IntN(300) {
			if err := d.step(); err != nil {
				t.Fatalf("round %d step %d: %v", round, i, err)
			}
		}
		if rng.IntN(2) == 0 {
			clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50,
				100}[rng.IntN(3)], RNG: rng})
			d.s.Close()
			fs = clone
		} else if err := d.s.Close(); err != nil {
			t.Fatalf("round %d: close: %v", round, err)
		}
		broken += breakIndex(t, fs, rng.IntN(4)*rng.IntN(1000))
	}
	t.Logf("%d operations, %d index files damaged", d.ops, broken)
}

// Damaged blocks beside a damaged index cost their records: no older version replaces an unreadable
// one, no deleted record returns, and the number of lost records is reported.
func TestIndexIsNotGuessed(t *testing.T) {
	t.Parallel()
	step := places(31)
	for _, closed := range []bool{true, false} {
		files, m, seqs := aged(t, closed)
		lost, whole := 0, 0
		for name, run := range files {
			if !strings.HasPrefix(name, runPrefix) {
				continue
			}
			for i := 0; i < len(run); i += step {
				broken := map[string][]byte{}
				for n, b := range files {
					broken[n] = b
					if strings.HasPrefix(n, indexPrefix) {
						delete(broken, n)
					}
				}
				broken[name] = bytes.Clone(run)
				broken[name][i] ^= 1 << (i % 8)
				s := mustOpen(t, storeDir, smallOptions(diskOf(t, broken)))
				n := 0
				for seq := range uint32(seqs) {
					_, there := m.records[seq]
					if err := loadOne(s, m, seq); err == nil {
						continue
					} else if there && !s.Has(seq) || isDamage(err) {
						n++
					} else {
						t.Fatalf("closed %v, byte %d of %s: %v", closed, i, name, err)
					}
				}
				// also reported for a block whose records are all whole
				if told := len(s.Damage()) > 1; !told && n > 0 || n > 1 {
					t.Fatalf("closed %v, byte %d of %s: %d records lost, damage %v",
						closed, i, name, n, s.Damage())
				}
				lost, whole = lost+min(n, 1), whole+1
				must(t, s.Close())
			}
		}
		t.Logf("closed %v: opened %d, of which %d had lost records", closed, whole, lost)
		if lost == 0 || lost == whole {
			t.Error("want both")
		}
	}
}

// A store without an outline reports its damaged index.
func TestIndexWithoutOutline(t *testing.T) {
	files := map[string][]byte{}
	list, err := os.ReadDir(goldenDir)
	must(t, err)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), indexPrefix) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(goldenDir, e.Name()))
		must(t, err)
		files[e.Name()] = b
	}
	if _, err := Open(storeDir, Options{FS: diskOf(t, files)}); !isDamage(err) {
		t.Errorf("opened without its index: %v", err)
	}
}

// BenchmarkRebuild opens a store whose index file is missing.
func BenchmarkRebuild(b *testing.B) {
	const n = 200_000
	dir := b.TempDir()
	s, err := Open(dir, Options{})
	must(b, err)
	body := make([]byte, 164)
	for seq := range uint32(n) {
		must(b, s.Put(seq, 1+int64(seq%5000), body))
	}
	must(b, s.Commit())
	must(b, s.Close())
	b.SetBytes(n * int64(len(body)))
	for b.Loop() {
		list, err := filepath.Glob(filepath.Join(dir, indexPrefix+"*"))
		must(b, err)
		for _, path := range list {
			must(b, os.Remove(path))
		}
		s, err := Open(dir, Options{})
		must(b, err)
		if s.Len() != n {
			b.Fatal(fmt.Errorf("%d records, want %d", s.Len(), n))
		}
		b.StopTimer()
		must(b, s.Close())
		b.StartTimer()
	}
}
