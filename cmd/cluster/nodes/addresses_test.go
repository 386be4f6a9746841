package nodes

import (
	"context"
	"testing"
	"time"
)

// TestTurns checks that two nodes take turns at an address, with a pause between any two visits.
func TestTurns(t *testing.T) {
	kv, now := &memory{}, midnight
	dead := map[string]bool{}
	of := map[string]*Addresses{}
	side := func(name string) *Addresses {
		of[name] = &Addresses{KV: kv, Name: name, Session: name, Pause: 2 * time.Second,
			Now: func() time.Time { return now },
			Holds: func(time.Time) bool {
				return true
			}, Gone: func(_ context.Context, n, _ string) (bool, error) { return dead[n], nil },
			Want: func(n, address string) { of[n].Wanted(address) }}
		return of[name]
	}
	a, b := side("a"), side("b")
	sweep := func() {
		for _, one := range []*Addresses{a, b} {
			if err := one.Sweep(t.Context(), 10, false); err != nil {
				t.Error(err)
			}
		}
	}
	visits := map[string]int{}
	last := midnight.Add(-time.Hour)
	try := func(of *Addresses) {
		t.Helper()
		ok, until, err := of.Enter(t.Context(), "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			if !until.After(now) {
				t.Errorf("%s is to ask again at %v", of.Name, until.Sub(now))
			}
			return
		}
		if ok, _, _ := b.Enter(t.Context(), "192.0.2.1"); ok {
			t.Fatalf("b may ask while %s does", of.Name)
		}
		if now.Sub(last) < 2*time.Second {
			t.Errorf("%s asks %v after the last visit", of.Name, now.Sub(last))
		}
		now = now.Add(500 * time.Millisecond)
		last = now
		of.Leave("192.0.2.1", time.Time{})
		visits[of.Name]++
	}
	for range 400 {
		try(a)
		try(b)
		sweep()
		now = now.Add(250 * time.Millisecond)
	}
	if visits["a"] < 8 || visits["b"] < 8 {
		t.Errorf("visits of each: %v", visits)
	}
	// One dies with the address: the other waits until no visit of it can be in flight.
	for ok := false; !ok; now = now.Add(250 * time.Millisecond) {
		ok, _, _ = a.Enter(t.Context(), "192.0.2.1")
	}
	a.Leave("192.0.2.1", time.Time{})
	dead["a"], visits["b"] = true, 0
	from := now
	for visits["b"] == 0 && now.Sub(from) < time.Minute {
		try(b)
		now = now.Add(250 * time.Millisecond)
	}
	if waited := now.Sub(from); visits["b"] == 0 || waited < 2*time.Second ||
		waited > 5*time.Second {
		t.Errorf("b had it after %v", waited)
	}
	// An unused address is given back, and leaves no entry.
	if err := b.Sweep(t.Context(), 10, false); err != nil || b.Held() != 1 {
		t.Errorf("given back at once: %v", err)
	}
	now = now.Add(idle + time.Second)
	if err := b.Sweep(t.Context(), 10, false); err != nil || b.Held() != 0 || len(kv.entries) != 0 {
		t.Errorf("not given back: %d held, %d entries, %v", b.Held(), len(kv.entries), err)
	}
	// A node that ends leaves the pause to the others.
	if ok, _, err := b.Enter(t.Context(), "192.0.2.1"); !ok || err != nil {
		t.Fatal(err)
	}
	b.Leave("192.0.2.1", time.Time{})
	if err := b.Sweep(t.Context(), 10, true); err != nil {
		t.Fatal(err)
	}
	c := side("c")
	if ok, until, _ := c.Enter(t.Context(), "192.0.2.1"); ok ||
		until.Sub(now) < 2*time.Second-time.Millisecond {
		t.Errorf("c may ask at once, or after %v", until.Sub(now))
	}
	now = now.Add(2*time.Second + time.Millisecond)
	if ok, _, err := c.Enter(t.Context(), "192.0.2.1"); !ok || err != nil {
		t.Errorf("c may not ask: %v", err)
	}
}

// TestAddressMoves checks that a node which no longer visits an address, because its shard moved,
// gives it away at the first request: the other has it little more than the pause later.
func TestAddressMoves(t *testing.T) {
	kv, now := &memory{}, midnight
	of := map[string]*Addresses{}
	for _, name := range []string{"a", "b"} {
		of[name] = &Addresses{KV: kv, Name: name, Session: name, Pause: 500 * time.Millisecond,
			Now:   func() time.Time { return now },
			Holds: func(time.Time) bool { return true },
			Gone:  func(context.Context, string, string) (bool, error) { return false, nil },
			Want:  func(n, address string) { of[n].Wanted(address) }}
	}
	a, b := of["a"], of["b"]
	if ok, _, err := a.Enter(t.Context(), "192.0.2.1"); !ok || err != nil {
		t.Fatal(err)
	}
	a.Leave("192.0.2.1", time.Time{})
	for from, next := now, now; ; now = now.Add(50 * time.Millisecond) {
		if now.Sub(from)%(250*time.Millisecond) == 0 {
			if err := a.Sweep(t.Context(), 10, false); err != nil {
				t.Fatal(err)
			}
		}
		if now.Before(next) {
			continue
		}
		ok, until, err := b.Enter(t.Context(), "192.0.2.1")
		if next = until; err != nil {
			t.Fatal(err)
		}
		took := now.Sub(from)
		if ok && took < 500*time.Millisecond {
			t.Errorf("b asks %v after a", took)
		}
		if took > 1500*time.Millisecond {
			t.Fatalf("b has it after %v: %v", took, ok)
		}
		if ok {
			break
		}
	}
}
