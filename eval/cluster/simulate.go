package cluster

import (
	"container/heap"
	"fmt"
	"math"
	"strings"

	"github.com/recrawl/recrawl/planner/nodes"
	"github.com/recrawl/recrawl/planner/nodes/bus"
)

// Machine is what each node of the simulation has, and what pages cost beside what is measured.
type Machine struct {
	Cores    int     `json:"cores" default:"16" range:"[1,1024]" help:"processors of a machine"`
	Memory   float64 `json:"memory_gb" default:"128" range:"(0,)" want:"more than 0" help:"memory of a machine, GB"`
	Disk     float64 `json:"disk_gb" default:"4000" range:"(0,)" want:"more than 0" help:"disk of a machine, GB"`
	Network  float64 `json:"network_mb" default:"1250" range:"(0,)" want:"more than 0" help:"what a machine sends and receives, MB a second"`
	Interval float64 `json:"interval_days" default:"30" range:"(0,)" want:"more than 0" help:"days between two visits to a page, on average"`
	Fetch    float64 `json:"fetch_us" key:"fetch-us" default:"600" range:"[0,)" want:"0 or more" help:"microseconds of a processor that fetching and reading a page takes; recrawl bench fetch measures it"`
	PageRAM  float64 `json:"page_memory_bytes" key:"page-memory" default:"121" range:"(0,)" want:"more than 0" help:"bytes of memory a page, in a round; docs/benchmarks.md has what was measured"`
	PageDisk float64 `json:"page_disk_bytes" key:"page-disk" default:"500" range:"(0,)" want:"more than 0" help:"bytes of disk a page, as docs/benchmarks.md has it"`
	Open     float64 `json:"open_us" key:"open-us" default:"10" range:"[0,)" want:"0 or more" help:"microseconds a page that a node takes to read a store that comes to it, as docs/benchmarks.md has it"`
}

// Costs are what a simulation is fed with.
type Costs struct {
	Machine
	Plan   float64 `json:"plan_us"`           // of a processor, a visit: measured, with the log
	Log    float64 `json:"log_bytes"`         // a visit
	Writes float64 `json:"writes_per_second"` // a leader of NATS
	// that it gives of copies, if the network carries them
	Copies float64 `json:"copy_bytes_per_second"`
}

// costs are those that the largest measurement found.
func (o *Options) costs(r *Result) Costs {
	last := r.Nodes[len(r.Nodes)-1]
	return Costs{o.Machine, last.CPU + last.NATS, last.Log, r.Writes, r.Copies}
}

const (
	shardBytes   = 550_000 // of memory, without pages: docs/nodes.md
	reportBytes  = 230     // that a node tells of a shard with each beat
	beatSeconds  = 5
	standBytes   = 130  // that an account of the budget has of a shard
	roundHours   = 1    // length of a round
	chunk        = 16e6 // bytes that a link serves at a time
	commitVisits = 64   // that a shard commits at once, where it makes more than so many a second
	opensAtOnce  = 2    // stores that a node gets at a time
	leaseSeconds = 20
	replicas     = 3 // of what NATS has
)

// Simulated is what so many nodes do with so many pages.
type Simulated struct {
	Nodes  int   `json:"nodes"`
	Pages  int64 `json:"pages"`
	Shards int   `json:"shards"`

	Memory     float64 `json:"memory_bytes"`      // of a node
	MemoryLess float64 `json:"memory_bytes_less"` // the same with one node lost
	Disk       float64 `json:"disk_bytes"`        // of a node that has no copies of NATS
	DiskNATS   float64 `json:"disk_bytes_nats"`   // of one that has
	Wanted     float64 `json:"visits_wanted"`     // a day
	Most       float64 `json:"visits_most"`       // a day, by the processors
	// that a leader of a family sends to its two copies
	LogRate float64 `json:"log_bytes_per_second"`
	Commits float64 `json:"commits_per_second"` // of a family
	// that the leader of the bucket sends to all nodes
	Beats  float64  `json:"beat_bytes_per_second"`
	Ledger float64  `json:"ledger_seconds"` // that the shares of a round take
	Lost   Moving   `json:"lost"`           // a node is lost
	Joined Moving   `json:"joined"`         // one joins
	Breaks []string `json:"breaks"`         // what is not enough
}

// Moving is what a node that is lost, or joins, costs.
type Moving struct {
	Shards int     `json:"shards"`
	Bytes  float64 `json:"bytes"` // of copies
	// until the last shard is planned again, from the end of the lease or the start
	Seconds float64 `json:"seconds"`
	Delayed float64 `json:"delayed"`      // pages that were planned by nobody for a while
	Mean    float64 `json:"mean_seconds"` // for how long, on average, with the lease
}

// Simulate works out a cluster.
func Simulate(c Costs, count int, pages int64) *Simulated {
	s := c.needs(count, pages)
	s.Lost = c.lose(s)
	s.Joined = c.join(s)
	return s
}

// needs is what such a cluster needs, and what is not enough.
func (c Costs) needs(count int, pages int64) *Simulated {
	n, p := float64(count), float64(pages)
	s := &Simulated{Nodes: count, Pages: pages, Shards: nodes.MostShards, Breaks: []string{}}
	shards := float64(s.Shards)
	memory := func(n float64) float64 { return p/n*c.PageRAM + shards/n*shardBytes }
	s.Memory, s.MemoryLess = memory(n), memory(n-1)
	s.Disk = p / n * c.PageDisk
	families := float64(bus.Families(s.Shards))
	holders := math.Min(n, replicas*families)
	// a copy, the next one, and a log half as long
	s.DiskNATS = s.Disk + p*c.PageDisk*replicas/holders*2.5
	s.Wanted = p / c.Interval
	s.Most = n * float64(c.Cores) * 86400e6 / (c.Fetch + c.Plan)
	perSecond := math.Min(s.Wanted, s.Most) / 86400
	// A byte of a log is sent once to the leader, and from there twice; copies add twice as much.
	s.LogRate = perSecond * c.Log * 3 * (replicas - 1) / math.Min(n, families)
	s.Commits = math.Min(perSecond, math.Max(shards, perSecond/commitVisits)) / families
	s.Beats = n / beatSeconds * (shards/n*reportBytes + 200) * n
	// Each shard settles a round and takes a share of the next one: both read and write an account.
	s.Ledger = 2*shards/c.Writes +
		4*shards*min(shards, nodes.AccountShards)*standBytes/(c.Network*1e6)
	breaks := func(is bool, format string, args ...any) {
		if is {
			s.Breaks = append(s.Breaks, fmt.Sprintf(format, args...))
		}
	}
	breaks(s.MemoryLess > c.Memory*1e9, "memory")
	breaks(s.DiskNATS > c.Disk*1e9, "disk of the machines with copies")
	breaks(s.Most < s.Wanted, "processors")
	breaks(s.LogRate > c.Network*1e6/2, "network of the leaders")
	breaks(s.Commits > c.Writes, "synced commits of the leaders")
	breaks(s.Beats > c.Network*1e6/2, "beats of nodes")
	breaks(s.Ledger > roundHours*3600/10, "the writes that divide the budget")
	return s
}

// Broken says what is not enough, in a word; "": nothing.
func (s *Simulated) Broken() string { return strings.Join(s.Breaks, ", ") }

// Limit is how many pages so many nodes can have at most.
type Limit struct {
	Nodes  int    `json:"nodes"`
	Pages  int64  `json:"pages"`
	Breaks string `json:"breaks"` // what is not enough for more
}

// mostPages is beyond what anybody crawls.
const mostPages = 1 << 50

// Most finds out with how many pages a cluster breaks, to a thousandth.
func Most(c Costs, count int) Limit {
	low, high := int64(0), int64(mostPages)
	for high-low > max(low/1000, 1) {
		if half := low + (high-low)/2; len(c.needs(count, half).Breaks) == 0 {
			low = half
		} else {
			high = half
		}
	}
	return Limit{count, low, c.needs(count, high).Broken()}
}

// station serves one thing after the other.
type station struct{ free, rate float64 }

// serve returns when an amount is served that comes at a moment.
func (s *station) serve(at, amount float64) float64 {
	s.free = math.Max(s.free, at) + amount/s.rate
	return s.free
}

// happening is an event.
type happening struct {
	at float64
	n  int
	do func(at float64)
}

// world is what happens, in order.
type world struct {
	queue []happening
	count int
}

func (w *world) Len() int { return len(w.queue) }
func (w *world) Less(i, j int) bool {
	a, b := w.queue[i], w.queue[j]
	return a.at < b.at || a.at == b.at && a.n < b.n
}
func (w *world) Swap(i, j int) { w.queue[i], w.queue[j] = w.queue[j], w.queue[i] }
func (w *world) Push(x any)    { w.queue = append(w.queue, x.(happening)) }
func (w *world) Pop() any {
	x := w.queue[len(w.queue)-1]
	w.queue = w.queue[:len(w.queue)-1]
	return x
}

func (w *world) at(t float64, do func(at float64)) {
	w.count++
	heap.Push(w, happening{t, w.count, do})
}

func (w *world) run() {
	for len(w.queue) > 0 {
		h := heap.Pop(w).(happening)
		h.do(h.at)
	}
}

// names are those of nodes, sorted.
func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("n%03d", i)
	}
	return list
}

// fetching moves shards to nodes: each gets so many at a time. each is told when a shard is there,
// and whether it was the last one.
func (c Costs) fetching(s *Simulated, to map[string][]int, each func(shard int, at float64)) {
	var w world
	// the copy, and half of a log that is half as long
	bytes := float64(s.Pages) / float64(s.Shards) * c.PageDisk * 1.25
	machines := make([]*station, s.Nodes) // that lead families
	for i := range machines {
		machines[i] = &station{rate: math.Min(c.Network*1e6, c.Copies)}
	}
	leader := func(shard int) *station { return machines[shard%bus.Families(s.Shards)%s.Nodes] }
	for _, name := range names(s.Nodes + 1) {
		list, link := to[name], &station{rate: c.Network * 1e6}
		var next func(at float64)
		next = func(at float64) {
			if len(list) == 0 {
				return
			}
			shard := list[0]
			list = list[1:]
			left := bytes
			var piece func(at float64)
			piece = func(at float64) {
				if left <= 0 {
					each(shard, at)
					next(at)
					return
				}
				amount := math.Min(left, chunk)
				left -= amount
				w.at(link.serve(leader(shard).serve(at, amount), amount), piece)
			}
			piece(at)
		}
		for range opensAtOnce {
			w.at(0, next)
		}
	}
	w.run()
}

// open is how long a node takes to read a store that came.
func (c Costs) open(s *Simulated) float64 {
	return float64(s.Pages) / float64(s.Shards) * c.Open / 1e6
}

// lose lets a node be lost: others fetch its shards when its lease is over.
func (c Costs) lose(s *Simulated) (m Moving) {
	before, after := nodes.Place(s.Shards, names(s.Nodes)),
		nodes.Place(s.Shards, names(s.Nodes)[:s.Nodes-1])
	gone := names(s.Nodes)[s.Nodes-1]
	to := map[string][]int{}
	for shard, name := range before {
		if name == gone {
			to[after[shard]] = append(to[after[shard]], shard)
			m.Shards++
		}
	}
	c.moved(s, &m)
	c.fetching(s, to, func(_ int, at float64) {
		at += c.open(s)
		m.Seconds = math.Max(m.Seconds, at)
		m.Mean += (at + leaseSeconds) / float64(m.Shards)
	})
	return m
}

// join lets a node join: it fetches shards while others work on them.
func (c Costs) join(s *Simulated) (m Moving) {
	all := names(s.Nodes + 1)
	before, after := nodes.Place(s.Shards, all[:s.Nodes]), nodes.Place(s.Shards, all)
	to := map[string][]int{}
	for shard, name := range after {
		if name != before[shard] {
			to[name] = append(to[name], shard)
			m.Shards++
		}
	}
	c.moved(s, &m)
	// The store is read after it was given away: its servers wait for that.
	m.Mean = c.open(s)
	c.fetching(s, to, func(_ int, at float64) { m.Seconds = math.Max(m.Seconds, at+c.open(s)) })
	return m
}

func (c Costs) moved(s *Simulated, m *Moving) {
	part := float64(m.Shards) / float64(s.Shards) * float64(s.Pages)
	m.Delayed, m.Bytes = part, part*c.PageDisk*1.25
}
