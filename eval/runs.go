package eval

import (
	"math"
	"slices"
)

// RunMeasures are the measures of one of several runs.
type RunMeasures struct {
	Seed       uint64 `json:"seed"`
	Coverage   Number `json:"coverage"`
	UpdateRate Number `json:"update_rate"`
	Freshness  Number `json:"freshness"`
	Discovered Number `json:"discovered"`
}

// Range returns the smallest and largest value of a measure over several runs, or undefined values
// if no run has one.
func (r *StreamResult) Range(measure string) [2]Number {
	least, most := math.NaN(), math.NaN()
	for _, of := range r.Runs {
		x := float64(of.measure(measure))
		if math.IsNaN(x) {
			continue
		}
		if !(least <= x) {
			least = x
		}
		if !(most >= x) {
			most = x
		}
	}
	return [2]Number{Number(least), Number(most)}
}

// measures returns the measures of a run by a seed.
func (r *StreamResult) measures(seed uint64) RunMeasures {
	return RunMeasures{seed, r.Coverage, r.UpdateRate, r.Freshness, r.Discovered}
}

func (r RunMeasures) measure(name string) Number {
	return map[string]Number{Coverage: r.Coverage, UpdateRate: r.UpdateRate, Freshness: r.Freshness,
		Discovered: r.Discovered}[name]
}

// shares returns pointers to the fields that are averaged.
func (r *StreamResult) shares() []*Number {
	return []*Number{
		&r.UpdateRate,
		&r.Coverage,
		&r.Freshness,
		&r.MeanAgeDays,
		&r.SearchFreshness,
		&r.DetectionDelayHours,
		&r.MedianDelayHours,
		&r.Discovered,
		&r.DiscoveryDelayDays,
		&r.DeletionsFound,
		&r.DeletionDelayDays,
	}
}

func (r *StreamResult) counts() []*int {
	return []*int{&r.Fetched, &r.Refetched, &r.Changed, &r.NewFetched, &r.DeletionVisits,
		&r.Sources, &r.Unused}
}

// meanOf returns the mean of several runs of one policy with consecutive seeds. Each measure is the
// mean of its defined values, also on each resampled corpus and week by week. Counts are rounded,
// but those of weeks are sums. Calibration is that of all their probabilities together. Claims of
// sources are left out, because histories have none.
func meanOf(runs []StreamResult, seed uint64) StreamResult {
	if len(runs) == 1 {
		return runs[0]
	}
	r := StreamResult{Policy: runs[0].Policy}
	mean := func(of func(*StreamResult) Number) Number {
		sum, n := 0.0, 0
		for i := range runs {
			if x := float64(of(&runs[i])); !math.IsNaN(x) {
				sum, n = sum+x, n+1
			}
		}
		return ratio(sum, float64(n))
	}
	for k, to := range r.shares() {
		*to = mean(func(r *StreamResult) Number { return *r.shares()[k] })
	}
	for k, to := range r.counts() {
		*to = int(math.Round(float64(mean(func(r *StreamResult) Number {
			return Number(*r.counts()[k])
		}))))
	}
	for w := range runs[0].Weekly {
		week := WeekPoint{Week: runs[0].Weekly[w].Week}
		week.UpdateRate = mean(func(r *StreamResult) Number { return r.Weekly[w].UpdateRate })
		week.Coverage = mean(func(r *StreamResult) Number { return r.Weekly[w].Coverage })
		week.Freshness = mean(func(r *StreamResult) Number { return r.Weekly[w].Freshness })
		for i := range runs {
			week.Refetched += runs[i].Weekly[w].Refetched
			week.Changed += runs[i].Weekly[w].Changed
		}
		r.Weekly = append(r.Weekly, week)
	}
	for i := range runs {
		of := &runs[i]
		r.Runs = append(r.Runs, of.measures(seed+uint64(i)))
		r.visited.merge(&of.visited)
		r.unvisited.merge(&of.unvisited)
	}
	r.Calibration, r.CalibrationUnvisited = r.visited.calibration(), r.unvisited.calibration()
	if runs[0].draws != nil {
		r.draws = draws{}
		for name, values := range runs[0].draws {
			r.draws[name] = slices.Clone(values)
			for d := range values {
				of := func(r *StreamResult) Number { return Number(r.draws[name][d]) }
				r.draws[name][d] = float64(mean(of))
			}
		}
	}
	if runs[0].Spread != nil {
		r.Spread = r.draws.spread()
	}
	return r
}

// severalOf returns a number of runs, or 0 for one.
func severalOf(runs int) int {
	if runs < 2 {
		return 0
	}
	return runs
}
