package core_test

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/policy"
)

// TestRunFromFile starts run by a file alone, and finds its values in the store.
func TestRunFromFile(t *testing.T) {
	lab := serve(t, library(shelves{servers: 1, sections: 1, pages: 4, days: 1, every: still}))
	dir := t.TempDir()
	file := writeFile(t, filepath.Join(dir, "recrawl.yaml"), strings.Join([]string{
		"data: crawl", "user-agent: " + contact, "allow-private: true", "delay: 1ms", "rounds: 1",
		"unlimited: true", "workers: 2", "new: 1"}, "\n"))
	did := decode[runResult](t, recrawlIn(t, dir, nil, "run", "--config", file, "--json",
		lab.starts()[0]).ok(t), true)
	if did.First != 1+1+4+1 || did.Rounds != 1 {
		t.Errorf("%+v", did)
	}
	requests := lab.count()
	// The environment replaces the flag, and the start pages are not needed again.
	did = decode[runResult](t, recrawlIn(t, dir, []string{"RECRAWL_BUDGET=0"}, "run", "--config",
		file, "--json", "--round", "24h").ok(t), true)
	if did.Visits != 0 || lab.count() != requests {
		t.Errorf("with a budget of 0: %+v, %d requests", did, lab.count()-requests)
	}
	// A flag overrides "unlimited" of the file, and plan says why it shows nothing.
	if r := recrawlIn(t, dir, nil, "plan", "--config", file, "--budget",
		"0").ok(t); r.stdout != "Nothing to visit: the budget is 0.\n" {
		t.Errorf("a plan without a budget is %q", r.stdout)
	}
}

// TestPoliciesOfPeers checks that "peers" is replaced by sites and the rules of other programs,
// each once.
func TestPoliciesOfPeers(t *testing.T) {
	lineup := eval.Lineup{Named: []string{"uniform", "nutch", "peers"}}
	want := append([]string{"uniform", "nutch", "sites"},
		slices.DeleteFunc(slices.Clone(policy.Peers), func(name string) bool {
			return name == "nutch"
		})...)
	if got := lineup.Policies(); !slices.Equal(got, want) {
		t.Errorf("policies %v, want %v", got, want)
	}
}

// TestRunsOfStreams checks that several runs of a stream are described as such in text, report and
// JSON.
func TestRunsOfStreams(t *testing.T) {
	dir := t.TempDir()
	histories := writeFile(t, filepath.Join(dir, "a.jsonl.gz"), historyFile(t, "a.example", 24))
	html := filepath.Join(dir, "runs.html")
	args := []string{"eval", histories, "--protocol", "stream", "--weeks", "3", "--budget", "0.2",
		"--policy", "cho-adaptive,interval", "--seed", "5", "--runs", "2", "--html", html}
	text := recrawl(t, append(args, "--wide")...).ok(t).stdout
	for _, want := range []string{"means of 2 runs, seeds 5 to 6", "C, all runs",
		"discovered, all runs"} {
		if !strings.Contains(text, want) || !strings.Contains(readFile(t, html), want) {
			t.Errorf("text or report has no %q:\n%s", want, text)
		}
	}
	runs := decode[[]streamRun](t, recrawl(t, append(args, "--json")...).ok(t), true)[0]
	if runs.Runs != 2 || len(runs.Results) != 2 {
		t.Fatalf("%d runs of %d policies", runs.Runs, len(runs.Results))
	}
	for _, r := range runs.Results {
		if len(r.Runs) != 2 || r.Runs[0].Seed != 5 || r.Runs[1].Seed != 6 ||
			math.Abs((*r.Runs[0].Coverage+*r.Runs[1].Coverage)/2-*r.Coverage) > 1e-9 {
			t.Errorf("%s: coverage %v is not the mean of %+v", r.Policy, *r.Coverage, r.Runs)
		}
	}
	if one := recrawl(t,
		slices.Concat(args[:len(args)-4], []string{"--json"})...).ok(t).stdout; strings.Contains(
		one, `"runs"`) {
		t.Error("one run is told as several")
	}
}
