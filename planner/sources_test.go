package planner_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// Visits to sources stay within their share under every kind of limit, however many sources are due
// and whatever waited for room. Pages get the rest.
func TestSourcesKeepToTheirShareUnderLimits(t *testing.T) {
	const share, bytes = 0.1, 20_000
	for _, test := range []struct {
		limits budget.Limits
		budget int
		least  int // visits to sources in 20 days
	}{
		{budget.Limits{}, 10, 20},
		{budget.Limits{All: []budget.Limit{{Amount: 200_000, Unit: budget.InBytes,
			Per: planner.Day}}}, planner.Unlimited, 10},
		{budget.Limits{Servers: []budget.ServerLimit{{Pattern: "*",
			Limit: budget.Limit{Amount: 5, Unit: budget.InFetches, Per: planner.Day}}}},
			planner.Unlimited, 10},
		{budget.Limits{Servers: []budget.ServerLimit{{Pattern: "*",
			Limit: budget.Limit{Amount: 100_000, Unit: budget.InBytes, Per: planner.Day}}}},
			planner.Unlimited, 10},
		{budget.Limits{All: []budget.Limit{{Amount: 200_000, Unit: budget.InBytes,
			Per: planner.Day}}, Servers: []budget.ServerLimit{{Pattern: "*",
			Limit: budget.Limit{Amount: 5, Unit: budget.InFetches, Per: planner.Day}}}}, 10, 5},
	} {
		for _, flight := range []int{0, 5} {
			g := sitegraph.NewGraph()
			c := planner.NewPages(g)
			last := simtest.ClaimsBase.Add(-time.Hour)
			var records []sitegraph.Record
			for i := range 80 {
				r := sitegraph.Record{URL: fmt.Sprintf("http://s%d.example/%d", i%2, i),
					State: sitegraph.StateAlive, History: sitegraph.Start(last), Tried: last,
					Size: bytes}
				if i < 40 { // always due
					r.State = sitegraph.StateSource
				}
				r.Page = g.AddStart(r.URL)
				c.Remember(&r)
				records = append(records, r)
			}
			policy, err := policy.New("random", policy.Settings{Pages: c, Mode: planner.Stream})
			if err != nil {
				t.Fatal(err)
			}
			p := planner.New(c, policy, planner.Options{SourceShare: share, Limits: test.limits,
				MostBytes: 1 << 20})
			rng := rand.New(rand.NewPCG(1, uint64(flight)))
			visits, sources := 0, 0
			const days = 20
			for day := range days {
				end := simtest.ClaimsBase.Add(time.Duration(day+1) * planner.Day)
				p.Begin(planner.Round{Number: day, Start: end.Add(-planner.Day), End: end,
					Budget: test.budget})
				type begun struct {
					v     planner.Visit
					might int64
				}
				var air []begun
				land := func() {
					b := air[0]
					air = air[1:]
					p.Finish(&b.v, b.might, min(max(b.might, bytes), bytes))
					r := &records[b.v.Page]
					r.Tried, r.Due = end, end.Add(-time.Minute)
					r.History.See(end, rng.IntN(2) == 0, time.Time{})
					p.Observe(r, sitegraph.VerdictUnchanged)
				}
				for {
					v, ok := p.Next()
					switch {
					case !ok && len(air) > 0:
						land()
						continue
					case !ok:
					case rng.IntN(5) == 0:
						p.Return(v)
						continue
					default:
						might, ok := p.Start(&v)
						if !ok {
							p.Return(v)
							continue
						}
						visits++
						if records[v.Page].State == sitegraph.StateSource {
							sources++
						}
						if air = append(air, begun{v, might}); len(air) > flight {
							land()
						}
						continue
					}
					break
				}
			}
			most := share*float64(visits) + 4 // plus what is rounded up at the end, for each server
			if visits < 4*days || float64(sources) > most || sources < test.least {
				t.Errorf("%+v, %d at a time: %d of %d visits were to sources, want %d to %.0f",
					test.limits, flight+1, sources, visits, test.least, most)
			}
		}
	}
}

// A source with useless claims is asked again the less often, the more sources its server has. A
// source with informative or untested claims is asked when it tends to change.
func TestIdleSources(t *testing.T) {
	for _, test := range []struct {
		name   string
		proved string
		idle   bool
	}{
		{"says today of all pages", `"true":20,"false":80`, true},
		{"says the same of all pages, and all change", `"missed":90,"same":10`, true},
		{"says nothing", ``, false},
		{"too little is known", `"true":5,"false":5`, false},
		{"true", `"true":20,"same":80`, false},
		{"true when it claims a change, which is seldom", `"true":20,"missed":20,"same":100`,
			false},
		{"the contrary is true", `"false":20,"missed":20`, false},
	} {
		for _, sources := range []int{1, 30} {
			c, source := simtest.Claimed(t, 2, simtest.ClaimsBase)
			for i := range sources - 1 {
				other := c.Graph.Add(fmt.Sprintf("http://h.example/feed%d", i))
				c.Remember(&sitegraph.Record{Page: other, State: sitegraph.StateSource})
			}
			c.Hints.Update(source, planner.Sitemap,
				[]planner.Claim{{Page: source + 1, Modified: simtest.ClaimsBase, Every: 0}}, true)
			if err := c.Hints.Restore(c.Graph.Server(source),
				[]byte(`{"sitemap":{`+test.proved+`}}`)); err != nil {
				t.Fatal(err)
			}
			p := planner.New(c, nil, planner.Options{SourceShare: 0.1})
			due, _ := p.Due(source, simtest.ClaimsBase)
			want := simtest.ClaimsBase.Add(planner.SourceSoonest)
			if test.idle {
				want = simtest.ClaimsBase.Add(max(time.Duration(sources)*planner.Day,
					planner.SourceLatest))
			}
			if !due.When.Equal(want) {
				t.Errorf("%s, %d sources: due %v after the visit, want %v (%v)",
					test.name, sources, due.When.Sub(simtest.ClaimsBase),
					want.Sub(simtest.ClaimsBase), due.Reason)
			}
		}
	}
}

// Among many similar feeds, such as those of tags, a few show what they bring. If that is nothing,
// one of them is asked each week. The main feed, an index, and sitemaps, each with its own pages,
// do not belong to them. A feed that has news now and then is asked like any other.
func TestFeedsOfOneKinTellOfEachOther(t *testing.T) {
	for _, atOnce := range []int{1, 1000} { // visits begun before the first outcome
		testFeedsOfOneKin(t, atOnce)
	}
}

func testFeedsOfOneKin(t *testing.T, atOnce int) {
	const tags, maps = 40, 10
	g := sitegraph.NewGraph()
	c := planner.NewPages(g)
	records := map[sitegraph.PageID]*sitegraph.Record{}
	kinds, every, asked := map[sitegraph.PageID]planner.HintKind{}, map[sitegraph.PageID]int{},
		map[sitegraph.PageID]int{}
	// add adds a source with news every so many days; 0: never.
	add := func(path string, kind planner.HintKind, days int) sitegraph.PageID {
		p := g.AddStart("http://h.example" + path)
		records[p] = &sitegraph.Record{Page: p, URL: g.URL(p), State: sitegraph.StateSource}
		c.Remember(records[p])
		kinds[p], every[p] = kind, days
		return p
	}
	main, index := add("/feed.xml", planner.Feed, 3),
		add("/maps/all/sitemap.xml", planner.UnknownKind, 0)
	var tag, sitemap []sitegraph.PageID
	for i := range tags {
		tag = append(tag, add(fmt.Sprintf("/tag/word%d/feed.xml", i), planner.Feed, 0))
	}
	for i := range maps {
		sitemap = append(sitemap, add(fmt.Sprintf("/maps/%d/sitemap.xml", i), planner.Sitemap, 0),
			add(fmt.Sprintf("/map-%d.xml", i), planner.Sitemap, 0))
	}
	p := planner.New(c, nil, planner.Options{SourceShare: 1})
	day := 0
	until := func(last int) {
		for ; day < last; day++ {
			end := simtest.ClaimsBase.Add(time.Duration(day+1) * planner.Day)
			p.Begin(planner.Round{Number: day, Start: end.Add(-planner.Day), End: end,
				Budget: 1000})
			var begun []planner.Visit
			for {
				v, ok := p.Next()
				if ok {
					begun = append(begun, v)
				}
				if ok && len(begun) < atOnce {
					continue
				}
				if len(begun) == 0 {
					break
				}
				v, begun = begun[0], begun[1:]
				r := records[v.Page]
				asked[v.Page]++
				news := false
				if r.History.Visits == 0 {
					r.History = sitegraph.Start(end)
				} else if n := every[v.Page]; n > 0 {
					news = int64(r.History.Last)/86400/int64(n) < end.Unix()/86400/int64(n)
				}
				if r.Tried = end; r.History.Last != sitegraph.Unix32(end) {
					r.History.See(end, news, time.Time{})
				}
				p.Observe(r, sitegraph.VerdictUnchanged)
				if kinds[v.Page] != planner.UnknownKind {
					c.Hints.Update(v.Page, kinds[v.Page], nil, true)
				}
				due, _ := p.Due(v.Page, end)
				r.Due = due.When
				c.Remember(r)
			}
		}
	}
	if atOnce == 1 {
		until(1)
	} else {
		until(5) // at first nobody knew that they are no feeds
	}
	for _, p := range sitemap {
		if asked[p] == 0 {
			t.Errorf("%d at once: %s was not asked in %d days", atOnce, g.URL(p), day)
		}
	}
	until(60)
	sum := 0
	for _, p := range tag {
		sum += asked[p]
	}
	if least, most := planner.UnproductiveVisits+60/7,
		2*planner.UnproductiveVisits+60/7+1; sum < least || sum > most {
		t.Errorf("%d at once: %d visits to feeds of tags in 60 days, want %d to %d",
			atOnce, sum, least, most)
	}
	for p, least := range map[sitegraph.PageID]int{main: 20, index: 8, sitemap[1]: 8,
		sitemap[2*maps-1]: 8} {
		if asked[p] < least {
			t.Errorf("%d at once: %d visits to %s in 60 days, want %d or more",
				atOnce, asked[p], g.URL(p), least)
		}
	}
	news := tag[tags-1]
	every[news] = 3
	until(60 + 14*tags) // its turn comes twice: the first visit has nothing to compare with
	before := asked[news]
	until(60 + 14*tags + 60)
	if asked[news]-before < 20 {
		t.Errorf("%d at once: it has news each third day, and got %d visits in 60 days",
			atOnce, asked[news]-before)
	}

	// A waiting source is asked once a user reports its news, although its share was used up.
	day++
	end := simtest.ClaimsBase.Add(time.Duration(day) * planner.Day)
	p.Begin(planner.Round{Number: day, Start: end.Add(-planner.Day), End: end, Budget: 0})
	p.WantSource(tag[0])
	before = asked[tag[0]]
	until(day + 1)
	if asked[tag[0]] != before+1 {
		t.Errorf("%d at once: the feed that somebody named was not asked", atOnce)
	}
}

// Feeds that answered once and now fail take no room from similar feeds.
func TestFeedsThatFailTellNothingOfOthers(t *testing.T) {
	for _, fails := range []bool{false, true} {
		c := planner.NewPages(sitegraph.NewGraph())
		for i := range 10 {
			r := sitegraph.Record{URL: fmt.Sprintf("http://h.example/tag/%d/feed.xml", i),
				State: sitegraph.StateSource}
			r.Page = c.Graph.AddStart(r.URL)
			if i < planner.FirstOfGroup {
				r.Tried, r.History, r.Due = simtest.ClaimsBase, sitegraph.Start(simtest.ClaimsBase),
					simtest.ClaimsBase.Add(100*planner.Day)
				if fails {
					r.Errors = 1
				}
			}
			c.Remember(&r)
			if i < planner.FirstOfGroup {
				c.Hints.Update(r.Page, planner.Feed, nil, true)
			}
		}
		p := planner.New(c, nil, planner.Options{SourceShare: 1})
		p.Begin(planner.Round{Number: 1, Start: simtest.ClaimsBase,
			End: simtest.ClaimsBase.Add(planner.Day), Budget: 100})
		asked := 0
		for _, ok := p.Next(); ok; _, ok = p.Next() {
			asked++
		}
		want := 0
		if fails {
			want = planner.FirstOfGroup
		}
		if asked != want {
			t.Errorf("those asked before fail: %t; %d others are asked, want %d",
				fails, asked, want)
		}
	}
}
