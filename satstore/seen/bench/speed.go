package bench

import (
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mathext/prng"

	"github.com/recrawl/recrawl/satstore/seen"
)

// Speed is a row of table 1: how long it takes to lower counters.
type Speed struct {
	Method   string  `json:"method"`
	Lowered  int     `json:"lowered"` // counters, in all
	Nanos    float64 `json:"ns_each"`
	Ratio    float64 `json:"times_faster"`             // than the first row
	Paper    float64 `json:"seconds_in_paper"`         // for 2e9 of them; 0: not there
	Whole    float64 `json:"seconds_for_2e9"`          // at this speed
	PerCall  int     `json:"lowered_by_one_insertion"` // p
	Counters int     `json:"counters"`
}

// perInsertion is p of the paper's example [SBFL 4.1.3].
const perInsertion = 84

// measured is how often each row is.
const measured = 7

// wholeSweep is how many counters a call lowers where insertions do not matter.
const wholeSweep = 1 << 16

// speeds measures table 1 on m counters: so many are lowered by the slowest method, and more by the
// others, which would be over too soon. The least of some measurements is told.
func speeds(m, lowered int, seed uint64) []Speed {
	twister := prng.NewMT19937()
	twister.Seed(seed)
	counters := uint64(m)
	stable := seen.NewStableOf(counters, hashes8, perInsertion, twister)
	pcg := seen.NewStableOf(counters, hashes8, perInsertion, rand.New(rand.NewPCG(seed, 1)))
	light := seen.NewLight(counters, hashes8, perInsertion)
	// Counters that are above 0, and memory that is there: every page is touched some times.
	for key := range uint64(min(m/perInsertion, 1<<17)) {
		light.Add(key * 0x9e3779b97f4a7c15)
		stable.Add(key * 0x9e3779b97f4a7c15)
		pcg.Add(key * 0x9e3779b97f4a7c15)
	}
	var rows []Speed
	for _, c := range []struct {
		method string
		paper  float64
		more   int // times as many as the slowest
		call   int
		lower  func()
	}{
		{"SBF, Mersenne Twister", 320.7, 1, perInsertion, func() { stable.Lower(perInsertion) }},
		{"SBF, PCG", 0, 1, perInsertion, func() { pcg.Lower(perInsertion) }},
		{"SBFL, one by one", 9.435, 8, perInsertion, func() { light.LowerEach(perInsertion) }},
		{"SBFL, 32 at a time", 0.9672, 64, perInsertion, func() { light.Lower(perInsertion) }},
		{"SBFL, 32 at a time, in one sweep", 0, 128, wholeSweep, func() {
			light.Lower(wholeSweep)
		}},
	} {
		calls := max(lowered*c.more/c.call/measured, 1)
		nanos := leastOf(measured, func() float64 {
			began := time.Now()
			for range calls {
				c.lower()
			}
			return float64(time.Since(began).Nanoseconds()) / float64(calls*c.call)
		})
		rows = append(rows, Speed{Method: c.method, Lowered: calls * c.call, Nanos: nanos,
			Paper: c.paper, Whole: 2 * nanos, PerCall: c.call, Counters: m})
	}
	for i := range rows {
		rows[i].Ratio = rows[0].Nanos / rows[i].Nanos
	}
	return rows
}

// leastOf is the least of some measurements: other work on the machine only adds.
func leastOf(times int, f func() float64) float64 {
	least := f()
	for range times - 1 {
		least = min(least, f())
	}
	return least
}
