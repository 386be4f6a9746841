package sites_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/planner/sites"
	"github.com/recrawl/recrawl/sitegraph"
)

// Promises of the policy to its users, independent of its parts.

// newSim simulates the policy in a stream.
func newSim(t *testing.T, w *simtest.World, seed uint64, perDay float64, o planner.Options,
) *simtest.Sim {
	t.Helper()
	return simtest.New(t, w, nil, seed, func(m *simtest.Sim) (planner.Policy, error) {
		return sites.New(sites.Settings{Pages: m.Pages, Mode: planner.Stream, Seed: seed,
			PerDay: perDay}), nil
	}, o)
}

func policyOf(m *simtest.Sim) *sites.Policy { return m.Planner.Policy.(*sites.Policy) }

// quietWorld returns servers without changes, except that on one day all pages of the first change.
func quietWorld(seed uint64, servers, perServer, rebuiltOn int) *simtest.World {
	w := simtest.NewWorld(seed, servers, perServer, false)
	for _, p := range w.Pages {
		p.Changes = nil
		if strings.HasPrefix(p.URL, "http://s0.") && rebuiltOn > 0 {
			p.Changes = []float64{float64(rebuiltOn) - 0.5}
		}
	}
	return w
}

// A few samples find a rebuilt server: within days most of the budget goes to its pages.
func TestFindsRebuild(t *testing.T) {
	const rebuiltOn = 30
	m := newSim(t, quietWorld(3, 4, 100, rebuiltOn), 3, 40, planner.Options{})
	seen := map[sitegraph.PageID]bool{} // seen since the rebuild
	for day := 1; day <= rebuiltOn+3; day++ {
		for _, v := range m.Day(day, 40) {
			if day >= rebuiltOn && strings.HasPrefix(m.Graph.URL(v.Page), "http://s0.") {
				seen[v.Page] = true
			}
		}
	}
	// Of 400 pages and 160 visits, 40 would be at this server without learning.
	if len(seen) < 80 {
		t.Errorf("%d of the 100 pages of a rebuilt server were visited in four days of 40 visits",
			len(seen))
	}
}

// In the first round after a rebuild a visit finds it, to a top or a sample three times as often as
// their share of visits. The later visits of this round, and those of the next, go to its other
// pages.
func TestFindsRebuildWithinARound(t *testing.T) {
	const rebuiltOn, budget, seeds = 30, 40, 30
	first, followed := 0, 0
	for seed := range uint64(seeds) {
		m := newSim(t, quietWorld(seed, 4, 100, rebuiltOn), seed, budget, planner.Options{})
		for day := 1; day < rebuiltOn; day++ {
			m.Day(day, budget)
		}
		found, members, after := "", 0, 0
		for _, v := range append(m.Day(rebuiltOn, budget), m.Day(rebuiltOn+1, budget)...) {
			rebuilt := strings.HasPrefix(m.Graph.URL(v.Page), "http://s0.")
			if found != "" {
				if after++; rebuilt {
					members++
				}
			} else if rebuilt {
				found = v.Reason.String()
			}
		}
		if strings.HasPrefix(found, "a look at a quiet page") ||
			strings.HasPrefix(found, "the top of its site") ||
			strings.HasPrefix(found, "the start page of its server") {
			first++
		}
		if followed += after; after < budget || members < 3*after/4 {
			t.Errorf("seed %d: of %d visits after the rebuild was found %d are to pages of its "+
				"server", seed, after, members)
		}
	}
	if first < 2*seeds/5 || followed < 3*seeds*budget/2 {
		t.Errorf("a top or a sample found %d of %d rebuilds, and %d visits of rounds of %d "+
			"followed", first, seeds, followed, budget)
	}
}

// A planner rebuilt from the corpus after a crash still knows the outcomes of the crashed round.
func TestKeepsEvidenceOverCrash(t *testing.T) {
	m := newSim(t, quietWorld(5, 2, 60, 20), 5, 12, planner.Options{})
	for day := 1; day <= 20; day++ {
		m.Day(day, 12)
	}
	of := func() (rebuilt, other float64) {
		var n [2]float64
		for p := range sitegraph.PageID(m.Graph.Pages()) {
			if h := m.Pages.Memory(p).History; h.LastVisit().Equal(simtest.At(20)) {
				continue // visited that day
			}
			x := policyOf(m).Probability(p, simtest.At(21))
			if strings.HasPrefix(m.Graph.URL(p), "http://s0.") {
				rebuilt += x
				n[0]++
			} else {
				other += x
				n[1]++
			}
		}
		return rebuilt / n[0], other / n[1]
	}
	before, otherBefore := of()
	m.Restart()
	m.Planner.Begin(planner.Round{Number: 21, Start: simtest.At(20), End: simtest.At(21),
		Budget: 0})
	after, otherAfter := of()
	if before < 4*otherBefore || after < 4*otherAfter {
		t.Errorf("pages of the rebuilt server: %.3f before the crash, %.3f after; of the other: "+
			"%.3f, %.3f", before, after, otherBefore, otherAfter)
	}
}

func checkExplained(t *testing.T, v *sites.Policy, p sitegraph.PageID, at time.Time) {
	t.Helper()
	c, want := v.Explain(p, at), v.Probability(p, at)
	sum := c.Start
	for i, x := range c.All {
		sum += x.LogOdds
		if i > 0 && math.Abs(x.LogOdds) > math.Abs(c.All[i-1].LogOdds) {
			t.Fatalf("page %d: %v is not in order", p, c.All)
		}
	}
	if math.Abs(c.Probability-want) > 1e-4 || math.Abs(sum-math.Log(want/(1-want))) > 0.01 {
		t.Fatalf("page %d: contributions make %.5f and log odds of %.4f, the policy goes by %.5f",
			p, c.Probability, sum, want)
	}
}

// The parts that Explain returns add up to the probability.
func TestExplains(t *testing.T) {
	m := newSim(t, simtest.NewWorld(8, 2, 60, false), 8, 15, planner.Options{})
	for day := 1; day <= 30; day++ {
		m.Day(day, 15)
	}
	for p := range sitegraph.PageID(m.Graph.Pages()) {
		checkExplained(t, policyOf(m), p, simtest.At(31))
	}
}

// Explain changes no later visit.
func TestAskedChangesNothing(t *testing.T) {
	run := func(ask bool) (all []string) {
		m := newSim(t, simtest.NewWorld(9, 3, 50, true), 9, 15, planner.Options{NewShare: 0.25})
		for day := 1; day <= 20; day++ {
			all = append(all, m.URLs(m.Day(day, 15))...)
			if ask {
				for p := range sitegraph.PageID(m.Graph.Pages()) {
					policyOf(m).Probability(p, simtest.At(day+int(p)%5))
					policyOf(m).Explain(p, simtest.At(day))
					policyOf(m).Worth(p)
				}
			}
		}
		return all
	}
	if i, same := simtest.FirstDifference(run(false), run(true)); !same {
		t.Errorf("visits differ from %d on", i)
	}
}

// byHand is the policy on two servers, each with two directories and two shapes. Tests report
// outcomes to it by hand.
type byHand struct {
	pages   *planner.Pages
	records []sitegraph.Record
	policy  *sites.Policy
	perDay  float64
}

func newByHand(perDay float64, mode planner.Mode) *byHand {
	g := sitegraph.NewGraph()
	h := &byHand{pages: planner.NewPages(g), perDay: perDay}
	for s := range 2 {
		top := fmt.Sprintf("http://s%d.example/", s)
		var links []string
		for i := range 8 {
			links = append(links, fmt.Sprintf("%sd%d/x/%s%d.html", top, i%2,
				[]string{"page", "news-item-"}[i/4], i))
		}
		g.SetLinks(g.AddStart(top), links, nil)
	}
	g.Refresh()
	for p := range sitegraph.PageID(g.Pages()) {
		h.records = append(h.records, sitegraph.Record{Page: p, URL: g.URL(p),
			State: sitegraph.StateAlive, History: sitegraph.Start(simtest.At(0))})
		h.pages.Remember(&h.records[p])
	}
	h.policy = sites.New(sites.Settings{Pages: h.pages, Mode: mode, Seed: 1,
		PerDay: perDay})
	return h
}

// begin begins a round that ends some days after day 0, and returns its visits.
func (h *byHand) begin(number int, end, length time.Duration) {
	at := simtest.At(0).Add(end)
	visits := max(int(h.perDay*length.Hours()/24+0.5), 1)
	h.pages.Begin(planner.Round{Number: number, Start: at.Add(-length), End: at, Budget: visits})
	h.policy.Begin(h.pages.Round())
	var all []sitegraph.PageID
	for p := range h.records {
		all = append(all, sitegraph.PageID(p))
	}
	h.policy.Offer(all)
	for range visits {
		if v, ok := h.policy.Next(); ok {
			h.pages.Propose(v.Page)
		}
	}
}

func (h *byHand) visit(p sitegraph.PageID, after time.Duration, changed bool) {
	r := &h.records[p]
	r.Tried = simtest.At(0).Add(after)
	r.History.See(r.Tried, changed, simtest.At(-400))
	h.pages.Remember(r)
	h.policy.Observe(p, map[bool]sitegraph.Verdict{true: sitegraph.VerdictChanged,
		false: sitegraph.VerdictUnchanged}[changed])
}

// A page that had changed at each of five visits ten days apart changes more often than it was
// visited. So after ten more days it has almost surely changed, even among pages that hardly
// change.
func TestPageThatAlwaysChanges(t *testing.T) {
	h := newByHand(0, planner.Stream)
	for n := 1; n <= 5; n++ {
		h.begin(10*n, 10*time.Duration(n)*planner.Day, planner.Day)
		for p := range sitegraph.PageID(18) {
			h.visit(p, 10*time.Duration(n)*planner.Day, p == 3)
		}
	}
	at60 := func(p sitegraph.PageID) float64 { return h.policy.Probability(p, simtest.At(60)) }
	if always, never := at60(3), at60(5); always < 0.6 || never > 0.2 {
		t.Errorf("a change is expected at %.2f of a page that always changed, and at %.2f of one "+
			"that never did", always, never)
	}
}

// A page that had changed at each visit, a minute apart, has almost surely changed after ten
// minutes. It is due before a page that did not change.
func TestPageThatChangesByTheMinute(t *testing.T) {
	h := newByHand(4*24*60, planner.Stream)
	for n := 1; n <= 10; n++ {
		h.begin(n, time.Duration(n)*time.Minute, time.Minute)
		for p := range sitegraph.PageID(4) {
			h.visit(p, time.Duration(n)*time.Minute, p == 3)
		}
	}
	now := simtest.At(0).Add(10 * time.Minute)
	later := now.Add(30 * time.Minute)
	if always, never := h.policy.Probability(3, later),
		h.policy.Probability(2, later); always < 0.9 || never > 0.1 {
		t.Errorf("after half an hour a change is expected at %.2f of a page that changes by the "+
			"minute, and at %.2f of one that does not", always, never)
	}
	for _, p := range []sitegraph.PageID{2, 3} {
		checkExplained(t, h.policy, p, later)
	}
	soon, _ := h.policy.Due(3, now)
	late, _ := h.policy.Due(2, now)
	if soon.When.Sub(now) > 3*time.Minute || !late.When.After(soon.When) {
		t.Errorf("a page that changes by the minute is due at %v, and one that does not at %v; it "+
			"is %v", soon.When, late.When, now)
	}
}

// After a fast clock was set back, copies lie in the future. All numbers stay finite.
func TestClockPutRight(t *testing.T) {
	h := newByHand(5, planner.Stream)
	for day := 1; day < 40; day++ {
		h.begin(day, time.Duration(day)*planner.Day, planner.Day)
		for p := range sitegraph.PageID(8) {
			h.visit(p, time.Duration(day)*planner.Day, true)
		}
	}
	fresh := sitegraph.PageID(9)
	h.records[fresh].History = sitegraph.Start(simtest.At(39))
	h.pages.Remember(&h.records[fresh])
	h.policy.Observe(fresh, sitegraph.VerdictFirst)
	for _, day := range []int{38, 30, 2} {
		h.begin(day, time.Duration(day)*planner.Day, planner.Day)
		for p := range sitegraph.PageID(h.pages.Count()) {
			if x := h.policy.Probability(p, simtest.At(day)); !(x >= 0 && x <= 1) {
				t.Errorf("day %d, page %d: probability %g", day, p, x)
			}
		}
	}
	h.visit(fresh, 3*planner.Day, true)
	if _, err := h.policy.Learnt(); err != nil {
		t.Error(err)
	}
}

// Another process recalls the same lessons, and unreadable bytes change nothing.
func TestLearntOutlivesTheProcess(t *testing.T) {
	m := newSim(t, simtest.NewWorld(4, 3, 40, false), 4, 15, planner.Options{})
	for day := 1; day <= 20; day++ {
		m.Day(day, 15)
	}
	learnt, err := policyOf(m).Learnt()
	if err != nil {
		t.Fatal(err)
	}
	again := newSim(t, simtest.NewWorld(4, 3, 40, false), 4, 15, planner.Options{})
	if err := policyOf(again).Recall(learnt[:len(learnt)/2]); err == nil {
		t.Error("half of it was taken in")
	}
	if err := policyOf(again).Recall(learnt); err != nil {
		t.Fatal(err)
	}
	if next, err := policyOf(again).Learnt(); err != nil || !bytes.Equal(next, learnt) {
		t.Errorf("written again it is\n%s\nand was\n%s (%v)", next, learnt, err)
	}
}

// FuzzRecall recalls any bytes. Whatever it accepts is written again as it was read.
func FuzzRecall(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"form":10,"servers":[{"name":"s0.example"}],"outcomes":[[1,0.02,1]]}`))
	f.Fuzz(func(t *testing.T, learnt []byte) {
		h := newByHand(5, planner.Stream)
		if h.policy.Recall(learnt) != nil {
			return
		}
		once, err := h.policy.Learnt()
		if err != nil {
			t.Fatal(err)
		}
		again := newByHand(5, planner.Stream)
		if err := again.policy.Recall(once); err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice, err := again.policy.Learnt(); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s, then %s: %v", once, twice, err)
		}
	})
}

// A policy with claims uses those of a sitemap, and a policy without them ignores them.
func TestClaims(t *testing.T) {
	off, ok := sites.ParsePart("claims")
	if !ok {
		t.Fatal("claims are no part that can be switched off")
	}
	at := func(day int) time.Time {
		return simtest.ClaimsBase.Add(time.Duration(day) * planner.Day)
	}
	for _, without := range []sites.Parts{0, off} {
		var probabilities [2]float64
		for world := range probabilities {
			c, source := simtest.Claimed(t, 12, at(20))
			// a truthful sitemap: the pages that it names have changed, and no others
			if err := c.Hints.Restore(c.Graph.Server(source),
				[]byte(`{"sitemap":{"true":30,"same":30}}`)); err != nil {
				t.Fatal(err)
			}
			v := sites.New(sites.Settings{Pages: c, Mode: planner.Stream, Seed: 1, Off: without})
			p := planner.New(c, v, planner.Options{})
			p.Begin(planner.Round{Number: 1, Start: at(20), End: at(21),
				Budget: planner.Unlimited})
			page := source + 5
			if world == 1 {
				p.UpdateHints(source, planner.Sitemap,
					[]planner.Claim{{Page: page, Modified: at(1)}}, true)
			}
			probabilities[world] = v.Probability(page, at(21))
			if first, ok := p.Next(); !ok || world == 1 && without == 0 && first.Page != page {
				t.Errorf("the first of the round is page %d, want the one claimed, %d",
					first.Page, page)
			}
			for _, of := range v.Explain(page, at(21)).All {
				if strings.Contains(of.Evidence, "claims") && (without != 0 || world == 0) {
					t.Errorf("without %b: %+v", without, of)
				}
			}
		}
		if (probabilities[0] == probabilities[1]) != (without != 0) ||
			probabilities[1] < probabilities[0] {
			t.Errorf("without %b: probability %v without a claim, %v with one",
				without, probabilities[0], probabilities[1])
		}
	}
}

// Each server without changes gets samples, and samples take at most a tenth of the visits: also in
// rounds of few visits, and if the process restarts each day.
func TestLooks(t *testing.T) {
	for _, c := range []struct {
		name    string
		budget  int
		restart bool
	}{{"a day", 20, false}, {"few visits", 4, false}, {"new each day", 20, true}} {
		w := simtest.NewWorld(3, 6, 100, false)
		for _, p := range w.Pages {
			if !strings.HasPrefix(p.URL, "http://s5.") && !strings.HasPrefix(p.URL, "http://s4.") {
				p.Changes = nil
			}
		}
		m := newSim(t, w, 1, 20, planner.Options{})
		by, looks, visits := map[string]int{}, 0, 0
		for day := 1; day <= 60; day++ {
			if c.restart {
				m.Restart()
			}
			for _, v := range m.Day(day, c.budget) {
				visits++
				by[m.Graph.ServerName(m.Graph.Server(v.Page))]++
				if v.DrawnFrom > 0 {
					looks++
				}
			}
		}
		for s := range 4 {
			if by[fmt.Sprintf("s%d.example", s)] == 0 {
				t.Errorf("%s: s%d was not looked at: %v", c.name, s, by)
			}
		}
		if looks > visits/10+1 {
			t.Errorf("%s: %d of %d visits are looks", c.name, looks, visits)
		}
	}
}

// In a sweep a page of a rebuilt directory is likelier to have changed than a page of the same
// shape in another directory.
func TestSweepTellsDirectoriesApart(t *testing.T) {
	h := newByHand(0, planner.Sweep)
	h.begin(1, 30*planner.Day, planner.Day)
	for p := range sitegraph.PageID(h.pages.Count()) {
		url := h.pages.Graph.URL(p)
		if strings.Contains(url, "s0.example/d") && !strings.Contains(url, "page") {
			h.visit(p, 30*planner.Day, strings.Contains(url, "/d0/"))
		}
	}
	at := func(url string) float64 {
		p, _ := h.pages.Graph.Lookup("http://s0.example/" + url)
		return h.policy.Probability(p, simtest.At(30))
	}
	if rebuilt, other := at("d0/x/page0.html"), at("d1/x/page1.html"); rebuilt < 2*other {
		t.Errorf("a change is expected at %.3f of a page whose directory was rebuilt, and at %.3f "+
			"of another one", rebuilt, other)
	}
}
