package report

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func barredChart() Chart {
	return Chart{Title: "Update rate", YPercent: true, Bars: "5 to 95 % of 200 samples",
		Series: []Series{
			{Name: "a", X: []float64{2, 4, 12}, Y: []float64{0.2, 0.3, 0.4},
				Low: []float64{0.1, math.NaN(), 0.3}, High: []float64{0.25, 0.35, 0.9}},
			{Name: "b", X: []float64{2, 4, 12}, Y: []float64{0.1, math.NaN(), 0.2},
				Low: []float64{0.05, 0.1, 0.1}, High: []float64{0.2, 0.2, 0.3}},
			{Name: "plain", X: []float64{2, 4, 12}, Y: []float64{0.1, 0.1, 0.1}},
		}}
}

// TestErrorBars: error bars are drawn if both ends and the point are numbers. The text alternative
// names them, and the axis has room for them.
func TestErrorBars(t *testing.T) {
	c := barredChart()
	svg := render(t, c.SVG)
	wellFormed(t, svg)
	if n := strings.Count(svg, `<path class="e"`); n != 4 {
		t.Errorf("%d error bars, want 4", n)
	}
	for _, want := range []string{`aria-label="Update rate; error bars: 5 to 95 % of 200 samples"`,
		"bars: 5 to 95 %",
		"<title>a: 2, 20.0 % [10.0 %, 25.0 %]</title>", "<title>a: 4, 30.0 %</title>",
		">100</text>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	// From 0.1 to 0.25 on an axis from 0 to 1 of 300 pixels, around the first point.
	if c.aside(0) != -asideStep || c.aside(2) != asideStep ||
		!strings.Contains(svg, `V269.0m-3 0h6`) {
		t.Errorf("no bar up to 25 %%, or lines are not aside: %v, %v", c.aside(0), c.aside(2))
	}
	for i := range c.Series {
		c.Series[i].Low, c.Series[i].High = nil, nil
	}
	plain := render(t, c.SVG)
	for _, word := range []string{"bars", `class="e"`, "[", ">100</text>"} {
		if strings.Contains(strings.ReplaceAll(plain, chartStyle, ""), word) {
			t.Errorf("without bars the chart has %q", word)
		}
	}
	c.Series[1].Low = []float64{1}
	var b bytes.Buffer
	if err := c.SVG(&b); err == nil ||
		!strings.Contains(err.Error(), `series "b" has 3 points, 1 low and 0 high ends of bars`) ||
		b.Len() > 0 {
		t.Errorf("error %v after %d bytes", err, b.Len())
	}
}

// TestLegendOrder: the legend has the order of the series, whatever their values.
func TestLegendOrder(t *testing.T) {
	c := barredChart()
	for range 2 {
		svg := render(t, c.SVG)
		at := 0
		for _, s := range c.Series {
			next := strings.Index(svg, `">`+s.Name+"</text>")
			if next <= at {
				t.Errorf("%q is out of order", s.Name)
			}
			at = next
		}
		c.Series[0], c.Series[2] = c.Series[2], c.Series[0]
	}
}

var labelPlace = regexp.MustCompile(
	`<text x="([0-9.]+)" y="([0-9.]+)" font-size="11">([^<]*)</text>`)

// TestLabelsAreFree: labels overlap neither points of any series nor each other.
func TestLabelsAreFree(t *testing.T) {
	labelled, other := Series{Name: "labelled"}, Series{Name: "other", Points: true}
	for i := range 20 {
		x := float64(i*i%20) / 20
		labelled.X, labelled.Y = append(labelled.X, x), append(labelled.Y, x*x)
		labelled.Labels = append(labelled.Labels, strconv.Itoa(i)+" %")
		other.X, other.Y = append(other.X, x+0.02), append(other.Y, x*x+0.04)
	}
	c := Chart{XPercent: true, YPercent: true, Diagonal: true, Series: []Series{labelled, other}}
	x, y := c.axes()
	svg := render(t, c.SVG)
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var places []rectangle
	for _, found := range labelPlace.FindAllStringSubmatch(svg, -1) {
		left, base := number(found[1]), number(found[2])
		r := rectangle{left, base - 9, left + 6*float64(len(found[3])), base}
		for _, s := range c.Series {
			for i := range s.X {
				at := rectangle{placeX(x, s.X[i]) - 3, placeY(y, s.Y[i]) - 3, placeX(x, s.X[i]) + 3,
					placeY(y, s.Y[i]) + 3}
				if r.meets(at) {
					t.Errorf("label %q covers a point of %s", found[3], s.Name)
				}
			}
		}
		if meetsAny(r, places) {
			t.Errorf("label %q meets another", found[3])
		}
		places = append(places, r)
	}
	if len(places) < 5 {
		t.Errorf("%d labels of 20 found a place", len(places))
	}
}

// TestCellsThatWrap: numbers stay on one line, their intervals may go to the next, and long texts
// wrap.
func TestCellsThatWrap(t *testing.T) {
	page := Page{Sections: []Section{{Tables: []Table{{Header: []string{"policy", "gain",
		"what it does", "span"},
		Rows: [][]string{{"c-closure", "0.41 [0.36, 0.47]",
			strings.Repeat("it is a long story ", 9), "[0.1, 0.2]"},
			{"a", "-", "short", "[-0.3, 0.2]"}}}}}}}
	html := render(t, page.HTML)
	for _, want := range []string{`<td>c-closure</td>`,
		`<td class="num">0.41 <small>[0.36, 0.47]</small></td>`, `<td class="long">it is a`,
		`<td class="long">short</td>`,
		`<td class="num">[0.1, 0.2]</td>`, `<th scope="col" class="long">what it does</th>`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
}
