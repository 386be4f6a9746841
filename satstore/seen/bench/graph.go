package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
)

// Proportions of the paper's graph [SBFL 5.2].
const (
	paperHosts  = 538_137_220
	paperLinked = 34_848_026.0 / paperHosts // hosts that have links
	paperDegree = 4_155_528_923.0 / 34_848_026
)

// graph is hosts 0 to size-1 and their links.
type graph interface {
	size() int
	// links appends what a host links to.
	links(to []uint32, host uint32) []uint32
	start() uint32
}

// madeGraph makes the links of a host from its number whenever they are asked for: it takes no
// memory.
type madeGraph struct {
	n    int
	seed uint64
	pcg  *rand.PCG
	rng  *rand.Rand
	base float64 // least number of links
}

const (
	// degreeTail is that of the share of hosts with more than d links, d^-1.1: an exponent of 2.1,
	// as the Web has (Broder et al. 2000).
	degreeTail = 1.1
	mostLinks  = 100_000
	// popularity makes the number of links to a host fall as in a power law of exponent 2.07, which
	// is about the same: the thousandth part of the hosts gets two thirds of these links.
	popularity = 16
	// alwaysLinked is the share of hosts, the most popular ones, that surely have links: they were
	// crawled because they are known.
	alwaysLinked = 0.01
	// Where links lead: to popular hosts, nearby, and the rest anywhere.
	shareToPopular, shareNearby = 0.6, 0.3
	// nearby is how far nearby reaches, as a part of all hosts.
	nearby = 2000
)

func newMadeGraph(n int, seed uint64) *madeGraph {
	pcg := rand.NewPCG(0, 0)
	g := &madeGraph{n: n, seed: seed, pcg: pcg, rng: rand.New(pcg)}
	// The mean of the power law, cut at mostLinks, is to be the paper's.
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

// most is the most links of a host; a small graph has no host that links to most others.
func (g *madeGraph) most() float64 { return min(mostLinks, max(float64(g.n)/4, 2*paperDegree)) }

func (g *madeGraph) size() int     { return g.n }
func (g *madeGraph) start() uint32 { return 0 }

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

// readGraph is a list of edges: two names a line, the first links to the second.
type readGraph struct {
	ends []uint32 // of links in to
	to   []uint32
	from uint32
}

// ReadEdges reads a list of edges. The crawl begins at the first host of the first line, unless
// start names another. Memory: the names, and 16 bytes a link.
func ReadEdges(r io.Reader, start string) (*Edges, error) {
	numbers := map[string]uint32{}
	number := func(name string) uint32 {
		n, ok := numbers[name]
		if !ok {
			n = uint32(len(numbers))
			numbers[strings.Clone(name)] = n
		}
		return n
	}
	var from, to []uint32
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for line := 1; lines.Scan(); line++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d of the edges has %d names, not 2: %.60q",
				line, len(fields), lines.Text())
		}
		from, to = append(from, number(fields[0])), append(to, number(fields[1]))
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(from) == 0 {
		return nil, errors.New("no edges")
	}
	g := &readGraph{ends: make([]uint32, len(numbers)), to: make([]uint32, len(to)), from: from[0]}
	if start != "" {
		n, ok := numbers[start]
		if !ok {
			return nil, fmt.Errorf("no edge has the host %q", start)
		}
		g.from = n
	}
	for _, f := range from {
		g.ends[f]++
	}
	at := uint32(0)
	for i, n := range g.ends {
		g.ends[i] = at
		at += n
	}
	for i, f := range from { // in the order of the list
		g.to[g.ends[f]] = to[i]
		g.ends[f]++
	}
	return &Edges{g}, nil
}

// Edges is a graph that was read.
type Edges struct{ graph *readGraph }

func (g *readGraph) size() int     { return len(g.ends) }
func (g *readGraph) start() uint32 { return g.from }

func (g *readGraph) links(to []uint32, host uint32) []uint32 {
	begin := uint32(0)
	if host > 0 {
		begin = g.ends[host-1]
	}
	return append(to, g.to[begin:g.ends[host]]...)
}

// lookup is a link of the crawl: the key of its host, and whether it was met for the first time.
type lookup struct {
	key   uint64
	first bool
}

// keyOf mixes the number of a host to a fingerprint, and hostOf goes back (splitmix64).
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

// blockLookups is how many lookups are made before the structures see them.
const blockLookups = 1 << 16

// crawl visits a graph breadth-first, and hands out its lookups in blocks. The first lookup is the
// start.
func crawl(ctx context.Context, g graph, see func([]lookup) error) error {
	met := make([]uint64, (g.size()+63)/64)
	queue := []uint32{g.start()}
	met[g.start()/64] |= 1 << (g.start() % 64)
	block := append(make([]lookup, 0, blockLookups+1), lookup{keyOf(g.start()), true})
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

// scaled is a size of the paper's in the proportion of a graph to the paper's: a power of two, as
// the paper's are. Graphs below 10,000 hosts get the sizes of that one.
func scaled(exponent, hosts int) int {
	down := int(math.Round(math.Log2(paperHosts / float64(hosts))))
	return 1 << (exponent - max(min(down, 16), 0))
}
