package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

var sampleFile = flag.String("sample", "", "write the sample page to this file, to look at it")

func curve(name string, bend float64, dashed bool) Series {
	s := Series{Name: name, Dashed: dashed}
	for i := range 101 {
		x := float64(i) / 100
		s.X, s.Y = append(s.X, x), append(s.Y, math.Pow(x, bend))
	}
	return s
}

func samplePage() Page {
	weeks := []float64{2, 4, 12, 24}
	return Page{
		Title:   "Recrawl policies on a built-in web",
		Finding: "value finds 96 % of the changes with a fifth of the fetches.",
		Intro: "Eight servers, 1,240 pages, 24 weeks. A policy is good if it finds changed " +
			"pages early.\n\nSame seed, same figures.",
		Sections: []Section{{
			Title: "Coverage at four weeks",
			Text: "Each policy may fetch what it likes; the curve shows how soon it finds what " +
				"has changed.",
			Tables: []Table{{
				Title:  "Policies",
				Header: []string{"policy", "fetched", "update rate %", "coverage %", "gain"},
				Rows: [][]string{{"clairvoyant", "96", "100.0", "100.0", "1.00"},
					{"b-closure", "402", "17.3", "72.4", "0.41 [0.36, 0.47]"},
					{"random", "1,240", "7.7", "100.0", "–"}, {"方策 <b>", "1", "-0.5", "", "NaN"}},
				Note: "Interval: 5 to 95 % of 200 samples of servers.",
			}},
			Charts: []Chart{{
				Title: "Changed pages found against pages fetched", XLabel: "pages fetched",
				YLabel:   "changed pages found",
				XPercent: true, YPercent: true, Diagonal: true,
				Series: []Series{curve("a", .5, false), curve("b-closure", .4, false),
					curve("c", .6, false), curve("sites", .2, false),
					curve("server-previous+b-closure", .35, false), curve("clairvoyant", .05, true),
					curve("lambdacrawl", .3, false)},
			}, {
				Title: "Update rate by period", XLabel: "weeks", YLabel: "update rate",
				YPercent: true,
				Series: []Series{{Name: "whole", X: weeks, Y: []float64{.036, .077, .145, .21},
					Dashed: true}, {Name: "a", X: weeks, Y: []float64{.09, .14, .22, .27}},
					{Name: "b", X: weeks, Y: []float64{.1, math.NaN(), .23, .29}},
					{Name: "c", X: weeks, Y: []float64{.11, .17, .25, .31}}},
			}},
		}, {
			Title: "Many pages never change",
			Charts: []Chart{{Title: "Pages by number of updates", XLabel: "updates",
				YLabel: "pages",
				Series: []Series{{Name: "24 weeks", X: []float64{0, 1, 2, 3, 4},
					Y: []float64{1300000, 180000, 40000, 21000, 9000}}}}},
		}, {Title: "Nothing to show", Text: "No page changed.",
			Charts: []Chart{{Title: "Empty", XLabel: "x", YLabel: "y"}}}},
	}
}

func render(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSameInputSameBytes(t *testing.T) {
	first := render(t, samplePage().HTML)
	for range 3 {
		if render(t, samplePage().HTML) != first {
			t.Fatal("two pages of the same input differ")
		}
	}
	if *sampleFile != "" {
		if err := os.WriteFile(*sampleFile, []byte(first), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	page := strings.ReplaceAll(render(t, samplePage().HTML), "http://www.w3.org/2000/svg", "")
	if n := strings.Count(page, "<script>"); n != 1 {
		t.Errorf("the page has %d scripts", n)
	}
	for _, s := range []string{"http://", "https://", "<script ", "<link", "<img", "@import",
		"url(", "src="} {
		if strings.Contains(page, s) {
			t.Errorf("the page contains %q", s)
		}
	}
}

// TestFigureData: every figure has its values as CSV, and as JSON for the script. Text that a
// spreadsheet would run is quoted.
func TestFigureData(t *testing.T) {
	c := Chart{Title: "What? 5 % a day", XLabel: "x", YLabel: "=HYPERLINK(1)", YPercent: true,
		Series: []Series{
			{Name: "+cmd", X: []float64{1, 2, math.NaN()}, Y: []float64{.5, .25, 1},
				Low: []float64{.4, .2, 0}, High: []float64{.6, .3, 1}},
			{Name: "a, \"b\"", X: []float64{1}, Y: []float64{1}, Labels: []string{"-1"}}}}
	want := "series,x,'=HYPERLINK(1),low,high,label\n'+cmd,1,0.5,0.4,0.6,\n'+cmd,2,0.25,0.2,0.3,\n\"a, \"\"b\"\"\",1,1,,,'-1\n"
	if got := c.csv(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v := c.view()
	if v.File != "what-5-a-day.csv" {
		t.Errorf("file %q", v.File)
	}
	var d figureData
	if err := json.Unmarshal([]byte(v.Data), &d); err != nil || len(d.Series) != 2 ||
		len(d.Series[0].Points) != 2 || d.Series[0].Points[1][3] != "25.0 %" {
		t.Errorf("%v: %+v", err, d)
	}
	page := render(t, Page{Sections: []Section{{Charts: []Chart{c, c}}}}.HTML)
	if n := strings.Count(page, "data:text/csv"); n != 2 ||
		!strings.Contains(page, `download="what-5-a-day.csv"`) {
		t.Errorf("%d figures have their data", n)
	}
}

// TestScriptRunsByItsHash: only the script of the page runs. Its hash is that of the bytes in the
// file.
func TestScriptRunsByItsHash(t *testing.T) {
	page := render(t, samplePage().HTML)
	_, rest, _ := strings.Cut(page, "<script>")
	script, _, ok := strings.Cut(rest, "</script>")
	sum := sha256.Sum256([]byte(script))
	if want := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !ok ||
		!strings.Contains(page, want) {
		t.Errorf("%q is not in the page", want)
	}
}

const nasty = "<script>alert(\"x\")</script> & '\x00\x1b[31m\xff\u202e"

func TestEscaping(t *testing.T) {
	c := Chart{Title: nasty, XLabel: nasty, YLabel: nasty,
		Series: []Series{{Name: nasty, X: []float64{1}, Y: []float64{2}}}}
	table := Table{Title: nasty, Header: []string{nasty}, Rows: [][]string{{nasty}}, Note: nasty}
	page := render(t, Page{nasty, nasty, nasty,
		[]Section{{nasty, nasty, []Table{table}, []Chart{c}}, {}, {}}}.HTML)
	svg := render(t, c.SVG)
	for name, s := range map[string]string{"page": page, "svg": svg} {
		if strings.Count(s, "<script") != map[string]int{"page": 1}[name] ||
			strings.Contains(s, "alert(\"") {
			t.Errorf("%s holds the text unescaped", name)
		}
	}
	wellFormed(t, svg)
	for name, s := range map[string]string{"page": page, "svg": svg,
		"text": render(t, table.Text)} {
		if strings.ContainsAny(s, "\x00\x1b\u202e") {
			t.Errorf("%s holds control characters", name)
		}
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, svg)
		}
	}
}

func TestChartsOfAnyValues(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, values := range [][]float64{nil, {}, {nan}, {nan, inf, -inf}, {0}, {5}, {-3, -3},
		{1e-300, 2e-300}, {-1e308, 1e308},
		{math.MaxFloat64, -math.MaxFloat64}, {5e-324}, {1, nan, 3}, {1e15, 1e15 + 1}, {0, 1},
		{-1, 0}, {1000000, 1000001}} {
		for _, percent := range []bool{false, true} {
			c := Chart{Title: "t", XPercent: percent, YPercent: percent, Diagonal: percent,
				Series: []Series{{Name: "s", X: values, Y: values}, {Name: "none", Dashed: true}}}
			svg := render(t, c.SVG)
			wellFormed(t, svg)
			for _, bad := range []string{"NaN", "Inf", "%!"} {
				if strings.Contains(svg, bad) {
					t.Errorf("%v: the chart holds %q", values, bad)
				}
			}
			if n := strings.Count(svg, "\n"); n > 100 {
				t.Errorf("%v: %d lines", values, n)
			}
		}
	}
}

func TestNaNBreaksTheLine(t *testing.T) {
	c := Chart{Series: []Series{{Name: "s", X: []float64{0, 1, 2, 3, 4},
		Y: []float64{0, 1, math.NaN(), 3, 4}}}}
	svg := render(t, c.SVG)
	_, d, _ := strings.Cut(svg, `<path class="l" d="`)
	d, _, _ = strings.Cut(d, `"`)
	if strings.Count(d, "M") != 2 || strings.Count(d, "L") != 2 {
		t.Errorf("path %q, want two pieces of one line each", d)
	}
}

func TestUnequalLengths(t *testing.T) {
	c := Chart{Title: "coverage",
		Series: []Series{{Name: "a", X: []float64{1, 2}, Y: []float64{1}}}}
	var b bytes.Buffer
	for _, write := range []func(
		io.Writer) error{c.SVG, Page{Sections: []Section{{Charts: []Chart{c}}}}.HTML} {
		if err := write(&b); err == nil ||
			!strings.Contains(err.Error(), `series "a" has 2 x and 1 y values`) || b.Len() > 0 {
			t.Errorf("error %v after %d bytes", err, b.Len())
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		percent   bool
		cut, free bool
		want      string
	}{
		{0, 1, true, false, false, "0 20 40 60 80 100"},
		{.02, .31, true, true, false, "0 10 20 30 40"},
		{0.93, 0.97, true, true, false, "93 94 95 96 97"},
		{0.93, 0.97, true, false, false, "0 20 40 60 80 100"},
		{0.6, 0.7, true, false, false, "0 20 40 60 80"},
		{0, 1.01, true, false, false, "0 20 40 60 80 100 120"},
		{0.05, 0.97, true, false, false, "0 20 40 60 80 100"},
		{2, 24, false, false, false, "0 5 10 15 20 25"},
		{0, 1300000, false, false, false, "0 500,000 1,000,000 1,500,000"},
		{0, .0123, true, false, false, "0.0 0.5 1.0 1.5"},
		{-1, 1, false, false, false, "-1.0 -0.5 0.0 0.5 1.0"},
		{0, 2.6e7, false, false, false, "0 M 5 M 10 M 15 M 20 M 25 M 30 M"},
		{3, 3, false, false, false, "1 2 3 4 5"},
		{.42, .7, true, false, true, "40 50 60 70"},
		{12, 21, false, false, true, "12 14 16 18 20 22"},
		{3, 3, false, false, true, "1 2 3 4 5"},
		{1, 0, false, false, false, "0.0 0.2 0.4 0.6 0.8 1.0"}, // no values
	} {
		a := newAxis(c.low, c.high, c.percent, c.cut, c.free, 5)
		var got []string
		for _, v := range a.ticks() {
			got = append(got, a.label(v))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("axis from %v to %v: ticks %s, want %s", c.low, c.high, s, c.want)
		}
	}
}

func TestTableText(t *testing.T) {
	table := Table{
		Title:  "Policies",
		Header: []string{"policy", "fetched", "coverage", "for"},
		Rows: [][]string{{"random", "1,240", "–", "4 weeks"}, {"方策", "7", "72.4 %", "日本"},
			{"e\u0301te\u0301", "", "5 [4, 6]"}, {"more", "1", "2", "x", "y"}},
		Note: "Some are undefined.",
	}
	want := `Policies
policy  fetched  coverage  for
------  -------  --------  -------  -
random    1,240         –  4 weeks
方策          7    72.4 %  日本
été             5 [4, 6]
more          1         2  x        y
Some are undefined.
`
	want = strings.Replace(want, "été             5", "e\u0301te\u0301              5", 1)
	if got := render(t, table.Text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := render(t, Table{}.Text); got != "" {
		t.Errorf("empty table: %q", got)
	}
}

func TestPointsAndLabels(t *testing.T) {
	c := Chart{Title: "t", XPercent: true, YPercent: true, Diagonal: true, Series: []Series{
		{Name: "by depth", X: []float64{0.1, 0.5, 0.51, 1}, Y: []float64{0.1, 0.5, 0.5, 1},
			Labels: []string{"one", "<two>", strings.Repeat("no room", 12), ""}, Points: true}}}
	svg := render(t, c.SVG)
	wellFormed(t, svg)
	if strings.Contains(svg, `class="l"`) {
		t.Error("points have a line")
	}
	if n := strings.Count(svg, "<circle"); n != 4+1 {
		t.Errorf("%d markers, want 4 and one in the legend", n)
	}
	for text, want := range map[string]bool{">one<": true, "&lt;two&gt;": true, "no room": false} {
		if strings.Contains(svg, text) != want {
			t.Errorf("label %q shown: %v, want %v", text, !want, want)
		}
	}
	many := Series{Name: "many", Points: true}
	for i := range 100 {
		many.X, many.Y = append(many.X, float64(i)), append(many.Y, 1)
	}
	if n := strings.Count(render(t, Chart{Series: []Series{many}}.SVG), "<circle"); n != 100+1 {
		t.Errorf("%d markers of 100 points", n)
	}
	c.Series[0].Labels = c.Series[0].Labels[1:]
	var b bytes.Buffer
	if err := c.SVG(&b); err == nil || !strings.Contains(err.Error(), "4 points and 3 labels") ||
		b.Len() > 0 {
		t.Errorf("error %v after %d bytes", err, b.Len())
	}
}

// TestNames: names stand in the place of numbers, turned if they do not fit side by side.
func TestNames(t *testing.T) {
	for _, names := range [][]string{{"org"}, {"org", "co.jp", "<b>"},
		{strings.Repeat("a long name ", 5), "b"},
		strings.Split(strings.Repeat("dot.com ", 12), " ")} {
		c := Chart{XLabel: "group", XNames: names,
			Series: []Series{{Name: "s", X: []float64{-0.2, 0.2}, Y: []float64{1, math.NaN()},
				Points: true}}}
		svg := render(t, c.SVG)
		wellFormed(t, svg)
		room := 460 / len(names)
		if turned := strings.Contains(svg, "rotate(-35)"); turned != (len(names[0])*7 > room) {
			t.Errorf("%q turned: %v", names, turned)
		}
		if !strings.Contains(svg, "<title>s: "+strings.TrimSpace(names[0])) {
			t.Errorf("no point of %q in\n%s", names[0], svg)
		}
	}
}

// TestPrintIsWhole: a part that scrolls sideways on a screen is printed whole, as paper cannot
// scroll.
func TestPrintIsWhole(t *testing.T) {
	_, print, _ := strings.Cut(pageStyle, "@media print{")
	scrolled := regexp.MustCompile(`(?m)^(\.[a-z]+)\{[^}]*overflow-x:auto`).FindAllStringSubmatch(
		pageStyle, -1)
	if len(scrolled) == 0 {
		t.Fatal("nothing is scrolled")
	}
	for _, m := range scrolled {
		if !regexp.MustCompile(regexp.QuoteMeta(m[1]) +
			`[,{][^{}]*\{?[^}]*overflow:visible`).MatchString(print) {
			t.Errorf("%s is cut where it is printed", m[1])
		}
	}
}
