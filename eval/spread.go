package eval

import (
	"iter"
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

// Resamples draws 200 corpora of as many servers, with replacement: each yields how often
// each server is in it, in a slice that the next one reuses. The same seed draws the same
// corpora, so whatever is measured on them may be compared draw by draw.
func Resamples(servers int, seed uint64) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		rng := rand.New(rand.NewPCG(seed, 0x7370726561640000))
		times := make([]int, servers)
		for range resamples {
			clear(times)
			for range servers {
				times[rng.IntN(servers)]++
			}
			if !yield(times) {
				return
			}
		}
	}
}

// spreadOf resamples tallies.
func spreadOf(servers []tally, seed uint64) *Spread {
	var coverage, rate []float64
	for times := range Resamples(len(servers), seed) {
		var sum tally
		for s, t := range servers {
			sum.fetched += times[s] * t.fetched
			sum.found += times[s] * t.found
			sum.all += times[s] * t.all
		}
		coverage = append(coverage, float64(ratio(sum.found, sum.all)))
		rate = append(rate, float64(ratio(sum.found, sum.fetched)))
	}
	return &Spread{Coverage: Interval(coverage), UpdateRate: Interval(rate)}
}

// Interval returns the 5th and 95th percentile of values, NaN left out. It sorts them.
func Interval(values []float64) [2]Number {
	values = slices.DeleteFunc(values, math.IsNaN)
	if len(values) == 0 {
		return [2]Number{Number(math.NaN()), Number(math.NaN())}
	}
	slices.Sort(values)
	at := func(q float64) Number { return Number(values[int(math.Round(q*float64(len(values)-1)))]) }
	return [2]Number{at(0.05), at(0.95)}
}
