package core_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What survey --json prints, as its users read it.

type surveyPeriod struct {
	Weeks, Pages, Vanished, New, Returned, Updated, Differ, Tops int
	UpdatedShare                                                 *float64 `json:"updated_share"`
	DifferShare                                                  *float64 `json:"differ_share"`
	TopsUpdated                                                  int      `json:"tops_updated"`
	TopsUpdatedShare                                             *float64 `json:"tops_updated_share"`
	ByTop                                                        struct {
		Servers, Pages, Updated int
		OfUpdated               *float64 `json:"of_updated"`
		OfPages                 *float64 `json:"of_pages"`
		OfServers               *float64 `json:"of_servers"`
	} `json:"by_top"`
	Updates []int
}

type surveyGroup struct {
	Group                                  string
	Servers, Absent, Pages, Tops, Unlinked int
	PagesPerServer                         *float64 `json:"pages_per_server"`
	Periods                                []surveyPeriod
}

type surveyResult struct {
	Base      int
	Change    string
	Weeks     []int
	Groups    []surveyGroup
	Total     surveyGroup
	Intervals []struct {
		Unit         string
		Limit        int
		LastModified bool `json:"last_modified"`
		Days, Pages  int
		VisitedOnce  int `json:"visited_once"`
		NeverChanged int `json:"never_changed"`
		Points       []struct {
			Interval, Pages int
			Share, Weighted *float64
		}
	}
	Warnings []string
}

// TestSurvey surveys two servers on which the index of the only directory and every other page in
// it change each week, and the start page never.
func TestSurvey(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.jsonl.gz"), historyFile(t, "a.example", 6))
	writeFile(t, filepath.Join(dir, "b.jsonl.gz"), historyFile(t, "b.ac.jp", 9))
	kinds := writeFile(t, filepath.Join(dir, "kinds.tsv"),
		"# kinds\na.example\ta kind of its own\nc.example x\n")
	html := filepath.Join(dir, "survey.html")

	args := []string{"survey", dir, "--weeks", "12,2", "--html", html}
	text := recrawl(t, args...).ok(t)
	for _, want := range []string{"Servers and pages at week 12", "ac.jp ", "example ", "total ",
		"[LINK table 2]", "[LINK table 3]",
		"[LINK fig. 1]", "[LINK fig. 10]", "[LINK fig. 11]", "[SAT fig. 2]", "report: " + html} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("no %q in\n%s", want, text.stdout)
		}
	}
	first, err := os.ReadFile(html)
	if err != nil || strings.Count(string(first), "<svg") != 6 {
		t.Errorf("the report has %d figures, %v", strings.Count(string(first), "<svg"), err)
	}
	if again := recrawl(t, args...).ok(t); again.stdout != text.stdout {
		t.Error("the second time something else is printed")
	}
	if second, err := os.ReadFile(html); err != nil || string(second) != string(first) {
		t.Errorf("the second report is another, %v", err)
	}

	args = []string{"survey", dir, "--weeks", "12,2", "--group", kinds, "--json"}
	r := recrawl(t, args...).ok(t)
	if again := recrawl(t, args...).ok(t); again.stdout != r.stdout {
		t.Error("the second time other JSON is printed")
	}
	s := decode[surveyResult](t, r, true)
	if s.Base != 12 || s.Change != "digest" || !reflect.DeepEqual(s.Weeks, []int{12, 2}) ||
		len(s.Intervals) != 3 {
		t.Errorf("survey %+v", s)
	}
	if len(s.Groups) != 2 || s.Groups[0].Group != "a kind of its own" ||
		s.Groups[1].Group != "ungrouped" || s.Groups[1].Pages != 11 {
		t.Errorf("groups %+v", s.Groups)
	}
	p := s.Total.Periods[0]
	if s.Total.Pages != 19 || *s.Total.PagesPerServer != 9.5 || p.Weeks != 12 || p.Pages != 19 ||
		p.Updated != 2+3+4 || p.Updates[11] != p.Updated ||
		p.Tops != 2 || p.TopsUpdated != 0 || p.ByTop.OfPages != nil || *p.ByTop.OfUpdated != 0 {
		t.Errorf("total %+v", s.Total)
	}
	if len(s.Warnings) != 2 || !strings.Contains(s.Warnings[0], "c.example") ||
		!strings.Contains(s.Warnings[1], "1 of 2 servers") {
		t.Errorf("warnings %q", s.Warnings)
	}
	for _, w := range s.Warnings {
		if !strings.Contains(r.stderr, "recrawl: warning: "+w) {
			t.Errorf("no warning %q in %q", w, r.stderr)
		}
	}
	one := decode[surveyResult](t, recrawl(t, "survey", dir, "--group-by", "none", "--change",
		"main", "--json").ok(t), true)
	if len(one.Groups) != 1 || len(one.Weeks) != 4 || one.Change != "main" {
		t.Errorf("without groups %+v", one)
	}
	each := decode[surveyResult](t,
		recrawl(t, "survey", dir, "--group-by", "server", "--json").ok(t), true)
	if len(each.Groups) != 2 || each.Groups[1].Group != "b.ac.jp" {
		t.Errorf("by server %+v", each.Groups)
	}
}
