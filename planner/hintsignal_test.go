package planner

import (
	"math"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// A dated claim is a signal if it concerns the time since the last visit. Pages without a dated
// claim have none.
func TestSignal(t *testing.T) {
	h, _ := aServer(4, visited.Add(2*time.Hour))
	if s, ok := h.Signal(1); ok {
		t.Errorf("%+v before anything was heard", s)
	}
	const changed, same, undated, unnamed, both = 1, 2, 3, 4, 1
	late, early := visited.Add(time.Hour), visited.Add(-time.Hour)
	h.Update(0, Sitemap, []Claim{{Page: changed, Modified: late}, {Page: same, Modified: early},
		{Page: undated}}, true)
	for p, want := range map[sitegraph.PageID]HintSignal{changed: {true, 0.2, 0.5},
		same: {false, 0.2, 0.5}} {
		if s, ok := h.Signal(p); !ok || s != want {
			t.Errorf("page %d: %+v, %v, want %+v", p, s, ok, want)
		}
	}
	for _, p := range []sitegraph.PageID{undated, unnamed} {
		if s, ok := h.Signal(p); ok {
			t.Errorf("page %d: %+v", p, s)
		}
	}
	// The feed claims less and is more precise: it counts if both claim the same.
	h.add(0, Feed, confusion{True: 9, False: 1})
	h.Update(0, Feed, []Claim{{Page: both, Modified: early}}, false)
	if s, _ := h.Signal(both); !s.Changed || s.Precision != 0.2 {
		t.Errorf("%+v where the sitemap alone claims a change", s)
	}
	h.Update(0, Feed, []Claim{{Page: both, Modified: late}}, false)
	if s, _ := h.Signal(both); !s.Changed || s.Precision < 0.5 {
		t.Errorf("%+v where both claim a change", s)
	}
}

// Precision and recall computed by hand, of a server and of others.
func TestSignalProved(t *testing.T) {
	h, _ := aServer(0, visited)
	h.add(0, Sitemap, confusion{True: 8, False: 2, Missed: 6, Same: 90})
	precision, recall := h.proved(0, Sitemap)
	wantNear := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
	wantNear("precision", precision, (8+4*0.2)/(10+4))
	wantNear("recall", recall, (8+4*0.5)/(14+4))
	h.add(1, Sitemap, confusion{False: 1})
	precision, recall = h.proved(1, Sitemap) // pulled toward server 0
	wantNear("precision beside another server", precision, 4*((8+4*0.2)/14)/(1+4))
	wantNear("recall beside another server", recall, (8+4*0.5)/18)
}
