package report

import (
	"fmt"
	"math"
	"strings"
)

// Series is one line of a chart: points (X[i], Y[i]) in the order given. Points that are
// NaN or infinite (or beyond 1e100) break the line. Low and High are error bars around Y, nil
// for none; a point has none where either is no number. Series with lines are drawn a few
// pixels aside each other where there are bars, so that none hides another.
type Series struct {
	Name string
	X, Y []float64
	Low  []float64
	High []float64
	// beside the points, "" for none; nil: no labels. Some that would meet are left out
	Labels []string
	Dashed bool // for reference lines
	Points bool // markers only, no line
}

// Chart is some series over the same axes. Axes that are Percent take shares (0.25 is
// shown as 25 %). Diagonal adds the line from (0,0) to (1,1): what random order yields, or
// what DiagonalName says.
// With XNames the x axis has names in place of numbers, at 0, 1, 2 and so on. An axis of
// shares starts at 0; with YCut that of y need not, and its label should say so. An axis that is
// Free starts near its lowest value: for logarithms, which have no zero, and for an x of which
// only a part has points. Bars says what the error bars are, below the legend and in the text
// alternative.
type Chart struct {
	Title, XLabel, YLabel string
	XPercent, YPercent    bool
	YCut                  bool
	XFree, YFree          bool
	XNames                []string
	Diagonal              bool
	DiagonalName          string // what that line is; "" for random order
	Bars                  string
	Series                []Series
}

// shown refuses what has no place in a chart; beyond 1e100 spans overflow, and no figure
// of ours is meant.
func shown(v float64) bool { return math.Abs(v) <= 1e100 }

// point returns the i-th point, or false where it breaks the line.
func (s Series) point(i int) (x, y float64, ok bool) {
	x, y = s.X[i], s.Y[i]
	return x, y, shown(x) && shown(y)
}

// bar returns the error bar of the i-th point, or false if it has none.
func (s Series) bar(i int) (low, high float64, ok bool) {
	if s.Low == nil || s.High == nil {
		return 0, 0, false
	}
	if _, _, ok := s.point(i); !ok {
		return 0, 0, false
	}
	low, high = s.Low[i], s.High[i]
	return low, high, shown(low) && shown(high)
}

// barred reports whether any point has an error bar.
func (c Chart) barred() bool {
	for _, s := range c.Series {
		for i := range s.X {
			if _, _, ok := s.bar(i); ok {
				return true
			}
		}
	}
	return false
}

func (c Chart) check() error {
	for _, s := range c.Series {
		if len(s.X) != len(s.Y) {
			return fmt.Errorf(
				"chart %q: series %q has %d x and %d y values",
				c.Title,
				s.Name,
				len(s.X),
				len(s.Y),
			)
		}
		if (s.Low != nil || s.High != nil) && (len(s.Low) != len(s.Y) || len(s.High) != len(s.Y)) {
			return fmt.Errorf(
				"chart %q: series %q has %d points, %d low and %d high ends of bars",
				c.Title,
				s.Name,
				len(s.Y),
				len(s.Low),
				len(s.High),
			)
		}
		if s.Labels != nil && len(s.Labels) != len(s.X) {
			return fmt.Errorf(
				"chart %q: series %q has %d points and %d labels",
				c.Title,
				s.Name,
				len(s.X),
				len(s.Labels),
			)
		}
	}
	return nil
}

func (c Chart) empty() bool {
	for _, s := range c.Series {
		for i := range s.X {
			if _, _, ok := s.point(i); ok {
				return false
			}
		}
	}
	return true
}

// axes chooses both axes by the points that are shown.
func (c Chart) axes() (x, y axis) {
	const huge = math.MaxFloat64
	lowX, highX, lowY, highY := huge, -huge, huge, -huge
	add := func(x, y float64) {
		lowX, highX = math.Min(lowX, x), math.Max(highX, x)
		lowY, highY = math.Min(lowY, y), math.Max(highY, y)
	}
	if c.Diagonal {
		add(0, 0)
		add(1, 1)
	}
	for _, s := range c.Series {
		for i := range s.X {
			if x, y, ok := s.point(i); ok {
				add(x, y)
			}
			if low, high, ok := s.bar(i); ok {
				lowY, highY = math.Min(lowY, low), math.Max(highY, high)
			}
		}
	}
	x = newAxis(lowX, highX, c.XPercent, false, c.XFree, 6)
	if len(c.XNames) > 0 {
		x = namedAxis(c.XNames)
	}
	return x, newAxis(lowY, highY, c.YPercent, c.YCut, c.YFree, 5)
}

// colours of Okabe and Ito without their yellow, and a grey in place of their black: they
// are seen on a light and on a dark ground.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f"}

// marker draws the i-th shape around (x, y). Shapes and colours repeat at different
// lengths, so that pairs repeat late.
func marker(b *strings.Builder, i int, x, y float64) {
	const r = 3.6
	switch i % 5 {
	case 0:
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%.1f"/>`, x, y, r)
	case 1:
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`,
			x-r+.4, y-r+.4, 2*r-.8, 2*r-.8)
	case 2:
		fmt.Fprintf(b, `<path d="M%.1f %.1fl%.1f %.1fh-%.1fz"/>`, x, y-r-.6, r+.6, 2*r+.4, 2*r+1.2)
	case 3:
		fmt.Fprintf(
			b,
			`<path d="M%.1f %.1fl%.1f %.1fl-%.1f %.1fl-%.1f -%.1fz"/>`,
			x,
			y-r-1,
			r+1,
			r+1,
			r+1,
			r+1,
			r+1,
			r+1,
		)
	case 4:
		fmt.Fprintf(b, `<path d="M%.1f %.1fl%.1f -%.1fh-%.1fz"/>`, x, y+r+.6, r+.6, 2*r+.4, 2*r+1.2)
	}
}
