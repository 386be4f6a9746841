package main

import (
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/present"
	"github.com/recrawl/recrawl/sitegraph"
)

// The next round is told in UTC, as all times are, wherever the program runs.
func TestStatusInUTC(t *testing.T) {
	var out strings.Builder
	p := &program{stderr: &out}
	plan := planner.New(planner.NewCorpus(sitegraph.NewGraph()), nil, planner.Options{})
	next := time.Date(2026, time.March, 29, 1, 0, 0, 0, time.FixedZone("", 2*60*60))
	p.status().rest(&present.Run{Rounds: 1}, plan, next)
	if !strings.HasSuffix(out.String(), "; next round at 2026-03-28 23:00:00 UTC\n") {
		t.Errorf("printed %q", out.String())
	}
}
