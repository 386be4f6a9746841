package present

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// startsOnly returns a planner that knows some start pages, none of them fetched.
func startsOnly(pages ...string) *planner.Planner {
	corpus := planner.NewPages(sitegraph.NewGraph())
	for _, url := range pages {
		corpus.Remember(&sitegraph.Record{Page: corpus.Graph.AddStart(url), URL: url,
			State: sitegraph.StateNew})
	}
	return planner.New(corpus, nil, planner.Options{NewShare: 1})
}

func text(t *testing.T, p *Plan) string {
	t.Helper()
	var b strings.Builder
	if len(p.Visits) == 0 {
		b.WriteString(p.Finding() + "\n")
	}
	for _, table := range p.Tables() {
		if err := table.Text(&b); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestNothingToVisit: a plan without visits says why there are none.
func TestNothingToVisit(t *testing.T) {
	for _, test := range []struct {
		p             *planner.Planner
		perDay        float64
		current, next int
		want          string
	}{
		{startsOnly(), 10, 10, 10, "no page is known."},
		{startsOnly("http://a.example/"), 0, 0, 0, "the budget is 0."},
		{startsOnly("http://a.example/"), 0.5, 0, 0,
			"the budget of 0.5 a day leaves no fetch for this round and none for the next."},
		{startsOnly("http://a.example/"), 10, 1, 0,
			"this round is done, and the budget of 10 a day leaves no fetch for the next."},
	} {
		ahead := &crawl.Preview{
			Current: planner.Round{Budget: test.current},
			Next:    planner.Round{Budget: test.next},
		}
		if got := text(t, NewPlan(ahead, test.p, "sites",
			test.perDay)); got != "Nothing to visit: "+test.want+"\n" {
			t.Errorf("plan %q, want %q", got, test.want)
		}
	}
}

// TestJSON: in JSON no list of a result is null, and an undefined number is null.
func TestJSON(t *testing.T) {
	p := startsOnly("http://a.example/", "http://a.example/b")
	round := planner.Round{Number: 1, Start: time.Unix(0, 0), End: time.Unix(86400, 0), Budget: 1}
	p.Begin(round)
	v, ok := p.Next()
	if !ok {
		t.Fatal("no visit")
	}
	plan := NewPlan(&crawl.Preview{Round: round, Visits: []planner.Visit{v}}, p, "sites", 1)
	line, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"probability":null`, `"due":null`, `"limits":[]`, `"servers":[]`,
		`"beyond":[{"server":"a.example","pages":1,`} {
		if !strings.Contains(string(line), want) {
			t.Errorf("%s is not in %s", want, line)
		}
	}
	if line, err = json.Marshal(NewRun()); err != nil ||
		strings.Contains(string(line), `"unfit":null`) {
		t.Errorf("run %s, error %v", line, err)
	}
	for _, want := range []string{"The next 1 visit by policy sites, in the round that ends " +
		"1970-01-02 00:00:00 UTC", "1/day, this round", "Beyond the budget of this round"} {
		if got := text(t, plan); !strings.Contains(got, want) {
			t.Errorf("%q is not in the plan:\n%s", want, got)
		}
	}
}

// TestRun: each visit is counted once, and a source does not count as a page.
func TestRun(t *testing.T) {
	r := NewRun()
	for _, verdict := range []sitegraph.Verdict{
		sitegraph.VerdictFirst, sitegraph.VerdictChanged, sitegraph.VerdictUnchanged,
		sitegraph.VerdictUnchanged,
		sitegraph.VerdictUnchanged, sitegraph.VerdictLeft, sitegraph.VerdictDoubted,
		sitegraph.VerdictUnknown,
	} {
		r.See(&crawl.Event{Verdict: verdict})
	}
	r.See(&crawl.Event{Verdict: sitegraph.VerdictChanged,
		Record: sitegraph.Record{State: sitegraph.StateSource}})
	if r.Visits != 9 || r.First != 1 || r.Changed != 1 || r.Unchanged != 3 || r.Left != 1 ||
		r.Doubted != 1 || r.Failed != 1 || r.Sources != 1 || r.UpdateRate != 0.25 {
		t.Errorf("run %+v", r)
	}
	p := startsOnly("http://a.example/")
	p.Begin(planner.Round{Budget: 5})
	const want = "0 rounds done: 9 visits, 1 first, 1 changed (25 %), 1 failed; 5 of the budget left, 1 " +
		"page known, 1 waiting"
	if got := r.Status(p); got != want {
		t.Errorf("status %q, want %q", got, want)
	}
}
