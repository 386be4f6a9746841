package recorded

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

var noon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	top  = "http://h.example/"
	page = "http://h.example/page"
	gone = "http://h.example/gone"
	feed = "http://h.example/feed.xml"
)

// visited makes the data of a planner that visited four URLs on four days: the top page changed
// once, another page never, one page went and came back, and one URL is a feed.
func visited(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	store, err := satstore.Open(data, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graph := sitegraph.NewGraph()
	add := func(url string, state sitegraph.State) {
		h := sitegraph.Start(noon)
		h.See(noon.Add(24*time.Hour), url == top, noon.Add(24*time.Hour))
		r := &sitegraph.Record{Page: graph.Add(url), URL: url, State: state, History: h, Due: noon}
		if err := store.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	add(top, sitegraph.StateAlive)
	add(page, sitegraph.StateAlive)
	add(gone, sitegraph.StateGone)
	add(feed, sitegraph.StateSource)
	from, _ := graph.Lookup(top)
	to, _ := graph.Lookup(page)
	if err := store.SaveLinks(from, []sitegraph.PageID{to}, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Commit(), store.Close()); err != nil {
		t.Fatal(err)
	}
	log, err := journal.Open(filepath.Join(data, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	for day, verdicts := range []map[string]string{
		{top: "first", page: "first", gone: "first", feed: "first"},
		{top: "changed", page: "unchanged", gone: "left", feed: "changed"},
		{top: "unchanged", page: "failed", gone: "first"},
		{gone: "left"},
	} {
		for _, url := range []string{top, page, gone, feed} {
			if verdicts[url] == "" {
				continue
			}
			at := noon.AddDate(0, 0, day)
			e := journal.Entry{URL: url, Time: at, Verdict: verdicts[url], Bytes: 7,
				Digest: sitegraph.DigestOf([]byte(at.String())).String()}
			if err := log.Append(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestHistories checks that a history has a version for each observed change, the links of the
// store, and no feed.
func TestHistories(t *testing.T) {
	data := visited(t)
	file := filepath.Join(data, "journal", noon.Format(time.DateOnly)+".jsonl")
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"url":"http://h.exam`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	servers, torn, err := Histories(data, nil)
	if err != nil || torn != 1 || len(servers) != 1 || servers[0].Name != "h.example" {
		t.Fatalf("%d servers, %d torn, %v", len(servers), torn, err)
	}
	s := servers[0]
	if len(s.Pages) != 3 || s.Page(feed) != nil || s.T0 != noon.Unix() {
		t.Errorf("%d pages from %d on", len(s.Pages), s.T0)
	}
	for url, versions := range map[string]int{top: 2, page: 1, gone: 4} {
		if p := s.Page(url); p == nil || len(p.Versions) != versions {
			t.Errorf("%s: %+v, want %d versions", url, p, versions)
		}
	}
	for _, v := range s.Page(top).Versions {
		if len(v.Links) != 1 || v.Links[0] != page || v.Size != 7 {
			t.Errorf("version %+v", v)
		}
	}
	if v := s.Page(gone).Versions; !v[1].Gone || v[2].Gone || !v[3].Gone {
		t.Errorf("versions of a page that went and came back: %+v", v)
	}
}

// TestEvidence checks that the store has the pages with a copy, and the journal all visited ones.
func TestEvidence(t *testing.T) {
	data := visited(t)
	stored, doubts, err := InStore(data, nil)
	if err != nil || len(doubts) > 0 || len(stored) != 2 {
		t.Fatalf("%d pages, %q, %v", len(stored), doubts, err)
	}
	for i, want := range []struct {
		url            string
		changes, links int
	}{{top, 1, 1}, {page, 0, 0}} {
		got := stored[i]
		if got.URL != want.url || int(got.History.Changes) != want.changes ||
			got.History.Visits != 2 || len(got.Links) != want.links {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	journaled, doubts, err := InJournal(filepath.Join(data, "journal"), nil)
	if err != nil || len(doubts) > 0 || len(journaled) != 4 {
		t.Fatalf("%d pages, %q, %v", len(journaled), doubts, err)
	}
	for i, want := range []struct {
		url             string
		visits, changes int
	}{{top, 3, 1}, {page, 2, 0}, {gone, 0, 0}, {feed, 2, 1}} {
		got := journaled[i]
		if got.URL != want.url || int(got.History.Visits) != want.visits ||
			int(got.History.Changes) != want.changes {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if _, _, err := InJournal(data, nil); !errors.Is(err, journal.ErrNone) {
		t.Errorf("no journal: %v", err)
	}
}

// TestDemands checks that demands on a server come from its pages with a copy, without feeds that
// the store knows.
func TestDemands(t *testing.T) {
	data := visited(t)
	stored, _, err := DemandsInStore(data, 10_000, Planned, nil)
	if err != nil || len(stored) != 1 || stored[0].Name != "h.example" ||
		len(stored[0].Pages) != 2 || stored[0].Least != 10_000 {
		t.Errorf("store: %+v, %v", stored, err)
	}
	journaled, doubts, err := DemandsInJournal(filepath.Join(data, "journal"), 10_000, Change, nil)
	if err != nil || len(doubts) > 0 || len(journaled) != 1 || len(journaled[0].Pages) != 3 {
		t.Fatalf("journal: %+v, %q, %v", journaled, doubts, err)
	}
	// By URL: the top page changed once in two days, the feed once in a day, the page not in a day.
	for i, want := range []time.Duration{47 * time.Hour, 22 * time.Hour, 48 * time.Hour} {
		if got := time.Duration(journaled[0].Pages[i].Change) * time.Millisecond; got.Round(
			time.Hour) != want {
			t.Errorf("page %d: %v between changes, want %v", i, got, want)
		}
	}
}
