package core_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dashboardOf returns the URL of the dashboard for a data directory.
func dashboardOf(t *testing.T, dir string) (base string) {
	t.Helper()
	eventually(t, "a dashboard", func() bool {
		var at struct{ Address string }
		text, err := os.ReadFile(filepath.Join(dir, "dashboard.json"))
		if err == nil && json.Unmarshal(text, &at) == nil {
			base = "http://" + at.Address + "/"
		}
		return at.Address != ""
	})
	return base
}

// get returns the content at a URL of a dashboard.
func get(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("%s: %s %.300s, error %v", address, answer.Status, text, err)
	}
	return string(text)
}

// TestDashboard checks that while run has a dashboard, commands that read its store ask it, say so,
// and print the same as for a stopped one. serve shows the stopped store in the same way.
func TestDashboard(t *testing.T) {
	t.Parallel()
	lab := serve(t, library(shelves{servers: 2, sections: 2, pages: 4, days: 5000,
		every: func(_, section, _ int) int { return 5 + 1000*section }}))
	dir := filepath.Join(t.TempDir(), "data")
	warc := filepath.Join(t.TempDir(), "warc")
	settings := []string{"--data", dir, "--round", "1s", "--budget", "1500000/day", "--delay",
		"1ms"}
	p := start(t, t.TempDir(), nil,
		append(append([]string{"run", "--user-agent", contact, "--allow-private", "--workers", "2",
			"--archive", warc,
			"--listen", "127.0.0.1:0", "--log-format", "json"}, settings...), lab.starts()...)...)
	base := dashboardOf(t, dir)
	page := lab.starts()[0] + "s0/p0.html"
	// The dashboard reads the archive twice a minute, so the test waits until there is something to
	// see.
	eventually(t, "two editions of a page", func() bool {
		return len(slices.Compact(lab.editions(page))) > 1
	})
	behind := lab.count() + 20
	eventually(t, "visits behind them", func() bool { return lab.count() > behind })
	eventually(t, "an archived change", func() bool {
		answer, err := http.Get(base + "api/v1/page/diff?url=" + page)
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return answer.StatusCode == 200
	})
	var now struct{ Known int }
	if err := json.Unmarshal([]byte(get(t, base+"api/v1/now")), &now); err != nil ||
		now.Known < 10 {
		t.Errorf("%d pages known, error %v", now.Known, err)
	}
	if text := get(t, base+"page/diff?url="+page); !strings.Contains(text, "<ins>") {
		t.Errorf("no change in %.500s", text)
	}
	// The first page and the feed have the differing words.
	eventually(t, "words of a change", func() bool {
		return strings.Contains(get(t, base), "<ins>")
	})
	var changes struct {
		Changes []struct {
			URL   string
			Words *struct{ Added, Removed int }
		}
	}
	if err := json.Unmarshal([]byte(get(t, base+"api/v1/changes")), &changes); err != nil ||
		!slices.ContainsFunc(changes.Changes, func(c struct {
			URL   string
			Words *struct{ Added, Removed int }
		}) bool {
			return c.Words != nil && c.Words.Added > 0 && c.Words.Removed > 0
		}) {
		t.Errorf("changes %+v, error %v", changes, err)
	}
	if feed := get(t, base+"changes.atom"); !strings.Contains(feed, "{+") ||
		!strings.Contains(feed, "<title>"+lab.starts()[0]) {
		t.Errorf("the feed is %.2000s", feed)
	}
	asked := func(r result) result {
		t.Helper()
		if r.ok(t); !strings.Contains(r.stderr, "the answer is of the process that works on "+dir) {
			t.Errorf("recrawl %v says %q", r.args, r.stderr)
		}
		return r
	}
	server := strings.TrimSuffix(strings.TrimPrefix(lab.starts()[0], "http://"), "/")
	if e := decode[explanation](t, asked(recrawl(t, "explain", "--data", dir, "--json", page)),
		false); e.URL != page || e.Visits == 0 {
		t.Errorf("explained as %+v", e)
	}
	if r := asked(recrawl(t, "explain", "--data", dir, page)); !strings.Contains(r.stdout,
		"\n"+page+"\n") || !strings.Contains(r.stdout, "Estimates") {
		t.Errorf("explain prints %s", r.stdout)
	}
	asked(recrawl(t, "plan", "--data", dir))
	decode[[]plannedVisit](t, asked(recrawl(t, "plan", "--data", dir, "--json")), true)
	if d := decode[partition](t, asked(recrawl(t, "sites", "--data", dir, "--json", server)),
		true); d.Pages == 0 || len(d.Sites) == 0 {
		t.Errorf("sites: %+v", d)
	}
	if r := asked(recrawl(t, "sites", "--data", dir, server)); !strings.HasPrefix(r.stdout,
		server+" has ") {
		t.Errorf("sites prints %s", r.stdout)
	}
	if r := asked(recrawl(t, "inspect", "--data", dir)); !strings.Contains(r.stdout,
		"Records by due time") {
		t.Errorf("inspect prints %s", r.stdout)
	}
	if r := recrawl(t, "explain", "--data", dir, "http://nobody.example/"); r.code != 2 ||
		!strings.Contains(r.stderr, "not known") {
		t.Errorf("an unknown page: exit code %d, %s", r.code, r.stderr)
	}
	// tune predicts from the journal of a run.
	recrawl(t, "tune", "--data", dir).refused(t, 1, "recrawl tune --journal "+
		filepath.Join(dir, "journal"))
	if r := recrawl(t, "tune", "--journal", filepath.Join(dir, "journal"), "--budget", "1",
		"--futures", "1", "--weeks", "1").ok(t); !strings.Contains(r.stdout, "coverage") {
		t.Errorf("tune prints %s", r.stdout)
	}
	p.interrupt()
	for line := range strings.Lines(p.result().stderr) {
		if strings.Contains(line, `"msg"`) != json.Valid([]byte(line)) {
			t.Errorf("a line of the log is %s", line)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "dashboard.json")); !os.IsNotExist(err) {
		t.Errorf("the address of a run that has ended is still there: %v", err)
	}

	s := start(t, t.TempDir(), nil,
		append([]string{"serve", "--archive", warc, "--listen", "127.0.0.1:0"}, settings[:2]...)...)
	base = dashboardOf(t, dir)
	if text := get(t, base); !strings.Contains(text, "This crawl is not running.") {
		t.Errorf("the page of a stopped store is %.1000s", text)
	}
	// Nobody writes, so the next command can read the store itself.
	plan := decode[[]plannedVisit](t, recrawl(t, "plan", "--data", dir, "--json", "--show",
		"5").ok(t), true)
	if len(plan) == 0 {
		t.Error("no plan of a stopped store")
	}
	s.interrupt()
	s.result().exit(t, 130)
	if left, err := filepath.Glob(filepath.Join(dir, "serve-*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, error %v", left, err)
	}
}
