package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// member returns a test's member, with a clock that the test sets.
func member(kv KV, name string, now *time.Time, ahead time.Duration) *Member {
	return &Member{KV: kv, Name: name, Session: name + "/1", TTL: 10 * time.Second,
		Now: func() time.Time { return now.Add(ahead) }}
}

func beat(t *testing.T, m *Member) {
	t.Helper()
	if err := m.Beat(t.Context(), NodeState{}, false); err != nil {
		t.Fatal(err)
	}
	if err := m.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestLease checks that a node which is silent for the time of a lease counts as dead, and has
// stopped earlier.
func TestLease(t *testing.T) {
	kv, now := &memory{}, midnight
	a, b := member(kv, "a", &now, 0), member(kv, "b", &now, time.Hour)
	beat(t, a)
	beat(t, b)
	beat(t, a)
	if !a.Holds(now) || a.Over("b", "b/1", 2) || !a.Over("b", "b/0", 1) ||
		a.Over("b", "b/9", 100) || len(a.Stays(false)) != 2 || len(a.Stays(true)) != 1 {
		t.Error("two nodes do not see each other")
	}
	for range 9 { // b is silent
		now = now.Add(time.Second)
		beat(t, a)
		if hold := b.Holds(now.Add(time.Hour)); hold != (now.Sub(midnight) < 8*time.Second) {
			t.Errorf("after %v b has a lease: %v", now.Sub(midnight), hold)
		}
		if a.Over("b", "b/1", 2) {
			t.Errorf("b is dead after %v", now.Sub(midnight))
		}
	}
	now = now.Add(time.Second)
	beat(t, a)
	if gone, err := Gone(t.Context(), kv, "b", "b/1"); !a.Over("b", "b/1", 2) || !gone ||
		err != nil {
		t.Error("b lives")
	}
	if err := b.Beat(t.Context(), NodeState{}, true); !errors.Is(err, ErrOver) {
		t.Errorf("b may go on: %v", err)
	}
	b2 := member(kv, "b", &now, 0)
	b2.Session = "b/2"
	beat(t, b2) // a new life
	beat(t, a)
	if gone, err := Gone(t.Context(), kv, "b", "b/2"); a.Over("b", "b/2", 3) || gone || err != nil {
		t.Error("b does not live again")
	}
	b3 := member(kv, "b", &now, 0) // its process was killed, and is back at once
	b3.Session = "b/3"
	beat(t, b3)
	if err := b2.Beat(t.Context(), NodeState{}, true); !errors.Is(err, ErrOver) {
		t.Errorf("its first life goes on: %v", err)
	}
}

// TestSlept checks that a machine that was asleep has no lease: the wall clock jumps.
func TestSlept(t *testing.T) {
	now := midnight
	m := member(&memory{}, "a", &now, 0)
	beat(t, m)
	if !m.Holds(now.Add(7*time.Second)) || m.Holds(now.Add(time.Hour)) {
		t.Error("the lease ends at another time")
	}
}

// TestOffset checks that the others correct a wrong clock.
func TestOffset(t *testing.T) {
	kv, now := &memory{}, midnight
	all := []*Member{member(kv, "a", &now, 0), member(kv, "b", &now, time.Second),
		member(kv, "c", &now, time.Hour)}
	for range 4 {
		for _, m := range all {
			beat(t, m)
		}
		now = now.Add(3 * time.Second)
	}
	if a, b, c := all[0].Offset(), all[1].Offset(), all[2].Offset(); a != 0 || b != 0 ||
		(c+time.Hour).Abs() > 5*time.Second {
		t.Errorf("corrected by %v, %v, %v", a, b, c)
	}
	if !all[0].Settled() {
		t.Error("the clocks are not known")
	}
}

// TestLostAnswer checks that a lost answer does not end a session.
func TestLostAnswer(t *testing.T) {
	kv, now := &memory{}, midnight
	m := member(kv, "a", &now, 0)
	beat(t, m)
	e, _, _ := kv.Get(t.Context(), nodePrefix+"a")
	kv.Set(t.Context(), e.Key, e.Value, e.Revision) // as the beat whose answer was lost
	now = now.Add(3 * time.Second)
	beat(t, m)
	if !m.Holds(now.Add(7 * time.Second)) {
		t.Error("it was not renewed")
	}
}

// TestStateSize checks that the report of a node fits into a message of NATS, also if each of the
// most shards fails with a long error, and has the first of the errors.
func TestStateSize(t *testing.T) {
	const message = 1 << 20 // less a header of some bytes
	kv, now := &memory{}, midnight
	m := member(kv, "a", &now, 0)
	s := NodeState{Trouble: strings.Repeat("é", 5000), Version: strings.Repeat("v", 64)}
	for n := range MostShards {
		s.Shards = append(s.Shards, ShardReport{Shard: n, State: "opening",
			Error: strings.Repeat("<é> ", 300), Pages: 1e9, Waiting: 1e9, Visits: 1e9, Sending: 1e9,
			Dropped: 1e9, Price: 1.0 / 3, Used: 1e9, Granted: 1e9, Delay: 1e5 / 7.0})
		s.Ready = append(s.Ready, n)
	}
	long := s.Shards[0].Error
	if err := m.Beat(t.Context(), s, false); err != nil {
		t.Fatal(err)
	}
	list, err := kv.List(t.Context(), nodePrefix)
	if err != nil || len(list) != 1 || len(list[0].Value) > message-4096 {
		t.Fatalf("%d bytes, %v", len(list[0].Value), err)
	}
	states, err := NodeStates(t.Context(), kv)
	if err != nil {
		t.Fatal(err)
	}
	got := states[0].Value.Shards
	if len(got) != MostShards ||
		!strings.HasPrefix(long, strings.TrimSuffix(got[0].Error, "...")) ||
		len(got[0].Error) < longestError-3 || got[MostShards-1].Error != leftOut {
		t.Errorf("%d shards, the first with %q, the last with %q",
			len(got), got[0].Error, got[len(got)-1].Error)
	}
	if s.Shards[0].Error != long {
		t.Error("what the node knows itself was cut")
	}
}

// TestStartsSize checks that start pages too large for a message are refused with the reason.
func TestStartsSize(t *testing.T) {
	kv := &memory{}
	var urls []string
	for i := range 2000 {
		urls = append(urls, "http://a.example/"+strings.Repeat("x", 600)+string(rune('a'+i%26))+
			strings.Repeat("y", i))
	}
	if err := AddStarts(t.Context(), kv, urls[:200]); err != nil {
		t.Error(err)
	}
	if err := AddStarts(t.Context(), kv, urls); !errors.Is(err, ErrStarts) {
		t.Errorf("%v", err)
	}
	if list, _, err := Starts(t.Context(), kv); err != nil || len(list) != 200 {
		t.Errorf("%d start pages, %v", len(list), err)
	}
}

// TestMark checks that the first node makes the mark of a cluster. A node with the mark but without
// an agreement reports its loss; one with another mark is refused.
func TestMark(t *testing.T) {
	kv := &memory{}
	c := Cluster{Shards: 4, PerDay: 10, Mark: "one"}
	want := Cluster{Shards: 4, PerDay: 10, Apart: true, Mark: "one"}
	if got, err := Found(t.Context(), kv, c); err != nil || got != want {
		t.Fatalf("the first node: %+v, %v", got, err)
	}
	c.Mark, c.PerDay = "two", 20
	want.PerDay = 20
	if got, err := Found(t.Context(), kv, c); err != nil || got != want {
		t.Errorf("another one that is new: %+v, %v", got, err)
	}
	c.Again = true
	if _, err := Found(t.Context(), kv, c); !errors.Is(err, ErrMark) {
		t.Errorf("one of another cluster: %v", err)
	}
	c.Mark = "one"
	if got, err := Found(t.Context(), kv, c); err != nil || got != want {
		t.Errorf("one that comes back: %+v, %v", got, err)
	}
	lost := &memory{}
	for _, again := range []bool{true, false, true} {
		c.Again = again
		if got, err := Found(t.Context(), lost, c); err != nil || !got.Again || got.Mark != "one" {
			t.Errorf("where all was lost: %+v, %v", got, err)
		}
	}
	old := &memory{}
	old.Set(t.Context(), clusterKey, []byte(`{"shards":4,"per_day":20,"apart":true}`), 0)
	if got, err := Found(t.Context(), old, c); err != nil || got != want {
		t.Errorf("of an older program: %+v, %v", got, err)
	}
	shared := &memory{}
	shared.Set(t.Context(), clusterKey, []byte(`{"shards":4,"per_day":20}`), 0)
	if _, err := Found(t.Context(), shared, c); !errors.Is(err, ErrShared) {
		t.Errorf("of one whose nodes shared a directory: %v", err)
	}
}

// holder is a Host with stores of shards, by their epochs.
type holder struct {
	had      map[int]uint64
	open     map[int]bool
	opened   bool // result of Opened
	portable bool
	homed    int // calls of Homed
}

func (h *holder) Open(t Tenure)                 { h.open[t.Shard] = true }
func (h *holder) Close(shard int)               { delete(h.open, shard) }
func (h *holder) Portable(int) bool             { return h.portable }
func (h *holder) Opened(int) bool               { return h.opened }
func (h *holder) Homed(int)                     { h.homed++ }
func (h *holder) Has(n int) (e uint64, ok bool) { e, ok = h.had[n]; return e, ok }
func (h *holder) Work(shard int) Worked {
	if h.open[shard] {
		return Running
	}
	return Closed
}

// TestKeeper checks that a shard whose holder nobody knows is begun by the node that worked on it
// last, once all have reported their stores. A shard without a store waits for an order.
func TestKeeper(t *testing.T) {
	const shards = 6 // 0 to 3 have stores: at b alone, a later one at b, at a, the same at both
	had := []map[int]uint64{{1: 7, 2: 9, 3: 4}, {0: 3, 1: 8, 2: 8, 3: 4}}
	kv, now := &memory{}, midnight
	var all []*Shards
	for i, name := range []string{"a", "b"} {
		all = append(all, &Shards{Member: member(kv, name, &now, 0), Count: shards,
			Again: true, Host: &holder{had: had[i], open: map[int]bool{}}})
	}
	step := func(who []*Shards, times int) {
		t.Helper()
		for range times {
			for _, s := range who {
				m := s.Member
				err := m.Beat(t.Context(), NodeState{Stores: s.Host.(*holder).had}, false)
				if err == nil {
					err = m.Look(t.Context())
				}
				if err == nil {
					err = s.Step(t.Context())
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			now = now.Add(time.Second)
		}
	}
	step(all[:1], 5)
	if len(all[0].Held()) > 0 {
		t.Errorf("a began %v before others could tell what they have", all[0].Held())
	}
	step(all, 30)
	at := func(n int) string { // with the epoch
		for _, s := range all {
			if h, ok := s.Held()[n]; ok {
				return fmt.Sprint(s.Member.Name, h.Epoch)
			}
		}
		return ""
	}
	place := Place(shards, []string{"a", "b"})
	for n, want := range []string{"b4", "b9", "a10", place[3] + "5", "", ""} {
		if got := at(n); got != want {
			t.Errorf("shard %d is at %q, want %q", n, got, want)
		}
	}
	if err := Abandon(t.Context(), kv, 4); err != nil {
		t.Fatal(err)
	}
	step(all, 5)
	if got := at(4); got != place[4]+"1" || at(5) != "" {
		t.Errorf("the shard that was given up is at %q, want %s; the other one at %q",
			got, place[4], at(5))
	}
}

// TestGivenToTheReady checks that a node keeps its shards until another one has copies of their
// stores, which takes them at once.
func TestGivenToTheReady(t *testing.T) {
	kv, now := &memory{}, midnight
	var all []*Shards
	for _, name := range []string{"a", "b"} {
		all = append(all, &Shards{Member: member(kv, name, &now, 0), Count: 4,
			Host: &holder{open: map[int]bool{}, opened: true, portable: true}})
	}
	without := map[int]int{} // steps in which nobody had a shard
	for i := range 40 {
		for _, s := range all[:1+min(i/3, 1)] {
			var state NodeState
			if i >= 20 {
				state.Ready = slices.Clone(s.Coming())
			}
			if err := s.Member.Beat(t.Context(), state, false); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.Member.Look(t.Context()), s.Step(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		list, err := Tenures(t.Context(), kv)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.Value.Owner == "" {
				without[e.Value.Shard]++
			}
		}
		if a := len(all[0].Held()); i < 20 && a != 4 {
			t.Fatalf("a has %d shards in step %d, before b had copies", a, i)
		}
		now = now.Add(time.Second)
	}
	if a, b := len(all[0].Held()), len(all[1].Held()); a != 2 || b != 2 {
		t.Errorf("a has %d shards and b %d", a, b)
	}
	for shard, n := range without {
		if n > 1 {
			t.Errorf("nobody had shard %d for %d s", shard, n)
		}
	}
}

// forgetful is a KV that loses the answer to the first write which names node a as home of a store.
type forgetful struct {
	memory
	forgot bool
}

func (f *forgetful) Set(ctx context.Context, key string, value []byte, revision uint64) (
	uint64, error) {
	got, err := f.memory.Set(ctx, key, value, revision)
	if !f.forgot && strings.Contains(string(value), `"home":"a"`) {
		f.forgot = true
		return 0, errMemory
	}
	return got, err
}

// TestHomedWithoutAnswer checks that a shard whose store is known begins, also if the answer to
// that was lost.
func TestHomedWithoutAnswer(t *testing.T) {
	kv, now := &forgetful{}, midnight
	host := &holder{open: map[int]bool{}, opened: true}
	m := member(kv, "a", &now, 0)
	s := &Shards{Member: m, Count: 1, Host: host}
	lost := 0
	for range 4 {
		beat(t, m)
		if err := s.Step(t.Context()); errors.Is(err, errMemory) {
			lost++
		} else if err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	if lost != 1 || !host.open[0] || host.homed == 0 {
		t.Errorf("%d answers were lost; the shard is open: %v, all know of its store: %v",
			lost, host.open[0], host.homed > 0)
	}
}
