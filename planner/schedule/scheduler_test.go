package schedule

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// drive runs downloads, which take the time of took, until a given time, and calls began at each
// start.
func drive(s *Scheduler, from, until Tick, took func(ID) Tick, began func(ID, Tick)) Tick {
	type end struct {
		id ID
		at Tick
	}
	var ends []end
	for now := from; now < until; {
		for i := 0; i < len(ends); {
			if ends[i].at <= now {
				s.Done(ends[i].id, now)
				ends = slices.Delete(ends, i, i+1)
				continue
			}
			i++
		}
		s.Wake(now)
		for {
			id, ok := s.Next(0, now)
			if !ok {
				break
			}
			began(id, now)
			ends = append(ends, end{id, now + took(id)})
		}
		next, ok := s.NextWake()
		if !ok {
			next = until
		}
		for _, e := range ends {
			next = min(next, e.at)
		}
		now = max(next, now)
	}
	return until
}

// [HIER 2.4]: I=100 s, e=1 s, I_min=1 s: 100 downloads in 10,000 s, not 5,000 as by the text of eq.
// 6.
func TestOnePerPeriod(t *testing.T) {
	s := New(EDF)
	s.Add(0, Server{Load: RateOf(100 * Second), Least: Second,
		Times: Times{Mean: Second, Max: Second}})
	n := 0
	drive(s, 0, 10_000*Second, func(ID) Tick { return Second }, func(ID, Tick) { n++ })
	if n != 100 || s.Missed() != (Missed{}) {
		t.Errorf("%d downloads, missed %+v", n, s.Missed())
	}
}

// Guarantees 1 and 2 under random servers, few connections and changes of intervals: at most C
// downloads, one a server, one start a period. Missed and made periods add up to all.
func TestInvariants(t *testing.T) {
	for _, p := range Policies {
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 3))
			s := New(p)
			const servers, until = 60, 3000 * Second
			connections := 1 + int(seed)%4*3
			s.SetConnections(0, connections)
			last := make([]Tick, servers)
			interval := make([]Tick, servers)
			for i := range servers {
				interval[i] = 500 + Tick(rng.Int64N(int64(200*Second)))
				got := s.Add(0, Server{Load: RateOf(interval[i]), Least: Tick(rng.Int64N(2000)),
					Times: Times{Mean: 700, Max: 9000}})
				interval[i] = s.Status(got).Interval
				last[i] = -1
			}
			starts := make([]int, servers)
			drive(s, 0, until, func(ID) Tick {
				return 1 + Tick(rng.Int64N(8000))
			}, func(id ID, now Tick) {
				if s.Busy(0) > connections {
					t.Fatalf("%s, seed %d: %d downloads with %d connections",
						p.Name(), seed, s.Busy(0), connections)
				}
				if period := now / interval[id]; period <= last[id] {
					t.Fatalf("%s, seed %d: server %d starts twice in period %d",
						p.Name(), seed, id, period)
				} else {
					last[id] = period
				}
				starts[id]++
			})
			lost := 0
			for i := range servers {
				status := s.Status(ID(i))
				// Those from the last start on are not yet counted.
				periods := int(last[i]) + 1
				if got := starts[i] + status.Missed; got < periods ||
					got > periods+int((until)/interval[i])-int(last[i]) {
					t.Errorf("%s, seed %d: server %d with %d starts and %d missed in %d periods",
						p.Name(), seed, i, starts[i], status.Missed, periods)
				}
				lost += status.Missed
			}
			if int64(lost) != s.Missed().Total() {
				t.Errorf("%s: servers missed %d, all %+v", p.Name(), lost, s.Missed())
			}
		}
	}
}

// [HIER eq. 5]: a server that was served late does not catch up.
func TestCancelled(t *testing.T) {
	s := New(FCFS)
	s.SetConnections(0, 1)
	long := s.Add(0, Server{Load: RateOf(1000 * Second), Times: Times{Mean: 95 * Second}})
	short := s.Add(0, Server{Load: RateOf(10 * Second), Times: Times{Mean: Second}})
	var at []Tick
	drive(s, 0, 200*Second, func(id ID) Tick { return s.Times(id).Mean }, func(id ID, now Tick) {
		if id == short {
			at = append(at, now)
		}
	})
	if at[0] != 95*Second || at[1] != 100*Second || at[2] != 110*Second || len(at) != 11 {
		t.Errorf("downloads at %v", at)
	}
	if m := s.Missed(); m.ToPool != 9 || m.Total() != 9 {
		t.Errorf("missed %+v, want the 9 periods behind the long download", m)
	}
	if s.Status(long).Missed != 0 {
		t.Error("the long download missed a period")
	}
}

// Causes of missed periods: a download longer than its period, and a pause longer than it.
func TestMissedBy(t *testing.T) {
	for _, c := range []struct {
		least, took Tick
		want        Missed
	}{
		{0, 25 * Second, Missed{ToServer: 66}},             // starts at 0, 30, 60, ...
		{15 * Second, 4 * Second, Missed{ToPoliteness: 0}}, // I is 15 then: see below
	} {
		s := New(EDF)
		s.Add(0, Server{Load: RateOf(10 * Second), Least: c.least, Times: Times{Mean: c.took}})
		drive(s, 0, 1000*Second, func(ID) Tick { return c.took }, func(ID, Tick) {})
		m := s.Missed()
		if c.want.ToServer > 0 && m != c.want {
			t.Errorf("I_min %d, e %d: missed %+v, want %+v", c.least, c.took, m, c.want)
		}
		// I = I_min < I_min + e: each fourth period or so is lost to the pause [seeds 4.2].
		if c.want.ToServer == 0 && (m.ToPoliteness == 0 || m.ToPool > 0) {
			t.Errorf("I_min %d, e %d: missed %+v", c.least, c.took, m)
		}
	}
}

// [HIER 3.2]: each policy by hand.
func TestPolicies(t *testing.T) {
	servers := []Server{ // 0: urgent, 1: quick, 2: frequent, 3: busy
		{Load: RateOf(30 * Second), Times: Times{Mean: 20 * Second}},
		{Load: RateOf(500 * Second), Times: Times{Mean: 1}},
		{Load: RateOf(20 * Second), Times: Times{Mean: 2 * Second}},
		{Load: RateOf(40 * Second), Times: Times{Mean: 28 * Second}},
	}
	for _, c := range []struct {
		policy Policy
		want   []ID
	}{{EDF, []ID{0, 3, 2, 1}}, {FCFS, []ID{0, 1, 2, 3}}, {FREQ, []ID{2, 0, 3, 1}},
		{RM, []ID{3, 0, 2, 1}}, {SJF, []ID{1, 2, 0, 3}}} {
		first, later := New(c.policy), New(FCFS)
		for _, v := range servers {
			first.Add(0, v)
			later.Add(0, v)
		}
		later.SetPolicy(c.policy)
		for name, s := range map[string]*Scheduler{"from the start": first, "changed to": later} {
			var got []ID
			for id, ok := s.Next(0, 0); ok; id, ok = s.Next(0, 0) {
				got = append(got, id)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s %s: %v, want %v", c.policy.Name(), name, got, c.want)
			}
		}
		if p, err := PolicyNamed(c.policy.Name()); err != nil || p != c.policy {
			t.Errorf("%v, %v", p, err)
		}
	}
	if _, err := PolicyNamed("lifo"); err == nil {
		t.Error("a policy lifo")
	}
}

// A new interval of a page moves its server at once, in each state; changing it back restores the
// state.
func TestReschedule(t *testing.T) {
	s := New(FREQ)
	slow := s.Add(0, Server{Load: RateOf(1000 * Second), Times: Times{Mean: 10 * Second}})
	quick := s.Add(0, Server{Load: RateOf(100 * Second), Times: Times{Mean: 10 * Second}})
	need := s.Need()
	s.Reschedule(slow, 1000*Second, 50*Second, 0)
	if id, _ := s.First(0); id != slow {
		t.Error("a waiting server does not move up")
	}
	s.Reschedule(slow, 50*Second, 1000*Second, 0)
	if id, _ := s.First(0); id != quick || s.Need() != need {
		t.Errorf("first %d, need %v, want %v", id, s.Need(), need)
	}
	for range 2 {
		id, _ := s.Next(0, 0)
		s.Done(id, 10*Second)
	}
	if at, _ := s.NextWake(); at > 100*Second {
		t.Errorf("first wake at %d", at)
	}
	s.Reschedule(slow, 1000*Second, 20*Second, 15*Second) // idle: its pause becomes shorter
	s.Wake(20 * Second)
	if got := s.Status(slow); got.State != StateWaiting || got.Deadline != 30*Second {
		t.Errorf("%+v", got)
	}
	s.Reschedule(slow, 20*Second, 0, 20*Second)
	if got := s.Status(slow); got.State != StateOff || got.Interval != 0 {
		t.Errorf("a server without pages: %+v", got)
	}
	s.Reschedule(slow, 0, 40*Second, 30*Second)
	if got := s.Status(slow); got.State != StateWaiting {
		t.Errorf("a server with pages again: %+v", got)
	}
}

// A caller that knows when a server may be asked gives the time, the pool and the interval.
func TestUntil(t *testing.T) {
	s := New(EDF)
	a := s.Add(0, Server{Times: Times{Mean: 100}})
	b := s.Add(0, Server{Times: Times{Mean: 100}})
	s.Until(a, 1, 500, 1000, 0)
	s.Until(b, 1, 600, 200, 0)
	s.Wake(400)
	if s.Waiting(1) != 0 {
		t.Fatal("one waits too early")
	}
	s.Wake(600)
	if id, _ := s.Next(1, 600); id != b { // D: 600+200-100, before 500+1000-100
		t.Errorf("first is %d", id)
	}
	s.Until(a, 2, 500, 1000, 600)
	if s.Waiting(1) != 0 || s.Waiting(2) != 1 {
		t.Error("a server did not change its pool")
	}
	s.Off(a)
	if _, ok := s.First(2); ok {
		t.Error("a server that is off waits")
	}
	s.Land(b)
	if s.Busy(1) != 0 || s.Status(b).State != StateOff {
		t.Errorf("%+v", s.Status(b))
	}
}

// BenchmarkChoice measures a choice among a million servers, with all its work, and the memory of a
// server.
func BenchmarkChoice(b *testing.B) {
	for _, policy := range []Policy{EDF, SJF} {
		for _, servers := range []int{10_000, 1_000_000} {
			b.Run(fmt.Sprintf("policy=%s/servers=%d", policy.Name(), servers), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				s := New(policy)
				s.SetConnections(0, 1)
				for range servers {
					s.Add(0, Server{Load: RateOf(Minute + Tick(rng.Int64N(int64(10*Day)))),
						Least: Second, Times: Times{Mean: 1 + Tick(rng.Int64N(2000))}})
				}
				now := Tick(0)
				for b.Loop() {
					now += 10 // in the end a tenth of the servers is idle: most wait
					s.Wake(now)
					if id, ok := s.Next(0, now); ok {
						s.Done(id, now)
					}
				}
			})
		}
	}
}

func BenchmarkReschedule(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := New(EDF)
	was := make([]Tick, 1_000_000)
	for i := range was {
		was[i] = Minute + Tick(rng.Int64N(int64(10*Day)))
		s.Add(0, Server{Load: RateOf(was[i]), Least: Second,
			Times: Times{Mean: 1 + Tick(rng.Int64N(2000))}})
	}
	for b.Loop() {
		i := rng.IntN(len(was))
		is := Minute + Tick(rng.Int64N(int64(10*Day)))
		s.Reschedule(ID(i), was[i], is, 1)
		was[i] = is
	}
}

// Guarantee 4: a server takes less than 150 bytes, with full heaps.
func TestBytesPerServer(t *testing.T) {
	const servers = 200_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := New(EDF)
	s.Reserve(servers)
	for i := range servers {
		s.Add(0, Server{Load: RateOf(Minute + Tick(i)), Times: Times{Mean: 1}})
	}
	for id, ok := s.Next(0, 0); ok; id, ok = s.Next(0, 0) {
		s.Done(id, 1)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / servers
	t.Logf("%.1f bytes a server", each)
	if each > 150 || s.Len() != servers {
		t.Errorf("%.1f bytes a server, want at most 150", each)
	}
	runtime.KeepAlive(s)
}
