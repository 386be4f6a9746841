package eval

import (
	"testing"

	"github.com/recrawl/recrawl/eval/history"
)

// TestChanges checks that changes are the events of the stream protocol, on their days and servers.
func TestChanges(t *testing.T) {
	c := newCorpus(t, []*history.Server{
		server("a.example", 0, page("http://a.example/", shows(0, "top", "http://a.example/p")),
			page("http://a.example/p", shows(0, "1"), shows(daySeconds+1, "2"),
				shows(daySeconds+9, "3"), gone(3*daySeconds+1), shows(5*daySeconds+1, "4"),
				shows(6*daySeconds+1, "5"))),
		server("b.example", 500, page("http://b.example/", shows(500, "top"),
			shows(500+6*daySeconds, "new"), shows(500+100*daySeconds, "late"))),
	}, Options{})
	got := c.Changes(2)
	want := []ServerChanges{{"a.example", 2, make([]int, 14)}, {"b.example", 1, make([]int, 14)}}
	// two on a day are one; death and birth are none
	want[0].Daily[1], want[0].Daily[6], want[1].Daily[5] = 1, 1, 1
	sum := 0
	for s, w := range want {
		if got[s].Server != w.Server || got[s].Pages != w.Pages || len(got[s].Daily) != 14 {
			t.Fatalf("server %d is %+v", s, got[s])
		}
		for d, n := range w.Daily {
			if got[s].Daily[d] != n {
				t.Errorf("%s, day %d: %d changes, want %d", w.Server, d+1, got[s].Daily[d], n)
			}
			sum += got[s].Daily[d]
		}
	}
	if run, err := c.Stream(t.Context(), StreamOptions{Weeks: 2, Budget: 1, New: 0.25},
		[]string{"uniform"}, nil); err != nil || run.Corpus.Events != sum {
		t.Errorf("%d changes, %d events, %v", sum, run.Corpus.Events, err)
	}
}
