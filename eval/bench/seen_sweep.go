package bench

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/recrawl/recrawl/satstore/seen"
)

// Point is the result of one cache, with or without a filter behind it.
type Point struct {
	Line  string  `json:"line"` // of a figure: the kind of structure
	Size  int     `json:"size"` // entries of the cache, or counters or keys of the filter
	Bytes int     `json:"bytes"`
	Paper float64 `json:"bytes_as_in_paper"` // by 20 bytes an entry of LRU
	Hits  float64 `json:"hit_rate"`          // of all lookups, without false positives
	All   float64 `json:"hit_rate_with_false_positives"`

	CacheHits      uint64 `json:"cache_hits"`
	FilterHits     uint64 `json:"filter_hits"` // without false positives
	FalsePositives uint64 `json:"false_positives"`
	FalseNegatives uint64 `json:"false_negatives"`
	// AtRest and the fields below are shares, and the values of formulas: of new hosts, once the
	// filter was at rest; of repeats that the cache lacked.
	AtRest          uint64  `json:"new_hosts_at_rest"`
	PositiveRate    float64 `json:"false_positive_rate"`
	PositiveFormula float64 `json:"false_positive_formula"`
	NegativeRate    float64 `json:"false_negative_rate"`
	NegativeFormula float64 `json:"false_negative_formula"` // 0: not computed
	// LRUBytes counts 24 an entry; 0: outside the measured sizes.
	LRUBytes         float64 `json:"lru_bytes_at_equal_hits"`
	Saved            float64 `json:"saved"` // 1 - Bytes/LRUBytes
	LRUBytesPaper    float64 `json:"lru_bytes_at_equal_hits_as_in_paper"`
	SavedPaper       float64 `json:"saved_as_in_paper"`
	InterpolatedFrom float64 `json:"lru_entries_at_equal_hits"`
}

// Lines of the figures.
const (
	LineLRU      = "LRU"
	LineCLOCK    = "CLOCK"
	LineWays     = "lines of 8"
	LineLight    = "LRU + SBFL"
	LineStable   = "LRU + SBF"
	LineLight8   = "LRU + SBFL, k = 8"
	LineTags     = "LRU + tags"
	LineWaysTags = "lines of 8 + tags"
)

// Settings of the paper [SBFL 5.3].
const (
	hashes, rate   = 4, 0.01
	hashes8, rate8 = 8, 1e-5
	paperEntry     = 20 // bytes an entry of LRU
	leastLRU       = 18 // exponents
	leastFilter    = 24
	fixedLRU       = 20
	points         = PaperSizes
	moreLRU        = 3 // larger sizes than the paper's
)

// PaperSizes is the number of sizes of each line in the paper's figures.
const PaperSizes = 7

// front is a cache in a measurement. It does not depend on the filter behind it, so contestants
// with different filters share it.
type front struct {
	cache  seen.Cache
	hits   uint64
	missed []missed // of the block
}

// missed is a lookup that the cache could not answer, and the key that it dropped for it.
type missed struct {
	lookup
	evicted uint64
	full    bool // a key was dropped
}

func (f *front) lookUp(block []lookup) {
	f.missed = f.missed[:0]
	for _, l := range block {
		hit, evicted, full := f.cache.Touch(l.key)
		if hit {
			f.hits++
			continue
		}
		f.missed = append(f.missed, missed{l, evicted, full})
	}
}

// contestant is a structure in a measurement.
type contestant struct {
	Point
	*front
	filter  seen.Filter
	formula func(age float64) float64 // of false negatives, if computed
	ages    []uint32                  // by host: insertion of its key into the filter
	added   uint32
	rested  uint32 // insertions until the filter is at rest
	falses  uint64
	missing float64 // by the formula
}

// lookUp passes the missed lookups of a block to the filter.
func (c *contestant) lookUp() {
	for _, l := range c.missed {
		if c.filter == nil {
			if !l.first {
				c.FalseNegatives++
			}
			continue
		}
		has := c.filter.Has(l.key)
		switch {
		case has && l.first:
			c.FalsePositives++
		case has:
			c.FilterHits++
		case !l.first:
			c.FalseNegatives++
		}
		if l.first && c.added >= c.rested {
			c.AtRest++
			if has {
				c.falses++
			}
		}
		if c.ages != nil && !l.first {
			c.missing += c.formula(float64(c.added - c.ages[hostOf(l.key)]))
		}
		if l.full {
			c.filter.Add(l.evicted)
			c.added++
			if c.ages != nil {
				c.ages[hostOf(l.evicted)] = c.added
			}
		}
	}
}

func (c *contestant) end(lookups int) {
	all := float64(lookups)
	c.CacheHits = c.hits
	c.Bytes = c.cache.Bytes()
	if c.filter != nil {
		c.Bytes += c.filter.Bytes()
	}
	c.Hits = float64(c.CacheHits+c.FilterHits) / all
	c.All = float64(c.CacheHits+c.FilterHits+c.FalsePositives) / all
	c.PositiveRate = float64(c.falses) / max(float64(c.AtRest), 1)
	asked := float64(c.FilterHits + c.FalseNegatives)
	c.NegativeRate = float64(c.FalseNegatives) / max(asked, 1)
	if c.ages != nil {
		c.NegativeFormula = c.missing / max(asked, 1)
	}
}

// contestants returns the points of all lines, for a graph of this many hosts.
func contestants(hosts int, o SeenOptions) []*contestant {
	var all []*contestant
	add := func(line string, size int, cache *front, entries int, filter seen.Filter) *contestant {
		c := &contestant{front: cache, filter: filter}
		c.Line, c.Size = line, size
		c.Paper = paperEntry * float64(entries)
		if _, ok := cache.cache.(*seen.LRU); !ok { // the paper has figures for LRU only
			c.Paper = float64(cache.cache.Bytes())
		}
		if filter != nil {
			c.Paper += float64(filter.Bytes())
			c.rested = uint32(2 * c.Size)
		}
		all = append(all, c)
		return c
	}
	caches := map[int]*front{}
	alone := func(entries int) *front {
		if caches[entries] == nil {
			caches[entries] = &front{cache: seen.NewLRU(entries)}
		}
		return caches[entries]
	}
	lru := scaled(fixedLRU, hosts)
	ways := &front{cache: seen.NewWays(lru)}
	for i := range points {
		entries, m := scaled(leastLRU+i, hosts), scaled(leastFilter+i, hosts)
		size := float64(m)
		add(LineLRU, entries, alone(entries), entries, nil)
		add(LineCLOCK, entries, &front{cache: seen.NewCLOCK(entries)}, entries, nil)
		add(LineWays, entries, &front{cache: seen.NewWays(entries)}, entries, nil)
		// Small filters have fewer counters than a large p lowers.
		k, p := hashes, seen.Promised(size, hashes, rate)
		light := add(LineLight, m, alone(lru), lru, seen.NewLight(uint64(m), k, p))
		stable := add(LineStable, m, alone(lru), lru, seen.NewStable(uint64(m), k, p, o.Seed))
		light.PositiveFormula, stable.PositiveFormula = seen.LightRate(k, p),
			seen.StableRate(size, k, p)
		light.rested, stable.rested = uint32(4*m/p), uint32(4*m/p)
		if i == points/2 { // here false negatives are compared with their formula
			light.ages, stable.ages = make([]uint32, hosts), make([]uint32, hosts)
			light.formula = func(age float64) float64 { return seen.LightMiss(size, k, p, age) }
			stable.formula = func(age float64) float64 { return seen.StableMiss(size, k, p, age) }
		}
		if p8 := seen.Promised(size, hashes8, rate8); p8 < m {
			c := add(LineLight8, m, alone(lru), lru, seen.NewLight(uint64(m), hashes8, p8))
			c.PositiveFormula, c.rested = seen.LightRate(hashes8, p8), uint32(4*m/p8)
		}
		keys := max(m/8, 16) // the memory of the counters: 16 bits a key, 2 a counter
		add(LineTags, keys, alone(lru), lru, seen.NewTags(keys)).PositiveFormula = seen.TagsRate
		add(LineWaysTags, keys, ways, lru, seen.NewTags(keys)).PositiveFormula = seen.TagsRate
	}
	for i := range moreLRU { // so that large filters can also be compared
		entries := scaled(leastLRU+points+i, hosts)
		add(LineLRU, entries, alone(entries), entries, nil)
	}
	return all
}

// lookAll passes the lookups of a crawl to all contestants, on all processors: first to the caches,
// and then their misses to the filters.
func lookAll(ctx context.Context, g *madeGraph, all []*contestant, r *SeenResult,
	tick func(done int)) error {
	var fronts []*front
	for _, c := range all {
		if !slices.Contains(fronts, c.front) {
			fronts = append(fronts, c.front)
		}
	}
	err := crawl(ctx, g, func(block []lookup) error {
		onAll(len(fronts), func(i int) { fronts[i].lookUp(block) })
		onAll(len(all), func(i int) { all[i].lookUp() })
		for _, l := range block {
			if l.first {
				r.Reached++
			}
		}
		r.Lookups += len(block)
		tick(r.Reached)
		return nil
	})
	if err != nil {
		return err
	}
	r.Repeats = 1 - float64(r.Reached)/float64(r.Lookups)
	for _, c := range all {
		c.end(r.Lookups)
		r.Points = append(r.Points, c.Point)
	}
	r.interpolate()
	return nil
}

// onAll calls see for 0 to n-1, on all processors.
func onAll(n int, see func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				see(i)
			}
		})
	}
	wg.Wait()
}

// interpolate computes for each point the entries of LRU alone with as many hits, on a straight
// line between measured sizes [SBFL 5.6].
func (r *SeenResult) interpolate() {
	lru := r.Of(LineLRU)
	for i := range r.Points {
		p := &r.Points[i]
		for j := 1; j < len(lru); j++ {
			a, b := lru[j-1], lru[j]
			if p.Line == LineLRU || b.Hits <= a.Hits || p.Hits < a.Hits || p.Hits > b.Hits {
				continue
			}
			share := (p.Hits - a.Hits) / (b.Hits - a.Hits)
			p.InterpolatedFrom = float64(a.Size) + share*float64(b.Size-a.Size)
			p.LRUBytes = float64(a.Bytes) + share*float64(b.Bytes-a.Bytes)
			p.LRUBytesPaper = paperEntry * p.InterpolatedFrom
			p.Saved, p.SavedPaper = 1-float64(p.Bytes)/p.LRUBytes, 1-p.Paper/p.LRUBytesPaper
			break
		}
	}
}
