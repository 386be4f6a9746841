package eval

import (
	"github.com/recrawl/recrawl/cmd/show/report"

	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
)

// TablesOf is inside.MeasuredTables; that package imports this one.
var TablesOf func(*FilterResult) []report.Table

func opened(t *testing.T, o filter.Options) *filter.Set {
	t.Helper()
	set, err := filter.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

// TestLabelled measures labelled pages in 23 languages, some of which resemble unwanted ones.
func TestLabelled(t *testing.T) {
	r, err := MeasureFilters(context.Background(), "testdata/pages.jsonl",
		opened(t, filter.Options{File: "testdata/filters.yaml", Languages: []string{"de", "en"}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range TablesOf(r) {
		var text strings.Builder
		if err := table.Text(&text); err != nil {
			t.Fatal(err)
		}
		t.Log("\n" + text.String())
	}
	least := map[string][2]float64{"languages": {0.99, 0.95}, "gambling": {0.99, 0.85},
		"adult": {0.99, 0.99}, "link farm": {0.99, 0.6}}
	for _, f := range r.Filters {
		want := least[f.Filter]
		if f.Precision.Is < want[0] || f.Recall.Is < want[1] ||
			f.Hits+f.FalseAlarms+f.Misses+f.Passes != r.Pages {
			t.Errorf("%s: precision %v, recall %v, want %v", f.Filter, f.Precision, f.Recall, want)
		}
	}
	if len(r.Filters) != len(least) || len(r.Languages) < 20 {
		t.Errorf("%d filters, %d languages", len(r.Filters), len(r.Languages))
	}
	for _, d := range r.Decided {
		if share := float64(d.Right) / float64(d.Pages); d.By == "text" && share < 0.99 ||
			share < 0.85 {
			t.Errorf("%s is right %d times of %d", d.By, d.Right, d.Pages)
		}
	}
}

// TestPagesThatWordsWereNotMadeFor measures pages from other sources than the words: few are found,
// and hardly any wrongly. docs/design/results.md has the figures.
func TestPagesThatWordsWereNotMadeFor(t *testing.T) {
	set := opened(t, filter.Options{File: "testdata/filters.yaml"})
	for _, test := range []struct {
		file string
		want map[string][3]int // found, rejected wrongly, missed
	}{
		{"unwanted.jsonl", map[string][3]int{"gambling": {5, 1, 13}, "adult": {1, 0, 17},
			"link farm": {6, 0, 6}}},
		{"unwanted-held-out.jsonl", map[string][3]int{"gambling": {1, 0, 17}, "adult": {2, 1, 16},
			"link farm": {9, 1, 3}}},
	} {
		r, err := MeasureFilters(context.Background(), "testdata/"+test.file, set)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Filters {
			if got := [3]int{f.Hits, f.FalseAlarms, f.Misses}; got != test.want[f.Filter] {
				t.Errorf("%s, %s: found, wrong, missed %v, want %v",
					test.file, f.Filter, got, test.want[f.Filter])
			}
		}
		if len(r.Filters) != len(test.want) {
			t.Errorf("%d filters", len(r.Filters))
		}
	}
}

// TestFiltersOnRealSites measures sites in a known language.
func TestFiltersOnRealSites(t *testing.T) {
	const most = 150 // pages of a site
	files, _ := filepath.Glob("../../../../shared/data/sites/*.jsonl.gz")
	if len(files) == 0 {
		t.Skip("the recorded sites are not here")
	}
	for _, file := range files {
		site := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		right, wrong, by := 0, 0, map[string]int{}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(z)
		in.Buffer(nil, 64<<20)
		for in.Scan() && right+wrong < most {
			var version struct{ Path, Type, Body string }
			if json.Unmarshal(in.Bytes(), &version) != nil ||
				!strings.HasPrefix(version.Type, "text/html") || version.Body == "" {
				continue
			}
			read := extract.HTML([]byte(version.Body), version.Type, "http://"+site+version.Path,
				extract.Options{Seen: true})
			is := filter.LanguageOf(fetch.Judged("http://"+site+version.Path, &read))
			wanted := []string{"en"}
			if site == "devrel.jp" {
				wanted = []string{"ja", "en"}
			}
			by[is.From]++
			if is.Code == "" || slices.Contains(wanted, is.Code) { // pages without a text are kept
				right++
			} else if wrong++; wrong <= 3 {
				t.Logf("%s%s: %+v", site, version.Path, is)
			}
		}
		f.Close()
		t.Logf("%s: %d pages kept, %d rejected; decided by %v", site, right, wrong, by)
		if right+wrong < 50 || float64(wrong) > 0.02*float64(right+wrong) {
			t.Errorf("%s: %d of %d pages rejected", site, wrong, right+wrong)
		}
	}
}

// TestShare checks Wilson intervals. For all or no hits the interval ends at n / (n + z*z) or z*z /
// (n + z*z). The intervals of a share and its complement are mirrored.
func TestShare(t *testing.T) {
	const z2 = 1.959963984540054 * 1.959963984540054
	for _, n := range []int{1, 4, 10, 1000} {
		all, none := shareOf(n, n), shareOf(0, n)
		if abs(all.Low-float64(n)/(float64(n)+z2)) > 1e-12 ||
			abs(none.High-z2/(float64(n)+z2)) > 1e-12 || all.High != 1 || none.Low != 0 {
			t.Errorf("of %d: %v, %v", n, all, none)
		}
		if one, others := shareOf(n/3, n), shareOf(n-n/3, n); abs(one.Low+others.High-1) > 1e-12 ||
			one.Low > one.Is || one.High < one.Is {
			t.Errorf("of %d: %v, %v", n, one, others)
		}
	}
	if shareOf(0, 0) != nil {
		t.Error("a share of nothing")
	}
}

func abs(x float64) float64 { return max(x, -x) }

func TestBadLines(t *testing.T) {
	set := opened(t, filter.Options{Languages: []string{"de"}})
	for line, want := range map[string]string{
		`{`:                    ":2: it is not the JSON of a page",
		`{"url": "http://a/"}`: ":2: it is no labelled page",
		`{"url":"u","html":"h","language":"english"}`: ":2: language",
	} {
		file := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(file, []byte("\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := MeasureFilters(context.Background(), file, set)
		if bad := (*LabelledLineError)(nil); !errors.As(err, &bad) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if _, err := MeasureFilters(context.Background(), "", nil); !errors.Is(err, ErrNoFilter) {
		t.Error(err)
	}
}
