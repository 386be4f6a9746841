package bench

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/satstore/workload"
)

// unit lets an engine do one step of time, beginning with cold files, and checks that it
// visited what the plan has. Only what lies between readings of the clock is timed; the
// rest is the engine's time to work behind.
func (m *measurement) unit(e Engine, dir string, t int, rest *pause) (c UnitCost, err error) {
	u := &Unit{T: t, IDs: m.plan.IDs(nil, t), plan: m.plan}
	var requests []workload.Request
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
	c.Visit = visited.at.Sub(started.at).Seconds()
	c.Commit = committed.at.Sub(visited.at).Seconds()
	c.Sync = ended.at.Sub(committed.at).Seconds()
	return c, m.check(e, u, len(requests))
}

// chill makes the kernel forget the contents of an engine's files, which are written out.
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

// check compares what was visited with the plan, and what was applied with the requests.
func (m *measurement) check(e Engine, u *Unit, requests int) error {
	if want := len(m.plan.Due[u.T]); u.visited != want {
		return fmt.Errorf("%d records were visited, %d are due", u.visited, want)
	}
	if u.sum != m.plan.Sums[u.T] {
		return fmt.Errorf(
			"the %d records visited are others than those due, or in another state: sum %x, want %x",
			u.visited,
			u.sum,
			m.plan.Sums[u.T],
		)
	}
	if defers(e) {
		requests = m.applied[u.T]
	}
	if u.applied != requests {
		return fmt.Errorf("%d requests were applied, want %d", u.applied, requests)
	}
	return nil
}
