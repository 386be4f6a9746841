package figures

import (
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/satstore/machine"
)

// Interval is the 5th and 95th percentile over the resamples in which a number is defined.
type Interval = [2]eval.Number

// Spread is what resampling servers does to a Result.
type Spread struct {
	Share      Interval `json:"share"`
	UpdateRate Interval `json:"update_rate"`
	Coverage   Interval `json:"coverage"`
}

// draws are the corpora on which all is compared, drawn once: how often each server is in each.
type draws [][]int

func resamples(servers int, seed uint64) draws {
	var all draws
	for times := range eval.Resamples(servers, seed) {
		all = append(all, slices.Clone(times))
	}
	return all
}

// of restricts the draws to a group.
func (d draws) of(g group) draws {
	all := make(draws, len(d))
	for i, times := range d {
		all[i] = g.only(times)
	}
	return all
}

// interval is that of a statistic.
func (d draws) interval(of statistic) Interval {
	return intervalOf(d, func(times []int) float64 { return rounded(of(times)) })
}

func intervalOf[T any](all []T, value func(T) float64) Interval {
	values := make([]float64, len(all))
	for i, v := range all {
		values[i] = value(v)
	}
	return eval.Interval(values)
}

// spread fills in the intervals of a period: those of the same numbers, found in each drawn
// corpus.
func (p *counted) spread(r *Period, o Options, d draws) {
	drawn := make([]Period, len(d))
	machine.EachOnCores(len(d), func(i int) { drawn[i] = p.shares(d[i], o) })
	spreadMethods(r.Methods, drawn, func(p *Period) []Method { return p.Methods })
	for i := range r.Depths {
		r.Depths[i].Spread = spreadOf(drawn, func(p *Period) *Result { return &p.Depths[i].Result })
	}
	for i := range r.Thresholds {
		for k := range r.Thresholds[i].Points {
			r.Thresholds[i].Points[k].Spread = spreadOf(
				drawn,
				func(p *Period) *Result { return &p.Thresholds[i].Points[k].Result },
			)
		}
	}
}

// spreadMethods fills in those of methods, for a period or a group.
func spreadMethods[T any](methods []Method, drawn []T, of func(*T) []Method) {
	for i := range methods {
		m := &methods[i]
		m.Spread = spreadOf(drawn, func(t *T) *Result { return &of(t)[i].Result })
		m.BreadthFirstSpread = intervalOf(drawn, func(t T) float64 {
			return float64(of(&t)[i].BreadthFirst)
		})
		m.ServerTrueSpread = intervalOf(drawn, func(t T) float64 {
			return float64(of(&t)[i].ServerTrue)
		})
	}
}

func spreadOf[T any](drawn []T, of func(*T) *Result) *Spread {
	interval := func(value func(*Result) float64) Interval {
		return intervalOf(drawn, func(t T) float64 { return value(of(&t)) })
	}
	return &Spread{Share: interval(share), UpdateRate: interval(UpdateRate),
		Coverage: interval(Coverage)}
}

// UpdateRate returns the update rate of a result, 0 to 1.
func UpdateRate(r *Result) float64 { return float64(r.UpdateRate) }

// Coverage returns the coverage of a result, 0 to 1.
func Coverage(r *Result) float64 { return float64(r.Coverage) }

func share(r *Result) float64 { return float64(r.Share) }

// UpdateRateOf returns the interval of the update rate.
func UpdateRateOf(s *Spread) Interval { return s.UpdateRate }

// CoverageOf returns the interval of the coverage.
func CoverageOf(s *Spread) Interval { return s.Coverage }
