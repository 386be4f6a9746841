package crawl_test

import (
	"math"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// Cho and Garcia-Molina 2003: of ten visits a day apart, so many saw a change.
func TestBetweenChanges(t *testing.T) {
	for changes, want := range map[int]float64{0: 0, 5: 1 / math.Log(10.5/5.5),
		10: 1 / math.Log(21)} {
		h := sitegraph.Start(base)
		for day := 1; day <= 10; day++ {
			at := base.AddDate(0, 0, day)
			h.See(at, day <= changes, at)
		}
		if got := crawl.BetweenChanges(&h).Hours() / 24; math.Abs(got-want) > 1e-6 {
			t.Errorf("%d changes: %v days between two, want %v", changes, got, want)
		}
	}
	once := sitegraph.Start(base)
	if got := crawl.BetweenChanges(&once); got != time.Duration(0) {
		t.Errorf("of one visit: %v", got)
	}
}
