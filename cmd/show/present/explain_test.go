package present

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

var today = time.Date(2026, time.March, 31, 0, 0, 0, 0, time.UTC)

// seenPages returns a planner of three pages of a site. Two were visited every other day for four
// weeks, and the first of them changed every ten days. The third was never visited.
func seenPages(t *testing.T, name string) (*planner.Planner, []sitegraph.Record) {
	t.Helper()
	const site = "http://a.example/"
	graph := sitegraph.NewGraph()
	start := graph.AddStart(site)
	graph.SetLinks(start, []string{site + "b", site + "c"}, nil)
	pages := planner.NewPages(graph)
	var records []sitegraph.Record
	for i, url := range []string{site, site + "b", site + "c"} {
		page, _ := graph.Lookup(url)
		r := sitegraph.Record{Page: page, URL: url, State: sitegraph.StateNew}
		if i < 2 {
			r.State, r.History = sitegraph.StateAlive, sitegraph.Start(today.AddDate(0, 0, -30))
			for day := 2; day <= 28; day += 2 {
				r.History.See(today.AddDate(0, 0, day-30), i == 0 && day%10 == 0, time.Time{})
			}
		}
		pages.Remember(&r)
		records = append(records, r)
	}
	ranking, err := policy.New(name, policy.Settings{Pages: pages, Mode: planner.Stream})
	if err != nil {
		t.Fatal(err)
	}
	return planner.New(pages, ranking, planner.Options{NewShare: 0.25}), records
}

// TestPage: a page with a copy has estimates and evidence; the tables begin with its address.
func TestPage(t *testing.T) {
	p, records := seenPages(t, "sites")
	round := planner.Round{Number: 1, Start: today, End: today.AddDate(0, 0, 1), Budget: 5}
	p.Begin(round)
	ahead := &crawl.Preview{Round: round,
		Visits: []planner.Visit{{Page: records[1].Page}, {Page: records[0].Page}}}
	e := Explain(&records[0], p, ahead, "sites", today)
	if e.Turn != 2 || e.Visits != 15 || e.Changes != 2 || e.Evidence == nil || e.Site.Pages != 3 ||
		!e.Site.IsTop || e.Weight != 1 {
		t.Errorf("page %+v", e)
	}
	var methods []string
	for _, x := range e.Estimates {
		methods = append(methods, x.Method)
	}
	if len(methods) != 11 || !slices.Contains(methods, "grid-corpus") ||
		!slices.Contains(methods, "grid-site") {
		t.Errorf("estimates by %v", methods)
	}
	var text strings.Builder
	for _, table := range e.Tables() {
		if err := table.Text(&text); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasPrefix(text.String(), "http://a.example/\n") {
		t.Errorf("begins otherwise than by its address:\n%s", text.String())
	}
	for _, want := range []string{"in the round that ends 2026-04-01 00:00:00 UTC: visit 2",
		"top of 3 pages", "Evidence: sites gives it", "grid-weeks and periodic use"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}

// TestNewPage: a page without a copy has no estimates, and JSON has all fields in the order of the
// type.
func TestNewPage(t *testing.T) {
	p, records := seenPages(t, "sites")
	round := planner.Round{Number: 1, Start: today, End: today.AddDate(0, 0, 1), Budget: 5}
	p.Begin(round)
	e := Explain(&records[2], p, &crawl.Preview{Round: round}, "sites", today)
	if e.Turn != 0 || e.Estimates != nil || e.Evidence != nil || e.Digest != nil ||
		len(e.Tables()) != 1 {
		t.Errorf("page %+v", e)
	}
	line, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for field := range strings.FieldsSeq(`url state status server depth links site referer first_copy last_visit last_change visits
		changes errors misses noindex etag last_modified digest estimates evidence due reason turn why_not weight hint`) {
		next := bytes.Index(line, []byte(`"`+field+`":`))
		if next < at || next < 0 {
			t.Errorf("%s is out of its order in %s", field, line)
		}
		at = next
	}
}

// TestSiteInUse: if the policy divides servers into sites, a page shows the site that the policy
// uses.
func TestSiteInUse(t *testing.T) {
	p, records := seenPages(t, "sites")
	round := planner.Round{Number: 1, Start: today, End: today.AddDate(0, 0, 1), Budget: 5}
	p.Begin(round)
	e := Explain(&records[1], p, &crawl.Preview{Round: round}, "sites", today)
	top := []string{"http://a.example/"}
	if !e.Site.InUse || e.Site.IsTop || e.Site.Pages != 3 || !slices.Equal(e.Site.Tops, top) {
		t.Errorf("site %+v", e.Site)
	}
	const want = " Its site has 3 pages, and the top http://a.example/."
	if text := e.Sentence(today); !strings.Contains(text, want) {
		t.Errorf("%q is not in %q", want, text)
	}
	if len(e.Evidence.Experts) == 0 || len(e.Evidence.All) == 0 {
		t.Errorf("evidence %+v", e.Evidence)
	}
}
