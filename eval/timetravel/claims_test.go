package timetravel

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestClaimsOfRecordedSites measures how accurate feeds, sitemaps and Last-Modified of real sites
// are. It visits pages in random order for 27 weeks, over HTTP, and counts the claims about each
// page since its last visit. go test -v -run ClaimsOf prints the table.
func TestClaimsOfRecordedSites(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	changes := []sitegraph.ChangeBy{sitegraph.ChangeByBytes}
	if testing.Verbose() { // for the table; no check below concerns the main text alone
		changes = append(changes, sitegraph.ChangeByMain)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-22s %-6s %-14s %7s %6s %6s %6s %7s %7s %7s\n",
		"server", "change", "kind", "sources", "pages", "true", "false", "missed", "same", "ln LR")
	for _, file := range recordedSites(t) {
		sites, err := LoadSites(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range changes {
			pages, visits := keepFresh(t, sites, 27*7, 0.02, by)
			for _, s := range pages.Hints.Sources() {
				fmt.Fprintf(&table, "%-22s %-6v %-14s %7d %6d %6d %6d %7d %7d  %+.1f %+.1f\n",
					pages.Graph.ServerName(s.Server), by, s.Kind,
					s.Sources, s.Pages, s.True, s.False, s.Missed, s.Same, s.LogRatio, s.Silence)
				if s.Kind == planner.LastModified && by == sitegraph.ChangeByBytes &&
					(s.False > 0 || s.Missed > 0) {
					t.Errorf("%+v: Last-Modified is the time of the version that is served", s)
				}
				if s.Kind == planner.Sitemap && s.Pages < 50 {
					t.Errorf("a sitemap lists only %d pages", s.Pages)
				}
			}
			fmt.Fprintf(&table, "%-22s %d visits, %d of them to sources\n",
				"", visits[0], visits[1])
		}
	}
	t.Logf("what sources claimed since the last visit of a page:\n%s", table.String())
}

// keepFresh keeps one site fresh for some days with its sources, and visits a share of its pages
// each day. It returns the visits, and those to sources.
func keepFresh(t *testing.T, web Web, days int, share float64, by sitegraph.ChangeBy) (
	*planner.Pages, [2]int) {
	t.Helper()
	host := web.Servers()[0]
	start := firstTime(web.(Archive), host)
	clock := crawl.NewVirtualClock(start)
	world, err := NewWorld(web, clock,
		Visitor{UserAgent: "recrawl-test/1.0 (+http://crawler.example/)"})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	pages := planner.NewPages(sitegraph.NewGraph())
	policy, err := policy.New("random", policy.Settings{Pages: pages, Mode: planner.Stream,
		Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var visits [2]int
	loop := crawl.New(crawl.Options{
		Planner: planner.New(pages, policy,
			planner.Options{NewShare: 0.25, Leftover: true, SourceShare: 0.1}),
		Fetcher: world, Store: history.NewMemoryStore(), Clock: clock, Discover: true, Change: by,
		Seen: func(e *crawl.Event) {
			visits[0]++
			if e.Record.State == sitegraph.StateSource {
				visits[1]++
			}
		},
	})
	seeds := []string{"http://" + host + "/"}
	// some sites have it and do not link to it
	if web.Resource(host, "/feed.xml", start).Status == http.StatusOK {
		seeds = append(seeds, "http://"+host+"/feed.xml")
	}
	if err := loop.Seed(seeds...); err != nil {
		t.Fatal(err)
	}
	for day := range days {
		r := planner.Round{Number: day, Start: start.Add(time.Duration(day) * planner.Day),
			End: start.Add(time.Duration(day+1) * planner.Day), Budget: planner.Unlimited}
		if day > 0 { // the first day crawls everything
			r.Budget = max(1, int(share*float64(pages.Count())))
		}
		if err := clock.SleepUntil(t.Context(), r.Start); err != nil {
			t.Fatal(err)
		}
		if err := loop.Round(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if err := loop.Advance(r.End); err != nil {
			t.Fatal(err)
		}
	}
	return pages, visits
}

func firstTime(web Archive, host string) time.Time {
	var first time.Time
	for _, path := range web.Paths(host) {
		if times := web.Times(host, path); len(times) > 0 &&
			(first.IsZero() || times[0].Before(first)) {
			first = times[0]
		}
	}
	return first
}

// TestSourcesFollowTheVirtualClock checks that a feed is served as it was at the time, with
// validators of that version, and that a page which changed within the day has that time.
func TestSourcesFollowTheVirtualClock(t *testing.T) {
	start := time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)
	web := NewStatic()
	web.Put("h.example", "/index.html", start, "text/html",
		[]byte(`<link rel=alternate type=application/atom+xml href=/feed>front`))
	feed := `<feed><entry><link href="/"/><updated>%s</updated></entry></feed>`
	web.Put("h.example", "/feed", start, "application/xml",
		fmt.Appendf(nil, feed, "2024-05-05T10:00:00Z"))
	changed := start.Add(30 * time.Hour)
	web.Put("h.example", "/index.html", changed, "text/html",
		[]byte(`<link rel=alternate type=application/atom+xml href=/feed>back`))
	web.Put("h.example", "/feed", changed, "application/xml",
		fmt.Appendf(nil, feed, changed.Format(time.RFC3339)))
	pages, _ := keepFresh(t, web, 4, 10, sitegraph.ChangeByBytes)
	front, _ := pages.Graph.Lookup("http://h.example/")
	if h, ok := pages.Hints.Of(front); !ok || h.Kind != planner.Feed || !h.Claimed.Equal(changed) {
		t.Errorf("%+v, %v", h, ok)
	}
	for _, s := range pages.Hints.Sources() {
		if s.True != 1 || s.False != 0 || s.Missed != 0 {
			t.Errorf("%+v; want the one change claimed", s)
		}
	}
	if len(pages.Hints.Sources()) != 2 {
		t.Errorf("%+v; want the feed and Last-Modified", pages.Hints.Sources())
	}
}

// TestTruthAndLies runs 12 weeks over HTTP. A sitemap with the true days of changes becomes
// credible, in both directions. One that names today for all pages becomes worthless. Neither costs
// more than its share of the visits.
func TestTruthAndLies(t *testing.T) {
	const pages, days = 30, 84
	start := time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)
	for _, lies := range []bool{false, true} {
		web := NewStatic()
		var links strings.Builder
		for i := range pages {
			fmt.Fprintf(&links, "<a href=/p%d>", i)
		}
		web.Put("h.example", "/index.html", start, "text/html", []byte(links.String()))
		web.Put("h.example", "/robots.txt", start, "text/plain",
			[]byte("Sitemap: http://h.example/map.xml\n"))
		for day := range days {
			now := start.Add(time.Duration(day)*planner.Day + time.Hour)
			var sitemap strings.Builder
			sitemap.WriteString("<urlset>")
			for i := range pages {
				every := 5 + i // days between changes
				if day%every == 0 {
					web.Put("h.example", fmt.Sprintf("/p%d", i), now, "text/html",
						fmt.Appendf(nil, "<p>of day %d", day))
				}
				modified := now.Add(-time.Duration(day%every) * planner.Day)
				if lies {
					modified = now
				}
				fmt.Fprintf(&sitemap, "<url><loc>/p%d</loc><lastmod>%s</lastmod></url>",
					i, modified.Format(time.RFC3339))
			}
			web.Put("h.example", "/map.xml", now, "application/xml",
				[]byte(sitemap.String()+"</urlset>"))
		}
		corpus, visits := keepFresh(t, web, days, 0.3, sitegraph.ChangeByBytes)
		if visits[1]*10 > visits[0]+20 { // a tenth, and the first visits to the sources
			t.Errorf("%d of %d visits were to sources", visits[1], visits[0])
		}
		for _, s := range corpus.Hints.Sources() {
			if s.Kind != planner.Sitemap {
				continue
			}
			t.Logf("lies %v: %+v; %d of %d visits to sources", lies, s, visits[1], visits[0])
			switch {
			case s.Pages != pages || s.True+s.False+s.Missed+s.Same < 300:
				t.Errorf("too little is known: %+v", s)
			case lies && (s.LogRatio > 0.5 || s.LogRatio < -0.5):
				t.Errorf("a sitemap that says today of all pages is worth %v", s.LogRatio)
			case !lies && (s.LogRatio < 2 || s.Silence > -0.5):
				t.Errorf("a true sitemap is worth %v and %v", s.LogRatio, s.Silence)
			}
		}
	}
}

// TestClaimsOfAlignedSites checks that claims of feeds and sitemaps shift with an aligned web,
// though bodies do not.
func TestClaimsOfAlignedSites(t *testing.T) {
	start := time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)
	web := NewStatic()
	put := func(name string, day int, kind, body string) {
		web.Put("h.example", name, start.Add(time.Duration(day)*planner.Day+time.Hour), kind,
			[]byte(body))
	}
	sitemap := `<urlset><url><loc>/</loc><lastmod>%s</lastmod></url><url><loc>/undated</loc></url></urlset>`
	put("/index.html", 0, "text/html", "<a href=/undated>one")
	put("/undated.html", 0, "text/html", "undated")
	put("/sitemap.xml", 0, "application/xml", fmt.Sprintf(sitemap, "2024-05-06T01:00:00Z"))
	put("/index.html", 3, "text/html", "<a href=/undated>two")
	put("/sitemap.xml", 3, "application/xml", fmt.Sprintf(sitemap, "2024-05-09T01:00:00Z"))
	moved := Align(web, history.WorldEpoch)
	pages, _ := keepFresh(t, moved, 8, 10, sitegraph.ChangeByBytes)
	front, _ := pages.Graph.Lookup("http://h.example/")
	if h, ok := pages.Hints.Of(front); !ok ||
		!h.Claimed.Equal(history.WorldEpoch.Add(3*planner.Day)) {
		t.Errorf("%+v, %v", h, ok)
	}
	for _, s := range pages.Hints.Sources() {
		if s.True != 1 || s.False != 0 || s.Missed != 0 {
			t.Errorf("%+v; want the one change claimed", s)
		}
	}
}
