package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// looked returns a loop and a web of two servers, one with a pause of ten minutes.
func looked(t *testing.T, workers int, peek <-chan func()) (*crawl.Loop, *web) {
	t.Helper()
	pages := map[string]page{}
	for s := range 2 {
		var links []string
		for p := range 3 {
			url := fmt.Sprintf("http://h%d.example/%d", s, p)
			links = append(links, url)
			pages[url] = page{content: url}
		}
		pages[fmt.Sprintf("http://h%d.example/", s)] = page{content: "top", links: links}
	}
	w := newWeb(pages)
	w.clock, w.delay = crawl.WallClock{}, 10*time.Minute
	store := newDisk()
	corpus := store.restore()
	loop := crawl.New(crawl.Options{
		Planner: planner.New(corpus, nil, planner.Options{NewShare: 1}), Fetcher: w, Store: store,
		Clock:   w.clock,
		Workers: workers, Discover: true, Peek: peek, Pause: 10 * time.Minute,
	})
	if err := loop.Seed("http://h0.example/", "http://h1.example/"); err != nil {
		t.Fatal(err)
	}
	return loop, w
}

// Peek is served while the loop waits for servers and for the end of a round, with one worker and
// with several, and costs no visit. Chosen lists visits in the order in which they may begin.
func TestPeek(t *testing.T) {
	for _, workers := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			looks := make(chan func())
			loop, w := looked(t, workers, looks)
			ctx, stop := context.WithCancel(t.Context())
			over := make(chan error, 1)
			go func() { over <- loop.Run(ctx, planner.Unlimited, time.Hour, nil) }()
			look := func(f func()) {
				done := make(chan struct{})
				looks <- func() { f(); close(done) }
				<-done
			}
			met := false
			for range 200 {
				look(func() {
					list, more := loop.Chosen(3)
					if len(list)+more == 0 || workers == 1 {
						return
					}
					met = met || len(list) == 3 && more > 0
					if !slices.IsSortedFunc(list, func(a, b crawl.Chosen) int {
						return a.At.Compare(b.At)
					}) {
						t.Errorf("chosen out of order: %+v", list)
					}
					if underWay, chosen := loop.Busy(); underWay == 0 && chosen != len(list)+more {
						t.Errorf("%d chosen, %d and %d told", chosen, len(list), more)
					}
					for _, c := range list {
						if visits, at, ok := loop.InLine(c.Visit.Page); !c.UnderWay &&
							(!ok || at.Before(c.At.Add(-time.Second)) || len(visits) == 0) {
							t.Errorf("in line at %v with %v, chosen for %v", at, ok, c.At)
						}
					}
					if s := loop.Standing(sitegraph.ServerID(0)); s.Pause != 10*time.Minute {
						t.Errorf("standing %+v", s)
					}
				})
				time.Sleep(time.Minute)
			}
			if workers > 1 && !met {
				t.Error("never were more visits chosen than told")
			}
			if n := len(w.take()); n != 8 {
				t.Errorf("%d visits, want 8", n)
			}
			stop()
			if err := <-over; !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}
