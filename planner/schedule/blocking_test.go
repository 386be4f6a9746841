package schedule

import (
	"math/rand/v2"
	"testing"
)

// Jeffay, Stanat and Martel 1991: after the start of a download of 8, one of 3 with I=10 still
// fits, one of 9 does not. If the long one is longer than the short interval nothing helps.
func TestBlockingByHand(t *testing.T) {
	for _, c := range []struct {
		took Tick
		want int
	}{{8, 1}, {9, 2}, {50, 2}} {
		demands := []Demand{
			{Times: Times{Mean: 3, Max: 3}, Pages: []Pages{{Interval: 10}}},
			{Times: Times{Mean: c.took, Max: c.took}, Pages: []Pages{{Interval: 100}}},
		}
		if got := Prove(demands); got.Connections != c.want {
			t.Errorf("e=%d: %d connections, want %d", c.took, got.Connections, c.want)
		}
	}
	infeasible := Prove([]Demand{{Least: 5, Times: Times{Mean: 3, Max: 6},
		Pages: []Pages{{Interval: 10}}}, {}})
	if infeasible.Infeasible != 1 || infeasible.Connections != 0 || infeasible.Of[0] != -1 {
		t.Errorf("%+v", infeasible)
	}
}

// exactly decides by all times whether servers that share a connection keep their deadlines: the
// theorem without short cuts.
func exactly(tasks []job) bool {
	need := 0.0
	for _, t := range tasks {
		need += float64(t.took) / float64(t.interval)
	}
	if need > 1 {
		return false
	}
	for i, t := range tasks {
		for length := tasks[0].interval + 1; length < t.interval; length++ {
			sum := t.took
			for _, other := range tasks[:i] {
				sum += (length - 1) / other.interval * other.took
			}
			if sum > length {
				return false
			}
		}
	}
	return true
}

// The test with short cuts equals the theorem, and the scheduler keeps what it proves: with EDF and
// each connection for its own servers, the longest and shorter downloads miss nothing.
func TestProved(t *testing.T) {
	alone, together := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var demands []Demand
		for range 3 + rng.IntN(12) {
			interval := 20 + Tick(rng.Int64N(3000))
			longest := 1 + Tick(rng.Int64N(int64(interval)/3+1))
			demands = append(demands, Demand{Least: Tick(rng.Int64N(3)),
				Times: Times{Mean: (longest + 1) / 2, Max: longest},
				Pages: []Pages{{Interval: interval}}})
		}
		proved := Prove(demands)
		lines := make([][]job, proved.Connections)
		for _, id := range orderOf(demands) {
			if at := proved.Of[id]; at >= 0 {
				lines[at] = append(lines[at],
					job{demands[id].Interval() - demands[id].Least, demands[id].Times.Max, id})
			}
		}
		for at, tasks := range lines {
			if !exactly(tasks) {
				t.Fatalf("seed %d: connection %d is not feasible by the theorem: %+v",
					seed, at, tasks)
			}
			for _, shorter := range []bool{false, true} {
				s := New(EDF)
				s.SetConnections(0, 1)
				for _, j := range tasks {
					s.Add(Tick(rng.Int64N(5)), demands[j.server].Server())
				}
				drive(s, 5, 50_000, func(id ID) Tick {
					most := demands[tasks[id].server].Times.Max
					if shorter {
						return 1 + Tick(rng.Int64N(int64(most)))
					}
					return most
				}, func(ID, Tick) {})
				// All begin at once, within their first period, which may be late.
				if m := s.Missed(); m.Total() > int64(len(tasks)) {
					t.Errorf("seed %d: connection %d with %v misses %+v", seed, at, tasks, m)
				}
			}
			alone++
		}
		together += proved.Connections
	}
	if alone < 200 || together < 200 {
		t.Errorf("only %d connections tried", alone)
	}
}

func orderOf(demands []Demand) (order []int) {
	var tasks []job
	for i := range demands {
		tasks = append(tasks, job{demands[i].Interval() - demands[i].Least, 0, i})
	}
	for len(tasks) > 0 {
		least := 0
		for i, j := range tasks {
			if j.interval < tasks[least].interval {
				least = i
			}
		}
		order = append(order, tasks[least].server)
		tasks = append(tasks[:least], tasks[least+1:]...)
	}
	return order
}
