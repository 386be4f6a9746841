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

// The parts that Explain returns add up to the probability, and Explain changes nothing.
func TestExplain(t *testing.T) {
	run := func(ask bool) (visits []string) {
		m := newSim(t, 8, 3, 60, 15, true)
		for day := 1; day <= 30; day++ {
			visits = append(visits, m.URLs(m.Day(day, 15))...)
			for p := range sitegraph.PageID(m.Pages.Count()) {
				if h := m.Pages.Memory(p).History; ask && h.Visits > 0 {
					addsUp(t, policyOf(m), p, day+int(p)%3)
					policyOf(m).Site(p)
				}
			}
		}
		return visits
	}
	if i, same := simtest.FirstDifference(run(true), run(false)); !same {
		t.Errorf("visits differ from %d on where somebody asks", i)
	}
}

func addsUp(t *testing.T, v *Policy, p sitegraph.PageID, day int) {
	t.Helper()
	c := v.Explain(p, simtest.At(day))
	if want := v.Probability(p, simtest.At(day)); math.Abs(c.Probability-want) > 1e-4 {
		t.Fatalf("page %d: explained is %.5f, and the probability %.5f", p, c.Probability, want)
	}
	sum, weights := c.Start, 0.0
	for _, x := range c.All {
		sum += x.LogOdds
	}
	for _, x := range c.Experts {
		weights += x.Weight
	}
	if want := math.Log(c.Probability / (1 - c.Probability)); math.Abs(sum-want) > 0.01 {
		t.Fatalf("page %d: log odds of %.4f are explained by parts of %.4f: %+v", p, want, sum, c)
	}
	if math.Abs(weights-1) > 1e-4 {
		t.Fatalf("page %d: the weights of evidence.Experts add up to %g", p, weights)
	}
}

// Each kind of evidence has its own reason.
func TestReasons(t *testing.T) {
	m := newSim(t, 8, 2, 60, 15, true)
	for day := 1; day <= 20; day++ {
		m.Day(day, 15)
	}
	v := policyOf(m)
	g := v.groups
	var p sitegraph.PageID
	for p = range sitegraph.PageID(m.Pages.Count()) { // a member that changed
		if h := m.Pages.Memory(p).History; h.Changes > 1 && g.pages[p].traits == 0 &&
			m.Pages.Refetchable(p) {
			break
		}
	}
	is := func(want string) {
		t.Helper()
		if reason := v.reason(p).String(); !strings.Contains(reason, want) {
			t.Errorf("reason %q, want %q", reason, want)
		}
	}
	only := func(expert int) {
		clear(v.mixture.Asked)
		o := evidence.Opinions{}
		for k := range o {
			o[k] = -20
		}
		o[expert] = 30
		v.mixture.Ask(p, o)
	}
	in, s := &g.sites[g.pages[p].site], &g.servers[m.Graph.Server(p)]
	in.tally, s.tally, in.topSeen, in.topChanged = nil, new(evidence.Tally), 0, 0
	only(expertRates)
	is("its own past: changes seen in ")
	only(expertSite)
	is("of its site")
	only(expertState)
	is("states return: ")
	g.pages[p].traits |= isBorn
	g.ages.Observe(1, 2, true, 0.1)
	only(expertAge)
	is("it was born ")
	g.pages[p].traits = isTop
	only(expertRates)
	is("the top of its site: ")
	g.pages[p].traits = 0
	nothing := evidence.Opinions{} // as the mean page
	for k := range nothing {
		nothing[k] = v.start(p, v.now)
	}
	v.mixture.Ask(p, nothing)
	v.trust, v.topTrust = evidence.Trust{First: 1}, evidence.Trust{First: 1}
	for range 10 {
		g.servers[m.Graph.Server(p)].tally.See(v.now, v.now, 1, true, 0.1, nil)
	}
	is("on its server: of 10 visits there since its own last one, 10 saw a change; expected: 1")
	s.tally, in.tally = nil, new(evidence.Tally)
	for range 30 {
		in.tally.See(v.now, v.now, 1, true, 0.1, nil)
	}
	is("in its site: of 30 visits there since its own last one, 30 saw a change; expected: 3")
	in.tally, in.topChanged = nil, math.MaxUint32
	s.told = topTally{}
	g.told[topChanged] = evidence.Counts{Visits: 20, Changed: 15, Expected: 2}
	is("of 20 pages visited after their top had changed, 15 had also changed")
	v.gone.pages[p], v.scores[p].worth = unreached{}, 0.1
	is("no links lead to it any more")
}

// A reason uses the unit of time that suits it.
func TestReasonSpans(t *testing.T) {
	for days, want := range map[float64]string{0.001: "86 seconds", 0.05: "72 minutes",
		0.5: "12 hours", 40: "40 days"} {
		if got := planner.Because("%s", days).String(); got != want {
			t.Errorf("%g days are %q, want %q", days, got, want)
		}
	}
}

// The site of a page has a top, and the sites of a server hold all of its pages.
func TestSite(t *testing.T) {
	m := newSim(t, 4, 2, 80, 10, false)
	m.Day(1, 10)
	v := policyOf(m)
	for s := range sitegraph.ServerID(m.Graph.Servers()) {
		method, sites, pages := v.Division(s)
		if method == "" || sites < 2 || pages != len(m.Graph.ServerPages(s)) {
			t.Errorf("server %d: %d sites of %d pages by %q", s, sites, pages, method)
		}
	}
	tops := 0
	for p := range sitegraph.PageID(m.Pages.Count()) {
		top, _, pages := v.Site(p)
		if top != sitegraph.NoPage {
			tops++
			if v.groups.pages[top].site != v.groups.pages[p].site {
				t.Errorf("page %d has the top %d of another site", p, top)
			}
		}
		if pages < 1 {
			t.Errorf("the site of page %d has %d pages", p, pages)
		}
	}
	if tops < m.Pages.Count()/2 {
		t.Errorf("%d pages have a top", tops)
	}
}
