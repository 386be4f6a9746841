package frontier_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	"github.com/recrawl/recrawl/satstore"
)

// TestChangingPagesComeFirst: a crawler that reports its visits gets the pages that change first,
// also after a restart, and new addresses in their turn.
func TestChangingPagesComeFirst(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"sites", "ebayes"} {
		t.Run(policy, func(t *testing.T) { t.Parallel(); changingFirst(t, policy) })
	}
}

func changingFirst(t *testing.T, policy string) {
	disk := vfs.NewMem()
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var store *satstore.Queues
	var f *frontier.Frontier
	open := func() {
		j, err := frontier.NewPolicyJudge(policy)
		must(err)
		store, err = satstore.OpenQueues("dir", disk)
		must(err)
		f, err = frontier.Open(store, frontier.Options{Judge: j}, now)
		must(err)
	}
	open()
	put := func(items ...frontier.Item) {
		t.Helper()
		_, wait, err := f.Put(items, now)
		must(err)
		must(wait())
	}
	const pages, days = 12, 20
	url := func(p int) string { return fmt.Sprintf("http://a.example/%c/page", 'a'+p) }
	for day := range days { // every third page changes every day
		var items []frontier.Item
		for p := range pages {
			digest := "same"
			if p%3 == 0 {
				digest = fmt.Sprint(day)
			}
			items = append(items,
				frontier.Item{URL: url(p), Known: true, Date: now.Add(24 * time.Hour),
					Outcome: &frontier.Outcome{Status: 200, Digest: digest}})
		}
		put(items...)
		now = now.Add(24 * time.Hour)
		if day == days/2 {
			must(store.Close())
			open()
		}
	}
	put(frontier.Item{URL: "http://a.example/new"})
	given, err := f.Get(frontier.Request{PerQueue: 5}, now)
	must(err)
	var urls []string
	for _, it := range given {
		urls = append(urls, it.URL)
	}
	changing := urls[:3]
	if urls[3] != "http://a.example/new" || !slices.Contains(urls, url(0)) {
		t.Fatalf("given %q", urls)
	}
	for _, u := range append(changing, urls[4]) {
		if p := int(u[len("http://a.example/")] - 'a'); p%3 != 0 {
			t.Errorf("%s was given before pages that change: %q", u, urls)
		}
	}
	// an address whose page changes is due sooner
	put(frontier.Item{URL: url(0), Known: true, Ask: true,
		Outcome: &frontier.Outcome{Status: 200, Digest: "z"}},
		frontier.Item{URL: url(1), Known: true, Ask: true,
			Outcome: &frontier.Outcome{Status: 200, Digest: "same"}})
	often, _, err := f.Look("", "", url(0))
	must(err)
	seldom, _, err := f.Look("", "", url(1))
	must(err)
	if a, b := often.Date.Sub(now), seldom.Date.Sub(now); a < time.Hour || 2*a > b ||
		b > 60*24*time.Hour {
		t.Errorf("due after %v and %v", a, b)
	}
	must(store.Close())
}

// TestPoliciesThatCannotJudge: policies without probabilities and unknown names are refused.
func TestPoliciesThatCannotJudge(t *testing.T) {
	for _, name := range []string{"breadth-first", "clairvoyant", "nonsense"} {
		if _, err := frontier.NewPolicyJudge(name); err == nil {
			t.Errorf("%s judges", name)
		}
	}
}

// TestOutcomes: the judge takes in all outcomes that a crawler may report, and knows a worth after
// each.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	j, err := frontier.NewPolicyJudge("sites")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	var evidence []byte
	for i, o := range []frontier.Outcome{
		{Status: 200, Digest: "a", Links: []string{"http://a.example/", "http://b.example/", "::"}},
		{Status: 304},
		{Status: 500}, {Status: 0}, {Status: 404}, {Status: 200, Digest: "a"},
		{Status: 301, Location: "http://a.example/y"},
		{Digest: "b"}, {Status: 200}, {Status: 200, Digest: "c", Time: now.Add(1000 * time.Hour),
			Modified: now}, {Status: 999},
	} {
		now = now.Add(7 * time.Hour)
		page, kept := j.Learn("c", "http://a.example/x", &o, evidence, now)
		if interval := j.Interval("c", page, now); page == 0 || len(kept) == 0 || interval < 0 {
			t.Fatalf("outcome %d: page %d, %d bytes, %v", i, page, len(kept), interval)
		}
		evidence = kept
		if w := j.Worth("c", page, now.Add(time.Hour)); w < 0 || w > 1 {
			t.Errorf("outcome %d: worth %v", i, w)
		}
	}
	if page, _ := j.Learn("c", "mailto:x", &frontier.Outcome{Status: 200}, nil, now); page != 0 {
		t.Errorf("mailto is page %d", page)
	}
	if page := j.Remember("c", "http://a.example/x", evidence[:9]); page != 0 {
		t.Errorf("damaged evidence is page %d", page)
	}
}

func FuzzEvidence(f *testing.F) {
	j, err := frontier.NewPolicyJudge("ebayes")
	if err != nil {
		f.Fatal(err)
	}
	_, kept := j.Learn("c", "http://a.example/", &frontier.Outcome{Status: 200, Digest: "a"}, nil,
		time.Unix(2e9, 0))
	f.Add(kept)
	many := slices.Clone(kept)
	copy(many[26:], "\xfe\xff\xff\xff") // visits
	f.Add(many)
	f.Fuzz(func(t *testing.T, b []byte) {
		j.Forget("c")
		now := time.Unix(2e9+3600, 0)
		if page := j.Remember("c", "http://a.example/", b); page != 0 {
			j.Worth("c", page, now)
		}
		if page, kept := j.Learn("c", "http://a.example/",
			&frontier.Outcome{Status: 200, Digest: "b"}, b, now); page != 1 ||
			j.Remember("c", "http://a.example/", kept) != 1 {
			t.Fatalf("page %d, evidence %x is not taken back", page, kept)
		}
	})
}
