package crawl_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
)

// The lessons of a policy are durable at the end of a round. A policy without lessons is no
// planner.Learner.
func TestLearntIsKept(t *testing.T) {
	for name, learns := range map[string]bool{"sites": true, "ebayes": false} {
		d := newDisk()
		pages, starts := farm(3, 20)
		w := newWeb(pages)
		w.clock = crawl.NewVirtualClock(base)
		m := newRig(t, w, d, name, crawl.Options{CommitEvery: 7})
		if err := m.loop.Seed(starts...); err != nil {
			t.Fatal(err)
		}
		rounds := 0
		err := m.loop.Run(context.Background(), 50, 24*time.Hour, func(planner.Round) bool {
			start := pages[starts[0]]
			start.content += "!"
			pages[starts[0]] = start
			rounds++
			return rounds < 10
		})
		if err != nil {
			t.Fatal(err)
		}
		before, ok := m.plan.Policy.(planner.Learner)
		if ok != learns {
			t.Fatalf("%s: learns %v", name, ok)
		}
		if !learns {
			continue
		}
		want, err := before.Learnt()
		if err != nil {
			t.Fatal(err)
		}
		d = d.crash()
		settings := policy.Settings{Pages: d.restore(), Mode: planner.Stream, Seed: 1, PerDay: 100}
		empty, err := policy.New(name, settings)
		if err != nil {
			t.Fatal(err)
		}
		nothing, err := empty.(planner.Learner).Learnt()
		if err != nil || bytes.Equal(nothing, want) {
			t.Fatalf("nothing was learnt in %d rounds: %s, %v", rounds, want, err)
		}
		if err := crawl.RecallLearnt(d, empty); err != nil {
			t.Fatal(err)
		}
		if got, err := empty.(planner.Learner).Learnt(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("after a crash the policy knows\n%s\nand had learnt\n%s (%v)", got, want, err)
		}
	}
}
