package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"gonum.org/v1/gonum/mathext/prng"

	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/satstore/seen"
)

// SeenOptions configure a measurement.
type SeenOptions struct {
	Hosts    int // hosts of the generated graph, 1000 to 2^31
	Seed     uint64
	Designs  int    // lookups to compare designs; 0: none
	Counters int    // of table 1
	Lowered  int    // counters lowered by the slowest method of table 1; 0: no table
	Dir      string // for sets and Pebble; "": the one for temporary files
	// Tick gets the progress; it may be nil.
	Tick func(what string, done, total int)
}

// SeenResult is the result of a measurement.
type SeenResult struct {
	Hosts   int            `json:"hosts"`
	Seed    uint64         `json:"seed"`
	Reached int            `json:"reached"`
	Lookups int            `json:"lookups"`
	Repeats float64        `json:"repeats"` // share of the lookups
	Points  []Point        `json:"points"`
	Speeds  []Speed        `json:"speeds"`
	Designs []Design       `json:"designs"`
	Claims  []papers.Claim `json:"claims"`
	Seconds float64        `json:"seconds"`
	CPU     float64        `json:"cpu_seconds"`
	Peak    int64          `json:"peak_memory_bytes"`
}

// Of returns the points of a line, by size.
func (r *SeenResult) Of(line string) []Point {
	var points []Point
	for _, p := range r.Points {
		if p.Line == line {
			points = append(points, p)
		}
	}
	return points
}

// RunSeen makes a measurement. It always removes its files.
func RunSeen(ctx context.Context, o SeenOptions) (r *SeenResult, err error) {
	if o.Tick == nil {
		o.Tick = func(string, int, int) {}
	}
	if o.Hosts < 1000 || o.Hosts > 1<<31 {
		return nil, fmt.Errorf("a graph of %d hosts: 1000 to 2^31 can be made", o.Hosts)
	}
	g := newMadeGraph(o.Hosts, o.Seed)
	dir, err := os.MkdirTemp(o.Dir, "recrawl-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	began := machine.Measure()
	r = &SeenResult{Hosts: g.n, Seed: o.Seed, Speeds: []Speed{}, Designs: []Design{}}
	if o.Lowered > 0 {
		o.Tick("table 1", 0, 1)
		r.Speeds = speeds(o.Counters, o.Lowered, o.Seed)
	}
	if o.Designs > 0 {
		lookups, err := firstLookups(ctx, g, o.Designs)
		if err != nil {
			return nil, err
		}
		if r.Designs, err = designs(ctx, lookups, dir, o.Tick); err != nil {
			return nil, err
		}
	}
	all := contestants(g.n, o)
	if err := lookAll(ctx, g, all, r, func(done int) {
		o.Tick("hosts", done, g.n)
	}); err != nil {
		return nil, err
	}
	r.Claims = r.claims()
	ended := machine.Measure()
	r.Seconds, r.CPU, r.Peak = ended.At.Sub(began.At).Seconds(), (ended.CPU - began.CPU).Seconds(),
		ended.Peak
	return r, nil
}

var errEnough = errors.New("enough lookups")

func firstLookups(ctx context.Context, g *madeGraph, n int) ([]lookup, error) {
	var all []lookup
	err := crawl(ctx, g, func(block []lookup) error {
		if all = append(all, block[:min(len(block), n-len(all))]...); len(all) == n {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return all, err
}

// Proportions of the paper's graph [SBFL 5.2].
const (
	paperHosts  = 538_137_220
	paperLinked = 34_848_026.0 / paperHosts // hosts with links
	paperDegree = 4_155_528_923.0 / 34_848_026
)

// madeGraph computes the links of a host from its number at each request, and takes no memory.
type madeGraph struct {
	n    int
	seed uint64
	pcg  *rand.PCG
	rng  *rand.Rand
	base float64 // least number of links
}

const (
	// degreeTail is the exponent of the share of hosts with more than d links, d^-1.1: an exponent
	// of 2.1, as on the Web (Broder et al. 2000).
	degreeTail = 1.1
	mostLinks  = 100_000
	// popularity makes the number of links to hosts follow a power law with exponent 2.07, about
	// the same: a thousandth of the hosts gets two thirds of these links.
	popularity = 16
	// alwaysLinked is the share of the most popular hosts, which always have links: they were
	// crawled because they are known.
	alwaysLinked = 0.01
	// Targets of links: popular hosts, nearby ones, and the rest anywhere.
	shareToPopular, shareNearby = 0.6, 0.3
	// nearby is the reach of nearby hosts, as a part of all.
	nearby = 2000
)

func newMadeGraph(n int, seed uint64) *madeGraph {
	pcg := rand.NewPCG(0, 0)
	g := &madeGraph{n: n, seed: seed, pcg: pcg, rng: rand.New(pcg)}
	// The mean of the power law, cut at mostLinks, must be the paper's.
	low, high := 1.0, paperDegree
	for range 60 {
		g.base = (low + high) / 2
		mean := g.base * degreeTail / (degreeTail - 1) * (1 - math.Pow(g.base/g.most(),
			degreeTail-1))
		if mean < paperDegree {
			low = g.base
		} else {
			high = g.base
		}
	}
	return g
}

// most returns the most links of a host: in a small graph no host links to most others.
func (g *madeGraph) most() float64 { return min(mostLinks, max(float64(g.n)/4, 2*paperDegree)) }

func (g *madeGraph) links(to []uint32, host uint32) []uint32 {
	g.pcg.Seed(g.seed, uint64(host))
	chance := (paperLinked - alwaysLinked) / (1 - alwaysLinked)
	if float64(host) >= alwaysLinked*float64(g.n) && g.rng.Float64() >= chance {
		return to
	}
	n := int(min(g.base*math.Pow(1-g.rng.Float64(), -1/degreeTail), g.most()))
	for range n {
		var t int
		switch r := g.rng.Float64(); {
		case r < shareToPopular:
			t = int(float64(g.n) * math.Pow(g.rng.Float64(), popularity))
		case r < shareToPopular+shareNearby:
			// as many at distances of 1 to 2 as of 2 to 4, 4 to 8, ...
			d := int(math.Pow(float64(g.n)/nearby+16, g.rng.Float64()))
			t = (int(host) + d) % g.n
		default:
			t = g.rng.IntN(g.n)
		}
		to = append(to, uint32(min(t, g.n-1)))
	}
	return to
}

// lookup is a link of the crawl: the key of its host, and whether the host is new.
type lookup struct {
	key   uint64
	first bool
}

// keyOf mixes the number of a host into a fingerprint, and hostOf reverses that (splitmix64).
func keyOf(host uint32) uint64 {
	x := uint64(host) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func hostOf(x uint64) uint32 {
	x = (x ^ x>>31 ^ x>>62) * 0x319642b2d24d8ec3
	x = (x ^ x>>27 ^ x>>54) * 0x96de1b173f119089
	x = x ^ x>>30 ^ x>>60
	return uint32(x - 0x9e3779b97f4a7c15)
}

// blockLookups is the number of lookups in a block.
const blockLookups = 1 << 16

// crawl visits a graph breadth-first from host 0, and passes its lookups to see in blocks.
func crawl(ctx context.Context, g *madeGraph, see func([]lookup) error) error {
	met := make([]uint64, (g.n+63)/64)
	queue := []uint32{0}
	met[0] = 1
	block := append(make([]lookup, 0, blockLookups+1), lookup{keyOf(0), true})
	var links []uint32
	for head := 0; head < len(queue); head++ {
		links = g.links(links[:0], queue[head])
		for _, t := range links {
			first := met[t/64]>>(t%64)&1 == 0
			if first {
				met[t/64] |= 1 << (t % 64)
				queue = append(queue, t)
			}
			if block = append(block, lookup{keyOf(t), first}); len(block) >= blockLookups {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := see(block); err != nil {
					return err
				}
				block = block[:0]
			}
		}
	}
	return see(block)
}

// scaled returns a size of the paper in proportion to the graph: a power of two, as in the paper.
// Graphs below 10,000 hosts get the sizes for 10,000.
func scaled(exponent, hosts int) int {
	down := int(math.Round(math.Log2(paperHosts / float64(hosts))))
	return 1 << (exponent - max(min(down, 16), 0))
}

// Speed is a row of table 1: the time to lower counters.
type Speed struct {
	Method   string  `json:"method"`
	Lowered  int     `json:"lowered"` // counters in all
	Nanos    float64 `json:"ns_each"`
	Ratio    float64 `json:"times_faster"`             // compared with the first row
	Paper    float64 `json:"seconds_in_paper"`         // for 2e9 of them; 0: not in the paper
	Whole    float64 `json:"seconds_for_2e9"`          // at this speed
	PerCall  int     `json:"lowered_by_one_insertion"` // p
	Counters int     `json:"counters"`
}

// perInsertion is p in the paper's example [SBFL 4.1.3].
const perInsertion = 84

// measured is the number of measurements of each row.
const measured = 7

// wholeSweep is the number of counters that a call lowers if insertions do not matter.
const wholeSweep = 1 << 16

// speeds measures table 1 on m counters. The slowest method lowers this many, the faster ones more,
// to take long enough. Each row is the least of some measurements.
func speeds(m, lowered int, seed uint64) []Speed {
	twister := prng.NewMT19937()
	twister.Seed(seed)
	counters := uint64(m)
	stable := seen.NewStableOf(counters, hashes8, perInsertion, twister)
	pcg := seen.NewStableOf(counters, hashes8, perInsertion, rand.New(rand.NewPCG(seed, 1)))
	light := seen.NewLight(counters, hashes8, perInsertion)
	// Counters above 0, and touched memory: every page several times.
	for key := range uint64(min(m/perInsertion, 1<<17)) {
		light.Add(key * 0x9e3779b97f4a7c15)
		stable.Add(key * 0x9e3779b97f4a7c15)
		pcg.Add(key * 0x9e3779b97f4a7c15)
	}
	var rows []Speed
	for _, c := range []struct {
		method string
		paper  float64
		more   int // factor compared with the slowest
		call   int
		lower  func()
	}{
		{"SBF, Mersenne Twister", 320.7, 1, perInsertion, func() { stable.Lower(perInsertion) }},
		{"SBF, PCG", 0, 1, perInsertion, func() { pcg.Lower(perInsertion) }},
		{"SBFL, one by one", 9.435, 8, perInsertion, func() { light.LowerEach(perInsertion) }},
		{"SBFL, 32 at a time", 0.9672, 64, perInsertion, func() { light.Lower(perInsertion) }},
		{"SBFL, 32 at a time, in one sweep", 0, 128, wholeSweep, func() {
			light.Lower(wholeSweep)
		}},
	} {
		calls := max(lowered*c.more/c.call/measured, 1)
		nanos := leastOf(measured, func() float64 {
			began := time.Now()
			for range calls {
				c.lower()
			}
			return float64(time.Since(began).Nanoseconds()) / float64(calls*c.call)
		})
		rows = append(rows, Speed{Method: c.method, Lowered: calls * c.call, Nanos: nanos,
			Paper: c.paper, Whole: 2 * nanos, PerCall: c.call, Counters: m})
	}
	for i := range rows {
		rows[i].Ratio = rows[0].Nanos / rows[i].Nanos
	}
	return rows
}

// leastOf returns the least of some measurements: other work on the machine only adds.
func leastOf(times int, f func() float64) float64 {
	least := f()
	for range times - 1 {
		least = min(least, f())
	}
	return least
}
