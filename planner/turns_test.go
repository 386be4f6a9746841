package planner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

func newPlan(t *testing.T, w *preferences.Weights, o planner.Options, urls ...string) (
	*planner.Planner, *planner.Pages) {
	t.Helper()
	g := sitegraph.NewGraph()
	c := planner.NewPages(g)
	for _, u := range urls {
		g.AddStart(u)
	}
	for p, u := range urls {
		c.Remember(&sitegraph.Record{Page: sitegraph.PageID(p), URL: u, State: sitegraph.StateNew})
	}
	if w != nil {
		c.SetWeights(w)
	}
	return planner.New(c, nil, o), c
}

func takeOf(p *planner.Planner, c *planner.Pages, n int) map[string]int {
	of := map[string]int{}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p.Begin(planner.Round{Number: 1, Start: start, End: start.Add(time.Hour), Budget: n})
	for v, ok := p.Next(); ok; v, ok = p.Next() {
		of[c.Graph.ServerName(c.Graph.Server(v.Page))]++
	}
	return of
}

// Pages of weight 0 use up none of their server's turns.
func TestOutsideUsesNoTurns(t *testing.T) {
	var urls []string
	for i := range 3000 {
		urls = append(urls, fmt.Sprintf("http://big.example/archive/%d", i))
		if i%10 == 0 {
			urls = append(urls, fmt.Sprintf("http://big.example/news/%d", i))
		}
		urls = append(urls, fmt.Sprintf("http://other.example/%d", i))
	}
	w := weightsOf(t, "http://big.example/=0", "http://big.example/news/=3")
	p, c := newPlan(t, w, planner.Options{NewShare: 1, Turns: true}, urls...)
	got := takeOf(p, c, 200)
	if got["big.example"] < 100 {
		t.Errorf("the server whose news weigh 3 has %d turns of 200, the one of weight 1 %d",
			got["big.example"], got["other.example"])
	}
}

// All weights times one factor change nothing (guarantee 8).
func TestTurnsByWeightsScale(t *testing.T) {
	var urls []string
	for i := range 3000 {
		urls = append(urls, fmt.Sprintf("http://a.example/%d", i),
			fmt.Sprintf("http://b.example/%d", i))
	}
	for _, f := range []float64{1, 0.01} {
		w := weightsOf(t, fmt.Sprintf("http://a.example/=%g", 3*f),
			fmt.Sprintf("http://b.example/=%g", f))
		p, c := newPlan(t, w, planner.Options{NewShare: 1, Turns: true}, urls...)
		if got := takeOf(p, c, 400); got["a.example"] != 300 {
			t.Errorf("weights %g and %g: %v", 3*f, f, got)
		}
	}
}

func weightsOf(t *testing.T, texts ...string) *preferences.Weights {
	t.Helper()
	w, err := preferences.ParseWeights(texts)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// doubter doubts that old pages exist.
type doubter struct{ c *planner.Pages }

func (d doubter) Begin(planner.Round)                         {}
func (d doubter) Offer([]sitegraph.PageID)                    {}
func (d doubter) Next() (planner.Visit, bool)                 { return planner.Visit{}, false }
func (d doubter) Observe(sitegraph.PageID, sitegraph.Verdict) {}
func (d doubter) Due(sitegraph.PageID, time.Time) (planner.Due, time.Duration) {
	return planner.Due{}, 0
}
func (d doubter) Expect(p sitegraph.PageID) float64 {
	if strings.Contains(d.c.Graph.URL(p), "/old/") {
		return 0.05
	}
	return 1
}
func (d doubter) TakesFirst(p sitegraph.PageID) bool { return d.Expect(p) == 1 }

func (d doubter) Discovered(sitegraph.PageID, sitegraph.Verdict, []sitegraph.PageID) {}
func (d doubter) ObserveLate(sitegraph.PageID, sitegraph.Verdict)                    {}
func (d doubter) Worth(sitegraph.PageID) float64                                     { return 0 }
func (d doubter) AtLeast(float64)                                                    {}
func (d doubter) Choice(budget int) (few, many int)                                  { return 0, budget }
func (d doubter) Opened(sitegraph.ServerID)                                          {}

var _ planner.Ranker = doubter{}

// Pages that are doubted, and not visited, use up no turns of their server in any round.
func TestDoubtedUseNoTurns(t *testing.T) {
	for _, old := range []int{0, 50, 400} {
		g := sitegraph.NewGraph()
		c := planner.NewPages(g)
		add := func(u string) {
			id := g.AddStart(u)
			c.Remember(&sitegraph.Record{Page: id, URL: u, State: sitegraph.StateNew})
		}
		for i := range old {
			add(fmt.Sprintf("http://mixed.example/old/%d", i))
		}
		for i := range 400 {
			add(fmt.Sprintf("http://mixed.example/good/%d", i))
		}
		for i := range 400 {
			for s := range 20 {
				add(fmt.Sprintf("http://s%d.example/%d", s, i))
			}
		}
		p := planner.New(c, doubter{c}, planner.Options{NewShare: 1, Turns: true})
		mixed, others := 0, 0
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for round := range 20 {
			at := start.Add(time.Duration(round) * time.Hour)
			p.Begin(planner.Round{Number: 1 + round, Start: at, End: at.Add(time.Hour),
				Budget: 100})
			for v, ok := p.Next(); ok; v, ok = p.Next() {
				if strings.Contains(g.URL(v.Page), "mixed") {
					mixed++
				} else {
					others++
				}
				r := sitegraph.Record{Page: v.Page, URL: g.URL(v.Page), State: sitegraph.StateNew}
				r.Apply(sitegraph.Observation{URL: r.URL, Time: at.Add(30 * time.Minute),
					Outcome: sitegraph.OutcomeFetched}, 0)
				p.Observe(&r, sitegraph.VerdictFirst)
			}
		}
		if mixed < 90 {
			t.Errorf("%d visits to the server with doubted pages", mixed)
		}
		t.Logf("%d doubted pages before 400 good ones: of 2,000 visits in 20 rounds %d to it, "+
			"%.1f to each of the others", old, mixed, float64(others)/20)
	}
}

// Visits to sources of a server that closes and opens again stay within their share.
func TestSourcesWithinTheirShare(t *testing.T) {
	g := sitegraph.NewGraph()
	c := planner.NewPages(g)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	add := func(u string, s sitegraph.State) {
		id := g.AddStart(u)
		c.Remember(&sitegraph.Record{Page: id, URL: u, State: s,
			History: sitegraph.Start(at.Add(-1000 * time.Hour)), Due: at})
	}
	add("http://quiet.example/", sitegraph.StateGone)
	for i := range 100 {
		add(fmt.Sprintf("http://s.example/sitemap%d.xml", i), sitegraph.StateSource)
		add(fmt.Sprintf("http://s.example/p%d", i), sitegraph.StateAlive)
	}
	pol, err := policy.New("sites", policy.Settings{Pages: c, Mode: planner.Stream, Seed: 1,
		PerDay: 2400})
	if err != nil {
		t.Fatal(err)
	}
	p := planner.New(c, pol, planner.Options{NewShare: 0.25, SourceShare: 0.1, Leftover: true,
		Turns: true})
	p.Begin(planner.Round{Number: 1, Start: at, End: at.Add(time.Hour), Budget: 100})
	s, _ := g.Lookup("http://s.example/p1")
	sources, pages := 0, 0
	for {
		v, ok := p.Next()
		if !ok {
			break
		}
		if c.Memory(v.Page).State == sitegraph.StateSource {
			sources++
		} else {
			pages++
		}
		p.Close(g.Server(s)) // two are queued
		p.Next()             // any other
		p.Open(g.Server(s))
	}
	if sources > 10 {
		t.Errorf("%d visits to sources", sources)
	}
	t.Logf("of a budget of 100 with a share of 10 for sources: %d visits to sources, %d to pages",
		sources, pages)
}
