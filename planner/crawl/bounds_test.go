package crawl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// bounded runs a few days over pages with small bounds.
func bounded(t *testing.T, pages map[string]page, d *disk, starts ...string) *rig {
	t.Helper()
	b := sitegraph.DefaultBounds
	b.OfPage, b.FirstPages, b.Growth, b.MaxPages, b.MaxVariants = 50, 60, 2, 120, 10
	m := newRig(t, newWeb(pages), d, "uniform", crawl.Options{Bounds: &b, Proof: true})
	m.seed(starts...)
	return m
}

// A site may invent any number of addresses: only a bounded number becomes known, also after a
// restart, and each refusal is counted.
func TestBoundsOnDiscovery(t *testing.T) {
	const start = "http://h.example/"
	pages := map[string]page{start: {content: "start"}}
	wide := func(url string) (links []string) {
		for i := range 200 {
			links = append(links, fmt.Sprintf("%sp%d/", url, i))
		}
		return links
	}
	first := pages[start]
	first.links = append(wide(start), start+"cal/2044/05/", start+"x/y/x/y/x/y/x/y/",
		start+strings.Repeat("z", 1100))
	for i := range 30 {
		first.links = append([]string{fmt.Sprintf("%slist?sort=%d", start, i)}, first.links...)
	}
	pages[start] = first
	for _, url := range first.links {
		pages[url] = page{content: url, links: wide(url)}
		for _, below := range wide(url) {
			pages[below] = page{content: below}
		}
	}
	d := newDisk()
	m := bounded(t, pages, d, start)
	m.day(planner.Unlimited)
	reasons := func() map[sitegraph.Refusal]int {
		by, servers := m.loop.Refused(5)
		if len(servers) != 1 || servers["h.example"] == 0 {
			t.Errorf("refused by servers: %v", servers)
		}
		of := map[sitegraph.Refusal]int{}
		for _, r := range by {
			of[r.Reason] = r.Count
		}
		return of
	}
	for _, want := range []sitegraph.Refusal{sitegraph.RefusedLong, sitegraph.RefusedCalendar,
		sitegraph.RefusedRepeats, sitegraph.RefusedVariants, sitegraph.RefusedOfVisit,
		sitegraph.RefusedGrowth} {
		if reasons()[want] == 0 {
			t.Errorf("nothing was refused for %v", want)
		}
	}
	for range 3 {
		m.day(planner.Unlimited)
	}
	if reasons()[sitegraph.RefusedServer] == 0 {
		t.Error("no address was refused because the server has enough")
	}
	first.content, first.links = "another", wide(start+"new/")
	pages[start] = first
	m = bounded(t, pages, d.crash(), start)
	m.number = 100
	m.clock.SleepUntil(t.Context(), base.Add(10*24*time.Hour))
	for range 3 {
		m.day(planner.Unlimited)
	}
	if n := m.pages.Count(); n != 120 {
		t.Errorf("%d pages known, want 120", n)
	}
	if reasons()[sitegraph.RefusedServer] == 0 {
		t.Error("no address was refused because the server has enough")
	}
}

// Links beyond the bound of a visit come with the next ones, even if the page is unchanged.
func TestMoreLinksThanOneVisitMayBring(t *testing.T) {
	const start = "http://h.example/"
	pages := map[string]page{start: {content: "start"}}
	p := pages[start]
	for i := range 110 {
		url := fmt.Sprintf("%sp%d", start, i)
		p.links = append(p.links, url)
		pages[url] = page{content: url}
	}
	pages[start] = p
	d := newDisk()
	m := bounded(t, pages, d, start)
	for day := range 8 {
		if day == 2 {
			m = bounded(t, pages, d.crash(), start)
			m.number = 100
			m.clock.SleepUntil(t.Context(), base.Add(10*24*time.Hour))
		}
		m.day(planner.Unlimited)
	}
	if n := m.pages.Count(); n != 111 {
		t.Errorf("%d pages known, want 111", n)
	}
}

// A page links to more queries of a path than may become known. Once its server takes in no more,
// the page keeps its ETag, so that it can be answered 304.
func TestConditionalThoughQueriesAreRefused(t *testing.T) {
	const start = "http://h.example/"
	pages := map[string]page{start: {content: "start", etag: "1"}}
	p := pages[start]
	for i := range 130 {
		p.links = append(p.links, fmt.Sprintf("%sp%d", start, i))
	}
	for i := range 30 {
		p.links = append([]string{fmt.Sprintf("%slist?sort=%d", start, i)}, p.links...)
	}
	pages[start] = p
	for _, url := range p.links {
		if !strings.Contains(url, "?") { // links of other pages lead nowhere
			pages[url] = page{content: url}
		}
	}
	m := bounded(t, pages, newDisk(), start)
	var r sitegraph.Record
	for day := range 12 {
		m.day(planner.Unlimited)
		if err := m.disk.Load(0, &r); err != nil {
			t.Fatal(err)
		}
		if day == 0 && !r.More {
			t.Error("what was too much for the first visit is not asked for")
		}
	}
	if n := m.pages.Count(); n != 120 || r.More || r.ETag != "1" {
		t.Errorf("%d pages known of 120, more to come: %v, ETag %q", n, r.More, r.ETag)
	}
}

// Addresses that differ by a session are one page. Two slashes in a path make another page.
func TestSessionsAreOnePage(t *testing.T) {
	const start = "http://h.example/"
	pages := map[string]page{start: {content: "start",
		links: []string{start + "a?PHPSESSID=12ab34cd", start + "a?PHPSESSID=98fe76dc",
			start + "b//c", start + "b/c"}}}
	m := bounded(t, pages, newDisk(), start)
	m.day(planner.Unlimited)
	for _, url := range []string{start, start + "a", start + "b/c", start + "b//c"} {
		if _, ok := m.pages.Graph.Lookup(url); !ok {
			t.Errorf("%s is not known", url)
		}
	}
	if n := m.pages.Count(); n != 4 {
		t.Errorf("%d pages known, want 4", n)
	}
}

// A page that names another with the same text as canonical counts as that page. A site that names
// its home page everywhere loses nothing.
func TestCanonicalDuplicates(t *testing.T) {
	const start = "http://h.example/"
	pages := map[string]page{
		start: {content: "start",
			links: []string{start + "a", start + "a?print=1", start + "b"}},
		start + "a":         {content: "a", canonical: start + "a"},
		start + "a?print=1": {content: "a", canonical: start + "a"},
		start + "b":         {content: "b", canonical: start},
		start + "c":         {content: "c"},
	}
	p := pages[start+"b"]
	p.links = nil
	pages[start+"b"] = p
	m := bounded(t, pages, newDisk(), start)
	for range 4 {
		m.day(planner.Unlimited)
	}
	for url, want := range map[string]sitegraph.State{start: sitegraph.StateAlive,
		start + "a": sitegraph.StateAlive, start + "a?print=1": sitegraph.StateMoved,
		start + "b": sitegraph.StateAlive} {
		if got := m.state(url); got != want {
			t.Errorf("%s is %v, want %v", url, got, want)
		}
	}
	if left := slices.DeleteFunc(m.seen, func(s string) bool {
		return !strings.HasPrefix(s, "left")
	}); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
