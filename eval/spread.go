package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Spread is what resampling servers does to a result: the 5th and 95th percentile of 200
// corpora of as many servers, drawn with replacement.
type Spread struct {
	Coverage   [2]Number `json:"coverage"`
	UpdateRate [2]Number `json:"update_rate"`
}

const resamples = 200

// tally is one server's part of a result.
type tally struct {
	fetched, found, all int // visits, changed among them, all changes there were
}

// spreadOf resamples tallies. The same seed draws the same corpora for every policy, so
// differences between policies may be compared draw by draw.
func spreadOf(servers []tally, seed uint64) *Spread {
	rng := rand.New(rand.NewPCG(seed, 0x7370726561640000))
	var coverage, rate []float64
	for range resamples {
		var sum tally
		for range servers {
			t := servers[rng.IntN(len(servers))]
			sum.fetched += t.fetched
			sum.found += t.found
			sum.all += t.all
		}
		coverage = append(coverage, float64(ratio(sum.found, sum.all)))
		rate = append(rate, float64(ratio(sum.found, sum.fetched)))
	}
	return &Spread{Coverage: percentiles(coverage), UpdateRate: percentiles(rate)}
}

func percentiles(values []float64) [2]Number {
	values = slices.DeleteFunc(values, math.IsNaN)
	if len(values) == 0 {
		return [2]Number{Number(math.NaN()), Number(math.NaN())}
	}
	slices.Sort(values)
	at := func(q float64) Number { return Number(values[int(math.Round(q*float64(len(values)-1)))]) }
	return [2]Number{at(0.05), at(0.95)}
}
