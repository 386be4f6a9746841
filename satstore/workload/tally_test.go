package workload

import (
	"strings"
	"testing"
)

// A store driven by hand, with requests that wait for visits and with such that do not, has
// the tally of the plan.
func TestEnd(t *testing.T) {
	const requests = 0.4
	p := planned(t, Options{Records: 700, Unit: Hour, MaxUnits: 25}, 30)
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

// One byte, one due time or one record makes a difference.
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
		"another time": func(i int, _ []byte, due *int) bool { // two of equal sum swapped
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
		o          Options
		least, top float64
	}{{Options{Records: 100_000, Unit: Hour}, 0.007, 0.011},
		{Options{Records: 100_000, Unit: Day}, 0.1, 0.13},
		{Options{Records: 10, Unit: Hour, MaxUnits: 1}, 1, 1}} {
		if got := made(t, c.o).DueShare(); got < c.least || got > c.top {
			t.Errorf("%+v: %f due in a unit", c.o, got)
		}
	}
}
