package inspect

import (
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore"
)

// The most records have the longest bar, and a few are not hidden.
func TestPage(t *testing.T) {
	start := time.Date(2026, time.March, 1, 1, 0, 0, 0, time.FixedZone("", 2*60*60))
	r := Result{Clock: start,
		Due: []span{{start, 3600, 1, 100}, {start.Add(time.Hour), 3600, 1000, 100_000}}}
	r.Oldest = &r.Due[0]
	var b strings.Builder
	for _, table := range r.Page().Sections[0].Tables {
		if err := table.Text(&b); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"2026-02-28 23:00:00 UTC", "2026-02-28 23:00  1h0m0s", "  #\n",
		"  " + strings.Repeat("#", longestBar) + "\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// A store that knows of no visit as late as its journal is told of, and is no damage.
func TestOlderThanItsJournal(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 500, time.UTC)
	for _, c := range []struct {
		newest time.Time
		warns  bool
	}{{time.Time{}, false}, {at, false}, {at.Add(-time.Hour), false}, {at.Add(time.Minute), true}} {
		r := Check(satstore.Report{Tried: at})
		r.Journal(c.newest)
		var b strings.Builder
		if err := r.Text(&b); err != nil {
			t.Fatal(err)
		}
		if warns := strings.Contains(b.String(),
			"warning: the journal has visits up to"); warns != c.warns || len(r.Damage) > 0 {
			t.Errorf("the newest visit of the journal is of %v, that of the store of %v:\n%s",
				c.newest, at, b.String())
		}
	}
}
