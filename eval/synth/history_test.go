package synth

import (
	"context"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/timetravel"
)

// TestHistoriesAgree makes histories by real extraction. They have the web's versions and times,
// and by their digests the same pages are updated as in Compare.
func TestHistoriesAgree(t *testing.T) {
	w := New(Options{Seed: 9, Servers: 20, Pages: 500})
	servers, err := timetravel.Histories(context.Background(), w,
		timetravel.HistoryOptions{Agent: "recrawl"})
	if err != nil {
		t.Fatal(err)
	}
	if len(servers) != len(w.Servers()) {
		t.Fatalf("%d histories of %d servers", len(servers), len(w.Servers()))
	}
	base := w.Start().Add(12 * week)
	var updated, left [4]int
	for _, s := range servers {
		for _, path := range w.Pages(s.Name) {
			p := s.Page("http://" + s.Name + path)
			if p == nil {
				t.Fatalf("%s%s has no history", s.Name, path)
			}
			checkHistory(t, w, s.Name, path, p)
			for i, weeks := range Periods {
				a, b := p.At(base.Unix()), p.At(base.Add(time.Duration(weeks-1)*week).Unix())
				if a.Alive() && b.Alive() {
					left[i]++
					if a.Digests.Bytes != b.Digests.Bytes {
						updated[i]++
					}
				}
			}
		}
	}
	c := Compare(w, base)
	for i, weeks := range Periods {
		if got := percent(updated[i], left[i]); got != c.Updated[DomainUnknown][i] {
			t.Errorf("%d weeks: %.2f %% updated by the histories, %.2f by Compare",
				weeks, got, c.Updated[DomainUnknown][i])
		}
	}
}

func checkHistory(t *testing.T, w *Web, server, path string, p *history.Page) {
	t.Helper()
	times := w.Times(server, path)
	if len(p.Versions) != len(times) {
		t.Fatalf("%s%s: %d versions, %d times", server, path, len(p.Versions), len(times))
	}
	for i, v := range p.Versions {
		if v.T != times[i].Unix() {
			t.Errorf("%s%s: version %d at %d, not at %v", server, path, i, v.T, times[i])
		}
	}
}
