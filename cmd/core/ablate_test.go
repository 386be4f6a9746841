package core_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/satstore"
)

// fourServers writes histories of four servers.
func fourServers(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 4 {
		name := fmt.Sprintf("s%d.example", i)
		writeFile(t, filepath.Join(dir, name+".jsonl.gz"), historyFile(t, name, 6+i))
	}
	return dir
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestEvalAblate compares the default policy with the others, and with itself without each of its
// parts.
func TestEvalAblate(t *testing.T) {
	t.Parallel()
	dir := fourServers(t)
	html := filepath.Join(t.TempDir(), "report.html")
	args := []string{"eval", dir, "--protocol", "stream", "--weeks", "3", "--budget", "0.05,0.2",
		"--policy", "sites,interval,clairvoyant", "--ablate", "--json", "--html", html}
	r := recrawl(t, args...).ok(t)
	if again := recrawl(t, args...).ok(t); again.stdout != r.stdout {
		t.Error("other results the second time")
	}
	runs := decode[[]streamRun](t, r, true)
	if len(runs) != 2 {
		t.Fatalf("%d budgets, want 2", len(runs))
	}
	for _, run := range runs {
		c := run.Comparison
		if c == nil || c.Policy != "sites" || len(c.With) != 2 ||
			c.Best["coverage"].Policy != "interval" {
			t.Fatalf("comparison %+v", c)
		}
		var parts []string
		for _, w := range c.Without {
			parts = append(parts, w.Part)
			if p := w.Measures["coverage"]; w.Policy != "sites-without-"+w.Part ||
				p.Difference == nil || *p.Difference != *p.Value-*p.Other ||
				*p.DifferenceSpread[0] > *p.DifferenceSpread[1] {
				t.Errorf("%s: %+v", w.Policy, p)
			}
		}
		if !slices.Contains(parts, "tops") || slices.Contains(parts, "claims") {
			t.Errorf("without %v", parts)
		}
		for _, result := range run.Results {
			if probable := result.Calibration != nil &&
				result.CalibrationUnvisited != nil; strings.HasPrefix(result.Policy,
				"sites") != probable {
				t.Errorf("%s: calibration %+v, of any page %+v",
					result.Policy, result.Calibration, result.CalibrationUnvisited)
			}
		}
	}
	selfContained(t, html)
	page := readFile(t, html)
	for _, words := range []string{"How sites stands beside the others",
		"What each part is worth", "How far probabilities can be believed",
		"Reliability for any page", "Update rate by week",
		"Freshness over time", "Coverage so far"} {
		if !strings.Contains(page, words) {
			t.Errorf("%q is not in the report", words)
		}
	}
	for _, c := range []struct {
		args  []string
		words []string
	}{
		{[]string{dir, "--ablate", "--policy", "interval"}, []string{"--ablate"}},
		{[]string{dir, "--compare", "poisson", "--policy", "interval"},
			[]string{"--compare poisson"}},
		{[]string{dir, "--policy", "value"},
			[]string{"--policy value", "sites, which has taken its place"}},
	} {
		recrawl(t, append([]string{"eval", "--quiet"}, c.args...)...).refused(t, 2, c.words...)
	}
}

// TestInspectWithoutWhatWasLearnt checks that an unreadable lesson of the policy costs a warning,
// and the rest of the store is shown.
func TestInspectWithoutWhatWasLearnt(t *testing.T) {
	data := t.TempDir()
	store, err := satstore.Open(data, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.SaveSetting("policy/learnt", []byte("{")), store.Commit(),
		store.Close()); err != nil {
		t.Fatal(err)
	}
	r := recrawl(t, "inspect", "--data", data).ok(t)
	if !strings.Contains(r.stderr, "it begins anew") ||
		!strings.Contains(r.stdout, "Records by due time") {
		t.Errorf("inspect says %q and warns %q", r.stdout, r.stderr)
	}
}
