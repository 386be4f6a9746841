package planner

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Visits to sources keep to their share under every kind of limit, however many sources are
// due and whatever waited for room; what they leave goes to pages.
func TestSourcesKeepToTheirShareUnderLimits(t *testing.T) {
	const share, bytes = 0.1, 20_000
	for _, test := range []struct {
		limits Limits
		budget int
		least  int // visits to sources in 20 days
	}{
		{Limits{}, 10, 20},
		{Limits{All: []Limit{{200_000, InBytes, Day}}}, Unlimited, 10},
		{Limits{Servers: []ServerLimit{{"*", Limit{5, InFetches, Day}}}}, Unlimited, 10},
		{Limits{Servers: []ServerLimit{{"*", Limit{100_000, InBytes, Day}}}}, Unlimited, 10},
		{Limits{All: []Limit{{200_000, InBytes, Day}}, Servers: []ServerLimit{{"*", Limit{5, InFetches, Day}}}}, 10, 5},
	} {
		for _, flight := range []int{0, 5} {
			g := sitegraph.NewGraph()
			c := NewCorpus(g)
			last := hintsBase.Add(-time.Hour)
			var records []sitegraph.Record
			for i := range 80 {
				r := sitegraph.Record{URL: fmt.Sprintf("http://s%d.example/%d", i%2, i), State: sitegraph.StateAlive, History: sitegraph.Start(last), Tried: last, Size: bytes}
				if i < 40 { // all due all the time
					r.State = sitegraph.StateSource
				}
				r.Page = g.AddStart(r.URL)
				c.Remember(&r)
				records = append(records, r)
			}
			policy, err := NewPolicy("random", Settings{Corpus: c, Mode: Stream})
			if err != nil {
				t.Fatal(err)
			}
			p := New(c, policy, Options{SourceShare: share, Limits: test.limits, MostBytes: 1 << 20})
			rng := rand.New(rand.NewPCG(1, uint64(flight)))
			visits, sources := 0, 0
			const days = 20
			for day := range days {
				end := hintsBase.Add(time.Duration(day+1) * Day)
				p.Begin(Round{Number: day, Start: end.Add(-Day), End: end, Budget: test.budget})
				type begun struct {
					v     Visit
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
			most := share*float64(visits) + 4 // and what is rounded up at the end, of either server
			if visits < 4*days || float64(sources) > most || sources < test.least {
				t.Errorf("%+v, %d at a time: %d of %d visits were to sources, want %d to %.0f", test.limits, flight+1, sources, visits, test.least, most)
			}
		}
	}
}

// A source whose claims proved to tell nothing is asked again as seldom as its server has many sources; one
// that tells something, either way, or of which too little is known, when it tends to change.
func TestIdleSources(t *testing.T) {
	for _, test := range []struct {
		name   string
		proved proof
		idle   bool
	}{
		{"says today of all pages", proof{True: 20, False: 80}, true},
		{"says the same of all pages, and all change", proof{Missed: 90, Same: 10}, true},
		{"says nothing", proof{}, false},
		{"too little is known", proof{True: 5, False: 5}, false},
		{"true", proof{True: 20, Same: 80}, false},
		{"true when it claims a change, which is seldom", proof{True: 20, Missed: 20, Same: 100}, false},
		{"the contrary is true", proof{False: 20, Missed: 20}, false},
	} {
		for _, sources := range []int{1, 30} {
			c, source := claimed(t, 2, hintsBase)
			for i := range sources - 1 {
				other := c.Graph.Add(fmt.Sprintf("http://h.example/feed%d", i))
				c.Remember(&sitegraph.Record{Page: other, State: sitegraph.StateSource})
			}
			c.Hear(source, HintSitemap, []Said{{source + 1, hintsBase, 0}}, true)
			c.listening().addProof(c.Graph.Server(source), HintSitemap, test.proved)
			p := New(c, nil, Options{SourceShare: 0.1})
			due, _ := p.Due(source, hintsBase)
			want := hintsBase.Add(sourceSoonest)
			if test.idle {
				want = hintsBase.Add(max(time.Duration(sources)*Day, sourceLatest))
			}
			if !due.When.Equal(want) {
				t.Errorf("%s, %d sources: due %v after the visit, want %v (%v)", test.name, sources, due.When.Sub(hintsBase), want.Sub(hintsBase), due.Reason)
			}
		}
	}
}

// Of many feeds of one shape, as those of tags, a few show what they bring. If that is nothing, one is asked a week, and
// most never; the main feed, which has news each day, and sitemaps, each of which names pages of its own, are
// none of them. Once one of them says something new it is asked as any other.
func TestFeedsOfOneKinTellOfEachOther(t *testing.T) {
	const tags, maps = 40, 10
	g := sitegraph.NewGraph()
	c := NewCorpus(g)
	records := map[sitegraph.PageID]*sitegraph.Record{}
	add := func(url string) sitegraph.PageID {
		p := g.AddStart(url)
		records[p] = &sitegraph.Record{Page: p, URL: url, State: sitegraph.StateSource}
		c.Remember(records[p])
		return p
	}
	kinds, asked := map[sitegraph.PageID]HintKind{}, map[sitegraph.PageID]int{}
	main := add("http://h.example/feed.xml")
	kinds[main] = HintFeed
	var tag, sitemap []sitegraph.PageID
	for i := range tags {
		tag = append(tag, add(fmt.Sprintf("http://h.example/tag/word%c%c/feed.xml", 'a'+i/26, 'a'+i%26)))
		kinds[tag[i]] = HintFeed
	}
	for i := range maps {
		sitemap = append(sitemap, add(fmt.Sprintf("http://h.example/maps/%c.xml", 'a'+i)))
		kinds[sitemap[i]] = HintSitemap
	}
	p := New(c, nil, Options{SourceShare: 1})
	news := tag[tags-1] // has some each day from day 60 on
	day := 0
	until := func(last int) {
		for ; day < last; day++ {
			end := hintsBase.Add(time.Duration(day+1) * Day)
			p.Begin(Round{Number: day, Start: end.Add(-Day), End: end, Budget: 1000})
			for v, ok := p.Next(); ok; v, ok = p.Next() {
				r := records[v.Page]
				asked[v.Page]++
				changed := r.History.Visits > 0 && (v.Page == main || v.Page == news && day >= 60)
				r.Tried = end
				if r.History.Visits == 0 {
					r.History = sitegraph.Start(end)
				} else {
					r.History.See(end, changed, time.Time{})
				}
				p.Observe(r, sitegraph.VerdictUnchanged)
				c.Hear(v.Page, kinds[v.Page], nil, true)
				due, _ := p.Due(v.Page, end)
				r.Due = due.When
				c.Remember(r)
			}
		}
	}
	until(60)
	sum := 0
	for _, p := range tag {
		sum += asked[p]
	}
	if most := firstOfKin*dullLooks + 60/7 + 1; sum > most || sum < dullLooks+60/7 {
		t.Errorf("%d visits to feeds of tags in 60 days, want %d to %d", sum, dullLooks+60/7, most)
	}
	if asked[main] < 50 {
		t.Errorf("%d visits to the main feed in 60 days", asked[main])
	}
	for _, p := range sitemap {
		if asked[p] == 0 {
			t.Errorf("%s was never asked", g.URL(p))
		}
	}
	until(60 + 14*tags) // its turn comes, twice: the first visit has nothing to compare with
	if asked[news] == 0 {
		t.Fatal("the feed that has news was never asked")
	}
	before := asked[news]
	until(60 + 14*tags + 30)
	if asked[news]-before < 20 {
		t.Errorf("it has news each day, and got %d visits in 30 days", asked[news]-before)
	}
}
