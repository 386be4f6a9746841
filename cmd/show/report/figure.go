package report

import (
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// figureView is a chart in a page.
type figureView struct {
	SVG  template.HTML
	Data string       // for the script: see figureData
	CSV  template.URL // all values, as a data URL
	File string       // name of the file for them
}

// figureData is the data of a chart for the script of a page, which follows the pointer.
type figureData struct {
	Width, Left, Top, Right, Bottom int // in units of the drawing
	Series                          []figureSeries
}

type figureSeries struct {
	Name, Colour string
	Points       [][4]any // x and y in units of the drawing, and both as shown
}

// mostFollowed bounds the points of a series that follow the pointer, to about the points of a
// screen.
const mostFollowed = 1000

func (c Chart) view() figureView {
	x, y := c.axes()
	d := figureData{chartWidth, plotLeft, plotTop, plotLeft + plotWidth, plotTop + plotHeight,
		[]figureSeries{}}
	for i, s := range c.Series {
		f := figureSeries{oneLine(s.Name), colours[i%len(colours)], [][4]any{}}
		every := 1 + len(s.X)/mostFollowed
		for p := 0; p < len(s.X); p += every {
			if px, py, ok := s.point(p); ok {
				f.Points = append(f.Points,
					[4]any{tenth(placeX(x, px) + c.aside(i)), tenth(placeY(y, py)), x.value(px),
						y.value(py)})
			}
		}
		d.Series = append(d.Series, f)
	}
	data, _ := json.Marshal(d) // it has only numbers and texts
	return figureView{
		SVG:  template.HTML(c.draw("")),
		Data: string(data),
		CSV: template.URL("data:text/csv;charset=utf-8;base64," +
			base64.StdEncoding.EncodeToString([]byte(c.csv()))),
		File: fileName(c.Title) + ".csv",
	}
}

func tenth(v float64) float64 { return math.Round(10*v) / 10 }

// csv returns the chart as a table, with a row for each shown point.
func (c Chart) csv() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"series", harmless(c.XLabel), harmless(c.YLabel), "low", "high", "label"})
	for _, s := range c.Series {
		for p := range s.X {
			x, y, ok := s.point(p)
			if !ok {
				continue
			}
			row := []string{harmless(s.Name), number(x), number(y), "", "", ""}
			if i := int(x); len(c.XNames) > 0 && i >= 0 && i < len(c.XNames) {
				row[1] = harmless(c.XNames[i])
			}
			if low, high, ok := s.bar(p); ok {
				row[3], row[4] = number(low), number(high)
			}
			if s.Labels != nil {
				row[5] = harmless(s.Labels[p])
			}
			w.Write(row)
		}
	}
	w.Flush() // a strings.Builder has no errors
	return b.String()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// harmless returns a text that no spreadsheet takes for a formula.
func harmless(s string) string {
	s = oneLine(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

// fileName returns a title with only the characters that are safe in file names.
func fileName(title string) string {
	name := strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
	if name == "" {
		return "chart"
	}
	return name[:min(len(name), 60)]
}
