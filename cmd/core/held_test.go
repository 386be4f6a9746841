package core_test

import (
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
