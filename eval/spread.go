package eval

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

// Spread has intervals of the measures by resampling servers: the 5th and 95th percentile over 200
// corpora with the same number of servers, drawn with replacement.
type Spread map[string][2]Number

const resamples = 200

// Names in JSON of the measures that are resampled. A larger value is better.
const (
	Coverage      = "coverage"
	UpdateRate    = "update_rate"
	Freshness     = "freshness"
	Discovered    = "discovered"
	Gain          = "gain"
	GainInServers = "gain_in_servers"
)

// StreamMeasures and SnapshotMeasures are the measures of each protocol, the most important first.
var (
	StreamMeasures   = []string{Coverage, UpdateRate, Freshness, Discovered}
	SnapshotMeasures = []string{Gain, GainInServers, Coverage, UpdateRate}
)

// tally is the part of a server in a result.
type tally struct {
	fetched, found, all int // visits, changed pages among them, all changes
}

// Resamples draws 200 corpora with the same number of servers, with replacement. Each is the number
// of times that each server occurs, in a slice that the next one reuses. A seed always draws the
// same corpora, so measures on them can be compared draw by draw. For a single server it yields
// none, because all draws would be equal.
func Resamples(servers int, seed uint64) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		rng := rand.New(rand.NewPCG(seed, 0x7370726561640000))
		times := make([]int, servers)
		if servers < 2 {
			return
		}
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

// resampled returns all corpora of Resamples.
func resampled(servers int, seed uint64) [][]int {
	var all [][]int
	for times := range Resamples(servers, seed) {
		all = append(all, slices.Clone(times))
	}
	return all
}

// draws has the measures of one result in each resampled corpus, by name. Results of two policies
// in one draw are comparable: they had the same servers.
type draws map[string][]float64

// spread returns the interval of each measure.
func (d draws) spread() Spread {
	s := Spread{}
	for name := range d {
		s[name] = d.interval(name)
	}
	return s
}

// interval returns the interval of one measure, undefined if it was not drawn.
func (d draws) interval(measure string) [2]Number { return Interval(slices.Clone(d[measure])) }

// addTallies adds coverage and update rate.
func (d draws) addTallies(corpora [][]int, servers []tally) {
	for _, times := range corpora {
		var sum tally
		for s, t := range servers {
			sum.fetched += times[s] * t.fetched
			sum.found += times[s] * t.found
			sum.all += times[s] * t.all
		}
		d[Coverage] = append(d[Coverage], float64(ratio(sum.found, sum.all)))
		d[UpdateRate] = append(d[UpdateRate], float64(ratio(sum.found, sum.fetched)))
	}
}

// Interval returns the 5th and 95th percentile of values, without NaN. It sorts them.
func Interval(values []float64) [2]Number {
	values = slices.DeleteFunc(values, math.IsNaN)
	if len(values) == 0 {
		return [2]Number{Number(math.NaN()), Number(math.NaN())}
	}
	slices.Sort(values)
	at := func(q float64) Number {
		return Number(values[int(math.Round(q*float64(len(values)-1)))])
	}
	return [2]Number{at(0.05), at(0.95)}
}
