package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/satstore/seen"
)

// Design is a design to find repeats, measured on the first lookups of the crawl.
type Design struct {
	Name    string  `json:"design"`
	Exact   bool    `json:"exact"`
	Lookups int     `json:"lookups"`
	New     int     `json:"new"`    // hosts that it reports as new
	Lost    int     `json:"lost"`   // new hosts that it never reports
	Again   int     `json:"again"`  // hosts that it reports again
	CPU     float64 `json:"cpu_us"` // for a lookup
	Wall    float64 `json:"us"`
	// Memory is measured in the heap if all is there, or else computed.
	Memory int     `json:"memory_bytes"`
	Each   float64 `json:"memory_bytes_by_host"`
	Disk   uint64  `json:"disk_bytes"`
	// Formula is the share of false positives at the end, by the formula of a filter alone.
	Formula float64 `json:"false_positives_by_formula"`
}

// decider is a design in a measurement. It reports new keys to told, at once or later.
type decider struct {
	see   func(key uint64) error
	end   func() error
	size  func() (memory int, disk uint64) // nil: measured in the heap
	rate  float64                          // by the formula
	close func() error
}

// kind makes a design for a number of hosts, in its own directory.
type kind struct {
	name  string
	exact bool
	make  func(dir string, hosts int, told func(key uint64)) (decider, error)
}

func seenKinds() []kind {
	return []kind{
		{"map[uint64]struct{}", true, newMap},
		{"Pebble, batches of 10,000", true, newPebble},
		{"set alone", true, pipeline(nil, nil, false)},
		{"LRU + set", true, pipeline(lruOf, nil, false)},
		{"LRU + SBFL + set", true, pipeline(lruOf, lightOf, false)},
		{"LRU + SBFL, not confirmed", false, pipeline(lruOf, lightOf, true)},
		{"lines of 8 + set", true, pipeline(waysOf, nil, false)},
		{"lines of 8 + tags, not confirmed", false, pipeline(waysOf, tagsOf, true)},
		{"Bloom (bits-and-blooms), 1 %", false, newBloom},
		{"counting Bloom over a window", false, newWindow},
		{"SBF, memory of SBFL", false, newStable},
	}
}

// Sizes of caches and filters for so many hosts: a cache of an eighth of them, a filter of two
// counters a host.
func lruOf(hosts int) seen.Cache { return seen.NewLRU(max(hosts/8, 8)) }

// with the memory of lruOf
func waysOf(hosts int) seen.Cache { return seen.NewWays(max(hosts*3/8, 8)) }
func counters(hosts int) uint64   { return uint64(max(2*hosts, 1024)) }
func lightOf(hosts int) seen.Filter {
	m := counters(hosts)
	return seen.NewLight(m, hashes, seen.Promised(float64(m), hashes, rate))
}
func tagsOf(hosts int) seen.Filter { return seen.NewTags(int(counters(hosts) / 8)) }

func newMap(_ string, _ int, told func(uint64)) (decider, error) {
	known := map[uint64]struct{}{}
	return decider{see: func(key uint64) error {
		if _, ok := known[key]; !ok {
			known[key] = struct{}{}
			told(key)
		}
		return nil
	}, close: func() error {
		clear(known)
		return nil
	}}, nil
}

// pebbleBatch is the number of lookups that Pebble gets at once, in the order of their keys: four
// times faster than one by one (docs/design/results.md).
const pebbleBatch = 10_000

func newPebble(dir string, _ int, told func(uint64)) (decider, error) {
	const cacheBytes, tableBytes = 32 << 20, 16 << 20
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	o := &pebble.Options{Cache: cache, MemTableSize: tableBytes, Logger: silent{}}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(dir, o)
	if err != nil {
		return decider{}, err
	}
	var keys []uint64
	flush := func() error {
		slices.Sort(keys)
		batch := db.NewBatch()
		defer batch.Close()
		var b [8]byte
		for i, key := range keys {
			if i > 0 && key == keys[i-1] {
				continue
			}
			binary.BigEndian.PutUint64(b[:], key)
			_, closer, err := db.Get(b[:])
			if errors.Is(err, pebble.ErrNotFound) {
				if err := batch.Set(b[:], nil, nil); err != nil {
					return err
				}
				told(key)
				continue
			}
			if err != nil {
				return err
			}
			if err := closer.Close(); err != nil {
				return err
			}
		}
		keys = keys[:0]
		return batch.Commit(pebble.Sync)
	}
	return decider{see: func(key uint64) error {
		if keys = append(keys, key); len(keys) == pebbleBatch {
			return flush()
		}
		return nil
	}, end: flush, size: func() (int, uint64) {
		m := db.Metrics()
		return int(m.BlockCache.Size + int64(m.MemTable.Size) + 8*int64(cap(keys))),
			m.DiskSpaceUsage()
	}, close: db.Close}, nil
}

// pipeline joins a cache, a filter and the set, like package seen; each may be nil.
func pipeline(cache func(int) seen.Cache, filter func(int) seen.Filter,
	approximate bool) func(string, int, func(uint64)) (decider, error) {
	return func(dir string, hosts int, told func(uint64)) (decider, error) {
		set, err := seen.OpenSet(dir, seen.SetOptions{BufferKeys: 1 << 17})
		if err != nil {
			return decider{}, err
		}
		text := make([]byte, 8)
		o := seen.PipelineOptions{Cache: seen.NewWays(8), Set: set, Approximate: approximate,
			WaitBytes: 4 << 20, DoubtBytes: 4 << 20,
			New: func(url string) error {
				told(binary.BigEndian.Uint64([]byte(url)))
				return nil
			},
			Settled: func() error { return set.Commit(seen.Mark{}) },
		}
		if cache != nil {
			o.Cache = cache(hosts)
		}
		if filter != nil {
			o.Filter = filter(hosts)
		}
		p := seen.NewPipeline(o)
		return decider{
			see: func(key uint64) error {
				binary.BigEndian.PutUint64(text, key)
				_, err := p.Offer(string(text), key, false)
				return err
			},
			end:   p.Settle,
			size:  func() (int, uint64) { s := set.Stats(); return p.Bytes() + s.Memory, s.Disk },
			close: set.Close,
		}, nil
	}
}

// filtered is a filter alone: keys that it lacks are new.
func filtered(f seen.Filter, told func(uint64)) decider {
	return decider{see: func(key uint64) error {
		if !f.Has(key) {
			told(key)
		}
		f.Add(key)
		return nil
	}, size: func() (int, uint64) { return f.Bytes(), 0 }}
}

func newBloom(_ string, hosts int, told func(uint64)) (decider, error) {
	m := 9.585 * float64(hosts) // for 1 % at hosts keys
	k := seen.BloomBest(m, float64(hosts))
	d := filtered(seen.NewBloom(uint64(m), k), told)
	d.rate = seen.BloomRate(m, k, float64(hosts))
	return d, nil
}

// newWindow remembers the last eighth of the hosts: counters for 1 %, and the keys themselves, to
// remove them.
func newWindow(_ string, hosts int, told func(uint64)) (decider, error) {
	keys := max(hosts/8, 8)
	m := 9.585 * float64(keys)
	k := seen.BloomBest(m, float64(keys))
	d := filtered(seen.NewWindow(keys, uint64(m), k), told)
	d.rate = seen.BloomRate(m, k, float64(keys))
	return d, nil
}

func newStable(_ string, hosts int, told func(uint64)) (decider, error) {
	m := counters(hosts)
	p := seen.Promised(float64(m), hashes, rate)
	d := filtered(seen.NewStable(m, hashes, p, 1), told)
	d.rate = seen.StableRate(float64(m), hashes, p)
	return d, nil
}

// designs measures all kinds on the same lookups, in turn.
func designs(ctx context.Context, lookups []lookup, dir string,
	tick func(name string, done, total int)) ([]Design, error) {
	hosts := 0
	truth := map[uint64]bool{} // by key: reported as new
	for _, l := range lookups {
		if l.first {
			hosts++
			truth[l.key] = false
		}
	}
	var all []Design
	for i, k := range seenKinds() {
		tick(k.name, i, len(seenKinds()))
		d, err := measure(ctx, k, lookups, hosts, truth, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		all = append(all, d)
	}
	return all, nil
}

func measure(ctx context.Context, k kind, lookups []lookup, hosts int, truth map[uint64]bool,
	dir string) (Design, error) {
	for key := range truth {
		truth[key] = false
	}
	d := Design{Name: k.name, Exact: k.exact, Lookups: len(lookups)}
	calls := make([]uint64, 0, hosts+hosts/2) // checked after the time is taken
	before := heap()
	x, err := k.make(dir, hosts, func(key uint64) { calls = append(calls, key) })
	if err != nil {
		return d, err
	}
	d.Formula = x.rate
	began := machine.Measure()
	for i, l := range lookups {
		if i%blockLookups == 0 && ctx.Err() != nil {
			err = ctx.Err()
			break
		}
		if err = x.see(l.key); err != nil {
			break
		}
	}
	if err == nil && x.end != nil {
		err = x.end()
	}
	ended := machine.Measure()
	d.CPU = 1e6 * (ended.CPU - began.CPU).Seconds() / float64(len(lookups))
	d.Wall = 1e6 * ended.At.Sub(began.At).Seconds() / float64(len(lookups))
	if err == nil {
		if x.size != nil {
			d.Memory, d.Disk = x.size()
		} else {
			d.Memory = int(heap() - before)
		}
	}
	if x.close != nil {
		err = errors.Join(err, x.close())
	}
	err = errors.Join(err, os.RemoveAll(dir))
	d.Each = float64(d.Memory) / float64(hosts)
	for _, key := range calls {
		called, known := truth[key]
		if !known {
			return d, errors.Join(err, fmt.Errorf("key %016x is new, and was never looked up", key))
		}
		if called {
			d.Again++
		}
		truth[key] = true
	}
	d.New = len(calls)
	for _, called := range truth {
		if !called {
			d.Lost++
		}
	}
	if err == nil && k.exact && (d.Lost > 0 || d.Again > 0) {
		err = fmt.Errorf("an exact design lost %d hosts and called %d new again", d.Lost, d.Again)
	}
	return d, err
}

// heap returns the used heap.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
