package schedule

import (
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/eval"
)

// Range is a value with its spread.
type Range struct {
	Value eval.Number `json:"value"`
	Low   eval.Number `json:"low"`
	High  eval.Number `json:"high"`
}

func (r Range) String() string {
	if r.Low == r.High {
		return Short(float64(r.Value))
	}
	return fmt.Sprintf("%s (%s to %s)", Short(float64(r.Value)), Short(float64(r.Low)),
		Short(float64(r.High)))
}

// Short is a number in four digits at most, and whole from 1000 on.
func Short(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case math.Abs(v) >= 1000:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// spreadOf is the mean, the least and the largest.
func spreadOf(all []float64) Range {
	if len(all) == 0 {
		nan := eval.Number(math.NaN())
		return Range{nan, nan, nan}
	}
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return Range{eval.Number(sum / float64(len(all))), eval.Number(slices.Min(all)),
		eval.Number(slices.Max(all))}
}

// percentiles is a value with the 5th to 95th percentile of its resamples.
func percentiles(value float64, all []float64) Range {
	slices.Sort(all)
	at := func(share float64) eval.Number {
		return eval.Number(all[int(math.Round(share*float64(len(all)-1)))])
	}
	return Range{eval.Number(value), at(0.05), at(0.95)}
}
