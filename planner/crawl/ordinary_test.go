package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// defaultLoop returns a loop with the default bounds, but smaller counts.
func defaultLoop(t *testing.T, clock *crawl.VirtualClock, f crawl.Fetcher) *rig {
	d := newDisk()
	m := &rig{T: t, disk: d, clock: clock, pages: d.restore()}
	p, _ := policy.New("uniform", policy.Settings{Pages: m.pages, Mode: planner.Stream, Seed: 1,
		PerDay: 100})
	m.plan = planner.New(m.pages, p, planner.Options{NewShare: 1, Leftover: true, AgainShare: 0.05,
		Turns: true})
	b := sitegraph.DefaultBounds
	b.MaxVariants = 100
	m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: f, Store: d, Clock: clock,
		Discover: true, Proof: true, Forecast: true, Bounds: &b})
	return m
}

// Links to other servers do not use up the bound on links that may become known.
func TestExternalLinksTakeNoRoom(t *testing.T) {
	for _, external := range []int{0, 999, 1200} {
		clock := crawl.NewVirtualClock(base)
		full, conditional := 0, 0
		f := fetcherFunc(func(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
			o := sitegraph.Observation{URL: r.Record.URL, Time: clock.Now(),
				Outcome: sitegraph.OutcomeFetched, Status: 200, LinksKnown: true, FramesKnown: true,
				ETag: `"x"`}
			o.Digests.Bytes = sitegraph.DigestOf([]byte(r.Record.URL))
			if r.Record.URL == "http://h.example/" {
				if r.Record.ETag == "" {
					full++
				} else {
					conditional++
				}
				for i := range external {
					o.Links = append(o.Links, fmt.Sprintf("http://other%d.example/x", i))
				}
				for i := range 50 {
					o.Links = append(o.Links, fmt.Sprintf("http://h.example/p%d", i))
				}
			}
			return o, nil
		})
		m := defaultLoop(t, clock, f)
		m.seed("http://h.example/")
		m.rounds(100, 24*time.Hour, planner.Unlimited)
		by, _ := m.loop.Refused(1)
		if m.pages.Graph.Pages() != 51 || full > 2 || len(by) > 0 {
			t.Errorf("%d external links before 50 own ones: after 100 visits %d of 51 pages "+
				"known; asked in full %d, with condition %d; refused %v",
				external, m.pages.Graph.Pages(), full, conditional, by)
		}
	}
}

// A forum of 500 topics under one script takes in 100 before many of them were fetched.
func TestForum(t *testing.T) {
	clock := crawl.NewVirtualClock(base)
	f := fetcherFunc(func(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
		o := sitegraph.Observation{URL: r.Record.URL, Time: clock.Now(),
			Outcome: sitegraph.OutcomeFetched, Status: 200, LinksKnown: true, FramesKnown: true}
		o.Digests.Bytes = sitegraph.DigestOf([]byte(r.Record.URL))
		var k int
		if r.Record.URL == "http://h.example/" {
			for i := range 50 {
				o.Links = append(o.Links, fmt.Sprintf("http://h.example/forum/%d/", i))
			}
		} else if n, _ := fmt.Sscanf(r.Record.URL, "http://h.example/forum/%d/", &k); n == 1 {
			for i := range 10 {
				o.Links = append(o.Links, fmt.Sprintf("http://h.example/viewtopic.php?t=%d",
					10*k+i))
			}
		}
		return o, nil
	})
	m := defaultLoop(t, clock, f)
	m.seed("http://h.example/")
	m.rounds(100, 24*time.Hour, planner.Unlimited)
	by, _ := m.loop.Refused(1)
	if m.pages.Graph.Pages() != 551 {
		t.Errorf("%d of 551 pages known after 100 rounds; refused %v", m.pages.Graph.Pages(), by)
	}
}

// On a site of scripts all pages have no visible text, different data, and by mistake the same
// canonical address. They are no duplicates.
func TestPagesWithoutTextAreNoDuplicates(t *testing.T) {
	clock := crawl.NewVirtualClock(base)
	d := newDisk()
	m := &rig{T: t, disk: d, clock: clock, pages: d.restore()}
	p, _ := policy.New("uniform", policy.Settings{Pages: m.pages, Mode: planner.Stream, Seed: 1,
		PerDay: 100})
	m.plan = planner.New(m.pages, p, planner.Options{NewShare: 1, Leftover: true, AgainShare: 0.05,
		Turns: true})
	f := fetcherFunc(func(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
		o := sitegraph.Observation{URL: r.Record.URL, Time: clock.Now(),
			Outcome: sitegraph.OutcomeFetched, Status: 200, LinksKnown: true, FramesKnown: true}
		o.Digests.Bytes, o.Digests.Text = sitegraph.DigestOf([]byte(r.Record.URL)),
			sitegraph.DigestOf(nil)
		if r.Record.URL != "http://h.example/" {
			o.Canonical = "http://h.example/"
		}
		for i := range 50 {
			o.Links = append(o.Links, fmt.Sprintf("http://h.example/p%d", i))
		}
		return o, nil
	})
	b := sitegraph.DefaultBounds
	m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: f, Store: d, Clock: clock,
		Discover: true, Proof: true, Forecast: true, Bounds: &b})
	m.seed("http://h.example/")
	m.hours(6)
	states := map[sitegraph.State]int{}
	for q := range sitegraph.PageID(m.pages.Count()) {
		states[m.pages.Memory(q).State]++
	}
	if states[sitegraph.StateAlive] != 51 {
		t.Errorf("51 pages, each with other bytes: %v", states)
	}
}

// A redirect to the page's own address with a session or doubled slashes is a redirect to itself.
func TestRedirectToItselfWithASession(t *testing.T) {
	for _, to := range []string{"http://h.example/cart?sid=a1b2c3d4e5", "http://h.example//cart",
		"http://h.example/cart?utm_source=x"} {
		w := newWeb(map[string]page{"http://h.example/": {content: "x",
			links: []string{"http://h.example/cart"}},
			"http://h.example/cart": {redirect: to}, to: {content: "the cart"}})
		d := newDisk()
		b := sitegraph.DefaultBounds
		m := newRig(t, w, d, "uniform", crawl.Options{Bounds: &b})
		m.seed("http://h.example/")
		for range 5 {
			m.day(planner.Unlimited)
		}
		_, known := m.pages.Graph.Lookup(to)
		if !known {
			t.Errorf("/cart redirects to %s: it is %v, and the target is not known",
				to, m.state("http://h.example/cart"))
		}
	}
}

// A long sitemap that does not change comes in parts of what one visit may bring.
func TestLongSitemapComesInParts(t *testing.T) {
	n := newNewsroom()
	n.pages[front] = "front"
	n.named = []string{aSitemap}
	var claims []sitegraph.Claim
	for i := range 1500 {
		u := fmt.Sprintf("http://h.example/p%d", i)
		n.pages[u] = u
		claims = append(claims, sitegraph.Claim{URL: u})
	}
	n.say(aSitemap, claims...)
	d := newDesk(n)
	b := sitegraph.DefaultBounds
	b.FirstPages, b.OfSource = 200, 1000
	policy, _ := policy.New("random", policy.Settings{Pages: d.corpus, Mode: planner.Stream})
	d.loop = crawl.New(crawl.Options{Planner: planner.New(d.corpus, policy,
		planner.Options{NewShare: 0.5, Leftover: true, SourceShare: 0.2}),
		Fetcher: n, Store: d.store, Clock: n.clock, Discover: true, Bounds: &b})
	if err := d.loop.Seed(front); err != nil {
		t.Fatal(err)
	}
	d.budget = 3000
	for day := range 60 {
		got := d.next(t)
		k := strings.Count(" "+got+" ", " /sitemap.xml ")
		c := strings.Count(" "+got+" ", " /sitemap.xml? ")
		t.Logf("day %d: sitemap asked in full %d, with condition %d; %d pages known of 1,501",
			day, k, c, d.corpus.Graph.Pages()-1)
	}
	if known := d.corpus.Graph.Pages() - 1; known != 1501 {
		t.Errorf("%d of 1,501 pages are known", known)
	}
}

// A source that answers a conditional request with 412 is asked again without condition.
func TestSourceThatDislikesOurCondition(t *testing.T) {
	n := newNewsroom()
	n.pages[front] = "front"
	n.named = []string{aSitemap}
	n.say(aSitemap, sitegraph.Claim{URL: front})
	d := newDesk(n)
	policy, _ := policy.New("random", policy.Settings{Pages: d.corpus, Mode: planner.Stream})
	conditional, full := 0, 0
	d.loop = crawl.New(crawl.Options{Planner: planner.New(d.corpus, policy,
		planner.Options{NewShare: 0.5, Leftover: true, SourceShare: 0.2}),
		Fetcher: fetcherFunc(func(ctx context.Context, r crawl.Request) (sitegraph.Observation,
			error) {
			o, err := n.Fetch(ctx, r)
			if r.Record.URL == aSitemap {
				if r.Record.ETag != "" {
					conditional++
					o = sitegraph.Observation{URL: aSitemap, Time: o.Time,
						Outcome: sitegraph.OutcomeFailed, Status: 412}
				} else {
					full++
				}
			}
			return o, err
		}), Store: d.store, Clock: n.clock, Discover: true})
	if err := d.loop.Seed(front); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		d.next(t)
	}
	if full < conditional {
		t.Errorf("in 200 days the sitemap was asked %d times in full, %d times with a condition "+
			"that it answers with 412", full, conditional)
	}
}

// A page with a copy that robots.txt forbade for a while is visited when the rules change.
func TestRelaxDoubted(t *testing.T) {
	for _, days := range []int{1, 3, 6} {
		w := &moody{clock: crawl.NewVirtualClock(base), rules: 1}
		m := w.live(t, newDisk())
		m.hours(3)
		w.answer, w.rules = answerOf(sitegraph.OutcomeExcluded, 0), 2
		m.hours(24*days + 2)
		w.answer, w.rules = nil, 1
		relaxed := w.clock.Now().Sub(base)
		n := len(w.asked)
		for i := 0; i < 24*30 && len(w.asked) == n; i++ {
			m.hours(1)
		}
		if after := w.asked[n] - relaxed; after > 3*time.Hour {
			t.Errorf("forbidden for %d days: asked for again %v after the rules changed, seen by "+
				"the start page each hour", days, after)
		}
	}
}

// all is a server that forbids everything.
type all struct {
	moody
	forbid bool
	visits []string
}

func (a *all) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	o, err := a.moody.Fetch(ctx, r)
	a.visits = append(a.visits, r.Record.URL)
	if a.forbid {
		answerOf(sitegraph.OutcomeExcluded, 0)(&o)
	}
	return o, err
}

func TestForbidAll(t *testing.T) {
	for _, days := range []int{1, 3, 6} {
		w := &all{moody: moody{clock: crawl.NewVirtualClock(base), rules: 1}}
		d := newDisk()
		m := &rig{T: t, disk: d, clock: w.clock, pages: d.restore()}
		p, err := policy.New("uniform", policy.Settings{Pages: m.pages, Mode: planner.Stream,
			Seed: 1, PerDay: 100})
		if err != nil {
			t.Fatal(err)
		}
		m.plan = planner.New(m.pages, p,
			planner.Options{NewShare: 1, Leftover: true, AgainShare: 1, Turns: true})
		m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: w, Store: d, Clock: w.clock,
			Discover: true, Proof: true, Forecast: true})
		m.seed("http://h.example/")
		m.hours(3)
		w.forbid, w.rules = true, 2
		m.hours(24*days + 2)
		w.forbid, w.rules = false, 1
		relaxed := w.clock.Now().Sub(base)
		n := len(w.visits)
		for i := 0; i < 24*30 && len(w.visits) == n; i++ {
			m.hours(1)
		}
		if after := w.clock.Now().Sub(base) - relaxed; after > 25*time.Hour {
			t.Errorf("Disallow: / for %d days: the first visit after it was allowed again comes "+
				"after %v", days, after)
		}
	}
}

type fetcherFunc func(ctx context.Context, r crawl.Request) (sitegraph.Observation, error)

func (f fetcherFunc) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	return f(ctx, r)
}

// Pages that robots.txt forbids cost no request and none of the server's time.
func TestForbiddenPagesCostNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 10*time.Second, 400)
		forbidden := func(u string) bool {
			p, _ := url.Parse(u)
			var n int
			k, _ := fmt.Sscanf(p.Path, "/p%d", &n)
			return k == 1 && n%10 != 0
		}
		asked, excluded := 0, 0
		w.refuse = func(r crawl.Request, now time.Time) (sitegraph.Observation, error) {
			return sitegraph.Observation{}, nil
		}
		f := fetcherFunc(func(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
			if forbidden(r.Record.URL) {
				excluded++
				return sitegraph.Observation{URL: r.Record.URL, Time: time.Now(),
					Outcome: sitegraph.OutcomeExcluded, ByRobots: true, Robots: 7}, nil
			}
			asked++
			return w.Fetch(ctx, r)
		})
		m := &rig{T: t, clock: crawl.WallClock{}, pages: planner.NewPages(sitegraph.NewGraph())}
		p, err := policy.New("sites", policy.Settings{Pages: m.pages, Mode: planner.Stream,
			Seed: 1, PerDay: 1e6})
		if err != nil {
			t.Fatal(err)
		}
		m.plan = planner.New(m.pages, p, planner.Options{NewShare: 0.25, Leftover: true,
			LeastRefetch: planner.FirstWorth, Turns: true, AgainShare: 0.05})
		m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: f,
			Store: history.NewMemoryStore(),
			Clock: m.clock, Discover: true, Pause: w.pause, Forecast: true, Workers: 8})
		m.seed(startsOf("s", 1)...)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
		defer cancel()
		if err := m.loop.Run(ctx, planner.Unlimited, time.Hour, nil); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if asked < 41 {
			t.Errorf("in 30 minutes at a pause of 10 s: %d requests of 41 pages that may be "+
				"asked for; %d visits to forbidden ones, which ask nothing", asked, excluded)
		}
	})
}

// Looks at left pages of one server stay within their share, also those that were put aside.
func TestLooksWithinTheirShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 1000)
		gone := false
		w.answer = func(server string, o *sitegraph.Observation) {
			if strings.HasPrefix(server, "quiet") {
				o.Links = nil
			}
			u, _ := url.Parse(o.URL)
			var n int
			if k, _ := fmt.Sscanf(u.Path, "/p%d", &n); gone && k == 1 && n%2 == 0 {
				o.Outcome, o.Status, o.LinksKnown, o.Digests = sitegraph.OutcomeGone, 404, false,
					sitegraph.Digests{}
			}
		}
		looks, other := 0, 0
		counting := false
		w.refuse = func(r crawl.Request, now time.Time) (sitegraph.Observation, error) {
			if counting {
				if r.Record.State.Left() {
					looks++
				} else {
					other++
				}
			}
			return sitegraph.Observation{}, nil
		}
		m := &rig{T: t, clock: crawl.WallClock{}, pages: planner.NewPages(sitegraph.NewGraph())}
		p, err := policy.New("sites", policy.Settings{Pages: m.pages, Mode: planner.Stream,
			Seed: 1, PerDay: 24000})
		if err != nil {
			t.Fatal(err)
		}
		m.plan = planner.New(m.pages, p, planner.Options{NewShare: 0.25, Leftover: true,
			LeastRefetch: planner.FirstWorth, Turns: true, AgainShare: 0.05, SourceShare: 0.1})
		m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: w,
			Store: history.NewMemoryStore(),
			Clock: m.clock, Discover: true, Pause: w.pause, Forecast: true, Workers: 8})
		m.seed(append(startsOf("s", 1), "http://quiet.example/")...)
		m.pages.Graph.Pages()
		run := func(d time.Duration, perDay float64) {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			if err := m.loop.Run(ctx, perDay, time.Hour, nil); !errors.Is(err,
				context.DeadlineExceeded) {
				t.Fatal(err)
			}
			time.Sleep(w.pause)
		}
		run(2*time.Hour, planner.Unlimited)
		gone = true
		run(2*time.Hour, planner.Unlimited) // without Proof pages leave at once
		left := 0
		for q := range sitegraph.PageID(m.pages.Count()) {
			if m.pages.Memory(q).State.Left() {
				left++
			}
		}
		time.Sleep(10 * 24 * time.Hour)
		time.Sleep(time.Until(time.Now().Truncate(time.Hour).Add(time.Hour + time.Second)))
		counting = true
		const perRound = 4000
		run(59*time.Minute, 24*perRound) // ample: 3600 s at one visit a second
		t.Logf("left %d; one round of budget %d: %d looks, %d others", left, perRound, looks, other)
		if looks > perRound/20 {
			t.Errorf("%d looks in a round of %d visits; the share is %d",
				looks, perRound, perRound/20)
		}
	})
}

// One server is unreachable for ever (a router reports: network unreachable), a LocalError.
func TestOneServerWithoutAWay(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("Go's race detector does not survive so many timers in a bubble")
	}
	for _, c := range []struct{ servers, bad, workers int }{{200, 0, 64}, {200, 1, 64},
		{200, 20, 64}} {
		synctest.Test(t, func(t *testing.T) {
			w := newTown(t, 10*time.Second, 300)
			asked, told := 0, 0
			w.refuse = func(r crawl.Request, _ time.Time) (sitegraph.Observation, error) {
				if strings.Contains(r.Record.URL, "bad") {
					time.Sleep(100 * time.Millisecond)
					w.mu.Lock()
					asked++
					w.mu.Unlock()
					return sitegraph.Observation{URL: r.Record.URL, Time: time.Now(),
							Outcome: sitegraph.OutcomeFailed, Trouble: sitegraph.TroubleFailing},
						&crawl.LocalError{Err: errors.New("network is unreachable"), Unsure: true}
				}
				return sitegraph.Observation{}, nil
			}
			m := w.live(crawl.Options{Workers: c.workers, Stalled: func(error) { told++ }}, "sites",
				planner.Unlimited, time.Hour, 20*time.Minute,
				append(startsOf("s", c.servers), startsOf("bad", c.bad)...)...)
			e := uint8(0)
			if p, ok := m.pages.Graph.Lookup("http://bad0.example/"); ok {
				e = m.pages.Memory(p).Errors
			}
			if share := float64(w.of("s")) / float64(c.servers*120); share < 0.95 || e == 0 &&
				c.bad > 0 {
				t.Errorf("%.2f of what politeness allows; the one without a way counted as "+
					"failed %d times", share, e)
			}
			t.Logf("%d servers and %d without a way: %.2f of what politeness allows; the bad one "+
				"asked %d times, counted as failed %d times; %d messages",
				c.servers, c.bad, float64(w.of("s"))/float64(c.servers*120), asked, e, told)
		})
	}
}

// A robots.txt has another rule each day, and always forbids the same pages.
func TestRulesThatChangeDaily(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	for _, changing := range []bool{false, true} {
		clock := crawl.NewVirtualClock(base)
		d := newDisk()
		m := &rig{T: t, disk: d, clock: clock, pages: d.restore()}
		p, _ := policy.New("sites", policy.Settings{Pages: m.pages, Mode: planner.Stream, Seed: 1,
			PerDay: 240})
		m.plan = planner.New(m.pages, p, planner.Options{NewShare: 0.25, Leftover: true,
			AgainShare: 0.05, LeastRefetch: planner.FirstWorth, Turns: true})
		forbidden, allowed := 0, 0
		counting := false
		f := permitting{func(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
			o := sitegraph.Observation{URL: r.Record.URL, Time: clock.Now(),
				Outcome: sitegraph.OutcomeFetched, Status: 200, LinksKnown: true, FramesKnown: true,
				Robots: 1}
			if changing {
				o.Robots += uint64(o.Time.Sub(base) / (24 * time.Hour))
			}
			if strings.Contains(r.Record.URL, "/no/") {
				o.Outcome, o.Status, o.ByRobots, o.LinksKnown = sitegraph.OutcomeExcluded, 0, true,
					false
				if counting {
					forbidden++
				}
				return o, nil
			}
			if counting {
				allowed++
			}
			o.Digests.Bytes = sitegraph.DigestOf([]byte(r.Record.URL + o.Time.Format("2006-01-02")))
			if r.Record.URL == "http://h.example/" {
				for i := range 900 {
					o.Links = append(o.Links, fmt.Sprintf("http://h.example/no/p%d", i))
				}
				for i := range 300 {
					o.Links = append(o.Links, fmt.Sprintf("http://h.example/yes/p%d", i))
				}
			}
			return o, nil
		}}
		m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: f, Store: d, Clock: clock,
			Discover: true, Proof: true, Forecast: true})
		m.seed("http://h.example/")
		m.rounds(24*10, time.Hour, 10)
		counting = true
		m.rounds(24*20, time.Hour, 10)
		if forbidden > 600 {
			t.Errorf("%d visits to forbidden pages", forbidden)
		}
		t.Logf("rules change daily: %v; of a budget of 4,800 in 20 days %d visits to pages (all "+
			"change daily), %d to forbidden ones", changing, allowed, forbidden)
	}
}

// permitting is a fetcher that knows its robots.txt, which forbids /no/ alone.
type permitting struct {
	fetch fetcherFunc
}

func (f permitting) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	return f.fetch(ctx, r)
}

func (permitting) Permits(url string) (permitted, known bool) {
	return !strings.Contains(url, "/no/"), true
}
