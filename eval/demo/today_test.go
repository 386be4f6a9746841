package demo

import (
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestToday checks that the store of the web until today has visits on each day, the last on the
// day that ended at midnight, and that it is due today or later.
func TestToday(t *testing.T) {
	now := time.Date(2031, 5, 7, 15, 4, 5, 0, time.UTC)
	dir := t.TempDir()
	perDay, err := Today(t.Context(), Options{Seed: 1, Pages: 100, Policy: "ebayes", Weeks: 1,
		Budget: 0.1, New: 0.25, Progress: func(string, int) Bar { return noBar{} }}, dir, now)
	if err != nil || perDay < 5 || perDay > 20 {
		t.Fatalf("%d fetches a day, error %v", perDay, err)
	}
	store, err := satstore.Open(dir, satstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	graph, days := sitegraph.NewGraph(), map[int]int{}
	midnight := time.Date(2031, 5, 7, 0, 0, 0, 0, time.UTC)
	err = store.Restore(graph, func(r *sitegraph.Record) {
		if !r.Tried.IsZero() {
			days[int(midnight.Sub(r.Tried)/(24*time.Hour))]++
		}
	})
	if err != nil || graph.Pages() < 90 {
		t.Fatalf("%d pages, error %v", graph.Pages(), err)
	}
	for day := range days {
		if day < 0 || day > 7 {
			t.Errorf("a last visit %d days before midnight", day)
		}
	}
	if days[0] < perDay/2 {
		t.Errorf("last visits by days before midnight: %v, of %d a day", days, perDay)
	}
}
