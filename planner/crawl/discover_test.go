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

const site = "http://example.com/"

// newSite returns a web of one server, by path. Links and redirects are paths.
func newSite(pages map[string]page) *web {
	w := newWeb(map[string]page{})
	for path, p := range pages {
		w.put(path, p)
	}
	return w
}

func (w *web) put(path string, p page) {
	absolute := func(paths []string) (urls []string) {
		for _, path := range paths {
			if !strings.Contains(path, "://") {
				path = site + path
			}
			urls = append(urls, path)
		}
		return urls
	}
	p.links, p.frames = absolute(p.links), absolute(p.frames)
	if p.redirect != "" {
		p.redirect = absolute([]string{p.redirect})[0]
	}
	if p.content == "" { // other links need other bytes
		p.content = fmt.Sprint(path, p.links, p.frames)
	}
	w.pages[site+path] = p
}

// crawlSite returns a rig that knows the start page.
func crawlSite(t *testing.T, w *web, o crawl.Options) *rig {
	m := newRig(t, w, newDisk(), "ebayes", o)
	m.seed(site)
	return m
}

// paths returns the paths of addresses, in order.
func paths(urls []string) string {
	short := make([]string, len(urls))
	for i, url := range urls {
		short[i] = "/" + strings.TrimPrefix(url, site)
	}
	return strings.Join(short, " ")
}

func (m *rig) record(path string) sitegraph.Record {
	m.Helper()
	p, ok := m.pages.Graph.Lookup(site + path)
	if !ok {
		m.Fatalf("/%s is not known", path)
	}
	var r sitegraph.Record
	if err := m.disk.MemoryStore.Load(p, &r); err != nil {
		m.Fatal(err)
	}
	return r
}

// checkStored checks that graph and corpus equal the store's, also after a restart.
func (m *rig) checkStored() {
	m.Helper()
	again := m.disk.crash().restore()
	again.Graph.Refresh()
	m.pages.Graph.Refresh()
	for p := range sitegraph.PageID(max(again.Count(), m.pages.Count())) {
		url := m.pages.Graph.URL(p)
		if again.Graph.URL(p) != url || again.Graph.Depth(p) != m.pages.Graph.Depth(p) {
			m.Errorf("page %d: the store knows %s at depth %d, the graph %s at depth %d",
				p, again.Graph.URL(p), again.Graph.Depth(p), url, m.pages.Graph.Depth(p))
		}
		if !slices.Equal(again.Graph.Links(p), m.pages.Graph.Links(p)) ||
			!slices.Equal(again.Graph.Frames(p), m.pages.Graph.Frames(p)) {
			m.Errorf("%s: links %v in the store, %v in the graph",
				url, again.Graph.Links(p), m.pages.Graph.Links(p))
		}
		if again.Memory(p).State != m.pages.Memory(p).State {
			m.Errorf("%s is %v in the store, %v in the corpus",
				url, again.Memory(p).State, m.pages.Memory(p).State)
		}
	}
}

// A crawl follows links breadth-first within one round, each page once. Frames of the start page
// are start pages. Links to other servers are not followed.
func TestDiscovery(t *testing.T) {
	w := newSite(map[string]page{
		"":  {links: []string{"a", "m", "http://other.example/"}, frames: []string{"m"}},
		"m": {links: []string{"c", "a"}},
		"a": {links: []string{"b", ""}},
		"b": {links: []string{"missing"}},
		"c": {},
	})
	m := crawlSite(t, w, crawl.Options{})
	if got, want := paths(m.day(planner.Unlimited)), "/ /a /m /b /c /missing"; got != want {
		t.Errorf("visited %s, want %s", got, want)
	}
	if got, want := paths(m.found), "/ /a /m /b /c /missing"; got != want {
		t.Errorf("told of the pages %s, want %s, each once", got, want)
	}
	m.pages.Graph.Refresh()
	for path, depth := range map[string]int{"": 1, "m": 1, "a": 2, "b": 3, "c": 2, "missing": 4} {
		r := m.record(path)
		if got := m.pages.Graph.Depth(r.Page); got != depth {
			t.Errorf("/%s has depth %d, want %d", path, got, depth)
		}
	}
	if r := m.record("b"); r.Referer != site+"a" || r.State != sitegraph.StateAlive {
		t.Errorf("record of /b: %+v, want the referer /a", r)
	}
	m.checkStored()
	// The page that left is not visited again; the others are.
	if got, want := paths(sorted(m.day(planner.Unlimited))), "/ /a /b /c /m"; got != want {
		t.Errorf("the next day visited %s, want %s", got, want)
	}
}

// A page that left is tried again for a new link, not for an old one.
func TestGoneAndLinkedAgain(t *testing.T) {
	w := newSite(map[string]page{"": {links: []string{"a", "b"}}, "a": {links: []string{"x"}},
		"b": {}})
	m := crawlSite(t, w, crawl.Options{})
	steps := []struct {
		name    string
		change  func()
		visited string
	}{
		{"discovery; /x is not there", func() {}, "/ /a /b /x"},
		{"/x appears, nobody knows", func() { w.put("x", page{}) }, "/ /a /b"},
		{"/a changes, its old link stays", func() {
			w.put("a", page{content: "2", links: []string{"x", "b"}})
		}, "/ /a /b"},
		{"/b links to /x anew", func() { w.put("b", page{links: []string{"x"}}) }, "/ /a /b /x"},
		{"and then it is like the others", func() {}, "/ /a /b /x"},
	}
	for i, s := range steps {
		s.change()
		m.found = nil
		if got := paths(sorted(m.day(planner.Unlimited))); got != s.visited {
			t.Errorf("%s: visited %s, want %s", s.name, got, s.visited)
		}
		if i == 3 && paths(m.found) != "/x" {
			t.Errorf("%s: told of %s, want /x", s.name, paths(m.found))
		}
		if i != 0 && i != 3 && len(m.found) != 0 {
			t.Errorf("%s: told of %s, want nothing", s.name, paths(m.found))
		}
		m.checkStored()
	}
}

// A page that left has no links: pages that only it linked to are no longer reached.
func TestGonePageHasNoLinks(t *testing.T) {
	for _, outcome := range []sitegraph.Outcome{sitegraph.OutcomeGone, sitegraph.OutcomeExcluded} {
		w := newSite(map[string]page{"": {links: []string{"a"}}, "a": {links: []string{"b"}},
			"b": {}})
		m := crawlSite(t, w, crawl.Options{})
		m.day(planner.Unlimited)
		w.put("a", page{outcome: outcome})
		m.day(planner.Unlimited)
		a := m.record("a")
		if links := m.pages.Graph.Links(a.Page); len(links) != 0 {
			t.Errorf("%v: it still has the links %v", outcome, links)
		}
		m.pages.Graph.Refresh()
		if depth := m.pages.Graph.Depth(m.record("b").Page); depth != 0 {
			t.Errorf("%v: the page behind it has depth %d, want 0", outcome, depth)
		}
		m.checkStored()
	}
}

// A visit without knowledge of links keeps them; one that finds no links clears them.
func TestLinksKept(t *testing.T) {
	for _, c := range []struct {
		name string
		then page
		want int
	}{
		{"304", page{outcome: sitegraph.OutcomeNotModified}, 2},
		{"failure", page{outcome: sitegraph.OutcomeFailed}, 2},
		{"other links", page{content: "2", links: []string{"b"}}, 1},
		{"no links", page{content: "2"}, 0},
	} {
		w := newSite(map[string]page{"": {links: []string{"a"}}, "a": {links: []string{"b", "c"}},
			"b": {}, "c": {}})
		m := crawlSite(t, w, crawl.Options{})
		m.day(planner.Unlimited)
		w.put("a", c.then)
		m.day(planner.Unlimited)
		if links := m.pages.Graph.Links(m.record("a").Page); len(links) != c.want {
			t.Errorf("%s: %d links, want %d", c.name, len(links), c.want)
		}
		m.checkStored()
	}
}

// Links are followed from the start page to depth eleven [LINK 3.1]. A shorter path reopens pages
// that were too deep: a linked page at once, pages behind it in the next round.
func TestMaxDepth(t *testing.T) {
	for _, c := range []struct{ shortcut, atOnce string }{{"13", "13 14 15 16"}, {"11", ""}} {
		w := newSite(map[string]page{"": {links: []string{"2"}}})
		for depth := 2; depth <= 15; depth++ {
			w.put(fmt.Sprint(depth), page{links: []string{fmt.Sprint(depth + 1)}})
		}
		m := crawlSite(t, w, crawl.Options{})
		if got, want := paths(m.day(planner.Unlimited)),
			"/ /2 /3 /4 /5 /6 /7 /8 /9 /10 /11 /12"; got != want {
			t.Errorf("visited %s, want %s", got, want)
		}
		if r := m.record("13"); r.State != sitegraph.StateNew {
			t.Errorf("the page of depth 13 is %v, want it known and new", r.State)
		}
		m.day(planner.Unlimited)
		w.put("", page{links: []string{"2", c.shortcut}})
		visited := m.day(planner.Unlimited)
		for _, path := range strings.Fields(c.atOnce) {
			if !slices.Contains(visited, site+path) {
				t.Errorf("/%s is not visited in the round that found a link to /%s: %s",
					path, c.shortcut, paths(visited))
			}
		}
		visited = append(visited, m.day(planner.Unlimited)...)
		for _, path := range []string{"13", "14", "15", "16"} {
			if !slices.Contains(visited, site+path) {
				t.Errorf("/%s is not visited behind a shortcut to /%s: %s",
					path, c.shortcut, paths(visited))
			}
		}
	}
}

// A redirect is the only link of its page. Chains are bounded, and loops end.
func TestRedirects(t *testing.T) {
	t.Run("target", func(t *testing.T) {
		w := newSite(map[string]page{"": {links: []string{"old"}}, "old": {redirect: "new"},
			"new": {}})
		m := crawlSite(t, w, crawl.Options{})
		if got, want := paths(m.day(planner.Unlimited)), "/ /old /new"; got != want {
			t.Errorf("visited %s, want %s", got, want)
		}
		if old, target := m.record("old"), m.record("new"); old.State != sitegraph.StateMoved ||
			target.State != sitegraph.StateAlive || target.Hops != 1 ||
			target.Referer != site+"old" {
			t.Errorf("/old is %v; /new %+v", old.State, target)
		}
		if got, want := paths(sorted(m.day(planner.Unlimited))), "/ /new"; got != want {
			t.Errorf("the next day visited %s, want %s", got, want)
		}
		m.checkStored()
	})
	t.Run("chain", func(t *testing.T) {
		w := newSite(map[string]page{"": {links: []string{"0"}}})
		for i := range 20 {
			w.put(fmt.Sprint(i), page{redirect: fmt.Sprint(i + 1)})
		}
		// 0: the default of 5
		for hops, want := range map[int]string{0: "/ /0 /1 /2 /3 /4 /5", 2: "/ /0 /1 /2"} {
			m := crawlSite(t, w, crawl.Options{MaxHops: hops})
			if got := paths(m.day(planner.Unlimited)); got != want {
				t.Errorf("at most %d hops: visited %s, want %s", hops, got, want)
			}
			w.take()
		}
	})
	t.Run("loop", func(t *testing.T) {
		w := newSite(map[string]page{"": {links: []string{"a"}}, "a": {redirect: "b"},
			"b": {redirect: "c"}, "c": {redirect: "a"}})
		m := crawlSite(t, w, crawl.Options{})
		visits := 0
		for range 30 {
			visits += len(m.day(planner.Unlimited))
		}
		if visits > 30+2*3 { // the start page each day, others once or twice
			t.Errorf("%d visits in 30 days: the loop goes on", visits)
		}
	})
	t.Run("to itself", func(t *testing.T) {
		w := newSite(map[string]page{"": {links: []string{"a"}}, "a": {redirect: "a"}})
		m := crawlSite(t, w, crawl.Options{})
		if got, want := paths(m.day(planner.Unlimited)), "/ /a"; got != want {
			t.Errorf("visited %s, want %s", got, want)
		}
	})
	t.Run("to another server", func(t *testing.T) { // from a page that is no start page
		w := newSite(map[string]page{"": {links: []string{"out"}},
			"out": {redirect: "http://other.example/"}})
		w.pages["http://other.example/"] = page{}
		m := crawlSite(t, w, crawl.Options{})
		if got, want := paths(m.day(planner.Unlimited)), "/ /out"; got != want {
			t.Errorf("visited %s, want %s", got, want)
		}
	})
}

// The target of a moved start page becomes a start page, also on another server, within a bounded
// number of hops.
func TestStartPageMoves(t *testing.T) {
	w := newWeb(map[string]page{
		"http://example.com/":       {redirect: "https://www.example.com/"},
		"https://www.example.com/":  {redirect: "https://www.example.com/en"},
		"https://www.example.com/a": {},
	})
	w.pages["https://www.example.com/en"] = page{links: []string{"https://www.example.com/a"}}
	m := newRig(t, w, newDisk(), "ebayes", crawl.Options{})
	m.seed(site)
	want := []string{"http://example.com/", "https://www.example.com/",
		"https://www.example.com/en", "https://www.example.com/a"}
	if got := m.day(planner.Unlimited); !slices.Equal(got, want) {
		t.Errorf("visited %q, want %q", got, want)
	}
	m.pages.Graph.Refresh()
	home, _ := m.pages.Graph.Lookup("https://www.example.com/en")
	if depth := m.pages.Graph.Depth(home); depth != 1 {
		t.Errorf("the target has depth %d, want 1", depth)
	}
	if starts := m.disk.crash().starts; len(starts) != 3 {
		t.Errorf("%d start pages are stored, want 3", len(starts))
	}
	m.checkStored()

	far := newWeb(map[string]page{})
	for i := range 20 {
		far.pages[fmt.Sprintf("http://s%d.example/",
			i)] = page{redirect: fmt.Sprintf("http://s%d.example/", i+1)}
	}
	m = newRig(t, far, newDisk(), "ebayes", crawl.Options{MaxHops: 3})
	m.seed("http://s0.example/")
	if got := m.day(planner.Unlimited); len(got) != 4 {
		t.Errorf("visited %q, want the start and three hops", got)
	}
}

// Seeds that are known stay as they are.
func TestSeedTwice(t *testing.T) {
	w := newSite(map[string]page{"": {}})
	m := crawlSite(t, w, crawl.Options{})
	m.day(planner.Unlimited)
	before := m.record("")
	m.seed(site)
	if after := m.record(""); after != before {
		t.Errorf("record %+v, want %+v", after, before)
	}
	if n := len(m.disk.Records()); n != 1 {
		t.Errorf("%d records, want 1", n)
	}
}

// Without Discover the page set and the graph stay as they are.
func TestNoDiscovery(t *testing.T) {
	w := newSite(map[string]page{"": {links: []string{"a"}}, "a": {}})
	m := crawlSite(t, w, crawl.Options{})
	m.loop.Discover = false
	if got := paths(m.day(planner.Unlimited)); got != "/" || m.pages.Graph.Pages() != 1 {
		t.Errorf("visited %s, %d pages known", got, m.pages.Graph.Pages())
	}
}

// A start page that is gone at first is asked for again a day later, and at once when the user
// names it again. Its server is not lost.
func TestStartPageComesBack(t *testing.T) {
	w := newSite(map[string]page{"a": {}}) // no start page
	w.clock = crawl.NewVirtualClock(base)
	m := crawlSite(t, w, crawl.Options{})
	rounds := 0
	run := func(n int) {
		err := m.loop.Run(t.Context(), 10, 6*time.Hour, func(planner.Round) bool {
			rounds++
			return rounds%n != 0
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	run(1)
	if got := paths(w.fetched); got != "/" {
		t.Fatalf("visited %q, want the start page", got)
	}
	w.put("", page{links: []string{"a"}})
	rounds = 0
	run(6) // a day and a half
	if got := paths(w.fetched); !strings.HasPrefix(got, "/ / /a") {
		t.Errorf("visited %q, want the start page again and then /a", got)
	}
}
