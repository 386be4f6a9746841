package bench

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/satstore/workload"
)

// unit lets an engine do one step of time, beginning with cold files, and checks that it
// visited what the plan has. Only what lies between readings of the clock is timed.
func (m *measurement) unit(e Engine, dir string, t int, r *Trial) (UnitCost, error) {
	u := &Unit{T: t, IDs: m.plan.IDs(nil, t), plan: m.plan}
	var requests []workload.Request
	if _, ok := e.(requester); ok {
		requests = m.plan.Requests(t, m.o.Messages)
	}
	if p, ok := e.(preparer); ok {
		if err := p.Prepare(t); err != nil {
			return UnitCost{}, err
		}
	}
	idle := now()
	if err := chill(e, dir); err != nil {
		return UnitCost{}, err
	}

	started := now()
	r.BesideCPU += (started.cpu - idle.cpu).Seconds()
	if len(requests) > 0 {
		if err := e.(requester).Request(requests, u); err != nil {
			return UnitCost{}, fmt.Errorf("request: %w", err)
		}
	}
	if err := e.Visit(u); err != nil {
		return UnitCost{}, err
	}
	visited := now()
	if err := e.Commit(); err != nil {
		return UnitCost{}, fmt.Errorf("commit: %w", err)
	}
	committed := now()
	if err := syncFiles(dir); err != nil {
		return UnitCost{}, err
	}
	ended := now()

	if err := m.check(e, u); err != nil {
		return UnitCost{}, err
	}
	var all cost
	all.add(started, ended)
	return UnitCost{T: t, Due: u.visited, Seconds: all.wall.Seconds(), CPU: all.cpu.Seconds(), Read: all.read, Written: all.written,
		Visit:  visited.at.Sub(started.at).Seconds(),
		Commit: committed.at.Sub(visited.at).Seconds(),
		Sync:   ended.at.Sub(committed.at).Seconds()}, nil
}

// chill writes out an engine's files and makes the kernel forget their contents.
func chill(e Engine, dir string) (err error) {
	mapped, _ := e.(mapper)
	if mapped != nil {
		if err := mapped.Unmap(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, mapped.Map()) }()
	}
	if err := syncFiles(dir); err != nil {
		return err
	}
	return dropCache(dir)
}

// check compares what was visited with the plan.
func (m *measurement) check(e Engine, u *Unit) error {
	if want := len(m.plan.Due[u.T]); u.visited != want {
		return fmt.Errorf("%d records were visited, %d are due", u.visited, want)
	}
	if u.sum != m.plan.Sums[u.T] {
		return fmt.Errorf("the %d records visited are others than those due, or in another state: sum %x, want %x", u.visited, u.sum, m.plan.Sums[u.T])
	}
	if r, ok := e.(deferrer); ok && r.Defers() && u.applied != m.applied[u.T] {
		return fmt.Errorf("%d requests were applied, want %d", u.applied, m.applied[u.T])
	}
	return nil
}
