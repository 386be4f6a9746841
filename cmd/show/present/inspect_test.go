package present

import (
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore"
)

// TestInspected: the largest number of records has the longest bar, and small numbers stay visible.
func TestInspected(t *testing.T) {
	start := time.Date(2026, time.March, 1, 1, 0, 0, 0, time.FixedZone("", 2*60*60))
	r := Inspected{Clock: start,
		Due: []dueSpan{{start, 3600, 1, 100}, {start.Add(time.Hour), 3600, 1000, 100_000}}}
	r.Oldest = &r.Due[0]
	var b strings.Builder
	for _, table := range r.Page().Sections[0].Tables {
		if err := table.Text(&b); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"2026-02-28 23:00:00 UTC", "2026-02-28 23:00  1 hour", "  #\n",
		"  " + strings.Repeat("#", longestBar) + "\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// TestBehind: visits of the journal that the store lacks, and runs that the log lacks, cause a
// warning, and are no damage.
func TestBehind(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 500, time.UTC)
	for _, c := range []struct {
		found satstore.Report
		want  string
	}{
		{satstore.Report{}, ""},
		{satstore.Report{Behind: map[string]time.Time{"http://b/": at.Add(time.Hour),
			"http://a/": at}},
			"warning: the journal has later visits of 2 pages than the store, the first of them of " +
				"http://a/ at 2026-05-01T12:00:00Z"},
		{satstore.Report{Ahead: []string{"run-1 holds a run"}},
			"warning: run-1 holds a run: a crash"},
	} {
		r := Check(c.found)
		var b strings.Builder
		if err := r.Text(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) || len(r.Damage) > 0 ||
			strings.Contains(b.String(), "warning") != (c.want != "") {
			t.Errorf("%+v:\n%s", c.found, b.String())
		}
	}
}
