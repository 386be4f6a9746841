package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/fetch/archive/captures"
)

// TestCapturesOfArchive archives a web that changes. It imports the archive in several forms into
// separate stores, and as histories for eval.
func TestCapturesOfArchive(t *testing.T) {
	t.Parallel() // it waits for rounds to end
	lab := serve(t, library(shelves{servers: 2, sections: 2, pages: 5, days: 3000,
		every: func(server, section, page int) int { return 1 + page }}))
	dir := t.TempDir()
	args := append([]string{"run", "--data", "data", "--archive", "kept", "--user-agent", contact,
		"--allow-private", "--delay", "1ms", "--round", "2s",
		"--rounds", "3", "--unlimited", "--quiet"}, lab.starts()...)
	recrawlIn(t, dir, nil, args...).ok(t)
	recrawlIn(t, dir, nil, "export", "--archive", "kept", "--cdxj", "kept.cdxj", "--wacz",
		"kept.wacz").ok(t)
	took := map[string]captures.TakenIn{}
	for _, from := range []string{"kept", "kept.cdxj", "kept.wacz"} {
		args := []string{"import", "--data", "of-" + from, "--json", from}
		r := decode[captures.TakenIn](t, recrawlIn(t, dir, nil, args...).ok(t), true)
		if pages := 2 * (2 + 2*5); int(r.New) < pages || r.Past != r.New || r.Told.Changes == 0 ||
			r.Told.Compared <= r.Told.Changes || r.Told.Uncertain > 0 {
			t.Errorf("%s: %+v", from, r)
		}
		took[from] = r
		if again := decode[captures.TakenIn](t, recrawlIn(t, dir, nil, args...).ok(t),
			true); again.New != 0 || again.Past != 0 || again.Kept != r.New {
			t.Errorf("%s again: %+v", from, again)
		}
	}
	if took["kept"].Told != took["kept.wacz"].Told || took["kept"].Told != took["kept.cdxj"].Told {
		t.Errorf("WARC files, index and WACZ tell different things: %+v", took)
	}
	recrawlIn(t, dir, nil, "check", "--data", "of-kept").ok(t)
	if left, _ := filepath.Glob(filepath.Join(dir, "of-kept", "import.sort*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	// run continues from there: no page is new, and it requests the links of all.
	recrawlIn(t, dir, nil, append([]string{"run", "--data", "of-kept.cdxj"}, args[5:]...)...).ok(t)
	if c := recrawlIn(t, dir, nil, "import", "--data", "of-kept.cdxj",
		"kept.cdxj").ok(t); !strings.Contains(c.stdout, "0 past visits") {
		t.Errorf("after run: %s", c.stdout)
	}

	for _, from := range []string{"kept", "kept.cdxj"} {
		made := decode[recorded.CapturedHistories](t,
			recrawlIn(t, dir, nil, "import", "--history", "h-"+from, "--json", from).ok(t), true)
		if made.Servers != 2 || made.Versions <= made.Pages ||
			len(made.Unlinked) != map[string]int{"kept": 0, "kept.cdxj": 2}[from] {
			t.Errorf("%s: %+v", from, made)
		}
		runs := decode[[]streamRun](t, recrawlIn(t, dir, nil, "eval", "h-"+from, "--protocol",
			"stream", "--base", "1", "--weeks", "2", "--policy", "ebayes,interval", "--json",
			"--quiet").ok(t), false)
		if len(runs) != 1 || runs[0].Corpus.BasePages < made.Pages-2 {
			t.Errorf("%s: %d pages of %+v", from, runs[0].Corpus.BasePages, made)
		}
		recrawlIn(t, dir, nil, "import", "--history", "h-"+from, from).refused(t, 2,
			"file already exists")
	}
}

// TestCapturesKilled checks that an import continues after a kill when it is started again.
func TestCapturesKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var b strings.Builder
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for page := range 40_000 {
		for n := range 3 {
			b.WriteString(cdxjLine(page, day.AddDate(0, 0, 30*n), page*n%7))
		}
	}
	writeFile(t, filepath.Join(dir, "many.cdxj"), b.String())
	whole := decode[captures.TakenIn](t, recrawlIn(t, dir, nil, "import", "--data", "whole",
		"--json", "--memory", "4MiB", "many.cdxj").ok(t), true)
	if whole.New != 40_000 || whole.Told.Visits != 120_000 {
		t.Fatalf("%+v", whole)
	}
	for _, after := range []time.Duration{50, 150, 300, 450} {
		p := start(t, dir, nil, "import", "--data", "killed", "--memory", "4MiB", "--quiet",
			"many.cdxj")
		time.Sleep(after * time.Millisecond)
		p.kill()
	}
	last := decode[captures.TakenIn](t, recrawlIn(t, dir, nil, "import", "--data", "killed",
		"--json", "many.cdxj").ok(t), true)
	if last.New+last.Kept != 40_000 {
		t.Errorf("%+v", last)
	}
	recrawlIn(t, dir, nil, "check", "--data", "killed").ok(t)
	if again := decode[captures.TakenIn](t, recrawlIn(t, dir, nil, "import", "--data", "killed",
		"--json", "many.cdxj").ok(t), true); again.Kept != 40_000 {
		t.Errorf("%+v", again)
	}
}

func cdxjLine(page int, at time.Time, content int) string {
	return fmt.Sprintf(
		"example,h)/%d %s {\"url\":\"http://h.example/%d\",\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"sha1:%d\"}\n",
		page, at.Format("20060102150405"), page, content)
}

// TestEvalWarm compares a start with captures of the past with one without.
func TestEvalWarm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.jsonl.gz"), historyFile(t, "a.example", 6))
	writeFile(t, filepath.Join(dir, "b.jsonl.gz"), historyFile(t, "b.example", 9))
	args := []string{"eval", dir, "--protocol", "stream", "--base", "12", "--weeks", "4",
		"--policy", "ebayes", "--budget", "0.05,0.1", "--quiet"}
	svg := filepath.Join(dir, "warm.svg")
	run := decode[eval.WarmRun](t,
		recrawl(t, append(args, "--warm", "12", "--warm-every", "2,1", "--svg", svg,
			"--json")...).ok(t), true)
	if len(run.Starts) != 4 || run.Before != 12 || run.Base != 12 || run.Weeks != 4 {
		t.Fatalf("%+v", run)
	}
	for _, s := range run.Starts { // half of the pages change each week, the others never
		if s.Policy != "ebayes" || s.Ratio < 1.3 || s.RatioSpread[0] > s.Ratio ||
			s.Value <= s.Other {
			t.Errorf("%+v", s)
		}
	}
	if drawn, err := os.ReadFile(svg); err != nil ||
		!strings.Contains(string(drawn), "a capture every 2 weeks") {
		t.Errorf("%s, %v", drawn, err)
	}
	recrawl(t, append(args, "--warm", "13")...).refused(t, 2, "--base")
}
