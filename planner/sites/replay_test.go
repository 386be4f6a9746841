package sites

import (
	"math"
	"testing"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// A process without memory makes of the records nearly the accounts that the visits made.
func TestReplayAll(t *testing.T) {
	m := newSim(t, 9, 3, 80, 12, false)
	for day := 1; day <= 50; day++ {
		m.Day(day, 12)
	}
	before := policyOf(m).groups
	m.Restart()
	m.Planner.Begin(planner.Round{Number: 51, Start: simtest.At(50), End: simtest.At(51)})
	after := policyOf(m).groups
	near := func(what string, a, b *evidence.Account, parent float32) {
		t.Helper()
		if !a.Told() || !b.Told() {
			t.Errorf("%s: told %v by visits, %v by records", what, a.Told(), b.Told())
			return
		}
		x, y := a.Rate(parent), b.Rate(parent)
		if math.Abs(math.Log(float64(y/x))) > 0.4 {
			t.Errorf("%s: a rate of %.4f by visits, of %.4f by records", what, x, y)
		}
		in := func(g *groups, e *evidence.Account) float32 {
			from := g.day(sitegraph.Unix32(simtest.At(36)))
			return e.Since(from, g.day(sitegraph.Unix32(simtest.At(50))), parent)
		}
		x, y = in(before, a), in(after, b)
		if math.Abs(math.Log(float64(y/x))) > 0.5 {
			t.Errorf("%s: %.2f changes in two weeks by visits, %.2f by records", what, x, y)
		}
	}
	near("all", &before.all, &after.all, defaultRate)
	for s := range before.servers {
		near(m.Graph.ServerName(sitegraph.ServerID(s)), &before.servers[s].Account,
			&after.servers[s].Account, before.all.Rate(defaultRate))
		if x, y := before.servers[s].dead, after.servers[s].dead; x.Sum != 0 || y.Sum != 0 ||
			y.Count < 10 {
			t.Errorf("first visits %+v by visits, %+v by records", x, y)
		}
	}
	sites := 0
	for i := range after.sites {
		if after.sites[i].Told() {
			sites++
		}
	}
	if sites < 3 {
		t.Errorf("%d sites were told something", sites)
	}
	var x, y, n float64
	for p := range before.pages {
		x, y, n = x+float64(before.pages[p].expected), y+float64(after.pages[p].expected), n+1
	}
	if math.Abs(math.Log(y/x)) > 0.3 {
		t.Errorf("gaps let expect %.2f changes of a page by visits, %.2f by records", x/n, y/n)
	}
}

// Pages that became known late were born, and pages that left are told of.
func TestReplayBornAndLeft(t *testing.T) {
	m := newSim(t, 3, 1, 40, 8, false)
	p := sitegraph.PageID(5)
	m.Records[p].History = sitegraph.Start(simtest.At(20))
	m.Records[p].History.See(simtest.At(22), true, simtest.At(-9))
	q := sitegraph.PageID(6)
	m.Records[q].State, m.Records[q].Tried = sitegraph.StateGone, simtest.At(30)
	m.Corpus.Remember(&m.Records[p])
	m.Corpus.Remember(&m.Records[q])
	m.Start()
	m.Planner.Begin(planner.Round{Number: 51, Start: simtest.At(50), End: simtest.At(51)})
	g := policyOf(m).groups
	if g.pages[p].traits&isBorn == 0 || g.pages[4].traits&isBorn != 0 {
		t.Errorf("traits %b of a page that became known late, %b of another", g.pages[p].traits,
			g.pages[4].traits)
	}
	if !g.ages.Told() || g.ages.Visits != 1 || g.ages.Changes != 1 {
		t.Errorf("told of pages by their age: %+v", g.ages.Told())
	}
	if !g.all.Told() || g.all.Visits != 2 {
		t.Errorf("told of all: %+v", g.all.Told())
	}
}
