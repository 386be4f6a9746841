package crawl_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
)

// A dry run lists the visits that Run then makes. If the round is used up, it lists those of the
// next.
func TestDryRun(t *testing.T) {
	pages, starts := farm(1, 30)
	w := newWeb(pages)
	m := newRig(t, w, newDisk(), "ebayes", crawl.Options{})
	m.seed(starts...)
	const length, budget, shown = 24 * time.Hour, 5, 3
	once := func(planner.Round) bool { return false }
	if err := m.loop.Run(context.Background(), 100, length, once); err != nil {
		t.Fatal(err)
	}
	for day := range 3 {
		dry := newRig(t, w, m.disk.clone(), "ebayes", crawl.Options{})
		ahead, err := crawl.DryRun(dry.disk, dry.plan, budget, length, w.clock.Now(), shown)
		if err != nil {
			t.Fatal(err)
		}
		if day == 0 && ahead.Round != ahead.Next {
			t.Errorf("round %+v, which is used up; next is %+v", ahead.Round, ahead.Next)
		}
		if len(ahead.Visits) != shown || ahead.Further != budget-shown {
			t.Errorf("%d visits and %d further, want %d and %d",
				len(ahead.Visits), ahead.Further, shown, budget-shown)
		}
		if day == 0 {
			if err := w.clock.SleepUntil(context.Background(),
				ahead.Next.Start.Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		m.acked = nil
		if err := m.loop.Run(context.Background(), budget, length, once); err != nil {
			t.Fatal(err)
		}
		var foretold, made []string
		for _, v := range ahead.Visits {
			foretold = append(foretold, m.pages.Graph.URL(v.Page))
		}
		for _, e := range m.acked {
			made = append(made, e.Record.URL)
		}
		if len(made) != budget || !slices.Equal(made[:shown], foretold) {
			t.Errorf("day %d: visits to %v, foretold were %v", day, made, foretold)
		}
		if err := w.clock.SleepUntil(context.Background(),
			m.acked[0].Round.End.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
}
