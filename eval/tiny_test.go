package eval

import (
	"testing"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// The tiny corpus: two servers with different t0, and the base one week later. Links make one chain
// per server, so that breadth-first order is known except for ties between the servers. Times below
// are in days after the base.
//
//	page     depth  content at day ends 0..7   events  note
//	a/       1      A A A B B B B B            3       links to new and flash from day 3
//	a/1      2      A A C C C C C C            2       B at 1.2 and C at 1.6: one event. Text: only C differs
//	a/2      3      A A A B B A A A            3, 5    B at exactly 3.0; back to the old content
//	a/3      4      A A - - - B B B            none    dies at 1.5, returns at 4.5: a death and a birth
//	a/new    -      - - - X X X Y Y            6       born at 2.5
//	a/flash  -      - - - - - - - -            none    born at 2.2, dead at 2.8: no page
//	b/       1      A A A A A A A A            none
//	b/1      2      A B B B C C C C            1, 4    links to island from day 4
//	b/2      3      A A A A A A A -            none    dies at 6.5
//	b/island -      A A B B B B B B            none    alive at the base, not linked then: outside
//
// 7 base pages, 8 pages in all, 7 events (a: 1+1+2+1, b: 2), 2 deaths, 1 discoverable page.
const (
	tinyA = "http://a.example/"
	tinyB = "http://b.example/"
)

var tinyT0 = map[string]int64{tinyA: 1_000_000_000, tinyB: 1_100_000_123}

func tinyServers() []*history.Server {
	const base = 7 * daySeconds
	on := func(server string, days float64) int64 {
		return tinyT0[server] + base + int64(days*daySeconds)
	}
	a := func(days float64, content string, links ...string) history.Version {
		return shows(on(tinyA, days), content, links...)
	}
	b := func(days float64, content string, links ...string) history.Version {
		return shows(on(tinyB, days), content, links...)
	}
	return []*history.Server{
		server("a.example", tinyT0[tinyA],
			// a link to another server does not count
			page(tinyA, a(-7, "0"), a(-2, "A", tinyA+"1", tinyA+"dead", "http://b.example/island"),
				a(2.5, "B|A|A", tinyA+"1", tinyA+"new", tinyA+"flash")),
			page(tinyA+"1", a(-7, "A", tinyA+"2"), a(1.2, "B|A|A", tinyA+"2"),
				a(1.6, "C|C|A", tinyA+"2")),
			page(tinyA+"2", a(-7, "A", tinyA+"3"), a(3, "B", tinyA+"3"), a(4.5, "A", tinyA+"3")),
			page(tinyA+"3", a(-7, "A"), gone(on(tinyA, 1.5)), a(4.5, "B")),
			page(tinyA+"new", a(2.5, "X"), a(5.5, "Y")),
			page(tinyA+"flash", a(2.2, "X"), gone(on(tinyA, 2.8))),
		),
		server("b.example", tinyT0[tinyB],
			page(tinyB, b(-7, "A", tinyB+"1")),
			page(tinyB+"1", b(-7, "0", tinyB+"2"), b(-1, "A", tinyB+"2"),
				b(0.5, "B|B|A", tinyB+"2"), b(3.5, "C|C|A", tinyB+"2", tinyB+"island")),
			page(tinyB+"2", b(-7, "A"), gone(on(tinyB, 6.5))),
			page(tinyB+"island", b(-7, "A"), b(1.5, "B")),
		),
	}
}

func tiny(t *testing.T, o Options) *Dataset {
	t.Helper()
	o.Base = week
	return newCorpus(t, tinyServers(), o)
}

func TestBasePages(t *testing.T) {
	c := tiny(t, Options{})
	want := map[string]int{tinyA: 1, tinyA + "1": 2, tinyA + "2": 3, tinyA + "3": 4, tinyB: 1,
		tinyB + "1": 2, tinyB + "2": 3}
	for _, p := range c.Pages {
		url := c.Graph().URL(p)
		if !c.IsBase(p) {
			t.Errorf("%s is among the base pages and IsBase denies it", url)
		}
		if c.Graph().Depth(p) != want[url] {
			t.Errorf("%s has depth %d, want %d", url, c.Graph().Depth(p), want[url])
		}
		delete(want, url)
	}
	if len(want) > 0 {
		t.Errorf("not among the base pages: %v", want)
	}
	if p, ok := c.Graph().Lookup(tinyA + "dead"); ok && c.IsBase(p) {
		t.Error("a dead link is a base page")
	}
	if c.IsBase(sitegraph.PageID(c.Graph().Pages())) {
		t.Error("a page that is not known is a base page")
	}
}

// TestBasePagesWithinElevenHops checks the limit of 11 hops from the top page [LINK 3.1]: of a
// chain of 15 pages 12 count. The others are alive at the base and never count.
func TestBasePagesWithinElevenHops(t *testing.T) {
	var pages []*history.Page
	for i := range 15 {
		url := tinyA + string(rune('a'+i))
		if i == 0 {
			url = tinyA
		}
		next := tinyA + string(rune('a'+i+1))
		pages = append(pages, page(url, shows(0, "A", next), shows(8*daySeconds, "B", next)))
	}
	c := newCorpus(t, []*history.Server{server("a.example", 0, pages...)}, Options{Base: week})
	wantInt(t, "base pages", len(c.Pages), 12)
	truth := c.newTruth(7)
	wantInt(t, "pages in all", len(truth.pages), 12)
	wantInt(t, "events", truth.events, 12)
	r, log := logged(t, c, StreamOptions{Weeks: 1, Budget: 2, New: 1, Seed: 1}, "breadth-first")
	wantInt(t, "fetched", r.Fetched, 12*7) // of 24 a day: no other page may be visited
	for _, s := range log {
		if s.first {
			t.Errorf("%v: outside for good", s)
		}
	}
}

// TestNewDatasetWithoutPages checks a base at which no server has a page.
func TestNewDatasetWithoutPages(t *testing.T) {
	servers := []*history.Server{server("a.example", 0,
		page(tinyA, shows(0, "A"), gone(daySeconds)))}
	if _, err := NewDataset(t.Context(), servers, Options{Base: week}); err == nil {
		t.Error("no error for a base at which no page is alive")
	}
	if c, err := NewDataset(t.Context(), servers, Options{}); err != nil || len(c.Pages) != 1 {
		t.Errorf("base 0: %v", err)
	}
}
