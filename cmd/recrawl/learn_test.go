package main_test

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

// fourServers writes histories of four servers, in both of two folds.
func fourServers(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 4 {
		name := fmt.Sprintf("s%d.example", i)
		writeFile(t, filepath.Join(dir, name+".jsonl.gz"), historyFile(t, name, 6+i))
	}
	return dir
}

// Parameters that were learnt on the very histories flatter; the program says so, and where
// they come from. Learnt again, they are the same bytes.
func TestLearnAndJudge(t *testing.T) {
	t.Parallel()
	dir := fourServers(t)
	file := filepath.Join(t.TempDir(), "model.json")
	recrawl(t, "learn", dir, "-o", file, "--quiet").ok(t)
	again := filepath.Join(t.TempDir(), "again.json")
	recrawl(t, "learn", dir, "--output", again, "--quiet").ok(t)
	if first, second := readFile(t, file), readFile(t, again); first != second {
		t.Errorf("learnt twice: %d and %d other bytes", len(first), len(second))
	}

	judge := func(dir string, args ...string) (result, *learnt) {
		t.Helper()
		r := recrawl(t, append([]string{"eval", dir, "--json", "--protocol", "stream", "--weeks",
			"3", "--policy", "value,interval"}, args...)...).ok(t)
		return r, decode[[]streamRun](t, r, true)[0].Learnt
	}
	const flatters = "learnt on these very histories"
	r, l := judge(dir, "--model", file)
	if l == nil || !l.SameServers || l.Folds != 0 ||
		!strings.HasPrefix(l.Source, "recrawl learn, 4 servers") ||
		!strings.Contains(r.stderr, flatters) {
		t.Errorf("on its own histories: %+v, %q", l, r.stderr)
	}
	r, l = judge(filepath.Join(dir, "s1.example.jsonl.gz"), "--model", file)
	if l == nil || l.SameServers || strings.Contains(r.stderr, flatters) {
		t.Errorf("on other histories: %+v, %q", l, r.stderr)
	}
	if r, l = judge(dir); l == nil || l.SameServers ||
		!strings.HasPrefix(l.Source, "recrawl learn, 45 servers") {
		t.Errorf("what comes with the program: %+v, %q", l, r.stderr)
	}
	r = recrawl(t, "eval", dir, "--json", "--policy", "a").ok(t)
	if l := decode[[]snapshotRun](t, r, true)[0].Learnt; l != nil {
		t.Errorf("nobody learns, and the result has %+v", l)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// With folds every server is judged by what was learnt on others, and each variant too.
func TestEvalFolds(t *testing.T) {
	t.Parallel()
	dir := fourServers(t)
	html := filepath.Join(t.TempDir(), "report.html")
	args := []string{"eval", dir, "--protocol", "stream", "--weeks", "3", "--budget", "0.05,0.2",
		"--policy", "value,interval,clairvoyant", "--folds", "2", "--ablate", "--json", "--html",
		html}
	r := recrawl(t, args...).ok(t)
	if again := recrawl(t, args...).ok(t); again.stdout != r.stdout {
		t.Error("other results the second time")
	}
	runs := decode[[]streamRun](t, r, true)
	if len(runs) != 2 {
		t.Fatalf("%d budgets, want 2", len(runs))
	}
	for _, run := range runs {
		if run.Learnt == nil || run.Learnt.Folds != 2 || run.Learnt.SameServers {
			t.Errorf("learnt %+v", run.Learnt)
		}
		c := run.Comparison
		if c == nil || c.Policy != "value" || len(c.With) != 2 ||
			c.Best["coverage"].Policy != "interval" {
			t.Fatalf("comparison %+v", c)
		}
		var evidence []string
		for _, w := range c.Without {
			evidence = append(evidence, w.Evidence)
			if p := w.Measures["coverage"]; p.Difference == nil ||
				*p.Difference != *p.Value-*p.Other ||
				*p.DifferenceSpread[0] > *p.DifferenceSpread[1] {
				t.Errorf("without %s: %+v", w.Evidence, p)
			}
		}
		if want := strings.Fields("own shape directory section server all address links effects " +
			"immediate exploration new first-visits in-place parts names"); !slices.Equal(evidence,
			want) {
			t.Errorf("without %v, want %v", evidence, want)
		}
		for _, result := range run.Results {
			if probable := result.Calibration != nil &&
				result.CalibrationUnvisited != nil; strings.HasPrefix(result.Policy,
				"value") != probable {
				t.Errorf("%s: calibration %+v, of any page %+v",
					result.Policy, result.Calibration, result.CalibrationUnvisited)
			}
		}
	}
	selfContained(t, html)
	page := readFile(t, html)
	for _, words := range []string{"How value stands beside the others",
		"What each kind of evidence is worth", "learnt anew for each of 2 folds",
		"How far probabilities can be believed", "Reliability for any page", "Update rate by week",
		"Freshness over time", "Coverage so far"} {
		if !strings.Contains(page, words) {
			t.Errorf("%q is not in the report", words)
		}
	}
	if !strings.Contains(r.stderr, "learning") && !strings.Contains(r.stderr, "log loss") {
		t.Errorf("nothing told while learning: %q", r.stderr)
	}

	one := filepath.Join(dir, "s0.example.jsonl.gz")
	for _, c := range []struct {
		args  []string
		words []string
	}{
		{[]string{dir, "--folds", "1"}, []string{"--folds 1", "2 to 20"}},
		{[]string{dir, "--folds", "2", "--model", "m.json"}, []string{"not both"}},
		{[]string{dir, "--folds", "2", "--policy", "interval"}, []string{"--folds 2", "value"}},
		{[]string{dir, "--model", "m.json", "--policy", "interval"},
			[]string{"--model m.json", "value"}},
		{[]string{dir, "--model", filepath.Join(dir, "none")}, []string{"no such file"}},
		{[]string{dir, "--model", one}, []string{one}},
		{[]string{one, "--folds", "3"}, []string{"all 1 servers fall into one fold"}},
		{[]string{dir, "--ablate", "--policy", "interval"}, []string{"--ablate"}},
		{[]string{dir, "--compare", "poisson", "--policy", "interval"},
			[]string{"--compare poisson"}},
	} {
		recrawl(t, append([]string{"eval", "--quiet"}, c.args...)...).refused(t, 2, c.words...)
	}
	recrawl(t, "learn", dir).refused(t, 2, "no output")
	recrawl(t, "learn", "-o", "x.json").refused(t, 2, "no histories")
}

// What cannot be read of what the policy had learnt costs a warning; the rest of the store is
// shown.
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
