package present

import (
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestRestInUTC: the status has the next round in UTC, wherever the program runs.
func TestRestInUTC(t *testing.T) {
	plan := planner.New(planner.NewPages(sitegraph.NewGraph()), nil, planner.Options{})
	next := time.Date(2026, time.March, 29, 1, 0, 0, 0, time.FixedZone("", 2*60*60))
	text := (&Run{Rounds: 1}).Rest(plan, next)
	if !strings.HasSuffix(text, "; next round at 2026-03-28 23:00:00 UTC") {
		t.Errorf("status %q", text)
	}
}
