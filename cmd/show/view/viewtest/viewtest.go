// Package viewtest gives tests of views a running planner, or one on a stopped store. It has a
// store on disk, a loop by the system's clock, and a small web in memory.
//
// It is only for tests. Two runs differ, because they use the system's clock.
package viewtest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

// The web has Servers servers. Each has a start page, Sections tops, and Pages pages below a top.
const (
	Servers  = 3
	Sections = 3
	Pages    = 6
	// PerSecond is the budget in fetches a second.
	PerSecond = 60
)

// Start returns the URL of the start page of a server, numbered from 0.
func Start(server int) string { return fmt.Sprintf("http://www%d.example/", server) }

// web answers from memory. The top of a section and its pages change together each second, except
// those of the last section. The last page of each section fails.
type web struct{}

func (web) Fetch(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
	now := time.Now()
	o := sitegraph.Observation{URL: r.Record.URL, Time: now, Outcome: sitegraph.OutcomeFetched,
		Status: 200, Size: 500, Transferred: 900, LinksKnown: true, Elapsed: time.Millisecond}
	rest := strings.SplitN(r.Record.URL, "/", 4)[3]
	base := r.Record.URL[:len(r.Record.URL)-len(rest)]
	version := int64(0)
	section, page, inside := strings.Cut(rest, "/")
	switch {
	case rest == "":
		for s := range Sections {
			o.Links = append(o.Links, fmt.Sprintf("%ss%d/", base, s))
		}
	case inside && page == "":
		for p := range Pages {
			o.Links = append(o.Links, fmt.Sprintf("%s%s/p%d", base, section, p))
		}
	case page == fmt.Sprintf("p%d", Pages-1):
		o.Outcome, o.Status, o.LinksKnown, o.Detail = sitegraph.OutcomeFailed, 503, false,
			"it is <b>down</b> & out"
		return o, nil
	}
	if section != "" && section != fmt.Sprintf("s%d", Sections-1) {
		version = now.Unix()
	}
	o.Digests.Bytes = sitegraph.DigestOf(fmt.Appendf(nil, "%s %d", r.Record.URL, version))
	return o, nil
}

// Running is a planner that runs, with its desk and directory.
type Running struct {
	Desk *view.Desk
	Dir  string

	end func()
}

// End stops the loop. Further calls do nothing.
func (r *Running) End() { r.end() }

// planned opens a store and its planner.
func planned(t testing.TB, dir string, readOnly bool) (
	*satstore.Store, *planner.Planner, *view.Rules) {
	t.Helper()
	store, err := satstore.Open(dir, satstore.Options{ReadOnly: readOnly})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := view.OpenRules(store, []string{Start(0) + "s1/=2"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := crawl.RecallAll(store, func() (*planner.Planner, error) {
		corpus := planner.NewPages(sitegraph.NewGraph())
		if err := store.Restore(corpus.Graph, corpus.Remember); err != nil {
			return nil, err
		}
		corpus.SetWeights(rules.Weights())
		ranking, err := policy.New(policy.Default,
			policy.Settings{Pages: corpus, Mode: planner.Stream, PerDay: PerSecond * 86400})
		if err != nil {
			return nil, err
		}
		live := planner.LiveOptions()
		live.Name, live.NewShare, live.Skip = policy.Default, 0.25, rules.Skip(corpus.Graph)
		live.MaxAges, _ = preferences.ParseMaxAges([]string{"30d"})
		return planner.New(corpus, ranking, live), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return store, p, rules
}

func options(p *planner.Planner, store *satstore.Store, rules *view.Rules,
	dir string) view.Options {
	return view.Options{Planner: p, Store: store, Rules: rules, Data: dir, Policy: policy.Default,
		PerDay: PerSecond * 86400,
		Round:  time.Second, Workers: 2}
}

// Run starts a planner on the web. It runs until End is called or the test ends.
func Run(t testing.TB) *Running {
	t.Helper()
	dir := t.TempDir()
	store, p, rules := planned(t, dir, false)
	log, err := journal.Open(filepath.Join(dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	o := options(p, store, rules, dir)
	o.Run = present.NewRun()
	desk := view.New(o)
	var loop *crawl.Loop
	loop = crawl.New(crawl.Options{
		Planner: p, Fetcher: web{}, Store: store, Clock: crawl.WallClock{}, Workers: 2,
		Discover: true, Forecast: true, CommitAfter: 50 * time.Millisecond,
		Seen:    func(e *crawl.Event) { o.Run.See(e); desk.See(e) },
		Between: func() error { return desk.Between(loop) },
		Peek:    desk.Peek(), Attentive: true,
		Acknowledged: func(events []crawl.Event) {
			if err := journal.AppendVisits(log, events); err != nil {
				t.Error(err)
			}
		},
	})
	desk.Attach(loop)
	for s := range Servers {
		if err := loop.Seed(Start(s)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() {
		over <- loop.Run(ctx, o.PerDay, time.Second, func(planner.Round) bool {
			desk.EndRound()
			return true
		})
	}()
	r := &Running{Desk: desk, Dir: dir}
	ended := false
	r.end = func() {
		if ended {
			return
		}
		ended = true
		stop()
		if err := <-over; !errors.Is(err, context.Canceled) {
			t.Errorf("the loop ended with %v", err)
		}
		desk.Close()
		if err := errors.Join(log.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(r.end)
	return r
}

// Stored returns a desk on the store of a run that has ended.
func Stored(t testing.TB, dir string) *view.Desk {
	t.Helper()
	store, p, rules := planned(t, dir, true)
	ahead, err := crawl.DryRun(store, p, PerSecond*86400, time.Hour, time.Now(), 10_000)
	if err != nil {
		t.Fatal(err)
	}
	o := options(p, store, rules, dir)
	o.Ahead = ahead
	desk := view.New(o)
	t.Cleanup(func() {
		desk.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return desk
}

// Await waits until holds returns true, and fails the test after 20 seconds.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

// Idle returns a desk without a planner, whose loop never answers.
func Idle() *view.Desk { return view.New(view.Options{Rules: &view.Rules{}}) }
