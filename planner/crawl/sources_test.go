package crawl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	front    = "http://h.example/"
	aSitemap = "http://h.example/sitemap.xml"
	aFeed    = "http://h.example/feed"
)

// newsroom is a server that claims its changes.
type newsroom struct {
	clock   *crawl.VirtualClock
	pages   map[string]string            // address -> content
	moved   map[string]string            // address -> target
	links   map[string][]string          // address -> links
	claims  map[string][]sitegraph.Claim // source -> its claims
	kinds   map[string]sitegraph.SourceKind
	named   []string // in robots.txt
	asked   []string // "address", or "address?" if conditional
	version map[string]int
}

func newNewsroom() *newsroom {
	return &newsroom{clock: crawl.NewVirtualClock(base), pages: map[string]string{},
		moved: map[string]string{}, links: map[string][]string{},
		claims: map[string][]sitegraph.Claim{},
		kinds: map[string]sitegraph.SourceKind{aSitemap: sitegraph.SourceSitemap,
			aFeed: sitegraph.SourceFeed},
		version: map[string]int{}}
}

// say sets the claims of a source.
func (n *newsroom) say(source string, claims ...sitegraph.Claim) {
	n.claims[source] = claims
	n.version[source]++
}

func (n *newsroom) Fetch(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
	url, now := r.Record.URL, r.Round.End
	o := sitegraph.Observation{URL: url, Time: now, Status: 200, Outcome: sitegraph.OutcomeFetched,
		Sources: n.named}
	tag := fmt.Sprintf(`"%d"`, n.version[url])
	switch content, ok := n.pages[url]; {
	case n.moved[url] != "":
		o.Outcome, o.Status, o.RedirectTo = sitegraph.OutcomeRedirected, 301, n.moved[url]
	case ok:
		o.Digests.Bytes = sitegraph.DigestOf([]byte(content))
		o.Links, o.LinksKnown = n.links[url], true
	case n.claims[url] == nil:
		o.Outcome, o.Status = sitegraph.OutcomeGone, 404
	case r.Record.State != sitegraph.StateSource:
		o.Outcome, o.Sources = sitegraph.OutcomeExcluded, []string{url}
	case r.Record.ETag == tag:
		o.Outcome, o.Status = sitegraph.OutcomeNotModified, 304
	default:
		o.Source, o.Claims, o.ETag = n.kinds[url], n.claims[url], tag
		o.Digests.Bytes = sitegraph.DigestOf([]byte(tag))
	}
	word := strings.TrimPrefix(url, "http://h.example")
	if r.Record.ETag != "" {
		word += "?"
	}
	n.asked = append(n.asked, word)
	return o, nil
}

// desk is a loop that reads sources, with its store and web.
type desk struct {
	*newsroom
	store  *disk
	corpus *planner.Pages
	loop   *crawl.Loop
	day    int
	budget int
}

func newDesk(n *newsroom) *desk {
	d := &desk{newsroom: n, store: newDisk(), corpus: planner.NewPages(sitegraph.NewGraph()),
		budget: planner.Unlimited}
	d.open()
	return d
}

func (d *desk) open() {
	policy, err := policy.New("random", policy.Settings{Pages: d.corpus, Mode: planner.Stream})
	if err != nil {
		panic(err)
	}
	d.loop = crawl.New(crawl.Options{Planner: planner.New(d.corpus, policy,
		planner.Options{NewShare: 0.25, Leftover: true, SourceShare: 0.2}),
		Fetcher: d.newsroom, Store: d.store, Clock: d.clock, Discover: true})
}

// restart drops what is in memory.
func (d *desk) restart() {
	d.store = d.store.crash()
	d.corpus = d.store.restore()
	d.open()
}

// next passes a day and returns the addresses visited in it, sorted.
func (d *desk) next(t *testing.T) string {
	t.Helper()
	d.asked = nil
	r := planner.Round{Number: d.day, Start: base.Add(time.Duration(d.day) * planner.Day),
		End: base.Add(time.Duration(d.day+1) * planner.Day), Budget: d.budget}
	d.day++
	if err := d.clock.SleepUntil(t.Context(), r.Start); err != nil {
		t.Fatal(err)
	}
	if err := d.loop.Round(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := d.loop.Advance(r.End); err != nil {
		t.Fatal(err)
	}
	slices.Sort(d.asked)
	return strings.Join(d.asked, " ")
}

func (d *desk) now() time.Time { return base.Add(time.Duration(d.day) * planner.Day) }

func (d *desk) page(t *testing.T, url string) sitegraph.PageID {
	t.Helper()
	p, ok := d.corpus.Graph.Lookup(url)
	if !ok {
		t.Fatalf("%s is not known", url)
	}
	return p
}

func TestSourcesAreFoundAndListedPagesVisited(t *testing.T) {
	n := newNewsroom()
	n.pages[front], n.pages["http://h.example/b"] = "front", "b"
	n.links[front] = []string{"http://h.example/b"}
	n.pages["http://h.example/orphan/"] = "linked from nowhere"
	n.moved["http://h.example/orphan"] = "http://h.example/orphan/"
	n.named = []string{aSitemap, "http://h.example/none.xml", "http://other.example/sitemap.xml"}
	n.say(aSitemap, sitegraph.Claim{URL: "http://h.example/orphan"}, sitegraph.Claim{URL: front})
	d := newDesk(n)
	if err := d.loop.Seed(front); err != nil {
		t.Fatal(err)
	}
	if got, want := d.next(t), "/ /b /none.xml /orphan /orphan/ /sitemap.xml"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
	if !d.corpus.Hints.Listed(d.page(t, "http://h.example/orphan/")) {
		t.Error("the claim about a redirecting page does not hold for its target")
	}
	if p := d.page(t, aSitemap); d.corpus.Memory(p).State != sitegraph.StateSource ||
		d.corpus.Refetchable(p) {
		t.Errorf("the sitemap is %v", d.corpus.Memory(p).State)
	}
	if _, ok := d.corpus.Graph.Lookup("http://other.example/sitemap.xml"); ok {
		t.Error("a source of another server is known")
	}
	// A day later the sitemap is the same, and missing pages are not looked for.
	if got, want := d.next(t), "/ /b /orphan/ /sitemap.xml?"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
	if got := d.corpus.Prior(); got.Shape == 0 {
		t.Errorf("prior %+v", got)
	}
}

func TestAFeedVisitedAsAPageIsASource(t *testing.T) {
	n := newNewsroom()
	n.pages[front], n.pages["http://h.example/1"] = "front", "1"
	n.say(aFeed, sitegraph.Claim{URL: "http://h.example/1"})
	d := newDesk(n)
	if err := d.loop.Seed(front, aFeed); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"/ /feed", "/ /1 /feed", "/ /1 /feed?"} {
		if got := d.next(t); got != want {
			t.Errorf("asked for %s, want %s", got, want)
		}
	}
	if r := d.store.Records()[d.page(t, aFeed)]; r.State != sitegraph.StateSource || r.ETag == "" {
		t.Errorf("kept: %+v", r)
	}
}

func TestIndexLeadsToSitemapsThatAreNewer(t *testing.T) {
	n := newNewsroom()
	n.pages[front] = "front"
	n.named = []string{aSitemap}
	n.kinds[aSitemap] = sitegraph.SourceIndex
	one, two := "http://h.example/1.xml", "http://h.example/2.xml"
	n.kinds[one], n.kinds[two] = sitegraph.SourceSitemap, sitegraph.SourceSitemap
	n.say(one, sitegraph.Claim{URL: "http://h.example/1"})
	n.say(two, sitegraph.Claim{URL: "http://h.example/2"})
	n.pages["http://h.example/1"], n.pages["http://h.example/2"] = "1", "2"
	n.say(aSitemap, sitegraph.Claim{URL: one}, sitegraph.Claim{URL: two})
	d := newDesk(n)
	if err := d.loop.Seed(front); err != nil {
		t.Fatal(err)
	}
	if got, want := d.next(t), "/ /1 /1.xml /2 /2.xml /sitemap.xml"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
	for range 20 { // long enough that each is looked at weekly only
		d.next(t)
	}
	for p := range sitegraph.PageID(d.corpus.Count()) {
		if d.corpus.Memory(p).State == sitegraph.StateSource && d.corpus.Graph.URL(p) != aSitemap {
			d.corpus.Memory(p).Due = uint32(d.now().Add(30 * planner.Day).Unix())
		}
	}
	n.say(aSitemap, sitegraph.Claim{URL: one, Modified: d.now()},
		sitegraph.Claim{URL: two, Modified: base})
	asked := ""
	for range 8 {
		asked += d.next(t)
	}
	if !strings.Contains(asked, "/sitemap.xml") || !strings.Contains(asked, "/1.xml") ||
		strings.Contains(asked, "/2.xml") {
		t.Errorf("asked for %s, want 1.xml and not 2.xml", asked)
	}
}

func TestClaimsAreProvedAndKept(t *testing.T) {
	n := newNewsroom()
	n.named = []string{aSitemap, aFeed}
	n.pages[front] = "front"
	const pages = 10
	url := func(i int) string { return fmt.Sprintf("http://h.example/%d", i) }
	var claims []sitegraph.Claim
	for i := range pages {
		n.pages[url(i)] = "first"
		claims = append(claims, sitegraph.Claim{URL: url(i), Modified: base.Add(-planner.Day),
			Every: planner.Day})
	}
	n.say(aSitemap, claims...)
	n.say(aFeed, claims[:2]...)
	d := newDesk(n)
	if err := d.loop.Seed(front); err != nil {
		t.Fatal(err)
	}
	d.next(t)
	for day := range 10 {
		i := day % pages
		if h, ok := d.corpus.Hints.Of(d.page(t, url(i))); !ok || h.Every != planner.Day || i > 1 &&
			!h.Claimed.Equal(claims[i].Modified) || day == 0 && h.LogRatio != 0 {
			t.Fatalf("day %d: %+v, %v", day, h, ok)
		}
		// The sitemap tells the truth; the feed claims changes of both its pages each day.
		n.pages[url(i)] += "!"
		claims[i].Modified = d.now().Add(time.Hour)
		n.say(aSitemap, claims...)
		n.say(aFeed, sitegraph.Claim{URL: url(0), Modified: d.now().Add(time.Hour)},
			sitegraph.Claim{URL: url(1), Modified: d.now().Add(time.Hour)})
		d.next(t)
	}
	check := func() {
		t.Helper()
		for _, s := range d.corpus.Hints.Sources() {
			want := map[planner.HintKind][4]int{planner.Sitemap: {10, 0, 0, 90},
				planner.Feed: {2, 18, 0, 0}}[s.Kind]
			if got := [4]int{s.True, s.False, s.Missed, s.Same}; got != want {
				t.Errorf("%v: %v, want %v", s.Kind, got, want)
			}
			if s.Kind == planner.Sitemap && (s.LogRatio < 2.5 || s.LogRatio > 4 || s.Silence > -2 ||
				s.Silence < -4) {
				t.Errorf("a true sitemap is worth %v, and %v", s.LogRatio, s.Silence)
			}
			if s.Kind == planner.Feed && (s.LogRatio > 0.3 || s.LogRatio < -0.3) {
				t.Errorf("a feed that claims always is worth %v", s.LogRatio)
			}
		}
	}
	check()
	d.restart()
	if got := len(d.corpus.Hints.Sources()); got != 0 {
		t.Fatalf("%d known before the store was read", got)
	}
	d.next(t)
	if asked := strings.Join(d.asked, " "); !strings.Contains(asked, "/sitemap.xml?") {
		t.Errorf("what the sitemap said is not known after a restart: it was asked without a "+
			"condition: %s", asked)
	}
	if h, ok := d.corpus.Hints.Of(d.page(t, url(3))); !ok || h.Kind != planner.Sitemap {
		t.Errorf("%+v, %v", h, ok)
	}
	if s := d.corpus.Hints.Sources(); len(s) != 2 || s[0].True != 10 || s[0].Pages != pages ||
		s[0].Sources != 1 {
		t.Errorf("after a restart %+v", s)
	}
}

func TestSourcesKeepToTheirShare(t *testing.T) {
	n := newNewsroom()
	n.pages[front] = "front"
	for i := range 50 {
		url := fmt.Sprintf("http://h.example/%d.xml", i)
		n.kinds[url] = sitegraph.SourceFeed
		n.say(url, sitegraph.Claim{URL: front})
		n.named = append(n.named, url)
	}
	d := newDesk(n)
	d.budget = 10
	if err := d.loop.Seed(front); err != nil {
		t.Fatal(err)
	}
	d.next(t)
	for range 5 {
		if asked := d.next(t); strings.Count(asked, ".xml") > 2 {
			t.Fatalf("a fifth of 10 visits is 2: %s", asked)
		}
	}
}

func TestWithoutAShareNobodyListens(t *testing.T) {
	n := newNewsroom()
	n.pages[front] = "front"
	n.named = []string{aSitemap}
	n.say(aSitemap, sitegraph.Claim{URL: "http://h.example/1"})
	d := newDesk(n)
	d.loop.Planner = planner.New(d.corpus, nil, planner.Options{Leftover: true, NewShare: 1})
	if err := d.loop.Seed(front); err != nil {
		t.Fatal(err)
	}
	if got := d.next(t); got != "/" || d.corpus.Hints.Sources() != nil {
		t.Errorf("asked for %s; %v", got, d.corpus.Hints.Sources())
	}
}
