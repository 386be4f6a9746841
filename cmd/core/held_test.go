package core_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// says checks for words in the output of a call.
func (r result) says(t *testing.T, words ...string) result {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(r.stdout+r.stderr, word) {
			t.Errorf("recrawl %v: %q is not in %q, %q", r.args, word, r.stdout, r.stderr)
		}
	}
	return r
}

// TestRefusedBySettings checks that a page which a setting refuses is held: run, plan and explain
// say why and which setting allows it. With that setting it is visited at once.
func TestRefusedBySettings(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p>a page</p>")
	}))
	t.Cleanup(site.Close)
	_, port, _ := net.SplitHostPort(site.Listener.Addr().String())
	data := filepath.Join(t.TempDir(), "data")
	run := func(args ...string) result {
		t.Helper()
		return recrawl(t, append([]string{"run", "--data", data, "--user-agent", contact,
			"--rounds", "1", "--delay", "0", "--unlimited", "--quiet"}, args...)...)
	}
	const private = "its address is private (127.0.0.1); --allow-private allows it"
	run(site.URL+"/").exit(t, 3).says(t, "No visit was made", "1 page was not asked: "+private)
	recrawl(t, "plan", "--data", data).ok(t).says(t, "1 page was not asked: "+private)
	recrawl(t, "explain", "--data", data, site.URL+"/").ok(t).says(t, "did not ask: "+private)
	held := decode[struct {
		Visits   int
		NotAsked []struct {
			By, Why string
			Pages   int
			What    []string
		} `json:"not_asked"`
	}](t, run("--json").exit(t, 3), false)
	if len(held.NotAsked) != 1 || held.Visits != 0 || held.NotAsked[0].By != "address" ||
		held.NotAsked[0].Pages != 1 || held.NotAsked[0].What[0] != "127.0.0.1" ||
		held.NotAsked[0].Why != private {
		t.Errorf("not asked: %+v", held)
	}
	run("--allow-network", "127.0.0.0/8").exit(t, 3).says(t, "its port is not allowed ("+port+
		"); --allow-port "+port+" allows it")
	run("--allow-network", "127.0.0.0/8", "--allow-port", port).ok(t).says(t, "found 1 new page")
	if got := recrawl(t, "explain", "--data", data, site.URL+"/").ok(t).stdout; strings.Contains(
		got, "not ask") {
		t.Errorf("after its visit it is explained as %q", got)
	}
}

// TestCausesAndShortRounds checks that failures are counted by cause, and that a round too short
// for its budget is reported.
func TestCausesAndShortRounds(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	args := []string{"run", "--user-agent", contact, "--rounds", "1", "--delay", "0", "--quiet",
		"--allow-private", "http://" + anyPort() + "/"}
	recrawl(t, append(args, "--data", filepath.Join(data, "a"), "--unlimited")...).exit(t, 3).
		says(t, "1 failed: 1 connection refused")
	recrawl(t, append(args, "--data", filepath.Join(data, "b"), "--round", "1s")...).ok(t).
		says(t, "No visit was made: a round of 1s has 0.012 visits of the budget of 1000 a day",
			"--round 1m30s or longer")
}

// TestBudgetsAndStandardOutput checks budgets in per cent and in fetches, and that - is standard
// output with the file alone.
func TestBudgetsAndStandardOutput(t *testing.T) {
	t.Parallel()
	file := writeFile(t, filepath.Join(t.TempDir(), "a.example.jsonl.gz"),
		historyFile(t, "a.example", 9)) // 11 pages
	evaluate := func(args ...string) result {
		t.Helper()
		return recrawl(t, append([]string{"eval", file, "--protocol", "stream", "--base", "1",
			"--weeks", "1", "--policy", "server-sample+a,uniform", "--quiet"}, args...)...).ok(t)
	}
	settings := writeFile(t, filepath.Join(t.TempDir(), "a.yaml"), "eval:\n  budget: [0.5, 200%]\n")
	want := evaluate("--budget", "0.5,22/day").stdout
	for _, args := range [][]string{{"--budget", "50%,200%"}, {"--budget", "50 %,22/day"},
		{"--config", settings}} {
		if got := evaluate(args...).stdout; got != want || !strings.Contains(got, "200 % of the") {
			t.Errorf("eval %v prints\n%s\nwant\n%s", args, got, want)
		}
	}
	page := evaluate("--budget", "50%", "--html", "-")
	if !strings.HasPrefix(page.stdout, "<!DOCTYPE html>") ||
		!strings.HasSuffix(page.stdout, "</html>\n") {
		t.Errorf("standard output is %.80q", page.stdout)
	}
	page.says(t, "50 % of the pages a day")
}
