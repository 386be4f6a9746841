package scale

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// openCrawl is a loop over the store in a directory.
type openCrawl struct {
	*process
	store *satstore.Store
	plan  *planner.Planner
	loop  *crawl.Loop
	// between is called between two visits, when everything is committed; an error ends the
	// process.
	between func() error
}

// recordsAlone is a store without a queue of due pages.
type recordsAlone struct{ crawl.Store }

// open opens the store in a directory. wrap, if not nil, replaces the policy.
func (p *process) open(dir string,
	wrap func(planner.Policy, *planner.Pages) planner.Policy) *openCrawl {
	p.Helper()
	store, err := satstore.Open(dir, satstore.Options{})
	if err != nil {
		p.Fatal(err)
	}
	plan, why, err := crawl.RecallAll(store, func() (*planner.Planner, error) {
		return p.slow(store, dir)
	})
	if err != nil || why != nil {
		p.Fatal(why, err)
	}
	if wrap != nil {
		plan.Policy = wrap(plan.Policy, plan.Pages)
	}
	c := &openCrawl{process: p, store: store, plan: plan}
	var records crawl.Store = store
	if p.inMemory {
		records = recordsAlone{store}
	}
	clock := crawl.NewVirtualClock(Start.AddDate(0, 0, p.rounds))
	c.loop = crawl.New(crawl.Options{
		Planner: plan, Fetcher: Fetcher{p.w, clock}, Store: records, Clock: clock, Workers: 1,
		Discover: true, Forecast: true, CommitEvery: 1, ImagePages: math.MaxInt,
		Seen: func(e *crawl.Event) { p.visits = append(p.visits, e.Visit.Page) },
		Between: func() error {
			if c.between != nil {
				return c.between()
			}
			return nil
		},
	})
	return c
}

// run makes rounds of a day, and closes the store.
func (c *openCrawl) run(rounds int) error {
	c.Helper()
	err := c.loop.Run(context.Background(), c.perDay(), 24*time.Hour,
		func(planner.Round) bool {
			c.rounds++
			rounds--
			return rounds > 0
		})
	return errors.Join(err, c.store.Close())
}

// TestAskedSurvives checks that the next process visits a requested page first, and once, if this
// one dies earlier.
func TestAskedSurvives(t *testing.T) {
	t.Parallel()
	w := NewWeb(600, 12, 8, 5)
	p := &process{T: t, w: w, dir: built(t, w), policy: "sites"}
	c := p.open(p.dir, nil)
	asked, dead := sitegraph.NoPage, ""
	c.between = func() error {
		if p.rounds < 1 || asked != sitegraph.NoPage {
			return nil
		}
		for page := range sitegraph.PageID(c.plan.Pages.Count()) { // the one that is due last
			if m := c.plan.Pages.Memory(page); m.State == sitegraph.StateAlive &&
				(asked == sitegraph.NoPage || m.Due > c.plan.Pages.Memory(asked).Due) {
				asked = page
			}
		}
		if n, err := c.loop.Ask(false, c.plan.Pages.URL(asked)); n != 1 || err != nil {
			t.Errorf("asked for %d: %v", n, err)
		}
		dead = copyDir(t, p.dir)
		return errCrash
	}
	if err := c.run(3); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	p.visits = nil
	c = p.open(dead, nil)
	if err := c.run(1); err != nil {
		t.Fatal(err)
	}
	if len(p.visits) == 0 || p.visits[0] != asked {
		t.Fatalf("visited %v, want %d first", p.visits[:min(5, len(p.visits))], asked)
	}
	store, err := satstore.Open(dead, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if left, err := store.Messages(asked); err != nil || len(left) > 0 {
		t.Errorf("%d messages wait: %v", len(left), err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	p.visits = nil
	if err := p.open(dead, nil).run(1); err != nil {
		t.Fatal(err)
	}
	if slices.Index(p.visits, asked) == 0 {
		t.Error("it was visited first once more")
	}
}

// promoting promotes a page with the first outcome.
type promoting struct {
	planner.Policy
	pages *planner.Pages
	page  sitegraph.PageID
}

func (p *promoting) Observe(page sitegraph.PageID, verdict sitegraph.Verdict) {
	p.Policy.Observe(page, verdict)
	if p.page != sitegraph.NoPage {
		return
	}
	for q := range sitegraph.PageID(p.pages.Count()) {
		if m := p.pages.Memory(q); m.State == sitegraph.StateAlive && !p.pages.InPlay(q) &&
			(p.page == sitegraph.NoPage || m.Due > p.pages.Memory(p.page).Due) {
			p.page = q
		}
	}
	if p.page != sitegraph.NoPage {
		p.pages.Promote([]sitegraph.PageID{p.page})
	}
}

// TestPromotedSurvives checks that a page promoted by an outcome is durable with that outcome: the
// next process visits it in the same round.
func TestPromotedSurvives(t *testing.T) {
	t.Parallel()
	w := NewWeb(6000, 60, 8, 5) // too many for one round
	p := &process{T: t, w: w, dir: built(t, w), policy: "interval"}
	if err := p.open(p.dir, nil).run(2); err != nil {
		t.Fatal(err)
	}
	var policy *promoting
	c := p.open(p.dir, func(inner planner.Policy, pages *planner.Pages) planner.Policy {
		policy = &promoting{inner, pages, sitegraph.NoPage}
		return policy
	})
	dead := ""
	c.between = func() error {
		if policy.page != sitegraph.NoPage {
			dead = copyDir(t, p.dir)
			return errCrash
		}
		return nil
	}
	if err := c.run(1); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	offered := &offering{page: policy.page}
	c = p.open(dead, func(inner planner.Policy, pages *planner.Pages) planner.Policy {
		offered.Policy = inner
		return offered
	})
	if err := c.run(1); err != nil {
		t.Fatal(err)
	}
	if !offered.seen {
		t.Errorf("page %d was not handed out", policy.page)
	}
}

// offering notes whether a page is offered.
type offering struct {
	planner.Policy
	page sitegraph.PageID
	seen bool
}

func (o *offering) Offer(pages []sitegraph.PageID) {
	o.seen = o.seen || slices.Contains(pages, o.page)
	o.Policy.Offer(pages)
}

// TestSameVisitsOfMany checks that with many pages, most in slots that are not read, the queue in
// the store gives the same visits as the one in memory, and so do several processes in turn.
func TestSameVisitsOfMany(t *testing.T) {
	t.Parallel()
	w := NewWeb(20_000, 100, 8, 5)
	one := &process{T: t, w: w, dir: built(t, w), policy: "sites", budget: 100}
	memory, many := *one, *one
	memory.dir, memory.inMemory, many.dir = copyDir(t, one.dir), true, copyDir(t, one.dir)
	const rounds = 12
	for _, p := range []*process{one, &memory} {
		if err := p.open(p.dir, nil).run(rounds); err != nil {
			t.Fatal(err)
		}
	}
	for range rounds / 3 {
		if err := many.open(many.dir, nil).run(3); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(one.visits, memory.visits) {
		t.Errorf("%d visits are not the %d of the queue in memory", len(one.visits),
			len(memory.visits))
	}
	if !slices.Equal(one.visits, many.visits) {
		t.Errorf("%d visits of one process, and %d others of four", len(one.visits),
			len(many.visits))
	}
	if len(one.visits) < rounds*80 {
		t.Errorf("only %d visits", len(one.visits))
	}
}

// TestAskedAndRefused checks that the message of a requested page that may not be visited does not
// wait for ever.
func TestAskedAndRefused(t *testing.T) {
	t.Parallel()
	w := NewWeb(600, 12, 8, 5)
	p := &process{T: t, w: w, dir: built(t, w), policy: "interval"}
	c := p.open(p.dir, nil)
	asked := sitegraph.PageID(17)
	done := false
	c.between = func() error {
		if len(p.visits) == w.Pages/10+5 && !done { // within the second round
			done = true
			c.plan.SetAside(planner.Visit{Page: asked}, sitegraph.Denial{})
			if n, err := c.loop.Ask(false, c.plan.Pages.URL(asked)); n != 1 || err != nil {
				t.Errorf("asked for %d: %v", n, err)
			}
		}
		return nil
	}
	if err := c.run(2); err != nil || !done {
		t.Fatal(done, err)
	}
	store, err := satstore.Open(p.dir, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if left, err := store.Messages(asked); err != nil || len(left) > 0 {
		t.Errorf("%d messages wait: %v", len(left), err)
	}
}

// TestSameVisitsAnew checks that a planner rebuilt from the store after each round makes the same
// visits as one that continues.
func TestSameVisitsAnew(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"sites", "interval", "nutch", "lambdacrawl", "gamma"} {
		w := NewWeb(600, 12, 8, 5)
		one := &process{T: t, w: w, dir: built(t, w), policy: policy}
		many := &process{T: t, w: w, dir: copyDir(t, one.dir), policy: policy}
		const rounds = 6
		if err := one.open(one.dir, nil).run(rounds); err != nil {
			t.Fatal(err)
		}
		for range rounds {
			if err := many.open(many.dir, nil).run(1); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(one.visits, many.visits) {
			t.Errorf("%s: visited\n%v, want\n%v", policy, many.visits, one.visits)
		}
	}
}
