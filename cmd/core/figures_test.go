package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What eval --figures --json prints, as its users read it.

type figuresCounts struct {
	Fetched        int
	ChangedFetched int `json:"changed_fetched"`
	Share          *float64
	UpdateRate     *float64 `json:"update_rate"`
	Coverage       *float64
	Spread         map[string][]*float64
}

type figuresMethod struct {
	Policy string
	figuresCounts
	BreadthFirst       *float64   `json:"breadth_first"`
	BreadthFirstSpread []*float64 `json:"breadth_first_spread"`
	ServerTrue         *float64   `json:"server_true"`
	ServerTrueSpread   []*float64 `json:"server_true_spread"`
}

type figuresResult struct {
	Base       int
	Histories  int
	Servers    int
	Pages      int
	Without    []string
	Change     string
	Seed       uint64
	Sample     int
	Weeks      []int
	Thresholds []float64
	Periods    []struct {
		Weeks, Servers, Changing, Pages, Changed, Vanished int
		Emptied                                            []string
		Methods                                            []figuresMethod
		Depths                                             []struct {
			Depth int
			figuresCounts
		}
		ByServers []struct {
			Policy string
			Points []struct {
				Threshold float64
				Servers   int
				figuresCounts
			}
		} `json:"by_servers"`
		Rates []struct {
			Policy     string
			Gain       *float64
			GainSpread []*float64 `json:"gain_spread"`
			figuresCounts
		}
	}
	GroupWeeks int `json:"group_weeks"`
	Groups     []struct {
		Group                   string
		Servers, Pages, Changed int
		Methods                 []figuresMethod
	}
	Claims []struct {
		Claim, Source, Verdict string
		Found                  []struct {
			Comparison string
			Weeks      int
			Group      string
			Value      *float64
			Interval   []*float64
			Wanted     string
			Verdict    string
		}
	}
	Warnings []string
}

// TestFigures makes the figures of servers on which the index of the only directory and every other
// page in it change each week, and the start page never.
func TestFigures(t *testing.T) {
	dir := t.TempDir()
	for i := range 6 {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl.gz", i)),
			historyFile(t, fmt.Sprintf("s%d.example", i), 5))
	}
	html := filepath.Join(dir, "figures.html")
	args := []string{"eval", dir, "--figures", "--weeks", "12,2,4,2", "--html", html}
	text := recrawl(t, args...).ok(t)
	for _, want := range []string{"What holds on these servers", "[LINK fig. 5]", "[LINK fig. 6]",
		"[LINK fig. 7]", "[LINK fig. 8]", "[LINK fig. 9]", "[LINK fig. 12]",
		"[LINK fig. 13]", "[LINK fig. 9, 14 to 17]", "[LINK fig. 18]",
		"server-previous", "b-closure", "report: " + html} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("no %q in\n%s", want, text.stdout)
		}
	}
	if !strings.HasPrefix(text.stdout, "Of 16 claims on the methods ") ||
		!strings.Contains(text.stdout, "hold on these servers, ") || !strings.Contains(text.stdout,
		"\n\nWhat was measured\n") || !strings.Contains(text.stdout, "6 of 6\n") {
		t.Errorf("what was found and measured is not said first:\n%s", text.stdout)
	}
	selfContained(t, html)
	first, err := os.ReadFile(html)
	if err != nil || strings.Count(string(first), "<svg") != 7+2*3 {
		t.Errorf("the report has %d figures, %v", strings.Count(string(first), "<svg"), err)
	}
	if again := recrawl(t, args...).ok(t); again.stdout != text.stdout {
		t.Error("the second time something else is printed")
	}
	if second, err := os.ReadFile(html); err != nil || string(second) != string(first) {
		t.Errorf("the second report is another, %v", err)
	}

	kinds := writeFile(t, filepath.Join(dir, "kinds.tsv"),
		"s0.example one kind\ns1.example another\nx.example none\n")
	args = []string{"eval", dir, "--figures", "--weeks", "4,2", "--group", kinds, "--threshold",
		"0.5,0.2", "--sample", "2", "--seed", "3", "--base", "5", "--json"}
	r := recrawl(t, args...).ok(t)
	f := decode[figuresResult](t, r, true)
	if f.Base != 5 || f.Change != "digest" || f.Seed != 3 || f.Sample != 2 || f.Histories != 6 ||
		f.Servers != 6 || f.Pages != 42 || len(f.Without) != 0 ||
		!slices.Equal(f.Weeks, []int{2, 4}) || !slices.Equal(f.Thresholds, []float64{0.2, 0.5}) ||
		f.GroupWeeks != 4 {
		t.Errorf("%+v", f)
	}
	// A server has /, /news/* and five pages, two of which change: a fetches all, c the start page.
	p := f.Periods[0]
	if p.Servers != 6 || p.Changing != 6 || p.Pages != 6*7 || p.Changed != 6*3 ||
		len(p.Depths) != 12 || len(p.ByServers) != 4 || len(p.ByServers[1].Points) != 2 ||
		len(p.Rates) != 3 {
		t.Errorf("%+v", p)
	}
	if a := p.Methods[1]; a.Policy != "a" || a.Fetched != 42 || a.ChangedFetched != 18 ||
		*a.Coverage != 1 || *a.BreadthFirst != 1 || len(a.Spread["coverage"]) != 2 {
		t.Errorf("%+v", a)
	}
	if c := p.Methods[4]; c.Policy != "c" || c.Fetched != 6 || *c.UpdateRate != 0 ||
		*c.Coverage != 0 {
		t.Errorf("%+v", c)
	}
	if len(f.Groups) != 3 || f.Groups[0].Group != "another" || f.Groups[2].Group != "ungrouped" ||
		f.Groups[2].Servers != 4 || f.Groups[2].Methods[0].Spread == nil {
		t.Errorf("groups %+v", f.Groups)
	}
	if f.Periods[0].Depths[0].Spread == nil || f.Periods[0].ByServers[1].Points[0].Spread == nil ||
		f.Periods[0].Rates[2].Spread == nil {
		t.Errorf("without intervals: %+v", f.Periods[0])
	}
	verdicts := map[string]int{}
	for _, c := range f.Claims {
		verdicts[c.Verdict]++
		if c.Claim == "" || !strings.HasPrefix(c.Source, "[LINK ") || c.Found == nil {
			t.Errorf("claim %+v", c)
		}
	}
	if len(f.Claims) != 16 || verdicts["holds"] == 0 || verdicts["does not hold"] == 0 ||
		verdicts["cannot be told"] == 0 || len(verdicts) != 3 {
		t.Errorf("%d claims, %v", len(f.Claims), verdicts)
	}
	if len(f.Warnings) != 2 || !strings.Contains(r.stderr, "recrawl: warning: "+f.Warnings[0]) {
		t.Errorf("warnings %q, printed %q", f.Warnings, r.stderr)
	}

	// One server gives a figure, and no claim is judged.
	one := decode[figuresResult](t, recrawl(t, "eval", filepath.Join(dir, "0.jsonl.gz"),
		"--figures", "--json", "--weeks", "3", "--group-by", "none").ok(t), true)
	if one.GroupWeeks != 3 || len(one.Groups) != 1 || one.Groups[0].Group != "all" ||
		len(one.Warnings) != 1 {
		t.Errorf("one server: %+v", one)
	}
	for _, c := range one.Claims {
		if c.Verdict != "cannot be told" {
			t.Errorf("of one server: %+v", c)
		}
	}
}
