package paper

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

func made(t testing.TB, o WorkloadOptions) *Workload {
	t.Helper()
	w, err := NewWorkload(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func planned(t testing.TB, o WorkloadOptions, units int) *Plan {
	t.Helper()
	p, err := made(t, o).Plan(t.Context(), units)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An independent program, which first had this workload, made these counts.
func TestGoldenCounts(t *testing.T) {
	for key, want := range golden {
		t.Run(fmt.Sprintf("records=%d/unit=%v/units=%d", key.records, key.unit, key.units),
			func(t *testing.T) {
				if key.records > 2_000_000 && os.Getenv("RECRAWL_LONG") == "" {
					t.Skip("RECRAWL_LONG=1 counts the large ones too")
				}
				if got := planned(t, WorkloadOptions{Records: key.records, Unit: key.unit},
					key.units).Total; got != want {
					t.Errorf("%d records are due, want %d", got, want)
				}
			})
	}
}

// The intervals match [SAT fig. 2] and its table, within the chosen fit.
func TestIntervals(t *testing.T) {
	const n = 400_000
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.05*want {
			t.Errorf("%s: %.5f, want %.5f", what, got, want)
		}
	}
	for _, c := range []struct {
		unit                 Unit
		ones, visits, perRec float64 // share of records with tau 1; share of visits; due in a unit
	}{{Day, 0.075, 0.669, 0.1126}, {Hour, 0.00068, 0.079, 0.00866}} {
		w := made(t, WorkloadOptions{Records: n, Unit: c.unit})
		ones, rate := 0.0, 0.0
		for i := range uint32(n) {
			tau := w.Interval(i)
			if tau < 1 || tau > c.unit.Longest() || w.First(i) < 1 || w.First(i) > tau {
				t.Fatalf("record %d: interval %d, first due %d", i, tau, w.First(i))
			}
			if tau == 1 {
				ones++
			}
			rate += 1 / float64(tau)
		}
		near(c.unit.String()+": records with interval 1", ones/n, c.ones)
		near(c.unit.String()+": visits with interval 1", ones/rate, c.visits)
		near(c.unit.String()+": due in a unit", rate/n, c.perRec)
	}
	minutes, hours := made(t, WorkloadOptions{Records: n, Unit: Minute}),
		made(t, WorkloadOptions{Records: n, Unit: Hour})
	for i := range uint32(1000) {
		if m, h := minutes.Interval(i), hours.Interval(i); (m+59)/60 != h {
			t.Errorf("record %d: interval of %d minutes and of %d hours", i, m, h)
		}
	}
}

func TestLengths(t *testing.T) {
	const n = 200_000
	sum, longest := 0, 0
	var body []byte
	for _, fixed := range FixedLengths {
		w := made(t, WorkloadOptions{Records: n, Unit: Hour, FixedBytes: fixed})
		for i := range uint32(500) {
			body = w.AppendTo(body[:0], i)
			id := w.ID(i)
			if len(body) != fixed+urlBytes(i) || !bytes.HasPrefix(body, id[:]) ||
				!bytes.HasPrefix(body[fixed:], []byte("http://www.")) {
				t.Fatalf("fixed %d, record %d: %d bytes, %q", fixed, i, len(body), body[fixed:])
			}
		}
	}
	for i := range uint32(n) {
		sum += urlBytes(i)
		longest = max(longest, urlBytes(i))
	}
	if mean := float64(sum) / n; math.Abs(mean-63.6) > 0.2 || longest < 400 ||
		longest > longestURL {
		t.Errorf("URLs of %.2f bytes, at most %d", mean, longest)
	}
}

// A plan has the sums of single visits. The state before a visit is the result of the visits before
// it.
func TestPlanAgreesWithVisits(t *testing.T) {
	for _, o := range []WorkloadOptions{
		{Records: 3000, Unit: Hour, MaxUnits: 30}, {Records: 3000, Unit: Day, FixedBytes: 50},
		{Records: 500, Unit: Minute, MaxUnits: 9, FixedBytes: 400},
	} {
		p := planned(t, o, 40)
		bodies, due := make([][]byte, o.Records), make([]int, o.Records)
		for i := range bodies {
			bodies[i], due[i] = p.AppendTo(nil, uint32(i)), p.First(uint32(i))
		}
		total := 0
		for now := 1; now <= 40; now++ {
			var sum uint64
			var length int64
			at := 0
			for i := range bodies {
				if due[i] != now {
					continue
				}
				if p.Due[now][at] != uint32(i) {
					t.Fatalf("%+v: at %d record %d is not in the plan", o, now, i)
				}
				at++
				if got, next := p.AppendAt(nil, uint32(i), now); !bytes.Equal(got, bodies[i]) ||
					next != now {
					t.Fatalf("%+v: record %d at %d, due %d:\n%x, want\n%x",
						o, i, now, next, got, bodies[i])
				}
				var drawn uint64
				due[i], drawn = p.Visit(bodies[i], now)
				sum += drawn
				length += int64(len(bodies[i]))
			}
			if at != len(p.Due[now]) || sum != p.Sums[now] || length != p.Bytes[now] {
				t.Errorf("%+v: at %d %d due, sum %x, %d bytes; plan says %d, %x, %d",
					o, now, at, sum, length, len(p.Due[now]), p.Sums[now], p.Bytes[now])
			}
			total += at
		}
		if total != p.Total {
			t.Errorf("%+v: %d visits, plan says %d", o, total, p.Total)
		}
	}
}

func TestVisitAllocatesNothing(t *testing.T) {
	w := made(t, WorkloadOptions{Records: 100, Unit: Hour})
	body := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() {
		body = w.AppendTo(body[:0], 7)
		w.Visit(body, 1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestWorkloadOptionsAreChecked(t *testing.T) {
	for _, o := range []WorkloadOptions{{}, {Records: 1}, {Records: 1, Unit: 4}, {Unit: Day},
		{Records: 1, Unit: Day, MaxUnits: 401},
		{Records: 1, Unit: Day, FixedBytes: 99}, {Records: -1, Unit: Hour}} {
		if _, err := NewWorkload(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	for _, name := range UnitNames {
		if u, err := ParseUnit(name); err != nil || u.String() != name {
			t.Errorf("unit %s: %v, %v", name, u, err)
		}
	}
	if _, err := ParseUnit("week"); err == nil || Unit(0).String() != "unknown" {
		t.Errorf("week is a unit")
	}
}

func BenchmarkPlan(b *testing.B) {
	w := made(b, WorkloadOptions{Records: 100_000, Unit: Hour})
	for b.Loop() {
		if _, err := w.Plan(b.Context(), 10); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e5, "ns/record")
}

// A request waits for the next visit of its record, which may be in the unit that begins next.
func TestRequests(t *testing.T) {
	p := planned(t, WorkloadOptions{Records: 2000, Unit: Hour, MaxUnits: 20}, 25)
	numbers := map[ID]uint32{}
	for i := range uint32(2000) {
		numbers[p.ID(i)] = i
	}
	waiting, applied := map[uint32]int{}, p.Applied(0.3)
	for now := 1; now <= 25; now++ {
		requests := p.Requests(now, 0.3)
		if len(requests) != int(0.3*float64(len(p.Due[now]))) {
			t.Fatalf("%d requests before %d", len(requests), now)
		}
		for _, r := range requests {
			waiting[numbers[r.ID]]++
		}
		got := 0
		for _, i := range p.Due[now] {
			got += waiting[i]
			delete(waiting, i)
		}
		if got != applied[now] {
			t.Errorf("unit %d: %d requests applied, Applied says %d", now, got, applied[now])
		}
	}
}

// A store that is driven by hand has the tally of the plan. Some of its requests wait for visits.
func TestEnd(t *testing.T) {
	const requests = 0.4
	p := planned(t, WorkloadOptions{Records: 700, Unit: Hour, MaxUnits: 25}, 30)
	for _, deferred := range []bool{false, true} {
		bodies, due, waiting := make([][]byte, p.Records), make([]int, p.Records),
			make([][]uint16, p.Records)
		for i := range bodies {
			bodies[i], due[i] = p.AppendTo(nil, uint32(i)), p.First(uint32(i))
		}
		for now := 1; now <= p.Units(); now++ {
			for _, r := range p.Requests(now, requests) {
				if waiting[r.Number] = append(waiting[r.Number], r.Priority); !deferred {
					p.SetPriority(bodies[r.Number], r.Priority)
				}
			}
			for i := range bodies {
				if due[i] != now {
					continue
				}
				for _, priority := range waiting[i] {
					if deferred {
						p.SetPriority(bodies[i], priority)
					}
				}
				waiting[i] = nil
				due[i], _ = p.Visit(bodies[i], now)
			}
		}
		want, err := p.End(t.Context(), requests, deferred)
		if err != nil {
			t.Fatal(err)
		}
		var all, bare Tally
		for i := len(bodies) - 1; i >= 0; i-- {
			all.Add(bodies[i], due[i])
			bare.Add(bodies[i], 0)
		}
		for what, tally := range map[string]Tally{"with due times": all, "without": bare} {
			if err := tally.Differs(want); err != nil {
				t.Errorf("deferred %v, %s: %v", deferred, what, err)
			}
		}
	}
}

// One byte, one due time or one record changes the tally.
func TestTallyDiffers(t *testing.T) {
	tally := func(change func(i int, body []byte, due *int) bool) (sum Tally) {
		for i := range 5 {
			body, due := []byte("the body of record 0"), 7
			body[len(body)-1] += byte(i)
			if change(i, body, &due) {
				sum.Add(body, due)
			}
		}
		return sum
	}
	want := tally(func(int, []byte, *int) bool { return true })
	for word, change := range map[string]func(i int, body []byte, due *int) bool{
		"records are there": func(i int, _ []byte, _ *int) bool { return i != 2 },
		"bodies": func(i int, body []byte, _ *int) bool {
			body[len(body)-1] ^= byte(i) >> 2
			return true
		},
		"due times": func(i int, _ []byte, due *int) bool { *due += i / 4; return true },
		"another time": func(i int, _ []byte, due *int) bool { // two with an equal sum are swapped
			*due += []int{0, 1, -1, 0, 0}[i]
			return true
		},
	} {
		got := tally(change)
		if err := got.Differs(want); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("error %v, want one of %s", err, word)
		}
	}
}

func TestDueShare(t *testing.T) {
	for _, c := range []struct {
		o          WorkloadOptions
		least, top float64
	}{{WorkloadOptions{Records: 100_000, Unit: Hour}, 0.007, 0.011},
		{WorkloadOptions{Records: 100_000, Unit: Day}, 0.1, 0.13},
		{WorkloadOptions{Records: 10, Unit: Hour, MaxUnits: 1}, 1, 1}} {
		if got := made(t, c.o).DueShare(); got < c.least || got > c.top {
			t.Errorf("%+v: %f due in a unit", c.o, got)
		}
	}
}
