package evals

import (
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval"
)

func reached(policies ...string) eval.StreamRun {
	run := eval.StreamRun{Weeks: 4, Budget: 0.02, Corpus: eval.StreamTotals{Servers: 3}}
	for i, name := range policies {
		run.Results = append(run.Results, eval.StreamResult{Policy: name,
			Coverage: eval.Number(0.6662 + 0.0001*float64(i%2) - 0.2*float64(i/3))})
	}
	return run
}

// TestTiesAreNoWins: policies that are equal to the best in the shown digits are named and marked
// with it, not as the next best.
func TestTiesAreNoWins(t *testing.T) {
	run := reached("sites", "ebayes", "interval", "random")
	for want, of := range map[string][]string{
		"ebayes finds 66.6 % of the changes, as sites, interval do, the next best (random) 46.6 %.": {
			"sites", "ebayes", "interval", "random"},
		"ebayes finds 66.6 % of the changes, as sites does.": {"sites", "ebayes"},
		"sites finds 66.6 % of the changes.":                 {"sites"},
	} {
		run := reached(of...)
		if got := StreamFinding([]Run{StreamView(&run, false)}); got != "2 % a day: "+want {
			t.Errorf("%v: %s", of, got)
		}
	}
	s := streamSection(run, nil)
	if !slices.Equal(s.Tables[0].Best, []int{0, 1, 2}) {
		t.Errorf("best rows %v", s.Tables[0].Best)
	}
	reference := reached("clairvoyant", "sites", "ebayes")
	reference.Results[0].Coverage = 1
	if s := streamSection(reference, nil); !slices.Equal(s.Tables[0].Best, []int{1, 2}) {
		t.Errorf("beside a reference line: best rows %v", s.Tables[0].Best)
	}
	if s := streamSection(reached("sites"), nil); s.Tables[0].Best != nil {
		t.Errorf("of one policy: best rows %v", s.Tables[0].Best)
	}
}

// TestOneServerHasNoInterval: one server gives no interval, and titles say so.
func TestOneServerHasNoInterval(t *testing.T) {
	for range eval.Resamples(1, 1) {
		t.Fatal("one server was resampled")
	}
	for servers, want := range map[int]string{1: "no intervals: one server", 2: "5 to 95 %"} {
		if got := intervals(servers); !strings.Contains(got, want) {
			t.Errorf("%d servers: %s", servers, got)
		}
	}
	if got := span((&eval.StreamResult{}).Interval(eval.Coverage)); got != "-" {
		t.Errorf("an interval of one server: %s", got)
	}
}
