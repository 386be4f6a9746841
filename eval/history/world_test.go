package history

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	topA, topB = "http://a.example/", "http://b.example/"
	t0A, t0B   = 1_000_000_000, 1_200_000_077
)

func digests(content string) sitegraph.Digests {
	return sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte(content))}
}

// world returns two servers whose windows start at different times. The top page of a has A for ten
// seconds, B for ten, is gone for ten, redirects for ten, and then has C.
func world() *World {
	links, frames := []string{topA + "x", topA + "y"}, []string{topA + "y"}
	a := NewServer("a.example", t0A,
		[]*Page{{URL: topA, Versions: []Version{
			{T: t0A, Digests: digests("A"), Size: 7, Links: links, Frames: frames, LinksKnown: true,
				FramesKnown: true},
			{T: t0A + 10, Digests: digests("B"), Size: 8},
			{T: t0A + 20, Gone: true},
			{T: t0A + 30, Redirect: topA + "x"},
			{T: t0A + 40, Digests: digests("C")},
		}}})
	b := NewServer("b.example", t0B, []*Page{
		{URL: topB, Versions: []Version{{T: t0B, Digests: digests("A")},
			{T: t0B + 10, Digests: digests("D")}}},
		{URL: topB + "late", Versions: []Version{{T: t0B + 10, Digests: digests("E")}}},
	})
	return NewWorld([]*Server{a, b})
}

func TestObserve(t *testing.T) {
	for _, test := range []struct {
		url     string
		seconds int // after the epoch
		outcome sitegraph.Outcome
		status  int
		content string
	}{
		{topA, -1, sitegraph.OutcomeGone, 404, ""}, // before the window
		{topA, 0, sitegraph.OutcomeFetched, 200, "A"},
		{topA, 9, sitegraph.OutcomeFetched, 200, "A"},
		{topA, 10, sitegraph.OutcomeFetched, 200, "B"}, // from its first second on
		{topA, 20, sitegraph.OutcomeGone, 404, ""},
		{topA, 30, sitegraph.OutcomeRedirected, 301, ""},
		{topA, 40, sitegraph.OutcomeFetched, 200, "C"},
		{topA, 1_000_000_000, sitegraph.OutcomeFetched, 200, "C"}, // the last version stays
		// on one clock with a, whatever its t0
		{topB, 9, sitegraph.OutcomeFetched, 200, "A"},
		{topB, 10, sitegraph.OutcomeFetched, 200, "D"},
		{topB + "late", 9, sitegraph.OutcomeGone, 404, ""},
		{topB + "late", 10, sitegraph.OutcomeFetched, 200, "E"},
		// no record of the page
		{topA + "x", 0, sitegraph.OutcomeGone, 404, ""},
		{"http://elsewhere.example/", 0, sitegraph.OutcomeGone, 404, ""}, // and none of the server
		{"https://a.example/", 0, sitegraph.OutcomeGone, 404, ""},        // another URL
	} {
		at := WorldEpoch.Add(time.Duration(test.seconds) * time.Second)
		o := world().Observe(test.url, at)
		var want sitegraph.Digests
		if test.content != "" {
			want = digests(test.content)
		}
		if o.URL != test.url || !o.Time.Equal(at) || o.Outcome != test.outcome ||
			o.Status != test.status || o.Digests != want {
			t.Errorf("%s at %d s: %+v, want %v with %q", test.url, test.seconds, o, test.outcome,
				test.content)
		}
		if (o.RedirectTo != "") != (test.outcome == sitegraph.OutcomeRedirected) ||
			!o.LastModified.IsZero() {
			t.Errorf("%s at %d s: %+v", test.url, test.seconds, o)
		}
	}
}

// TestObserveTellsAll checks that an observation has all that a version has, and nothing else.
func TestObserveTellsAll(t *testing.T) {
	w := world()
	want := sitegraph.Observation{URL: topA, Time: WorldEpoch, Outcome: sitegraph.OutcomeFetched,
		Status: http.StatusOK, Digests: digests("A"), Size: 7,
		Links: []string{topA + "x", topA + "y"}, Frames: []string{topA + "y"}, LinksKnown: true,
		FramesKnown: true}
	if o := w.Observe(topA, WorldEpoch); !reflect.DeepEqual(o, want) {
		t.Errorf("%+v, want %+v", o, want)
	}
	if o := w.Observe(topA, WorldEpoch.Add(10*time.Second)); o.Links != nil || o.LinksKnown ||
		o.FramesKnown || o.Size != 8 {
		t.Errorf("links made up: %+v", o)
	}
	if o := w.Observe(topA, WorldEpoch.Add(30*time.Second)); o.RedirectTo != topA+"x" {
		t.Errorf("redirect to %q", o.RedirectTo)
	}
}

// TestLastModified checks that with LastModified a visit has the time of the version, on the
// world's clock.
func TestLastModified(t *testing.T) {
	w := world()
	w.LastModified = true
	for _, url := range []string{topA, topB} {
		o := w.Observe(url, WorldEpoch.Add(15*time.Second))
		if !o.LastModified.Equal(WorldEpoch.Add(10 * time.Second)) {
			t.Errorf("%s: %v", url, o.LastModified)
		}
	}
	if o := w.Observe(topA, WorldEpoch.Add(25*time.Second)); !o.LastModified.IsZero() {
		t.Errorf("a page that is gone was modified at %v", o.LastModified)
	}
}

func TestFind(t *testing.T) {
	w := world()
	page, shift := w.Find(topB)
	if page == nil || page.URL != topB || shift != t0B-WorldEpoch.Unix() {
		t.Errorf("%v, %d", page, shift)
	}
	for _, url := range []string{topB + "x", "http://elsewhere.example/", "", "no address"} {
		if page, _ := w.Find(url); page != nil {
			t.Errorf("%q is %s", url, page.URL)
		}
	}
}

// TestFetchSeesEndOfRound checks that a fetch sees the state at the end of its round (guarantee 1),
// for each page.
func TestFetchSeesEndOfRound(t *testing.T) {
	f := &Fetcher{World: world()}
	pages := []string{topA, topB, topB + "late", topA + "x"}
	// also backwards: a fetcher keeps no state of the world
	for _, seconds := range []int{9, 10, 9, 25, 45} {
		for _, id := range []int{3, 0, 2, 1} { // numbers in any order
			request := crawl.Request{Record: sitegraph.Record{Page: sitegraph.PageID(id),
				URL: pages[id]},
				Round: planner.Round{Start: WorldEpoch.Add(-time.Hour),
					End: WorldEpoch.Add(time.Duration(seconds) * time.Second)}}
			got, err := f.Fetch(context.Background(), request)
			if err != nil {
				t.Fatal(err)
			}
			if want := f.World.Observe(pages[id], request.Round.End); !reflect.DeepEqual(got,
				want) {
				t.Errorf("%s at %d s: %+v, want %+v", pages[id], seconds, got, want)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Fetch(ctx, crawl.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("fetch after the end: %v", err)
	}
}
