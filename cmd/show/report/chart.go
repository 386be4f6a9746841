package report

import (
	"fmt"
	"math"
	"strings"
)

// Series is one line of a chart, with points (X[i], Y[i]) in the given order. Points that are NaN,
// infinite or beyond 1e100 break the line. Low and High are error bars around Y, or nil; a point
// has no bar if an end is not a number. If there are bars, lines are drawn a few pixels apart, so
// that none hides another.
type Series struct {
	Name string
	X, Y []float64
	Low  []float64
	High []float64
	// Labels are texts beside the points, "" for none; nil: no labels. Labels that would overlap
	// are left out.
	Labels []string
	Dashed bool // for reference lines
	Points bool // markers only, no line
}

// Chart is some series over the same axes.
//
// Percent axes take shares (0.25 is shown as 25 %) and start at 0. With YCut the y axis need not
// start at 0, and its label should say so. A Free axis starts near its lowest value: for
// logarithms, which have no zero, and for an x axis of which only a part has points. With XNames
// the x axis has names in place of numbers, at 0, 1, 2 and so on.
//
// Diagonal adds the line from (0,0) to (1,1), the yield of random order unless DiagonalName says
// otherwise. Bars says what the error bars mean, below the legend and in the text alternative.
type Chart struct {
	Title, XLabel, YLabel string
	XPercent, YPercent    bool
	YCut                  bool
	XFree, YFree          bool
	XNames                []string
	Diagonal              bool
	DiagonalName          string // meaning of that line; "" for random order
	Bars                  string
	Series                []Series
}

// shown reports whether a chart can show a value. Beyond 1e100 spans overflow, and no result is so
// large.
func shown(v float64) bool { return math.Abs(v) <= 1e100 }

// point returns the i-th point, or false if it breaks the line.
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

// axes chooses both axes for the shown points.
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

// colours are those of Okabe and Ito without their yellow, and with a grey in place of their black.
// They are visible on light and on dark ground.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f"}

// marker draws the i-th shape around (x, y). Shapes and colours repeat at different lengths, so
// that pairs repeat late.
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
