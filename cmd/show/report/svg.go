package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// Sizes of a chart in its own units; it scales to the available width.
const (
	chartWidth  = 784
	plotLeft    = 94
	plotTop     = 44
	plotWidth   = 460
	plotHeight  = 300
	legendLeft  = plotLeft + plotWidth + 22
	legendRow   = 22 // from one entry to the next
	legendWidth = 24 // characters that fit beside the plot
	letterWidth = 7  // roughly
	barsWidth   = 30 // characters of the text on the bars
	nameWidth   = 24 // characters of a name on an axis
	maxMarkers  = 24 // a line with more points has room for some markers only
	someMarkers = 6
	asideStep   = 5 // pixels between the error bars of two lines
)

// chartStyle works in a page and in a file of its own. The colours of text and grid follow the
// reader's setting; the colours of lines are readable on light and dark ground.
const chartStyle = `.chart{font:13px system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;--ink:#1c2430;--soft:#5b6675;--line:#e3e7ec;--ground:#fff}
.chart text{fill:var(--soft)}.chart .t{fill:var(--ink);font-weight:600;font-size:15px}.chart .n{fill:var(--ink)}
.chart .g{stroke:var(--line);stroke-width:1}.chart .x{stroke:var(--soft);stroke-width:1}.chart .r{stroke:var(--soft);stroke-width:1.2;stroke-dasharray:2 4}
.chart .l{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}.chart .d{stroke-dasharray:7 5}.chart .h{fill-opacity:0;stroke:none}.chart .e{fill:none;stroke-width:1.3;stroke-opacity:.75}.chart .b{fill:var(--ground)}
@media(prefers-color-scheme:dark){.chart{--ink:#e8ecf1;--soft:#a3aebb;--line:#2d3541;--ground:#161b22}}`

// SVG writes the chart as a self-contained SVG document. It fails if a series has different numbers
// of x and y values, or if w fails. It may then have written a part.
func (c Chart) SVG(w io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	_, err := io.WriteString(w, c.draw("<style>"+chartStyle+"</style>"))
	return err
}

// draw returns the SVG element, which begins with head.
func (c Chart) draw(head string) string {
	x, y := c.axes()
	height := max(plotTop+plotHeight+56+x.hang(), plotTop+20+legendRow*(len(c.Series)+2))
	var b strings.Builder
	fmt.Fprintf(
		&b,
		`<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s">`,
		chartWidth,
		height,
		text(c.alternative()),
	)
	b.WriteString(head)
	fmt.Fprintf(&b, "\n<rect class=\"b\" width=\"%d\" height=\"%d\"/>", chartWidth, height)
	fmt.Fprintf(&b, "\n"+`<text class="t" x="%d" y="24">%s</text>`, plotLeft, text(c.Title))
	c.drawAxes(&b, x, y)
	if c.Diagonal {
		fmt.Fprintf(&b, "\n"+`<line class="r" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`,
			placeX(x, 0), placeY(y, 0), placeX(x, 1), placeY(y, 1))
	}
	for i := range c.Series {
		c.drawSeries(&b, i, x, y)
	}
	c.drawLabels(&b, x, y)
	if c.empty() {
		fmt.Fprintf(
			&b,
			"\n"+`<text x="%d" y="%d" text-anchor="middle">no values</text>`,
			plotLeft+plotWidth/2,
			plotTop+plotHeight/2,
		)
	}
	c.drawLegend(&b)
	b.WriteString("\n</svg>\n")
	return b.String()
}

// alternative returns the text for readers who do not see the chart.
func (c Chart) alternative() string {
	if c.Bars == "" || !c.barred() {
		return c.Title
	}
	return c.Title + "; error bars: " + c.Bars
}

func placeX(a axis, v float64) float64 { return plotLeft + plotWidth*a.at(v) }
func placeY(a axis, v float64) float64 { return plotTop + plotHeight*(1-a.at(v)) }

func (c Chart) drawAxes(b *strings.Builder, x, y axis) {
	const bottom, right = plotTop + plotHeight, plotLeft + plotWidth
	for _, v := range y.ticks() {
		at := placeY(y, v)
		fmt.Fprintf(b, "\n"+`<line class="g" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`,
			plotLeft, at, right, at)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			plotLeft-8, at+4.5, y.label(v))
	}
	for _, v := range x.ticks() {
		at := placeX(x, v)
		fmt.Fprintf(b, "\n"+`<line class="g" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`,
			at, plotTop, at, bottom)
		if x.hang() > 0 {
			fmt.Fprintf(
				b,
				`<text transform="translate(%.1f %d) rotate(-35)" text-anchor="end">%s</text>`,
				at+5,
				bottom+17,
				text(shorten(x.label(v), nameWidth)),
			)
			continue
		}
		fmt.Fprintf(
			b,
			`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`,
			at,
			bottom+19,
			text(x.label(v)),
		)
	}
	fmt.Fprintf(b, "\n"+`<line class="x" x1="%d" y1="%d" x2="%d" y2="%d"/>`,
		plotLeft, bottom, right, bottom)
	fmt.Fprintf(b, "\n"+`<text x="%d" y="%d" text-anchor="middle">%s</text>`,
		plotLeft+plotWidth/2, bottom+43+x.hang(), text(withUnit(c.XLabel, c.XPercent)))
	fmt.Fprintf(b, "\n"+
		`<text transform="translate(17 %d) rotate(-90)" text-anchor="middle">%s</text>`,
		plotTop+plotHeight/2, text(withUnit(c.YLabel, c.YPercent)))
}

// hang returns the room that the names of an axis need below a line of numbers: names that are too
// long to stand side by side are turned.
func (a axis) hang() int {
	longest := 0
	for _, name := range a.names {
		longest = max(longest, columns(oneLine(name)))
	}
	if longest*letterWidth <= plotWidth/max(len(a.names), 1) {
		return 0
	}
	return min(longest, nameWidth) * letterWidth * 57 / 100 // sine of the angle
}

func withUnit(label string, percent bool) string {
	if !percent || strings.Contains(label, "%") {
		return label
	}
	return strings.TrimSpace(label + " (%)")
}

// drawSeries draws the points, and lines between neighbours that are both numbers.
func (c Chart) drawSeries(b *strings.Builder, i int, x, y axis) {
	s, colour := c.Series[i], colours[i%len(colours)]
	fmt.Fprintf(b, "\n"+`<g class="s" stroke="%s" fill="%s"><title>%s</title>`,
		colour, colour, text(s.Name))
	var path strings.Builder
	pen := "M"
	for p := range s.X {
		px, py, ok := s.point(p)
		if !ok {
			pen = "M"
			continue
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", pen, placeX(x, px)+c.aside(i), placeY(y, py))
		pen = "L"
	}
	if path.Len() > 0 && !s.Points {
		class := "l"
		if s.Dashed {
			class = "l d"
		}
		fmt.Fprintf(b, `<path class="%s" d="%s"/>`, class, path.String())
	}
	for p := range s.X {
		px, py, ok := s.point(p)
		if !ok {
			continue
		}
		values := x.value(px) + ", " + y.value(py)
		if low, high, ok := s.bar(p); ok {
			values += " [" + y.value(low) + ", " + y.value(high) + "]"
			drawBar(b, placeX(x, px)+c.aside(i), placeY(y, low), placeY(y, high))
		}
		c.drawPoint(b, i, p, placeX(x, px)+c.aside(i), placeY(y, py), text(values))
	}
	b.WriteString("</g>")
}

// aside returns by how many pixels the i-th series is moved to the side.
func (c Chart) aside(i int) float64 {
	if c.Series[i].Points || !c.barred() {
		return 0
	}
	return asideStep * (float64(i) - float64(len(c.Series)-1)/2)
}

func drawBar(b *strings.Builder, x, low, high float64) {
	const cap = 3
	fmt.Fprintf(
		b,
		"\n"+`<path class="e" d="M%.1f %.1fh%dm-%d 0V%.1fm-%d 0h%d"/>`,
		x-cap,
		low,
		2*cap,
		cap,
		high,
		cap,
		2*cap,
	)
}

// drawPoint draws a marker with the values as tooltip. On a line of many points it draws an
// invisible place for the tooltip, or nothing.
func (c Chart) drawPoint(b *strings.Builder, i, p int, x, y float64, values string) {
	s := c.Series[i]
	n := len(s.X)
	marked, told := true, true
	if n > maxMarkers && !s.Points {
		gap := n / someMarkers // shifted from series to series, so that few markers overlap
		marked = p%gap == (gap/2+i*gap/(len(c.Series)+1))%gap
		told = marked || p%(1+(n-1)/maxMarkers) == 0
	}
	if !told {
		return
	}
	b.WriteString("\n<g>")
	if marked {
		marker(b, i, x, y)
	} else {
		fmt.Fprintf(b, `<circle class="h" cx="%.1f" cy="%.1f" r="7"/>`, x, y)
	}
	fmt.Fprintf(b, `<title>%s: %s</title></g>`, text(s.Name), values)
}

// drawLegend names the series in their order, which is the same in all charts.
func (c Chart) drawLegend(b *strings.Builder) {
	at := plotTop + 8
	for i, s := range c.Series {
		colour := colours[i%len(colours)]
		class := "l"
		if s.Dashed {
			class = "l d"
		}
		fmt.Fprintf(b, "\n"+`<g class="k"><g stroke="%s" fill="%s"><title>%s</title>`,
			colour, colour, text(s.Name))
		if !s.Points {
			fmt.Fprintf(b, `<path class="%s" d="M%d %dh26"/>`, class, legendLeft, at)
		}
		marker(b, i, legendLeft+13, float64(at))
		b.WriteString("</g>")
		fmt.Fprintf(
			b,
			`<text class="n" x="%d" y="%d">%s</text></g>`,
			legendLeft+34,
			at+5,
			text(shorten(s.Name, legendWidth)),
		)
		at += legendRow
	}
	if c.Diagonal {
		fmt.Fprintf(
			b,
			"\n"+`<path class="r" d="M%d %dh26"/><text x="%d" y="%d">%s</text>`,
			legendLeft,
			at,
			legendLeft+34,
			at+5,
			text(shorten(cmp.Or(c.DiagonalName, "random order"), legendWidth)),
		)
		at += legendRow
	}
	if c.Bars != "" && c.barred() {
		fmt.Fprintf(
			b,
			"\n"+`<text x="%d" y="%d" font-size="11">bars: %s</text>`,
			legendLeft,
			at+5,
			text(shorten(c.Bars, barsWidth)),
		)
	}
}
