package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// rebuilt is a server of three directories. At some time the pages of the first two are gone and
// the root links to a new directory; later those of the first return.
type rebuilt struct {
	*town
	at, again time.Time
	pages     int
	all       bool // all other pages except the root are gone

	visits map[string][]time.Time // by directory, after the rebuild
	gone   map[string]int         // visits that found no page
}

func (w *rebuilt) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	o, err := w.town.Fetch(ctx, r)
	w.mu.Lock()
	defer w.mu.Unlock()
	u, _ := url.Parse(r.Record.URL)
	dir, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	o.Links = nil
	isGone := !o.Time.Before(w.at) && (dir == "old" || dir == "back" && o.Time.Before(w.again) ||
		w.all && dir != "" && dir != "back")
	if dir == "" {
		dirs := []string{"old", "back", "same"}
		if !o.Time.Before(w.at) {
			dirs = []string{"back", "same", "new"}
		}
		for _, d := range dirs {
			for i := range w.pages {
				o.Links = append(o.Links, fmt.Sprintf("http://h.example/%s/p%d", d, i))
			}
		}
		o.Digests.Bytes = sitegraph.DigestOf([]byte(strings.Join(dirs, " ")))
	}
	if isGone {
		o.Outcome, o.Status, o.LinksKnown, o.FramesKnown = sitegraph.OutcomeGone, 404, false, false
	}
	if !o.Time.Before(w.at) {
		w.visits[dir] = append(w.visits[dir], o.Time)
		if isGone {
			w.gone[dir]++
		}
	}
	return o, err
}

func newRebuilt(t *testing.T, pages int) *rebuilt {
	return &rebuilt{town: newTown(t, 10*time.Second, 0), pages: pages,
		visits: map[string][]time.Time{}, gone: map[string]int{}}
}

// run runs a loop for some time on a store.
func (w *rebuilt) run(t *testing.T, d crawl.Store, proof bool, length time.Duration) *rig {
	m := newLive(t, w.town, d, "sites", perHour,
		crawl.Options{Workers: 8, Proof: proof, Fetcher: w})
	m.loop.Fetcher = w
	m.seed("http://h.example/")
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	if err := m.loop.Run(ctx, perHour, time.Hour, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the loop ended: %v", err)
	}
	return m
}

// stopped is a clock that shows one time.
type stopped struct {
	crawl.Clock
	at time.Time
}

func (s stopped) Now() time.Time { return s.at }

// A rebuilt server is seldom asked for pages that it no longer has, and as before for all others.
// Pages that return are found. A restart changes nothing.
func TestVanishedDirectories(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	const pages = 60
	day := 24 * time.Hour
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarts=%v", restarts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newRebuilt(t, pages)
				w.at, w.again = time.Now().Add(5*day), time.Now().Add(8*day)
				d := newDisk()
				if restarts {
					for range 30 {
						w.run(t, d, true, 20*time.Hour)
						time.Sleep(w.pause) // as long as KeepDistance waits
						d.advanced = nil
					}
				} else {
					m := w.run(t, d, true, 25*day)
					m.loop.Clock = stopped{m.loop.Clock, w.visits["old"][len(w.visits["old"])-1]}
					if dirs, all := m.loop.Vanished(10); all != 1 || len(dirs) != 1 ||
						!dirs["http://h.example/old/"].After(m.loop.Clock.Now()) {
						t.Errorf("vanished: %v, %d in all", dirs, all)
					}
				}
				t.Logf("visits after it was rebuilt: old %d (gone %d), back %d (gone %d), same "+
					"%d, new %d", len(w.visits["old"]), w.gone["old"],
					len(w.visits["back"]), w.gone["back"], len(w.visits["same"]),
					len(w.visits["new"]))
				// Five in a row, then one after 1, 2, 4, 8, ... hours up to a week.
				if most := goneInRow + 16; w.gone["old"] > most || w.gone["back"] > most {
					t.Errorf("asked %d times for pages of /old/ and %d times for those of /back/ "+
						"that were gone, want %d at most", w.gone["old"], w.gone["back"], most)
				}
				if len(w.visits["new"]) < pages || len(w.visits["same"]) < pages {
					t.Errorf("%d visits to /new/, %d to /same/",
						len(w.visits["new"]), len(w.visits["same"]))
				}
				if first := w.visits["new"][0].Sub(w.at); first > 2*day {
					t.Errorf("the first page of /new/ was visited %v after it came", first)
				}
				back := 0
				for _, at := range w.visits["back"] {
					if at.After(w.again) {
						back++
					}
				}
				if back < pages/2 {
					t.Errorf("%d visits to /back/ after it came back", back)
				}
			})
		})
	}
}

const (
	goneInRow = 5   // as in vanished.go
	perHour   = 100 // visits: each page about ten times a day
)

// Without Proof such a server is asked for each of its pages several times.
func TestVanishedWithout(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	synctest.Test(t, func(t *testing.T) {
		w := newRebuilt(t, 60)
		w.at = time.Now().Add(5 * 24 * time.Hour)
		w.again = w.at.Add(365 * 24 * time.Hour)
		w.run(t, newDisk(), false, 25*24*time.Hour)
		if w.gone["old"] < 60 {
			t.Errorf("%d visits to pages that were gone: the test above proves nothing",
				w.gone["old"])
		}
	})
}

// A server that is almost completely gone is asked more and more slowly, and as before once it is
// back.
func TestVanishedServer(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 10*time.Second, 0)
		began := time.Now()
		var at []time.Time
		w.answer = func(_ string, o *sitegraph.Observation) {
			u, _ := url.Parse(o.URL)
			if u.Path == "/" {
				for i := range 3000 { // each in its own directory
					o.Links = append(o.Links, fmt.Sprintf("http://h.example/%d/p", i))
				}
				return
			}
			at = append(at, o.Time)
			if o.Time.Sub(began) < 12*time.Hour {
				o.Outcome, o.Status, o.LinksKnown, o.FramesKnown = sitegraph.OutcomeGone, 404,
					false, false
			}
		}
		w.live(crawl.Options{Workers: 4, Proof: true}, "sites", planner.Unlimited, time.Hour,
			54*time.Hour, "http://h.example/")
		during, after := 0, 0
		for _, x := range at {
			if x.Sub(began) < 12*time.Hour {
				during++
			} else {
				after++
			}
		}
		t.Logf("%d visits in 12 hours in which all was gone, %d in 42 hours after", during, after)
		if during > 100 || after < 2000 {
			t.Errorf("%d visits in 12 hours in which all was gone, %d in 42 hours after",
				during, after)
		}
	})
}
