package core_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// policies are the names in --policy all.
var policies = strings.Fields(`
	a auto b b-closure binary-lambdacrawl breadth-first c c-closure cho-adaptive cho-biased
	cho-greedy clairvoyant commoncrawl ebayes freshness gamma gp4c hier interval lambdacrawl lln
	longevity ncis norconex nutch poisson random sa sentinel-auto server-previous server-sample
	server-true sites stormcrawler tan-mitra true-freshness true-rates uniform whittle`)

// TestEvalJSON runs both protocols over two servers, twice: equal input gives equal bytes.
func TestEvalJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.jsonl.gz"), historyFile(t, "a.example", 6))
	writeFile(t, filepath.Join(dir, "b.jsonl.gz"), historyFile(t, "b.example", 9))
	twice := func(args ...string) result {
		t.Helper()
		args = append([]string{"eval", dir, "--json", "--policy", "all"}, args...)
		r := recrawl(t, args...).ok(t)
		if again := recrawl(t, args...).ok(t); again.stdout != r.stdout {
			t.Errorf("recrawl %v printed something else the second time", args)
		}
		return r
	}

	snapshots := decode[[]snapshotRun](t, twice("--weeks", "2,12", "--spread"), true)
	if len(snapshots) != 2 {
		t.Fatalf("%d horizons, want 2", len(snapshots))
	}
	for i, weeks := range []int{2, 12} {
		s := snapshots[i]
		// The top of the only directory and every other page in it change each week.
		if s.Protocol != "snapshot" || s.Weeks != weeks || s.Base != 12 || s.Seed != 1 ||
			s.Change != "digest" ||
			s.Corpus != (snapshotTotals{Servers: 2, Pages: 2 + 2 + 6 + 9, Changed: 2 + 3 + 4}) {
			t.Errorf("horizon %d is %+v", weeks, s)
		}
		var names []string
		for _, r := range s.Results {
			names = append(names, r.Policy)
			if r.Policy == "clairvoyant" &&
				(math.Abs(*r.Gain-1) > 1e-9 || r.ChangedFetched != s.Corpus.Changed) {
				t.Errorf("clairvoyant gains %v and finds %d of %d",
					*r.Gain, r.ChangedFetched, s.Corpus.Changed)
			}
			if r.AUC == nil || *r.AUC < 0 || *r.AUC > 1 || len(r.Curve) < 2 ||
				r.Curve[len(r.Curve)-1] != [2]float64{1, 1} && r.Policy != "a" {
				t.Errorf("%s: AUC %v, curve %v", r.Policy, r.AUC, r.Curve)
			}
			if c := r.Spread["coverage"]; len(c) != 2 || *c[0] > *c[1] {
				t.Errorf("%s: spread of coverage %v", r.Policy, c)
			}
		}
		slices.Sort(names)
		if !slices.Equal(names, policies) {
			t.Errorf("policies %v, want %v: a new one goes into the list policies of this file",
				names, policies)
		}
	}

	streams := decode[[]streamRun](t, twice("--protocol", "stream", "--weeks", "3", "--budget",
		"0.1,0.3"), true)
	if len(streams) != 2 {
		t.Fatalf("%d budgets, want 2", len(streams))
	}
	for i, budget := range []float64{0.1, 0.3} {
		s := streams[i]
		if s.Protocol != "stream" || s.Weeks != 3 || s.Budget != budget || s.New != 0.25 ||
			s.Corpus.BasePages != 19 || s.Corpus.Events != 3*(2+3+4) {
			t.Errorf("budget %v is %+v", budget, s)
		}
		for _, r := range s.Results {
			monthly := r.Policy == "calendar-monthly" || r.Policy == "nutch-default"
			if most := int(21*budget*19) + 1; (r.Fetched == 0) != monthly || r.Fetched > most {
				t.Errorf("%s fetched %d in three weeks of %v a day of 19 pages",
					r.Policy, r.Fetched, budget)
			}
			if r.Refetched > 0 &&
				(r.UpdateRate == nil || *r.UpdateRate != float64(r.Changed)/float64(r.Refetched)) ||
				len(r.Weekly) != 3 {
				t.Errorf("%+v", r)
			}
		}
	}
}

var loads = regexp.MustCompile(
	`(?i)<(link|img|iframe|object|embed)[\s>]|<script\s|\b(src|href)\s*=\s*["']?https?:|@import|url\(`)

// selfContained checks that an HTML file has figures and loads nothing.
func selfContained(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if fault := incomplete(string(content)); fault != "" {
		t.Errorf("%s %s", path, fault)
	}
}

// incomplete says what a report lacks that must have figures and load nothing; "": nothing.
func incomplete(page string) string {
	if !strings.HasPrefix(strings.ToLower(page), "<!doctype html>") ||
		!strings.Contains(page, "<svg") || !strings.Contains(page, "</html>") {
		return "is no whole page with figures"
	}
	if found := loads.FindString(page); found != "" {
		return fmt.Sprintf("loads something: %q", found)
	}
	return ""
}

// TestSitesJSON divides a server from a history, and from the store of a planner.
func TestSitesJSON(t *testing.T) {
	file := writeFile(t, filepath.Join(t.TempDir(), "a.jsonl.gz"), historyFile(t, "a.example", 3))
	got := decode[partition](t, recrawl(t, "sites", "--history", file, "a.example", "--json").ok(t),
		true)
	want := partition{Server: "a.example", Method: "a", Base: 12, Pages: 5, Orphans: []string{},
		Sites: []site{
			{Tops: []string{"http://a.example/"}, Members: []string{}, Upper: []int{1}},
			{Tops: []string{"http://a.example/news/"},
				Members: []string{"http://a.example/news/0.html", "http://a.example/news/1.html",
					"http://a.example/news/2.html"}, Upper: []int{0}},
		}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}

	lab := serve(t, library(shelves{servers: 1, sections: 2, pages: 3, days: 1, every: still}))
	data := filepath.Join(t.TempDir(), "data")
	recrawl(t, "run", "--data", data, "--user-agent", contact, "--allow-private", "--delay", "1ms",
		"--rounds", "1", "--unlimited", "--quiet", lab.starts()[0]).ok(t)
	base := lab.bases[0]
	got = decode[partition](t,
		recrawl(t, "sites", "--data", data, strings.TrimPrefix(base, "http://"), "--json").ok(t),
		true)
	if got.Pages != 2+2*4 || len(got.Sites) != 3 ||
		!slices.Equal(got.Sites[1].Tops, []string{base + "/s0/"}) ||
		!slices.Equal(got.Sites[1].Members, []string{base + "/s0/p0.html", base + "/s0/p1.html",
			base + "/s0/p2.html"}) {
		t.Errorf("%+v", got)
	}
}

// TestDemo runs the small form of the demonstration.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := recrawlIn(t, dir, nil, "demo", "--full", "--pages", "200", "--weeks", "2",
		"--policy", "c-then-b", "--json", "--html", "demo.html").ok(t)
	d := decode[demo](t, r, false)
	if d.Agreement.Difference != "" || d.Agreement.Visits == 0 ||
		d.Agreement.Visits != d.HTTP.Visits {
		t.Errorf("agreement %+v of %d visits", d.Agreement, d.HTTP.Visits)
	}
	if len(d.TopFirst) != 3 {
		t.Errorf("sweeps over HTTP: %+v", d.TopFirst)
	}
	for _, s := range d.TopFirst {
		if s.Difference != "" || s.HTTP != s.Replay || s.HTTP.Fetched == 0 ||
			s.HTTP.Tops < s.HTTP.Sites {
			t.Errorf("sweep over HTTP: %+v", s)
		}
		for _, of := range d.Sweep.Results {
			if of.Policy == s.Method &&
				(of.Fetched != s.HTTP.Fetched || of.ChangedFetched != s.HTTP.Changed) {
				t.Errorf("sweep over HTTP: %+v; by replay %d fetched, %d changed",
					s, of.Fetched, of.ChangedFetched)
			}
		}
	}
	if d.HTTP.LeastGapSeconds < 10 || d.HTTP.Requests < d.HTTP.Visits || d.HTTP.StorePages < 200 {
		t.Errorf("over HTTP: %+v", d.HTTP)
	}
	if last := d.Run.Results[len(d.Run.Results)-1].Policy; d.HTTP.Policy != "c-then-b" ||
		last != "c-then-b" {
		t.Errorf("over HTTP by %q, last of those compared %q", d.HTTP.Policy, last)
	}
	if d.Run.Protocol != "stream" || d.Run.Weeks != 2 || len(d.Run.Results) < 6 ||
		len(d.Sweep.Results) != len(d.Run.Results) {
		t.Errorf("%d results of protocol %q", len(d.Run.Results), d.Run.Protocol)
	}
	if d.Claims == nil || len(d.Claims.Runs) != 3 || len(d.Claims.There) != 2 {
		t.Fatalf("claims %+v", d.Claims)
	}
	for i, run := range d.Claims.Runs {
		if of := run.Result; run.Policy != "c-then-b" || run.Sources != (i == 0) ||
			run.LastModified != (i < 2) || (of.Sources > 0) != run.Sources || of.Coverage == nil {
			t.Errorf("over HTTP: %+v", run)
		}
	}
	selfContained(t, filepath.Join(dir, "demo.html"))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
