package sites

import (
	"math"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// A process without memory builds nearly the same accounts from records as the visits built, in the
// mean of some webs.
func TestReplayAll(t *testing.T) {
	const webs = 20
	apart := map[string]float64{} // sums of the differences of logarithms
	sites := 0                    // with an account
	for seed := range uint64(webs) {
		sites += replayAll(t, seed, func(what string, byVisits, byRecords float32) {
			apart[what] += math.Abs(math.Log(float64(byRecords / byVisits)))
		})
	}
	for what, sum := range apart {
		most := 0.4
		switch {
		case strings.HasPrefix(what, "changes in two weeks"):
			most = 0.5
		case strings.HasPrefix(what, "changes by gaps"):
			most = 0.3
		}
		if mean := sum / webs; !(mean <= most) {
			t.Errorf("%s: by visits and by records %.2f apart, want %.2f", what, mean, most)
		}
	}
	if sites < 2*webs {
		t.Errorf("%d sites of %d webs were told something", sites, webs)
	}
}

// replayAll compares accounts from visits with accounts from records. It returns how many sites
// have an account from records.
func replayAll(t *testing.T, seed uint64,
	see func(what string, byVisits, byRecords float32)) (sites int) {
	t.Helper()
	m := newSim(t, seed, 3, 80, 12, false)
	for day := 1; day <= 50; day++ {
		m.Day(day, 12)
	}
	before := policyOf(m).groups
	m.Restart()
	m.Planner.Begin(planner.Round{Number: 51, Start: simtest.At(50), End: simtest.At(51)})
	after := policyOf(m).groups
	near := func(what string, a, b *evidence.Account, parent float32) {
		t.Helper()
		if a.Told() != b.Told() {
			t.Errorf("%s: told %v by visits, %v by records", what, a.Told(), b.Told())
		}
		if !a.Told() || !b.Told() {
			return
		}
		see("rate of "+what, a.Rate(parent), b.Rate(parent))
		in := func(g *groups, e *evidence.Account) float32 {
			from := g.day(sitegraph.Unix32(simtest.At(36)))
			return e.Since(from, g.day(sitegraph.Unix32(simtest.At(50))), parent)
		}
		see("changes in two weeks of "+what, in(before, a), in(after, b))
	}
	near("all", &before.all, &after.all, defaultRate)
	for s := range before.servers {
		near(m.Graph.ServerName(sitegraph.ServerID(s)), &before.servers[s].Account,
			&after.servers[s].Account, before.all.Rate(defaultRate))
		if x, y := before.dead.Servers[s], after.dead.Servers[s]; x.Sum != 0 || y.Sum != 0 ||
			y.Count < 10 {
			t.Errorf("first visits %+v by visits, %+v by records", x, y)
		}
	}
	for i := range after.sites {
		if after.sites[i].Told() {
			sites++
		}
	}
	var x, y float32
	for p := range before.pages {
		x, y = x+before.pages[p].expected, y+after.pages[p].expected
	}
	see("changes by gaps", x, y)
	return sites
}

// Pages that became known late are born then, and observers hear of pages that left.
func TestReplayBornAndLeft(t *testing.T) {
	m := newSim(t, 3, 1, 40, 8, false)
	p := sitegraph.PageID(5)
	m.Records[p].History = sitegraph.Start(simtest.At(20))
	m.Records[p].History.See(simtest.At(22), true, simtest.At(-9))
	q := sitegraph.PageID(6)
	m.Records[q].State, m.Records[q].Tried = sitegraph.StateGone, simtest.At(30)
	m.Pages.Remember(&m.Records[p])
	m.Pages.Remember(&m.Records[q])
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
