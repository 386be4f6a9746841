package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestTruthByHand checks the truth about a week of the tiny corpus, day by day.
func TestTruthByHand(t *testing.T) {
	c := tiny(t, Options{})
	truth := c.newTruth(7)
	wantInt(t, "events", truth.events, 7)
	wantInt(t, "events of a", truth.eventsOf[0], 5)
	wantInt(t, "events of b", truth.eventsOf[1], 2)
	wantInt(t, "deaths", truth.deaths, 2)
	wantInt(t, "pages", len(truth.pages), 8)
	wantInt(t, "discoverable", truth.discoverable, 1)
	if n := truth.basePerServer(); !slices.Equal(n, []int{4, 3}) {
		t.Errorf("base pages by server: %v", n)
	}
	i, ok := truth.byURL[tinyA+"new"]
	if !ok || truth.pages[i].born != 3 || truth.pages[i].base || !truth.pages[i].discoverable {
		t.Errorf("new page: %+v", truth.pages[i])
	}
	for _, url := range []string{tinyA + "flash", tinyB + "island", tinyA + "dead"} {
		if _, ok := truth.byURL[url]; ok {
			t.Errorf("%s counts as a page", url)
		}
	}
	var got []string
	for d, transitions := range truth.byStep {
		var pages []string
		for url, i := range truth.byURL {
			for _, tr := range transitions {
				if tr.page == i {
					pages = append(pages, strings.TrimPrefix(url, "http://")[:1]+"/"+
						url[strings.LastIndex(url, "/")+1:])
				}
			}
		}
		slices.Sort(pages)
		if d > 0 {
			got = append(got, strings.Join(pages, " "))
		}
	}
	want := []string{"b/1", "a/1 a/3", "a/ a/2 a/new", "b/1", "a/2 a/3", "a/new", "b/2"}
	if !slices.Equal(got, want) {
		t.Errorf("transitions by day %q, want %q", got, want)
	}
	// By text a/'s change does not show (6 events), by main only a/2's and new's do.
	wantInt(t, "events by text",
		tiny(t, Options{Change: sitegraph.ChangeByText}).newTruth(7).events, 6)
	wantInt(t, "events by main",
		tiny(t, Options{Change: sitegraph.ChangeByMain}).newTruth(7).events, 3)
}

// TestStepEnd checks boundaries: a version exactly at a day's end is there at that end.
func TestStepEnd(t *testing.T) {
	daily := truth{step: day}
	for _, test := range []struct {
		seconds int64
		want    int
	}{{-daySeconds, 0}, {-1, 0}, {0, 0}, {1, 1}, {daySeconds - 1, 1}, {daySeconds, 1},
		{daySeconds + 1, 2}, {7 * daySeconds, 7}} {
		wantInt(t, "day", daily.stepEnd(test.seconds), test.want)
	}
}

// TestStreamByHandWithoutFirstVisits makes two fetches a day (2/7 of 7 base pages), breadth-first
// for a week, and no first visits. Pages of a come before those of b at each depth. So all visits
// are known:
//
//	day  visits                    outcome                        after them: good copies / known living pages
//	1    a/    b/                  same, same                     6/7   b/1 stale since 1
//	2    a/1   b/1                 changed (C), changed (B)       6/6   a/3 is dead
//	3    a/2   b/2                 changed (B), same              5/6   a/ stale since 3
//	4    a/3   a/ (second cycle)   left, changed; new and flash   5/7   b/1 stale since 4; new has no copy
//	                               become known
//	5    b/    a/1                 same, same                     4/7   b/1 4, a/2 5; a/3 is back but not known
//	6    b/1   a/2                 changed (C), changed (A);      6/7   island is outside
//	                               island is linked
//	7    b/2   a/                  left, same                     5/6
//
// Changed 2+1+1+2 = 6 of 7 events, in 14 refetches. Freshness (6/7+1+5/6+5/7+4/7+6/7+5/6)/7 =
// 17/21. Age: on day 5 b/1 has one day among 6 pages with a copy: (1/6)/7 = 1/42. Both deaths are
// found. new became known one day after its birth.
func TestStreamByHandWithoutFirstVisits(t *testing.T) {
	want := StreamResult{Fetched: 14, Refetched: 14, Changed: 6, UpdateRate: 6. / 14,
		Coverage: 6. / 7, Freshness: 17. / 21,
		MeanAgeDays: 1. / 42, Discovered: 1, DiscoveryDelayDays: 1, DeletionsFound: 1}
	checkTinyStream(t, 0, want, tinyOrder)
}

// TestStreamByHandWithFirstVisits is the same with half of the budget for first visits. Until day 4
// nothing differs.
//
//	5    new   b/                  first (X), same                5/7   b/1 4, a/2 5; ages 1+0 of 7 copies
//	6    flash a/1                 not there any more, same       4/7   new Y: 6; ages 2+1+0 of 7
//	7    b/1   a/2                 changed, changed (A)           5/6   b/2 dead, not found; age of new 1 of 6
//
// 12 refetches, 2 first visits. Freshness (6/7+1+5/6+5/7+5/7+4/7+5/6)/7 = 116/147, age
// (1/7+3/7+1/6)/7 = 31/294.
func TestStreamByHandWithFirstVisits(t *testing.T) {
	want := StreamResult{Fetched: 14, Refetched: 12, NewFetched: 2, Changed: 6, UpdateRate: 6. / 12,
		Coverage:  6. / 7,
		Freshness: 116. / 147, MeanAgeDays: 31. / 294, Discovered: 1, DiscoveryDelayDays: 1,
		DeletionsFound: 0.5}
	checkTinyStream(t, 0.5, want,
		"a/ b/ | a/1 b/1 | a/2 b/2 | a/3 a/ | a/new b/ | a/flash a/1 | b/1 a/2")
}

// TestStreamByHandWithFailure is the week without first visits, but the visit to b/1 on day 2 fails
// and changes nothing. So b/1 is stale from day 1 to its visit on day 6, which finds one change.
// Freshness (6/7+5/6+4/6+5/7+4/7+6/7+5/6)/7 = 16/21; ages of b/1 on days 2 to 5: 1, 2, 3, 4 of 6
// copies: (10/6)/7 = 5/21.
func TestStreamByHandWithFailure(t *testing.T) {
	c := tiny(t, Options{})
	seed := tinySeed(t, c, 0, tinyOrder)
	stage := c.replayed()
	stage.Fetcher = failing{stage.Fetcher, tinyB + "1", 2}
	r, err := c.StreamOn(t.Context(), stage, StreamOptions{Weeks: 1, Budget: 2. / 7, Seed: seed},
		"breadth-first", nil)
	if err != nil {
		t.Fatal(err)
	}
	wantStream(t, r, StreamResult{Fetched: 14, Refetched: 14, Changed: 5, UpdateRate: 5. / 14,
		Coverage: 5. / 7, Freshness: 16. / 21,
		MeanAgeDays: 5. / 21, Discovered: 1, DiscoveryDelayDays: 1, DeletionsFound: 1})
}

// failing fails the visits to one page on one day.
type failing struct {
	crawl.Fetcher
	url string
	day int
}

func (f failing) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	if r.Record.URL == f.url && r.Round.Number == f.day {
		return sitegraph.Observation{URL: f.url, Time: r.Round.End,
			Outcome: sitegraph.OutcomeFailed}, nil
	}
	return f.Fetcher.Fetch(ctx, r)
}

const tinyOrder = "a/ b/ | a/1 b/1 | a/2 b/2 | a/3 a/ | b/ a/1 | b/1 a/2 | b/2 a/"

// tinySeed returns a seed with which breadth-first makes these visits at 2/7 a day.
func tinySeed(t *testing.T, c *Dataset, newShare float64, order string) uint64 {
	t.Helper()
	for seed := range uint64(1000) {
		_, log := logged(t, c, StreamOptions{Weeks: 1, Budget: 2. / 7, New: newShare, Seed: seed},
			"breadth-first")
		var days []string
		for i, s := range log {
			if i == 0 || s.day != log[i-1].day {
				days = append(days, "")
			}
			days[len(days)-1] += " " + strings.Replace(strings.TrimPrefix(s.url, "http://"),
				".example", "", 1)
		}
		if strings.TrimSpace(strings.Join(days, " |")) == order {
			return seed
		}
	}
	t.Fatalf("breadth-first never visits %s", order)
	return 0
}

// checkTinyStream runs breadth-first with a seed for these visits.
func checkTinyStream(t *testing.T, newShare float64, want StreamResult, order string) {
	t.Helper()
	c := tiny(t, Options{})
	o := StreamOptions{Weeks: 1, Budget: 2. / 7, New: newShare,
		Seed: tinySeed(t, c, newShare, order)}
	ticks := make(chan bool, 1000) // from any goroutine
	run, err := c.Stream(t.Context(), o, []string{"clairvoyant", "breadth-first"}, func() {
		ticks <- true
	})
	if err != nil {
		t.Fatal(err)
	}
	wantInt(t, "ticks", len(ticks), 14)
	if run.Corpus != (StreamTotals{Servers: 2, BasePages: 7, Pages: 8, Events: 7}) ||
		run.Protocol != "stream" || run.Base != 1 ||
		run.Weeks != 1 || run.Budget != o.Budget || run.New != newShare || run.Change != "digest" ||
		run.Seed != o.Seed {
		t.Errorf("header %+v", run)
	}
	if run.Results[0].Policy != "clairvoyant" || run.Results[1].Policy != "breadth-first" {
		t.Errorf("results of %s, %s", run.Results[0].Policy, run.Results[1].Policy)
	}
	r := run.Results[1]
	wantStream(t, r, want)
	if len(r.Weekly) != 1 || r.Weekly[0].Week != 1 ||
		!near(r.Weekly[0].UpdateRate, want.UpdateRate) ||
		!near(r.Weekly[0].Freshness, want.Freshness) {
		t.Errorf("weekly %+v", r.Weekly)
	}
}

func wantStream(t *testing.T, got, want StreamResult) {
	t.Helper()
	wantInt(t, "fetched", got.Fetched, want.Fetched)
	wantInt(t, "refetched", got.Refetched, want.Refetched)
	wantInt(t, "new fetched", got.NewFetched, want.NewFetched)
	wantInt(t, "changed", got.Changed, want.Changed)
	wantNumber(t, "update rate", got.UpdateRate, want.UpdateRate)
	wantNumber(t, "coverage", got.Coverage, want.Coverage)
	wantNumber(t, "freshness", got.Freshness, want.Freshness)
	wantNumber(t, "mean age", got.MeanAgeDays, want.MeanAgeDays)
	wantNumber(t, "discovered", got.Discovered, want.Discovered)
	wantNumber(t, "discovery delay", got.DiscoveryDelayDays, want.DiscoveryDelayDays)
	wantNumber(t, "deletions found", got.DeletionsFound, want.DeletionsFound)
}

// TestStreamAgainstSlow compares the meter with the slow one, for all policies on random corpora.
// It also checks that no day exceeds its budget, and first visits not their share.
func TestStreamAgainstSlow(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, seed := range seeds(25) {
		rng := rand.New(rand.NewPCG(seed, 2))
		servers := randomServers(rng)
		corpusOptions := Options{Base: week * time.Duration(rng.IntN(3)),
			Change: sitegraph.ChangeBy(rng.IntN(3)), History: rng.IntN(3)}
		c, err := NewDataset(t.Context(), servers, corpusOptions)
		if err != nil {
			continue // no top page was alive
		}
		ran++
		o := StreamOptions{Weeks: 1 + rng.IntN(3), Budget: []float64{0.05, 0.3, 1, 3}[rng.IntN(4)],
			New: []float64{0, 0.25, 1}[rng.IntN(3)], Seed: seed}
		truth := c.newTruth(o.Weeks * 7)
		for _, policy := range policiesOf(seed) {
			slow := newSlowRun(servers, corpusOptions, o.Weeks*7)
			wantInt(t, "pages", len(truth.pages), len(slow.pages))
			wantInt(t, "base pages", len(c.Pages), len(slow.base))
			got, log := logged(t, c, o, policy)
			want := slow.measure(log)
			wantStream(t, got, want)
			if slow.problem != "" {
				t.Error(slow.problem)
			}
			checkBudget(t, log, o, len(slow.base))
			if t.Failed() {
				t.Fatalf("policy %s, %+v, %+v; %s\n%s", policy, corpusOptions, o, repeat(t, seed),
					visits(log))
			}
		}
	}
	if ran == 0 {
		t.Error("no corpus had a page at its base")
	}
}

// checkBudget checks that through day d at most d times the budget is used, each day its whole part
// or one more, and that first visits keep to their share of each day.
func checkBudget(t *testing.T, log []step, o StreamOptions, basePages int) {
	t.Helper()
	perDay := o.Budget * float64(basePages)
	total := 0
	for d := 1; d <= o.Weeks*7; d++ {
		fetched, first := 0, 0
		for _, s := range log {
			if s.day == d {
				fetched++
				if s.first {
					first++
				}
			}
		}
		total += fetched
		if float64(fetched) >= perDay+1 || float64(total) > float64(d)*perDay+1e-6 {
			t.Errorf("%d fetches on day %d, %d in all, with %.3f a day", fetched, d, total, perDay)
		}
		if limit := o.New*math.Ceil(perDay) + 1; float64(first) >= limit {
			t.Errorf("%d first visits on day %d, the limit is %.2f", first, d, limit)
		}
	}
}

// TestStreamWithFullBudget fetches everything every day. Every policy that requests as much finds
// all events of pages with a copy on their day, and every copy is fresh.
func TestStreamWithFullBudget(t *testing.T) {
	c := tiny(t, Options{})
	for _, policy := range policy.Names() {
		switch policy {
		case "calendar-weekly", "calendar-monthly", "nutch-default":
			continue // a week or more passes between two visits
		}
		r, log := logged(t, c, StreamOptions{Weeks: 1, Budget: 4, New: 0.5, Seed: 3}, policy)
		// a/new is linked, known and fetched on day 3, because new pages come before refetches and
		// a/ is one of these; at the latest a day later.
		wantInt(t, "changed", r.Changed, 7)
		wantNumber(t, "coverage", r.Coverage, 1.)
		wantNumber(t, "discovered", r.Discovered, 1.)
		wantNumber(t, "delay", r.DiscoveryDelayDays, 0.)
		wantNumber(t, "deletions found", r.DeletionsFound, 1.)
		wantNumber(t, "age", r.MeanAgeDays, 0.)
		wantNumber(t, "freshness", r.Freshness, 1.)
		// Days 1 to 7: 7, 7 (a/3 found gone), 6 and 2 first visits (new, flash), 7 each on 4, 5, 6
		// and 7. a/2 does not link to a/3 again, because its links stay the same. On day 4 island
		// is linked and outside, on day 7 b/2 is found gone.
		wantInt(t, "fetched", r.Fetched, 7+7+8+7+7+7+7)
		wantInt(t, "new fetched", r.NewFetched, 2)
		if t.Failed() {
			t.Fatalf("policy %s\n%s", policy, visits(log))
		}
	}
}

// TestStreamCarriesFractions checks that a budget below one fetch a day adds up its fractions, and
// that whole fetches are not saved.
func TestStreamCarriesFractions(t *testing.T) {
	c := tiny(t, Options{})
	// half a fetch a day
	r, log := logged(t, c, StreamOptions{Weeks: 1, Budget: 0.5 / 7, Seed: 1}, "breadth-first")
	wantInt(t, "fetched", r.Fetched, 3)
	for i, s := range log {
		wantInt(t, "day", s.day, 2*(i+1))
	}
	r, _ = logged(t, c, StreamOptions{Weeks: 1, Budget: 0.1 / 7, Seed: 1}, "breadth-first")
	wantInt(t, "fetched", r.Fetched, 0)
	wantNumber(t, "update rate without a refetch", r.UpdateRate, math.NaN())
	wantNumber(t, "coverage", r.Coverage, 0.)
}

// TestStreamEndsWithWindow checks that the stream ends with the window of 60 weeks, for any
// history.
func TestStreamEndsWithWindow(t *testing.T) {
	daily := page(tinyA)
	for d := range int64(70 * 7) {
		daily.Versions = append(daily.Versions, shows(d*daySeconds, string(rune('A'+d%2))))
	}
	servers := tinyServers()[1:]
	servers = append(servers, server("a.example", 0, daily))
	c := newCorpus(t, servers, Options{Base: 58 * week})
	truth := c.newTruth(7 * 7)
	wantInt(t, "events", truth.events, 14)
	r, log := logged(t, c, StreamOptions{Weeks: 7, Budget: 1, Seed: 1}, "breadth-first")
	wantInt(t, "last day", log[len(log)-1].day, 14)
	wantInt(t, "changed", r.Changed, 14)
	wantInt(t, "weeks told", len(r.Weekly), 2)
	if _, err := NewDataset(t.Context(), servers, Options{Base: 60 * week}); err == nil {
		t.Error("no error for a base at the end of the window")
	}
	if _, err := c.Snapshot(t.Context(), SnapshotOptions{Weeks: 3}, []string{"random"},
		nil); err != nil {
		t.Errorf("a fetch at the end of the window: %v", err)
	}
	if _, err := c.Snapshot(t.Context(), SnapshotOptions{Weeks: 4}, []string{"random"},
		nil); err == nil {
		t.Error("no error for a fetch after the window")
	}
}

// TestStreamOnOtherStage checks that another world, crawled with Crawl, gives the same as the
// recorded one: here it is the recorded world again, with empty graph and store.
func TestStreamOnOtherStage(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(5) {
		c, err := NewDataset(t.Context(), randomServers(rand.New(rand.NewPCG(seed, 10))),
			Options{Base: week})
		if err != nil {
			continue // no top page was alive
		}
		o := StreamOptions{Weeks: 2, Budget: 0.4, New: 0.25, Seed: seed}
		for _, policy := range policiesOf(seed) {
			want, log := logged(t, c, o, policy)
			var otherLog []step
			stage := c.Empty()
			if err := c.Crawl(t.Context(), stage); err != nil {
				t.Fatal(err)
			}
			if err := stage.Remember(); err != nil {
				t.Fatal(err)
			}
			stage.Log = func(e *crawl.Event) { otherLog = append(otherLog, stepOf(e)) }
			got, err := c.StreamOn(t.Context(), stage, o, policy, nil)
			if err != nil {
				t.Fatal(err)
			}
			if visits(log) != visits(otherLog) || !near(got.Freshness, want.Freshness) ||
				got.Changed != want.Changed {
				t.Fatalf("%s: another stage gives other visits; %s\n%s\n%s",
					policy, repeat(t, seed), visits(log), visits(otherLog))
			}
		}
	}
}

func TestUnknownPolicy(t *testing.T) {
	c := tiny(t, Options{})
	policies := []string{"random", "nonsense", "breadth-first"}
	if _, err := c.Stream(t.Context(), StreamOptions{Weeks: 1, Budget: 1}, policies,
		nil); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("stream: %v", err)
	}
	if _, err := c.Snapshot(t.Context(), SnapshotOptions{Weeks: 2}, policies, nil); err == nil ||
		!strings.Contains(err.Error(), "nonsense") {
		t.Errorf("snapshot: %v", err)
	}
}

// basePerServer counts base pages by server.
func (t *truth) basePerServer() []int {
	n := make([]int, t.servers)
	for i := range t.pages {
		if t.pages[i].base {
			n[t.pages[i].server]++
		}
	}
	return n
}
