package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/recrawl/recrawl/satstore/paper"
)

// collectAt is the growth in percent at which garbage is collected, for all engines. The usual 100
// would let memory double, and the peak would depend on the collector.
const collectAt = 25

// run loads an engine and runs all units, in its own directory.
func (m *measurement) run(ctx context.Context, k Kind, rep int) (r Trial, err error) {
	what := fmt.Sprintf("%s, %d of %d", k.Name, rep+1, m.o.Repeat)
	dir := filepath.Join(m.dir, k.Name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	debug.FreeOSMemory() // memory of the last engine
	before := resident()
	e, err := k.open(dir, m.plan, m.o.Settings)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

	started := now()
	if err := e.Load(ctx, m.plan, func(n int) {
		m.o.Tick(what+": loading", n, m.plan.Records)
	}); err != nil {
		return r, fmt.Errorf("load: %w", err)
	}
	if _, err := waitIdle(ctx, e, dir); err != nil {
		return r, fmt.Errorf("settle: %w", err)
	}
	r.LoadSeconds = now().at.Sub(started.at).Seconds()
	debug.FreeOSMemory()
	resetPeak()
	owed := owedBy(e)
	rest := &pause{}
	defer rest.end()
	rest.begin()
	for t := 1; t <= m.o.Units; t++ {
		m.o.Tick(what+": units", t-1, m.o.Units)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		c, err := m.unit(e, dir, t, rest)
		if err != nil {
			return r, fmt.Errorf("unit %d: %w", t, err)
		}
		r.Units = append(r.Units, c)
	}
	rest.end()
	r.Beside = rest.all.spent()
	after, err := waitIdle(ctx, e, dir)
	if err != nil {
		return r, fmt.Errorf("settle: %w", err)
	}
	r.Settle = after.spent()
	r.Owed = owedBy(e) - owed
	r.Memory = max(resident().peak-before.current, 0)
	debug.FreeOSMemory()
	r.MemoryEnd = max(resident().anonymous-before.anonymous, 0)
	if r.Files, r.Stored, err = occupied(dir); err != nil {
		return r, err
	}
	m.o.Tick(what+": verifying", 0, m.plan.Records)
	return r, m.verify(ctx, e, func(n int) { m.o.Tick(what+": verifying", n, m.plan.Records) })
}

// owedBy returns what an engine has not written yet.
func owedBy(e Engine) int64 {
	if o, ok := e.(ower); ok {
		return o.Owed()
	}
	return 0
}

// verify compares the content of an engine with the plan.
func (m *measurement) verify(ctx context.Context, e Engine, tick func(records int)) error {
	s, ok := e.(scanner)
	if !ok {
		return nil
	}
	want, ok := m.ends[defers(e)]
	if !ok {
		var err error
		if want, err = m.plan.End(ctx, m.o.Messages, defers(e)); err != nil {
			return err
		}
		if m.ends == nil {
			m.ends = map[bool]paper.Tally{}
		}
		m.ends[defers(e)] = want
	}
	var got paper.Tally
	if err := s.Scan(func(body []byte, due int) error {
		if got.Records%(1<<16) == 0 {
			tick(got.Records)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		got.Add(body, due)
		return nil
	}); err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	if err := got.Differs(want); err != nil {
		return fmt.Errorf("after the last unit: %w", err)
	}
	return nil
}

// unit runs an engine for one step of time, starting with cold files, and checks its visits. Only
// the work between readings of the clock is timed; an engine may do other work meanwhile.
func (m *measurement) unit(e Engine, dir string, t int, rest *pause) (c UnitCost, err error) {
	u := &Unit{T: t, IDs: m.plan.IDs(nil, t), plan: m.plan}
	var requests []paper.PriorityChange
	if _, ok := e.(requester); ok {
		requests = m.plan.Requests(t, m.o.Messages)
	}
	if p, ok := e.(preparer); ok {
		_, before := device()
		if err := p.Prepare(t); err != nil {
			return c, err
		}
		_, after := device()
		rest.all.written -= after - before
	}
	from := now()
	if err := syncFiles(dir); err != nil {
		return c, err
	}
	rest.all.wall += now().at.Sub(from.at)
	if err := chill(e, dir); err != nil {
		return c, err
	}
	if c.Cached, err = cachedShare(dir); err != nil {
		return c, err
	}

	rest.end()
	defer rest.begin()
	started := now()
	if len(requests) > 0 {
		if err := e.(requester).Request(requests, u); err != nil {
			return c, fmt.Errorf("request: %w", err)
		}
	}
	if err := e.Visit(u); err != nil {
		return c, err
	}
	visited := now()
	if err := e.Commit(); err != nil {
		return c, fmt.Errorf("commit: %w", err)
	}
	committed := now()
	if err := syncFiles(dir); err != nil {
		return c, err
	}
	ended := now()

	var all cost
	all.add(started, ended)
	c.T, c.Due, c.Seconds, c.CPU, c.Read, c.Written = t, u.visited, all.wall.Seconds(),
		all.cpu.Seconds(), all.read, all.written
	c.Reads, c.Writes = all.reads, all.writes
	c.Visit = visited.at.Sub(started.at).Seconds()
	c.Commit = committed.at.Sub(visited.at).Seconds()
	c.Sync = ended.at.Sub(committed.at).Seconds()
	return c, m.check(e, u, len(requests))
}

// chill makes the kernel drop the contents of an engine's files, which are already written.
func chill(e Engine, dir string) (err error) {
	if mapped, ok := e.(mapper); ok {
		if err := mapped.Unmap(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, mapped.Map()) }()
		if err := syncFiles(dir); err != nil {
			return err
		}
	}
	return dropCache(dir)
}

// check compares the visits with the plan, and the applied changes with the requests.
func (m *measurement) check(e Engine, u *Unit, requests int) error {
	if want := len(m.plan.Due[u.T]); u.visited != want {
		return fmt.Errorf("%d records were visited, %d are due", u.visited, want)
	}
	want := m.plan.Sums[u.T]
	if _, only := e.(readOnly); only {
		want = m.plan.FirstSum(u.T)
	}
	if u.sum != want {
		return fmt.Errorf("the %d records visited are others than those due, or in another state: "+
			"sum %x, want %x", u.visited, u.sum, want)
	}
	if defers(e) {
		requests = m.applied[u.T]
	}
	if u.applied != requests {
		return fmt.Errorf("%d requests were applied, want %d", u.applied, requests)
	}
	return nil
}
