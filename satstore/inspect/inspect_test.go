package inspect

import (
	"strings"
	"testing"
	"time"
)

// The most records have the longest bar, and a few are not hidden.
func TestPage(t *testing.T) {
	start := time.Date(2026, time.March, 1, 1, 0, 0, 0, time.FixedZone("", 2*60*60))
	r := Result{Clock: start, Due: []span{{start, 3600, 1, 100}, {start.Add(time.Hour), 3600, 1000, 100_000}}}
	r.Oldest = &r.Due[0]
	var b strings.Builder
	for _, table := range r.Page().Sections[0].Tables {
		if err := table.Text(&b); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"2026-02-28 23:00:00 UTC", "2026-02-28 23:00  1h0m0s", "  #\n", "  " + strings.Repeat("#", longestBar) + "\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
