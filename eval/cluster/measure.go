package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner/nodes/bus"
	"github.com/recrawl/recrawl/satstore/proc"
)

// Settings are those of a user.
type Settings struct {
	Most     int           `default:"8" range:"[1,64]" help:"measure 1, 2, 4 nodes and so on, up to so many"`
	For      time.Duration `default:"20s" range:"[1s,1h]" want:"1s to 1h" help:"time for each"`
	Share    int           `default:"10" range:"[0,100]" want:"0 to 100" help:"hundredths of a processor that each node has, by a control group; 0: what there is"`
	Shards   int           `default:"32" range:"[1,4096]" help:"parts into which servers are divided"`
	Servers  int           `default:"1000" range:"[1,1000000]" help:"servers that are visited"`
	Visit    time.Duration `default:"50ms" range:"[1ms,1m]" want:"1ms to 1m" help:"time that a visit takes, of which the processor knows nothing"`
	Pages    int           `range:"[0,1000000000]" help:"pages that are known from the beginning: measure --most nodes with them, and how shards move when one leaves and one is killed; 0: none"`
	Copies   int           `default:"3" range:"[1,5]" help:"servers of NATS, each of which keeps what nodes agree on, and with --pages copies of all stores"`
	Simulate bool          `help:"work out 1 and 10 billion pages on 16 to 256 machines from what was measured"`
	Machine  `key:"machine"`
	HTML     string `path:"file" help:"write a report with charts to this file"`
}

// pages are those of a server: more than are ever visited.
const pages = 1 << 20

const (
	// leastVisits are what a measurement takes: it goes on for as long again while there are fewer.
	leastVisits = 20
	// mostTries bounds how often.
	mostTries = 100
)

// Options of a measurement.
type Options struct {
	Settings
	Again []string                           // a command that begins this program once more
	Dir   string                             // for stores; it exists
	Tick  func(what string, done, total int) // says how far it is
}

// Result is what was measured.
type Result struct {
	Processors int        `json:"processors"`
	Load       [2]float64 `json:"load_average"` // before and after
	// hundredths of a processor of each node; 0: no bound
	Share   int        `json:"share"`
	Shards  int        `json:"shards"`
	Servers int        `json:"servers"`
	Shared  string     `json:"shared"` // what the nodes share
	Nodes   []Measured `json:"nodes"`
	// to the NATS servers, one after the other
	Writes float64 `json:"writes_per_second"`
	// got from the NATS servers, while no node runs
	Copies    float64      `json:"copy_bytes_per_second"`
	Full      *Full        `json:"full"`  // null: without --pages
	Costs     *Costs       `json:"costs"` // of the simulation; null: there was none
	Simulated []*Simulated `json:"simulated"`
	Limits    []Limit      `json:"limits"`
}

// Measured is what so many nodes did.
type Measured struct {
	Nodes   int     `json:"nodes"`
	Seconds float64 `json:"seconds"`
	Visits  int64   `json:"visits"`
	PerSec  float64 `json:"visits_per_second"`
	// visits a second of a node, beside those of one alone
	Scaling float64 `json:"scaling"`
	CPU     float64 `json:"cpu_us_per_visit"` // of the nodes
	NATS    float64 `json:"nats_cpu_us_per_visit"`
	Log     float64 `json:"log_bytes_per_visit"`
	Parts   float64 `json:"log_parts_per_second"`
	Used    float64 `json:"share_used"` // part of the shares that was used
}

// shared is what nodes share.
func (o *Options) shared() string {
	return "processors, disk, and NATS, with " + report.Plural(o.Copies, "server") +
		" in a process without a share"
}

// Measure runs 1, 2, 4 nodes and so on.
func Measure(ctx context.Context, o Options) (*Result, error) {
	r := &Result{Processors: runtime.NumCPU(), Share: o.Share, Shards: o.Shards, Servers: o.Servers,
		Shared: o.shared(), Nodes: []Measured{}, Simulated: []*Simulated{}, Limits: []Limit{}}
	r.Load[0] = proc.LoadAverage()
	if o.Pages > 0 {
		var err error
		if r.Full, err = measureFull(ctx, o); err != nil {
			return nil, fmt.Errorf("measure %d nodes with %d pages: %w", o.Most, o.Pages, err)
		}
		r.Load[1] = proc.LoadAverage()
		return r, nil
	}
	for n := 1; n <= o.Most; n *= 2 {
		m, err := measure(ctx, o, n, r)
		if err != nil {
			return nil, fmt.Errorf("measure %d nodes: %w", n, err)
		}
		if m.Scaling = 1; n > 1 {
			m.Scaling = m.PerSec / float64(n) / r.Nodes[0].PerSec
		}
		r.Nodes = append(r.Nodes, m)
	}
	r.Load[1] = proc.LoadAverage()
	if !o.Simulate {
		return r, nil
	}
	c := o.costs(r)
	r.Costs = &c
	for _, billions := range []int64{1, 10} {
		for n := 16; n <= 256; n *= 2 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			r.Simulated = append(r.Simulated, Simulate(c, n, billions*1_000_000_000))
		}
	}
	for n := 16; n <= 256; n *= 2 {
		r.Limits = append(r.Limits, Most(c, n))
	}
	return r, nil
}

// begun are the servers of NATS.
type begun []*bus.Bus

func (b begun) close() {
	for _, s := range b {
		if s != nil {
			s.Close()
		}
	}
}

// beginServers starts three that know each other.
func beginServers(ctx context.Context, dir string, servers int) (all begun, err error) {
	routes := make([]string, servers)
	for i := range routes {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		routes[i] = l.Addr().String()
		l.Close()
	}
	all = make(begun, servers)
	failed := make(chan error, servers)
	for i := range all {
		settings := bus.Settings{Cluster: clusterName, Listen: "127.0.0.1:0", Replicas: servers}
		if servers > 1 {
			settings.Routes, settings.RouteAt = routes, routes[i]
		}
		go func() {
			var err error
			all[i], err = bus.Open(ctx, settings, fmt.Sprint("server", i),
				filepath.Join(dir, fmt.Sprint("nats", i)), func(error) {})
			failed <- err
		}()
	}
	for range all {
		err = errors.Join(err, <-failed)
	}
	if err != nil {
		all.close()
	}
	return all, err
}

// measure runs so many nodes. What the first servers of NATS do before goes into the result.
func measure(ctx context.Context, o Options, count int, r *Result) (m Measured, err error) {
	dir, err := os.MkdirTemp(o.Dir, "recrawl-nodes-*")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(dir)
	what := fmt.Sprintf("%d nodes", count)
	tick := func(done int) {
		if o.Tick != nil {
			o.Tick(what, done, 3)
		}
	}
	tick(0)
	nats, err := beginServers(ctx, dir, o.Copies)
	if err != nil {
		return m, err
	}
	defer nats.close()
	if count == 1 {
		if r.Writes, err = writesOf(ctx, nats[0]); err != nil {
			return m, err
		}
		if r.Copies, err = copiesOf(ctx, nats); err != nil {
			return m, err
		}
	}
	all := fleet{}
	defer all.end()
	for i := range count {
		if err := all.begin(&o, nats, dir, i); err != nil {
			return m, err
		}
	}
	sum := func() (told, time.Duration, error) {
		t, used, err := all.ask("", o.Shards)
		return t, used, errors.Join(err, ctx.Err())
	}
	tick(1)
	for { // until all servers are known
		t, _, err := sum()
		if err != nil {
			return m, err
		}
		if t.Servers >= int64(o.Servers) {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	tick(2)
	partsBefore, _, err := nats[0].Logged(ctx, o.Shards)
	if err != nil {
		return m, err
	}
	own := cpuOf(os.Getpid())
	before, used, err := sum()
	if err != nil {
		return m, err
	}
	began := time.Now()
	var after told
	var usedAfter time.Duration
	var parts uint64
	var bytes float64           // of a part
	for tries := 1; ; tries++ { // longer where what was made says nothing
		select {
		case <-ctx.Done():
			return m, ctx.Err()
		case <-time.After(time.Until(began.Add(time.Duration(tries) * o.For))):
		}
		if after, usedAfter, err = sum(); err != nil {
			return m, err
		}
		m = Measured{Nodes: count, Seconds: time.Since(began).Seconds(),
			Visits: after.Visits - before.Visits}
		if parts, bytes, err = nats[0].Logged(ctx, o.Shards); err != nil {
			return m, err
		}
		if m.Visits >= leastVisits && (count == 1 || parts > partsBefore) {
			break
		}
		if tries == mostTries {
			return m, fmt.Errorf("%d visits in %v, fewer than %d, or no commit: is the machine "+
				"busy, or --share too small?", m.Visits, time.Since(began).Round(time.Second),
				leastVisits)
		}
	}
	n := float64(m.Visits)
	m.PerSec, m.CPU = n/m.Seconds, float64((usedAfter-used).Microseconds())/n
	m.NATS = float64((cpuOf(os.Getpid()) - own).Microseconds()) / n
	sent := float64(parts - partsBefore)
	m.Log, m.Parts = sent*bytes/n, sent/m.Seconds // parts that were dropped meanwhile were as long
	if o.Share > 0 {
		m.Used = (usedAfter - used).Seconds() / (m.Seconds * float64(count*o.Share) / 100)
	}
	tick(3)
	return m, nil
}

// writesOf is how many writes a second one client makes while no node runs, one after the other,
// each synced by most servers.
func writesOf(ctx context.Context, b *bus.Bus) (float64, error) {
	const writes = 200
	began, last := time.Now(), uint64(0)
	for range writes {
		next, err := b.Nodes.Set(ctx, "bench", []byte("x"), last)
		for tries := 1; err != nil; tries++ { // its answer was lost, or a leader is elected
			e, _, unknown := b.Nodes.Get(ctx, "bench")
			if next, err = e.Revision, unknown; err != nil &&
				(tries == mostTries || ctx.Err() != nil) {
				return 0, fmt.Errorf("write to NATS: %w", err)
			}
		}
		last = next
	}
	return writes / time.Since(began).Seconds(), nil
}

// copiesOf is how many bytes a second of a copy one server gets from the others.
func copiesOf(ctx context.Context, all begun) (float64, error) {
	const shard, size = 0, 16 << 20
	name := bus.CopyName(shard, 0, 0)
	put := all[0].Copies(shard, 1)
	err := put.Put(ctx, name, io.LimitReader(zeros{}, size))
	// until the new stream has a leader
	for tries := 1; err != nil && tries < 40 && ctx.Err() == nil; tries++ {
		time.Sleep(250 * time.Millisecond)
		err = put.Put(ctx, name, io.LimitReader(zeros{}, size))
	}
	if err != nil {
		return 0, fmt.Errorf("put a copy into NATS: %w", err)
	}
	began := time.Now()
	from, err := all[1].Copies(shard, 1).Get(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("get a copy from NATS: %w", err)
	}
	n, err := io.Copy(io.Discard, from)
	took := time.Since(began)
	if err := errors.Join(err, from.Close(), put.Remove(ctx, name)); err != nil {
		return 0, fmt.Errorf("get a copy from NATS: %w", err)
	}
	return float64(n) / took.Seconds(), nil
}

// zeros has no end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
