package report

import (
	"fmt"
	"math"
	"strings"
)

// Labels of points, smaller than other text.
const (
	labelSize   = 11
	labelLetter = 6.3 // pixels, roughly
)

// rectangle is a part of the chart, in its units.
type rectangle struct{ left, top, right, bottom float64 }

func (r rectangle) meets(s rectangle) bool {
	return r.left < s.right && s.left < r.right && r.top < s.bottom && s.top < r.bottom
}

// around returns the rectangle of a marker.
func around(x, y float64) rectangle {
	const r = 5.5
	return rectangle{x - r, y - r, x + r, y + r}
}

// drawLabels writes labels beside their points, where they overlap no marker and no other label,
// and no line if possible. Labels without such a place are left out.
func (c Chart) drawLabels(b *strings.Builder, x, y axis) {
	var taken, lines []rectangle
	for i, s := range c.Series {
		last, joined := [2]float64{}, false
		for p := range s.X {
			px, py, ok := s.point(p)
			if !ok {
				joined = false
				continue
			}
			at := [2]float64{placeX(x, px) + c.aside(i), placeY(y, py)}
			if s.Points || len(s.X) <= maxMarkers {
				taken = append(taken, around(at[0], at[1]))
			}
			if low, high, ok := s.bar(p); ok {
				taken = append(taken,
					rectangle{at[0] - 3, placeY(y, high), at[0] + 3, placeY(y, low)})
			}
			if joined && !s.Points {
				lines = append(lines, along(last, at)...)
			}
			last, joined = at, true
		}
	}
	for i, s := range c.Series {
		for p, label := range s.Labels {
			px, py, ok := s.point(p)
			if !ok || label == "" {
				continue
			}
			place, ok := free(
				placeX(x, px)+c.aside(i),
				placeY(y, py),
				labelLetter*float64(columns(label)),
				taken,
				lines,
			)
			if !ok {
				continue
			}
			taken = append(taken, place)
			fmt.Fprintf(
				b,
				"\n"+`<text x="%.1f" y="%.1f" font-size="%d">%s</text>`,
				place.left,
				place.bottom-2,
				labelSize,
				text(label),
			)
		}
	}
}

// along covers the line between two points with small rectangles.
func along(from, to [2]float64) []rectangle {
	const step = 4
	n := int(math.Hypot(to[0]-from[0], to[1]-from[1])/step) + 1
	all := make([]rectangle, 0, n)
	for i := range n {
		t := (float64(i) + 0.5) / float64(n)
		x, y := from[0]+t*(to[0]-from[0]), from[1]+t*(to[1]-from[1])
		all = append(all, rectangle{x - 1, y - 1, x + 1, y + 1})
	}
	return all
}

// free finds a place for a text of a width near a point.
func free(x, y, width float64, taken, lines []rectangle) (rectangle, bool) {
	const gap, height = 7.0, float64(labelSize)
	var crossing rectangle
	crosses := false
	for _, side := range [][2]float64{{gap, -gap - height}, {-gap - width, -gap - height},
		{gap, gap - 4}, {-gap - width, gap - 4},
		{gap, -height / 2}, {-gap - width, -height / 2}, {-width / 2, -gap - height},
		{-width / 2, gap}} {
		place := rectangle{x + side[0], y + side[1], x + side[0] + width, y + side[1] + height}
		if place.left < plotLeft || place.right > plotLeft+plotWidth || place.top < plotTop ||
			place.bottom > plotTop+plotHeight ||
			meetsAny(place, taken) {
			continue
		}
		if !meetsAny(place, lines) {
			return place, true
		}
		if !crosses {
			crossing, crosses = place, true
		}
	}
	return crossing, crosses
}

func meetsAny(r rectangle, all []rectangle) bool {
	for _, s := range all {
		if r.meets(s) {
			return true
		}
	}
	return false
}
