package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner/nodes"
	"github.com/recrawl/recrawl/planner/nodes/work"
	"github.com/recrawl/recrawl/satstore/proc"
)

// Full is what nodes do that know many pages from the beginning.
type Full struct {
	Nodes  int `json:"nodes"`
	Pages  int `json:"pages"`
	Shards int `json:"shards"`
	// until all pages are in stores and all shards run
	Fill     float64 `json:"fill_seconds"`
	FillEach float64 `json:"fill_us_per_page"` // of it, to write a page
	// from then until all shards are where they belong, with copies in NATS
	Copy       float64 `json:"copy_seconds"`
	CopyBytes  int64   `json:"copy_bytes"`        // of all copies
	Memory     []int64 `json:"memory_bytes"`      // of each node, after that
	Peak       []int64 `json:"memory_peak_bytes"` // of each node, until then
	NATSMemory int64   `json:"nats_memory_bytes"` // of the process with the servers of NATS
	Seconds    float64 `json:"seconds"`           // of the visits below
	PerSec     float64 `json:"visits_per_second"`
	CPU        float64 `json:"cpu_us_per_visit"` // of the nodes
	NATS       float64 `json:"nats_cpu_us_per_visit"`
	// a node gave its shards away and ended; null: there was one node
	Left   *Handed `json:"left"`
	Killed *Handed `json:"killed"`
}

// Handed is how the shards of a node came to others.
type Handed struct {
	Shards  int     `json:"shards"`
	Pages   int     `json:"pages"`
	Bytes   int64   `json:"bytes"`     // of the copies of their stores
	Log     int64   `json:"log_bytes"` // of parts that all shards committed meanwhile
	Seconds float64 `json:"seconds"`   // until all are visited at other nodes
	// between the last visit of a shard there and its first one elsewhere
	Mean float64 `json:"late_seconds"`
	Most float64 `json:"late_seconds_most"` // the longest of them
	Open float64 `json:"open_seconds"`      // from taking a shard to its first round, the longest
}

// full is a measurement under way.
type full struct {
	Options
	nats begun
	all  fleet
}

const (
	// patience bounds each step.
	patience = 2 * time.Hour
	// idle is how long a shard runs without a visit until it is taken for one that has none to
	// make.
	idle = 10 * time.Second
)

// measureFull fills stores, visits, lets a node leave and kills another one.
func measureFull(ctx context.Context, o Options) (f *Full, err error) {
	dir, err := os.MkdirTemp(o.Dir, "recrawl-nodes-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	done := 0
	tick := func() {
		if o.Tick != nil {
			o.Tick(fmt.Sprintf("%d pages", o.Pages), done, 5)
		}
		done++
	}
	tick()
	m := &full{Options: o, all: fleet{}}
	if m.nats, err = beginServers(ctx, dir, o.Copies); err != nil {
		return nil, err
	}
	defer m.nats.close()
	defer m.all.end()
	began := time.Now()
	for i := range o.Most {
		if err := m.all.begin(&m.Options, m.nats, dir, i); err != nil {
			return nil, err
		}
	}
	f = &Full{Nodes: o.Most, Pages: o.Pages, Shards: o.Shards}
	_, err = m.until(ctx, func(s *seen) bool { return s.pages >= o.Pages && len(s.at) == o.Shards })
	if err != nil {
		return nil, fmt.Errorf("make pages known: %w", err)
	}
	f.Fill = time.Since(began).Seconds()
	t, _, err := m.ask("")
	if err != nil {
		return nil, err
	}
	f.FillEach = t.Filling.Seconds() * 1e6 / float64(max(t.Filled, 1))
	tick()
	began = time.Now()
	s, err := m.until(ctx, m.settled)
	if err != nil {
		return nil, fmt.Errorf("copy stores: %w", err)
	}
	f.Copy = time.Since(began).Seconds()
	for _, bytes := range s.copies {
		f.CopyBytes += bytes
	}
	tick()
	if err := m.visit(ctx, f); err != nil {
		return nil, err
	}
	tick()
	if o.Most == 1 {
		return f, nil
	}
	if f.Left, err = m.lose(ctx, false); err != nil {
		return nil, fmt.Errorf("let a node leave: %w", err)
	}
	tick()
	if len(m.all) == 1 {
		return f, nil
	}
	if _, err = m.until(ctx, m.settled); err != nil {
		return nil, fmt.Errorf("copy stores: %w", err)
	}
	if f.Killed, err = m.lose(ctx, true); err != nil {
		return nil, fmt.Errorf("kill a node: %w", err)
	}
	tick()
	return f, nil
}

// seen is what nodes say.
type seen struct {
	at     map[int]string // the node at which a shard runs
	of     map[int]nodes.ShardReport
	pages  int
	copies map[int]int64 // their bytes, by shard
}

// look reads what nodes say.
func (m *full) look(ctx context.Context) (*seen, error) {
	s := &seen{at: map[int]string{}, of: map[int]nodes.ShardReport{}}
	b := m.nats[0]
	states, err := nodes.NodeStates(ctx, b.Nodes)
	if err != nil {
		return nil, err
	}
	tenures, err := nodes.Tenures(ctx, b.Nodes)
	if err != nil {
		return nil, err
	}
	if s.copies, err = work.Copied(ctx, b); err != nil {
		return nil, err
	}
	for _, t := range tenures {
		for _, e := range states {
			if e.Value.Session != t.Value.Session || e.Value.Dead || m.all[e.Value.Name] == nil {
				continue
			}
			for _, r := range e.Value.Shards {
				if r.Shard == t.Value.Shard && r.State == "running" {
					s.at[r.Shard], s.of[r.Shard], s.pages = e.Value.Name, r, s.pages+r.Pages
				}
			}
		}
	}
	return s, nil
}

// settled reports whether each shard runs where it belongs, and others can get it.
func (m *full) settled(s *seen) bool {
	places := nodes.Place(m.Shards, slices.Sorted(maps.Keys(m.all)))
	for shard, name := range places {
		if s.at[shard] != name || len(m.all) > 1 && s.copies[shard] == 0 {
			return false
		}
	}
	return true
}

// until waits.
func (m *full) until(ctx context.Context, is func(*seen) bool) (*seen, error) {
	for began := time.Now(); ; {
		s, err := m.look(ctx)
		if err == nil && is(s) {
			return s, nil
		}
		if err == nil && time.Since(began) > patience {
			err = fmt.Errorf("%d shards of %d run, with %d pages and %d copies, after %v",
				len(s.at), m.Shards, s.pages, len(s.copies), patience)
		}
		if _, _, dead := m.ask(""); dead != nil {
			err = errors.Join(err, dead)
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// ask asks all nodes.
func (m *full) ask(line string) (sum told, used time.Duration, err error) {
	return m.all.ask(line, m.Shards)
}

// visit measures visits and memory.
func (m *full) visit(ctx context.Context, f *Full) error {
	before, used, err := m.ask(visitLine)
	if err != nil {
		return err
	}
	began, own := time.Now(), cpuOf(os.Getpid())
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(m.For):
	}
	after, usedAfter, err := m.ask("")
	if err != nil {
		return err
	}
	visits := float64(max(after.Visits-before.Visits, 1))
	f.Seconds = time.Since(began).Seconds()
	f.PerSec = visits / f.Seconds
	f.CPU, f.NATS = float64((usedAfter-used).Microseconds())/visits,
		float64((cpuOf(os.Getpid())-own).Microseconds())/visits
	memory := func(pid int, word string) int64 {
		return proc.Field(fmt.Sprintf("/proc/%d/status", pid), word) * 1024
	}
	for _, name := range slices.Sorted(maps.Keys(m.all)) {
		pid := m.all[name].cmd.Process.Pid
		f.Memory, f.Peak = append(f.Memory, memory(pid, "VmRSS:")),
			append(f.Peak, memory(pid, "VmHWM:"))
	}
	f.NATSMemory = memory(os.Getpid(), "VmRSS:")
	return nil
}

// lose lets the node with the most shards end, in good order or at once, and waits until they are
// visited elsewhere.
func (m *full) lose(ctx context.Context, kill bool) (*Handed, error) {
	s, err := m.look(ctx)
	if err != nil {
		return nil, err
	}
	has := map[string]int{}
	for _, at := range s.at {
		has[at]++
	}
	name := slices.MaxFunc(slices.Sorted(maps.Keys(m.all)), func(a, b string) int {
		return has[a] - has[b]
	})
	_, logBefore, err := m.logged(ctx)
	if err != nil {
		return nil, err
	}
	h := &Handed{}
	var shards []int
	for shard, at := range s.at {
		if at == name {
			shards = append(shards, shard)
			h.Shards, h.Pages, h.Bytes = h.Shards+1, h.Pages+s.of[shard].Pages,
				h.Bytes+s.copies[shard]
		}
	}
	p := m.all[name]
	if _, _, err := m.ask(resetLine); err != nil {
		return nil, err
	}
	began := time.Now()
	line := leaveLine // its answer comes when it ends
	if kill {
		line = ""
	}
	last, err := p.ask(line)
	p.end()
	if err != nil {
		return nil, err
	}
	delete(m.all, name)
	var first told
	runs := map[int]time.Time{} // since when
	s, err = m.until(ctx, func(s *seen) bool {
		if first, _, err = m.ask(""); err != nil {
			return true
		}
		for _, shard := range shards {
			if _, known := runs[shard]; !known && s.at[shard] != "" {
				runs[shard] = time.Now()
			}
			if first.First[shard] == 0 && time.Since(runs[shard]) > idle && s.at[shard] != "" {
				first.First[shard] = runs[shard].UnixMilli()
			}
		}
		return !slices.ContainsFunc(shards, func(shard int) bool {
			return s.at[shard] == "" || first.First[shard] == 0
		})
	})
	if err != nil {
		return nil, err
	}
	visited := 0
	for _, shard := range shards {
		h.Seconds = max(h.Seconds, time.UnixMilli(first.First[shard]).Sub(began).Seconds())
		h.Open = max(h.Open, s.of[shard].Delay)
		if last.Last[shard] > 0 { // otherwise there was no visit that a pause could begin with
			late := float64(first.First[shard]-last.Last[shard]) / 1000
			h.Mean, h.Most, visited = h.Mean+late, max(h.Most, late), visited+1
		}
	}
	h.Mean /= float64(max(visited, 1))
	_, log, err := m.logged(ctx)
	h.Log = int64(log - logBefore)
	return h, err
}

// logged is how many parts logs took, and about how many bytes.
func (m *full) logged(ctx context.Context) (parts uint64, bytes float64, err error) {
	parts, mean, err := m.nats[0].Logged(ctx, m.Shards)
	return parts, mean * float64(parts), err
}
