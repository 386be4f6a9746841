package papers

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/history"
)

// TestEdges checks that any servers give a page, a text and JSON without NaN.
func TestEdges(t *testing.T) {
	still := server("s.org", life{"/", nil, []string{"/a/", "/a/b"}}, life{"/a/", nil, nil},
		life{"/a/b", nil, nil})
	noLinks := server("l.org", life{"/", []int{1}, nil}, life{"/a/", []int{1}, nil})
	vanishing := server("v.org", life{"/", []int{1}, []string{"gone"}})
	for _, test := range []struct {
		name    string
		servers []*history.Server
		weeks   []int
		warning string
	}{
		{"one page", several(1, "o", func(name string) *history.Server {
			return server(name, life{"/", []int{1}, nil})
		}), []int{2}, "no server has a page beside its start page"},
		{"one server", several(1, "t", telling), []int{2, 4}, "fewer than 5 servers"},
		{"no changed page", []*history.Server{still}, []int{2, 12}, "within 2, 12 weeks"},
		{"no links", []*history.Server{noLinks}, []int{4}, "only start pages"},
		{"all vanish", []*history.Server{vanishing}, []int{2}, "fewer than 5 servers"},
		{"a group without changes", append(several(6, "t", telling), still), []int{12}, ""},
		{"a group that vanishes", append(several(6, "t", telling), vanishing), []int{60}, ""},
		{"no server at a rate", append(several(5, "t", telling), still), []int{3}, ""},
	} {
		f := figuresOf(t, corpusOf(t, 0, test.servers...),
			FiguresOptions{Weeks: test.weeks, Thresholds: []float64{0.05, 0.1, 1},
				GroupOf: func(server string) string { return server[:1] }})
		for name, s := range map[string]string{"JSON": asJSON(t, f), "page": asHTML(t, f),
			"text": asText(t, f)} {
			for _, bad := range []string{"NaN", "Inf", "%!", "-0.0 ", " -0,", " -0\n", "-0.00)"} {
				if strings.Contains(s, bad) {
					t.Errorf("%s: the %s holds %q\n%s", test.name, name, bad, s)
				}
			}
		}
		if all := strings.Join(f.Warnings, "\n"); !strings.Contains(all, test.warning) ||
			test.warning == "" && all != "" {
			t.Errorf("%s: warnings %q, want %q", test.name, all, test.warning)
		}
	}
	if _, err := NewFigures(t.Context(), corpusOf(t, 0, still), FiguresOptions{}); err == nil {
		t.Error("no period is no error")
	}
	if _, err := NewFigures(t.Context(), corpusOf(t, 12, still),
		FiguresOptions{Weeks: []int{50}}); err == nil ||
		!strings.Contains(err.Error(), "beyond the window") {
		t.Errorf("beyond the window: %v", err)
	}
}

// TestServersWithoutPages checks that a server of one page needs no links, and that servers without
// pages are named.
func TestServersWithoutPages(t *testing.T) {
	early := server("early.org", life{"/", []int{1}, []string{"gone"}})
	late := server("late.org", life{"/", []int{5}, []string{"gone"}})
	f := figuresOf(t, corpusOf(t, 3, append(several(2, "t", telling), early, late)...),
		FiguresOptions{Weeks: []int{2, 4, 8}})
	if f.Histories != 4 || f.Servers != 3 || f.Pages != 2*11+1 ||
		!slices.Equal(f.Without, []string{"early.org"}) {
		t.Errorf("%d histories, %d servers, %d pages, without %q",
			f.Histories, f.Servers, f.Pages, f.Without)
	}
	if len(f.Periods[0].Emptied) != 0 ||
		!slices.Equal(f.Periods[1].Emptied, []string{"late.org"}) || f.Periods[2].Servers != 2 {
		t.Errorf("emptied %q, %q, %d servers", f.Periods[0].Emptied, f.Periods[1].Emptied,
			f.Periods[2].Servers)
	}
	text := asText(t, f)
	for _, want := range []string{"3 of 4; not early.org\n", "still with pages, N = 4, 8",
		"2 of 3; not late.org\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestNoNulls checks that nothing is null if everything is defined.
func TestNoNulls(t *testing.T) {
	servers := append(several(6, "t", telling), several(6, "h", func(name string) *history.Server {
		return server(name, life{"/", []int{1, 2, 3}, []string{"/a/"}},
			life{"/a/", []int{1, 2, 3}, nil})
	})...)
	f := figuresOf(t, corpusOf(t, 0, servers...), FiguresOptions{Weeks: []int{2, 4}})
	if s := asJSON(t, f); strings.Contains(s, "null") {
		t.Errorf("null in\n%s", s)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	all := func(seed uint64) string {
		f := figuresOf(t, corpusOf(t, 1, randomServers(3)...),
			FiguresOptions{Weeks: []int{2, 5}, Seed: seed})
		return asJSON(t, f) + asHTML(t, f)
	}
	first := all(7)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, cores := range []int{1, 3, 8} {
		runtime.GOMAXPROCS(cores)
		if all(7) != first {
			t.Errorf("on %d cores the figures are others", cores)
		}
	}
	if strings.Replace(all(8), `"seed": 8`, `"seed": 7`, 1) == first {
		t.Error("another seed makes no difference")
	}
}

// TestCharts checks that the charts have the lines and axes of the paper.
func TestCharts(t *testing.T) {
	f := figuresOf(t, corpusOf(t, 0, several(6, "t", telling)...),
		FiguresOptions{Weeks: []int{2, 3, 4, 12, 24},
			GroupOf: func(server string) string { return server[:2] }})
	var titles []string
	var charts []report.Chart
	for _, s := range PageOf(f).Sections {
		for _, c := range s.Charts {
			charts = append(charts, c)
			titles = append(titles, c.Title)
		}
	}
	all := strings.Join(titles, "\n")
	for _, want := range []string{"fig. 5", "fig. 6", "4 weeks [LINK fig. 7]",
		"4 weeks [LINK fig. 8]", "4 weeks [LINK fig. 9]", "fig. 12", "fig. 13",
		"2 weeks [LINK fig. 14]", "3 weeks [LINK fig. 14 to 17]", "4 weeks [LINK fig. 15]",
		"12 weeks [LINK fig. 16]", "24 weeks [LINK fig. 17]", "24 weeks [LINK fig. 18]"} {
		if !strings.Contains(all, want) {
			t.Errorf("no chart %q in\n%s", want, all)
		}
	}
	if len(charts) != 7+2*5 {
		t.Errorf("%d charts", len(charts))
	}
	depths := charts[4].Series[0]
	if !charts[4].Diagonal || !depths.Points || len(depths.X) != 12 || depths.Labels[11] != "12" ||
		depths.X[2] != 1 || depths.Y[1] != 3./11 {
		t.Errorf("figure 9: %+v", charts[4])
	}
	// All six servers have a rate of 5/11: least rates of 10 to 40 % select them, 50 to 90 % none.
	for _, c := range charts[7:] {
		if labels := c.Series[0].Labels; strings.Contains(c.Title, "[LINK fig. 1") &&
			(len(labels) != 9 || labels[0] != "50-90 %" || labels[5] != "10-40 %" ||
				strings.Join(labels, "") != "50-90 %10-40 %") {
			t.Errorf("%s: labels %q", c.Title, labels)
		}
	}
	for _, c := range charts[:4] {
		for _, s := range c.Series {
			if c.Bars == "" || len(s.Low) != len(s.X) || len(s.High) != len(s.X) {
				t.Errorf("%s: no error bars for %s", c.Title, s.Name)
			}
		}
	}
	if names := charts[2].XNames; len(names) != 6 || names[5] != "t5" ||
		len(charts[2].Series) != 4 || !charts[2].Series[0].Points {
		t.Errorf("figure 7: %+v", charts[2])
	}
	if bound := charts[5].Series[5]; len(bound.X) != 9 || bound.X[3] != bound.Y[3] ||
		!bound.Dashed {
		t.Errorf("lower bound of figure 12: %+v", bound)
	}
}

// TestGainOfPath compares the gain of a path with that of the sweep, and by hand for a server drawn
// twice.
func TestGainOfPath(t *testing.T) {
	for _, seed := range seeds(4) {
		c := corpusOf(t, 1, randomServers(seed)...)
		periods, err := count(t.Context(), c, FiguresOptions{Weeks: []int{5}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		p := periods[0]
		for policy, sweep := range p.rates {
			got, want := p.gain(pathOf(sweep))(p.once()), float64(sweep.Result.Gain)
			if math.Abs(got-want) > 1e-9 || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("%s gains %v, by its path %v; %s", policy, want, got, repeat(t, seed))
			}
		}
	}
	// Server 0: a changed page and one that did not change, both visited. Server 1: a page that did
	// not. Drawn 2 and 1 times: 5 pages, 2 changed, found with the first two visits.
	p := &counted{methods: map[string]tallies{Whole: {{Pages: 2, Changed: 1}, {Pages: 1}}}}
	l := path{{server: 0, visits: 2, found: 1, area: 0.5 + 1}, {server: 1, visits: 1}}
	if got := p.gain(l)([]int{2, 1}); math.Abs(got-1) > 1e-12 {
		t.Errorf("all changed pages first gain %v, want 1", got)
	}
	if got := p.gain(l)([]int{0, 3}); !math.IsNaN(got) {
		t.Errorf("where nothing changes the gain is %v", got)
	}
	// In the reverse order the first visit of five finds nothing: area 0 + 2*(2/2) + 2*2 of 10.
	l = path{l[1], l[0]}
	if got, want := p.gain(l)([]int{2, 1}), (6./10-0.5)/(1-2./10-0.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("gain %v, want %v", got, want)
	}
}
