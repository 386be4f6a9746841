package report

import (
	"math"
	"strconv"
	"strings"
)

// axis maps values to one direction of a chart and knows where its ticks are.
type axis struct {
	low, high float64
	step      float64
	percent   bool
	names     []string // names at 0, 1, 2 ... in place of numbers
}

// namedAxis returns an axis with names at 0, 1, 2 and so on.
func namedAxis(names []string) axis {
	return axis{low: -0.5, high: float64(len(names)) - 0.5, step: 1, names: names}
}

// newAxis returns an axis with round limits around [low, high]. An axis of shares starts at 0
// unless it may be cut; if it reaches nearly 1, it ends at 1, as readers compare coverage with the
// whole. A free axis has only the span of the values.
func newAxis(low, high float64, percent, cut, free bool, ticks int) axis {
	if low > high { // no value
		low, high = 0, 1
	}
	// An axis that starts above zero exaggerates differences. It does so only if all values are far
	// from zero compared to their spread, or if zero means nothing.
	if low > 0 && !free && (low < 0.7*high || percent && !cut) {
		low = 0
	}
	if high < 0 && !free && high > 0.7*low {
		high = 0
	}
	if percent && low == 0 && high <= 1 && high > 0.8 {
		high = 1
	}
	if percent && low == 0 && high == 0 { // all shares are 0: the axis goes from 0 to 1
		high = 1
	}
	// Floating point hardly resolves so small a span.
	if size := math.Max(math.Abs(low), math.Abs(high)); high-low <= 1e-9*size || size < 1e-100 {
		margin := math.Max(math.Abs(low)/2, 0.5)
		low, high = low-margin, high+margin
	}
	step := roundStep((high - low) / float64(ticks))
	return axis{
		low:     math.Floor(low/step+1e-9) * step,
		high:    math.Ceil(high/step-1e-9) * step,
		step:    step,
		percent: percent,
	}
}

// roundStep returns the smallest of 1, 2, 5 times a power of ten that is not far below rough. So a
// value a little above the others adds one step, and does not enlarge the steps.
func roundStep(rough float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= 0.9*rough {
			return m * power
		}
	}
	return 10 * power
}

// ticks returns the values with a label, in rising order.
func (a axis) ticks() []float64 {
	if a.names != nil {
		values := make([]float64, len(a.names))
		for i := range values {
			values[i] = float64(i)
		}
		return values
	}
	n := int(math.Round((a.high - a.low) / a.step))
	values := make([]float64, 0, n+1)
	for i := range n + 1 {
		v := a.low + float64(i)*a.step
		if math.Abs(v) < a.step/1e6 {
			v = 0 // not -0 or 1e-17
		}
		values = append(values, v)
	}
	return values
}

// at returns the position of v: 0 at the low end, 1 at the high end.
func (a axis) at(v float64) float64 { return v/(a.high-a.low) - a.low/(a.high-a.low) }

// label returns the text of a tick, with as many decimals as the step needs.
func (a axis) label(v float64) string {
	if a.names != nil {
		return a.name(v)
	}
	step := a.step
	if a.percent {
		v, step = 100*v, 100*step
	}
	if a.high-a.low >= 1e7 && step < 1e12 { // millions
		return strings.TrimSuffix(strings.TrimSuffix(strconv.FormatFloat(v/1e6, 'f', 1, 64), "0"),
			".") + " M"
	}
	if size := math.Max(math.Abs(v), step); size >= 1e9 || step < 1e-6 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	return groupDigits(strconv.FormatFloat(v, 'f', decimals, 64))
}

// value returns the text of a value in a tooltip: finer than a tick.
func (a axis) value(v float64) string {
	if a.names != nil {
		return a.name(v)
	}
	if a.percent {
		return strconv.FormatFloat(100*v, 'f', 1, 64) + " %"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return groupDigits(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// name returns the name nearest to v: markers of one name may stand side by side.
func (a axis) name(v float64) string {
	return a.names[max(0, min(int(math.Round(v)), len(a.names)-1))]
}

// groupDigits puts commas between the thousands of a decimal number.
func groupDigits(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, fraction, found := strings.Cut(s, ".")
	if len(whole) < 5 { // 1234 needs no comma
		return sign + s
	}
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if found {
		return sign + b.String() + "." + fraction
	}
	return sign + b.String()
}
