package seen

import (
	"container/list"
	"runtime"
	"testing"
)

// model is a textbook LRU cache.
type model struct {
	size  int
	order *list.List // newest first
	at    map[uint64]*list.Element
}

func (c *model) Touch(key uint64) (hit bool, evicted uint64, full bool) {
	if e, ok := c.at[key]; ok {
		c.order.MoveToFront(e)
		return true, 0, false
	}
	if len(c.at) == c.size {
		last := c.order.Back()
		evicted, full = last.Value.(uint64), true
		delete(c.at, evicted)
		c.order.Remove(last)
	}
	c.at[key] = c.order.PushFront(key)
	return false, evicted, full
}

// clockModel is CLOCK over a slice, searched from its beginning.
type clockModel struct {
	size, hand int
	keys       []uint64
	used       []bool
}

func (c *clockModel) Touch(key uint64) (hit bool, evicted uint64, full bool) {
	for i, k := range c.keys {
		if k == key {
			c.used[i] = true
			return true, 0, false
		}
	}
	if len(c.keys) < c.size {
		c.keys, c.used = append(c.keys, key), append(c.used, false)
		return false, 0, false
	}
	for c.used[c.hand] {
		c.used[c.hand] = false
		c.hand = (c.hand + 1) % c.size
	}
	evicted, c.keys[c.hand] = c.keys[c.hand], key
	c.hand = (c.hand + 1) % c.size
	return false, evicted, true
}

// LRU and CLOCK equal their models, with keys that collide in the slots, including the key 0.
func TestCachesAgreeWithModels(t *testing.T) {
	rng := seeded(t)
	for range 60 {
		size, keys := 1+rng.IntN(40), 1+rng.Uint64N(120)
		low := rng.Uint64N(3) // keys for the same slots
		caches := []Cache{NewLRU(size), NewCLOCK(size)}
		models := []Cache{caching{&model{size, list.New(), map[uint64]*list.Element{}}},
			caching{&clockModel{size: size}}}
		for step := range 3000 {
			key := rng.Uint64N(keys) << (8 * low)
			for i, c := range caches {
				hit, evicted, full := c.Touch(key)
				wantHit, wantEvicted, wantFull := models[i].Touch(key)
				if hit != wantHit || evicted != wantEvicted || full != wantFull {
					t.Fatalf("%T of %d, step %d, key %d: %v %d %v, want %v %d %v",
						c, size, step, key, hit, evicted, full, wantHit, wantEvicted, wantFull)
				}
			}
		}
	}
}

// Each line of Ways equals an LRU of 8.
func TestWaysAreSmallLRUs(t *testing.T) {
	rng := seeded(t)
	for range 30 {
		lines := 1 + rng.Uint64N(5)
		c := NewWays(int(8 * lines))
		models := make([]*model, lines)
		for i := range models {
			models[i] = &model{waysOfLine, list.New(), map[uint64]*list.Element{}}
		}
		for step := range 3000 {
			i, key := rng.Uint64N(lines), 1+rng.Uint64N(20)
			key += (i*(1<<63/lines) + 1<<50) * 2 // high bits choose the line
			hit, evicted, full := c.Touch(key)
			wantHit, wantEvicted, wantFull := models[i].Touch(key)
			if hit != wantHit || evicted != wantEvicted || full != wantFull {
				t.Fatalf("step %d, key %d of line %d: %v %d %v, want %v %d %v",
					step, key, i, hit, evicted, full, wantHit, wantEvicted, wantFull)
			}
		}
		for range 2 {
			if hit, _, full := c.Touch(0); hit || full {
				t.Fatal("the key 0 is kept")
			}
		}
	}
}

type toucher interface {
	Touch(key uint64) (bool, uint64, bool)
}

type caching struct{ toucher }

func (caching) Bytes() int { return 0 }

// Bytes equals the memory that the runtime reports for a full cache.
func TestCachesTakeWhatTheySay(t *testing.T) {
	const entries = 1 << 18
	for _, c := range []struct {
		name string
		new  func() Cache
		each float64
	}{{"LRU", func() Cache {
		return NewLRU(entries)
	}, 24}, {"CLOCK", func() Cache { return NewCLOCK(entries) }, 16.125},
		{"ways", func() Cache { return NewWays(entries) }, 8}} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		cache := c.new()
		for i := range uint64(3 * entries) {
			cache.Touch(i * 0x9e3779b97f4a7c15)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		took := float64(after.HeapAlloc - before.HeapAlloc)
		if said := float64(cache.Bytes()); took < 0.98*said || took > 1.03*said ||
			said != c.each*entries {
			t.Errorf("%s of %d entries takes %.2f bytes each and says %.2f; want %v",
				c.name, entries, took/entries, said/entries, c.each)
		}
		runtime.KeepAlive(cache)
	}
}

func BenchmarkTouch(b *testing.B) {
	for _, c := range []struct {
		name  string
		cache Cache
	}{{"lru", NewLRU(1 << 20)}, {"clock", NewCLOCK(1 << 20)}, {"ways", NewWays(1 << 20)}} {
		b.Run(c.name+"/entries=2^20", func(b *testing.B) {
			key := uint64(1)
			for b.Loop() {
				key *= 6364136223846793005
				c.cache.Touch(key >> 11)
			}
		})
	}
}
