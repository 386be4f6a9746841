package present

import (
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner/crawl"
)

// TestTooTight: a run names the bound that is too tight, politeness or budget, or nothing if all
// visits fit.
func TestTooTight(t *testing.T) {
	for _, c := range []struct {
		f    feasible
		want []string
	}{
		{feasible{Wanted: 1000, Possible: 990, Value: 63.2}, nil},
		{feasible{Wanted: 1000, Possible: 400, Value: 63.2, ToLimits: 20},
			[]string{"400 of the 1,000 visits a day", "number of up-to-date copies is 68 %"}},
		{feasible{Wanted: 1000, Possible: 1000, Budget: 100, Value: 63.2, ToBudget: 31.6},
			[]string{"need 1,000 visits a day", "the budget is 100",
				"number of up-to-date copies is 50 %"}},
		{feasible{Wanted: 1000, Possible: 400, Budget: 100, Value: 63.2, ToLimits: 20,
			ToBudget: 20}, []string{"400 of the 1,000 visits a day",
			"; of these 400 the budget allows 100; at best"}},
	} {
		r := NewRun()
		r.Feasible = c.f
		text := r.TooTight()
		if (text == "") != (c.want == nil) {
			t.Errorf("%+v: %q", c.f, text)
		}
		for _, words := range c.want {
			if !strings.Contains(text, words) {
				t.Errorf("%q is not in %q", words, text)
			}
		}
	}
}

// TestDispatched: the message on the dispatch names the reason, and the result has the policy.
func TestDispatched(t *testing.T) {
	r := NewRun()
	if text := r.Dispatched(crawl.Dispatch{Scarce: true, Need: 80.3,
		Workers: 64}); !strings.Contains(text, "64 workers are too few") ||
		r.Feasible.Policy != "sjf" {
		t.Errorf("%q, policy %s", text, r.Feasible.Policy)
	}
	if text := r.Dispatched(crawl.Dispatch{CutOff: 7}); !strings.Contains(text,
		"7 visits returned") || r.Feasible.Policy != "sjf" {
		t.Errorf("%q, policy %s", text, r.Feasible.Policy)
	}
	if text := r.Dispatched(crawl.Dispatch{Need: 10, Workers: 64}); !strings.Contains(text,
		"suffice again") || r.Feasible.Policy != "edf" {
		t.Errorf("%q, policy %s", text, r.Feasible.Policy)
	}
}
