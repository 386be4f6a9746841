package view_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/cmd/show/view/viewtest"
	"github.com/recrawl/recrawl/satstore/journal"
)

const known = viewtest.Servers * (1 + viewtest.Sections*(1+viewtest.Pages))

// TestRunning asks all questions while the loop works, from many goroutines. Their answers agree
// with each other, and with the answers of the store without a loop.
func TestRunning(t *testing.T) {
	t.Parallel()
	run := viewtest.Run(t)
	d, ctx := run.Desk, t.Context()
	top := viewtest.Start(0) + "s0/"
	viewtest.Await(t, "all pages", func() bool {
		now, err := d.Now(ctx)
		return err == nil && now.Known == known && now.Total.Failed > 0 && now.Total.Changed > 10 &&
			now.Total.Expected > 0
	})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				ask(t, d, top)
			}
		})
	}
	wg.Wait()
	viewtest.Await(t, "freshness", func() bool {
		return d.Survey(ctx) == nil && d.Surveyed().Fresh != nil
	})
	s := d.Surveyed()
	if s.Pages != known || s.Alive+s.New+s.Left != known || len(s.Servers) != viewtest.Servers ||
		s.Promised != s.Alive || s.TooOld != 0 {
		t.Errorf("survey %+v", s)
	}
	due := s.NoDue
	for _, b := range s.Due {
		due += b.Pages
	}
	if due != s.Alive || s.Due[0].Pages < s.Overdue {
		t.Errorf("%d copies in the buckets %+v, want %d", due, s.Due, s.Alive)
	}
	if f := s.Fresh; !(0 <= f.Low && f.Low <= f.Mean && f.Mean <= f.High && f.High <= 1) ||
		s.Sampled != s.Alive {
		t.Errorf("fresh %+v of %d", f, s.Sampled)
	}
	server, err := d.Server(ctx, "www0.example")
	if err != nil || server.Pages != known/viewtest.Servers ||
		!slices.Equal(server.Starts, []string{viewtest.Start(0)}) || server.Standing == nil ||
		server.Feasible == nil {
		t.Errorf("server %+v, error %v", server, err)
	}
	p, err := d.Page(ctx, top, true)
	if err != nil || p.Visits == 0 || p.Site.Pages < 2 || !p.Site.IsTop || len(p.Estimates) == 0 ||
		p.Evidence == nil || !strings.Contains(p.Says, "visit") {
		t.Errorf("page %+v, error %v", p, err)
	}
	if p, err = d.Page(ctx, viewtest.Start(0)+"s1/", false); err != nil || p.Weight != 2 {
		t.Errorf("the weight is %v, error %v", p, err)
	}
	visits, err := d.PageVisits(ctx, top, 100)
	if err != nil || len(visits.Entries) == 0 ||
		visits.Entries[len(visits.Entries)-1].Verdict != "first" {
		t.Errorf("visits %+v, error %v", visits, err)
	}
	all, failed := d.Visits()
	if len(all) == 0 || len(failed) == 0 || failed[0].Status != 503 {
		t.Errorf("visits %v, failed %v", all, failed)
	}
	total := 0
	for _, m := range d.Activity(1, 1).Series {
		total += int(m.Visits)
	}
	if now, err := d.Now(ctx); err != nil || total == 0 || int(now.Total.Visits) < total ||
		now.Failures["status 503"] != now.Total.Failed {
		t.Errorf("%d visits by minute, %+v in all, error %v", total, now, err)
	}
	run.End()
	for _, err := range []error{d.Survey(ctx), second(d.Page(ctx, top, false)),
		second(d.Hint(ctx, []string{top}))} {
		if !errors.Is(err, view.ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
	}

	stored := viewtest.Stored(t, run.Dir)
	if err := stored.Survey(ctx); err != nil {
		t.Fatal(err)
	}
	if now, err := stored.Now(ctx); err != nil || now.Live || now.Known != known {
		t.Errorf("stored %+v, error %v", now, err)
	}
	if got := stored.Surveyed(); got.Alive != s.Alive || len(got.Servers) != len(s.Servers) {
		t.Errorf("stored survey %+v, running %+v", got, s)
	}
	plan, err := stored.Plan(ctx, 5)
	if err != nil || len(plan.Visits) != 5 || plan.Visits[0].Reason == "" {
		t.Errorf("plan %+v, error %v", plan, err)
	}
	if r, err := stored.Report(ctx, 5); err != nil || len(r.Visits) != 5 ||
		r.Visits[0].URL != plan.Visits[0].URL || r.Further != plan.Further {
		t.Errorf("report %+v, error %v", r, err)
	}
	if _, err := stored.Hint(ctx, []string{top}); !errors.Is(err, view.ErrReadOnly) {
		t.Errorf("a hint to a store that is read: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// ask asks all questions.
func ask(t *testing.T, d *view.Desk, url string) {
	ctx := t.Context()
	_, now := d.Now(ctx)
	_, server := d.Server(ctx, url)
	_, pages := d.Pages(ctx, "www1.example", "", "changes", true, 0, 10)
	_, sites := d.Sites(ctx, "www2.example", "a")
	_, signals := d.Signals(ctx, "www0.example")
	_, page := d.Page(ctx, url, true)
	_, plan := d.Plan(ctx, 10)
	_, report := d.Report(ctx, 10)
	_, inspect := d.Inspect(ctx)
	_, journal := d.Journal(ctx, journal.Query{Text: "S0", Limit: 5})
	for name, err := range map[string]error{"now": now, "server": server, "pages": pages,
		"sites": sites, "signals": signals, "page": page, "plan": plan,
		"report": report, "inspect": inspect, "journal": journal, "survey": d.Survey(ctx)} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.Freshness()
	d.DueTimes()
	d.Servers(view.ServersQuery{Sort: "pages", Search: "www"})
}

// TestChange: a hint is visited at once. Settings hold, and are still there after a restart. A
// resting server gets no visit.
func TestChange(t *testing.T) {
	t.Parallel()
	run := viewtest.Run(t)
	d, ctx := run.Desk, t.Context()
	viewtest.Await(t, "visits", func() bool {
		now, err := d.Now(ctx)
		return err == nil && now.Total.Visits > 20
	})
	if n, err := d.Hint(ctx, []string{"HTTP://www7.example", " "}); err != nil || n != 1 {
		t.Fatalf("hint: %d, error %v", n, err)
	}
	viewtest.Await(t, "the hint's visit", func() bool {
		p, err := d.Page(ctx, "http://www7.example/", false)
		return err == nil && p.Visits > 0
	})
	for _, bad := range []view.Settings{{Weights: []string{"nonsense"}}, {Resting: []string{"a b"}},
		{Resting: []string{"http://x.example/"}}} {
		if err := d.Change(ctx, bad); !errors.Is(err, view.ErrSettings) {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
	if _, err := d.Hint(ctx, []string{"ftp://x.example/"}); !errors.Is(err, view.ErrSettings) {
		t.Errorf("hint of another scheme: error %v", err)
	}
	want := view.Settings{Weights: []string{viewtest.Start(1) + "=5"},
		Resting: []string{"www2.example"}}
	if err := d.Change(ctx, want); err != nil {
		t.Fatal(err)
	}
	viewtest.Await(t, "the weight", func() bool {
		p, err := d.Page(ctx, viewtest.Start(1), false)
		return err == nil && p.Weight == 5
	})
	time.Sleep(time.Second) // earlier choices are still visited
	visitsOf := func() int {
		found, err := d.Journal(ctx,
			journal.Query{Server: "www2.example", Limit: journal.MostFound})
		if err != nil {
			t.Fatal(err)
		}
		return len(found.Entries)
	}
	before := visitsOf()
	time.Sleep(1500 * time.Millisecond)
	if after := visitsOf(); after != before {
		t.Errorf("%d visits to a server at rest", after-before)
	}
	run.End()
	stored := viewtest.Stored(t, run.Dir)
	if got := stored.Settings(); !reflect.DeepEqual(got, want) {
		t.Errorf("settings %+v, want %+v", got, want)
	}
	if p, err := stored.Page(ctx, viewtest.Start(1), false); err != nil || p.Weight != 5 {
		t.Errorf("stored page %+v, error %v", p, err)
	}
}

// TestBusy: questions to a loop that takes no look get an answer in time: ErrBusy. A look that
// panics fails alone.
func TestBusy(t *testing.T) {
	t.Parallel()
	d := viewtest.Idle()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := d.Now(ctx); !errors.Is(err, view.ErrBusy) {
		t.Errorf("error %v", err)
	}
	go func() {
		for look := range d.Peek() {
			look()
		}
	}()
	// the desk has no planner
	if _, err := d.Plan(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "look: ") {
		t.Errorf("error %v", err)
	}
}

// TestServers: servers can be sorted by each column in both directions, and searched.
func TestServers(t *testing.T) {
	t.Parallel()
	run := viewtest.Run(t)
	d := run.Desk
	viewtest.Await(t, "servers", func() bool {
		return d.Survey(t.Context()) == nil && len(d.Surveyed().Servers) == viewtest.Servers
	})
	for _, column := range view.ServerColumns {
		for _, down := range []bool{false, true} {
			l := d.Servers(view.ServersQuery{Sort: column, Descending: down, Limit: 2})
			if l.Known != viewtest.Servers || len(l.Servers) != 2 {
				t.Errorf("by %s: %+v", column, l)
			}
			rest := d.Servers(view.ServersQuery{Sort: column, Descending: down, Offset: 2})
			names := fmt.Sprint(l.Servers[0].Name, l.Servers[1].Name, rest.Servers[0].Name)
			for s := range viewtest.Servers {
				if !strings.Contains(names, fmt.Sprintf("www%d.example", s)) {
					t.Errorf("by %s: pages of the list have %s", column, names)
				}
			}
		}
	}
	if l := d.Servers(view.ServersQuery{Sort: "server", Search: "WWW1"}); l.Found != 1 ||
		l.Servers[0].Name != "www1.example" {
		t.Errorf("found %+v", l)
	}
	if l := d.Servers(view.ServersQuery{Offset: 100}); len(l.Servers) != 0 ||
		l.Found != viewtest.Servers {
		t.Errorf("beyond the end %+v", l)
	}
}
