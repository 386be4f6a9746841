package core_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestShowRobots shows the line that decides about a URL, from a file and from a server, for people
// and as JSON.
func TestShowRobots(t *testing.T) {
	t.Parallel()
	const file = "User-agent: *\nDisallow: /no\n# all others\nAllow: /no/but\nUser-agent: " +
		"mybot\nDisallow: /mine\nCrawl-delay: 2\nSitemap: http://a.example/s.xml\nX\x1b[2J\n"
	server := serveAt(t, "127.4.12.1", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			t.Errorf("%s is asked for", r.URL)
		}
		fmt.Fprint(rw, file)
	})
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "robots.txt"), file)
	online := []string{"--user-agent", "mybot/1.0 (ops@example.org)", "--allow-private", "--delay",
		"1ms"}
	for _, c := range []struct {
		target  string
		args    []string
		group   string
		allowed bool
		line    int
	}{
		{"/mine?x", []string{"--file", "robots.txt", "--agent", "mybot"}, "mybot", false, 6},
		{"/no/x", []string{"--file", "robots.txt", "--agent", "MyBot/3"}, "mybot", true, 0},
		{"/no/x", []string{"--file", "robots.txt", "--agent", "Mozilla/5.0 (compatible; other/2; " +
			"+http://o.example/)"}, "*", false, 2},
		{"/no/but", []string{"--file", "robots.txt", "--agent", "*"}, "*", true, 4},
		{"/mine", online, "mybot", false, 6},
		{"/mine", append(online, "--agent", "other"), "*", true, 0},
	} {
		args := append([]string{"show", "robots", "http://" + server.at + c.target, "--json"},
			c.args...)
		got := decode[shownRobots](t, recrawlIn(t, dir, nil, args...).ok(t), true)
		if got.Group != c.group || got.Allowed != c.allowed || got.Line != c.line ||
			len(got.Lines) != 9 || len(got.Sitemaps) != 1 ||
			got.Delay != map[string]float64{"mybot": 2}[c.group] {
			t.Errorf("%s %v: %+v", c.target, c.args, got)
		}
	}
	out := recrawlIn(t, dir, nil, "show", "robots", "--file", "robots.txt", "--agent", "mybot",
		"http://"+server.at+"/mine").ok(t).stdout
	if !strings.Contains(out, "mybot may not visit") || !strings.Contains(out, "line 6 decides") ||
		strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
	if r := recrawlIn(t, dir, nil, "show", "robots", "robots.txt", "--agent",
		"x").ok(t); !strings.Contains(r.stdout, "no group names x") {
		t.Errorf("without an address: %s", r.stdout)
	}
	recrawlIn(t, dir, nil, "show", "robots", "robots.txt").refused(t, 2, "no name of a crawler")
	recrawlIn(t, dir, nil, "show", "robots", "--file", "robots.txt", "/mine", "--agent",
		"x").refused(t, 2, "not a whole web address")
}

func TestShowFeedAndURL(t *testing.T) {
	t.Parallel()
	const feed = `<rss><channel><link>http://a.example/</link><item><link>/1</link><pubDate>Wed, 31 Jan 2024 12:00:00 GMT</pubDate></item><item><link>http://b.example/</link></item><item><link>/2`
	server := serveAt(t, "127.4.12.2", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(rw, r)
			return
		}
		fmt.Fprint(rw, feed)
	})
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "feed.xml"), feed)
	for base, args := range map[string][]string{
		"http://a.example/": {"feed.xml", "--url", "http://a.example/"},
		"http://" + server.at + "/f.x": {"http://" + server.at + "/f.x", "--user-agent", contact,
			"--allow-private", "--delay", "1ms"},
	} {
		got := decode[shownListing](t,
			recrawlIn(t, dir, nil, append([]string{"show", "feed", "--json"}, args...)...).ok(t),
			true)
		if got.Kind != "feed" || len(got.Entries) != 1 ||
			!strings.HasPrefix(got.Entries[0].URL, "http://"+strings.Split(base, "/")[2]+"/1") ||
			got.Entries[0].Modified == nil || got.Entries[0].Modified.Unix() != 1706702400 ||
			got.Missing == "" {
			t.Errorf("%s: %+v", base, got)
		}
	}
	list := writeFile(t, filepath.Join(dir, "map.xml"),
		"<urlset><url><loc>http://a.example/x</loc><changefreq>daily</changefreq></url></urlset>")
	if out := recrawl(t, "show", "sitemap", list, "--url",
		"http://a.example/map.xml").ok(t).stdout; !strings.Contains(out,
		"a sitemap that names 1 page of its own server, 0 with a date") ||
		!strings.Contains(out, "1 day") {
		t.Errorf("%s", out)
	}
	recrawl(t, "show", "feed", writeFile(t, filepath.Join(dir, "page.html"), "<p>x")).refused(t, 1,
		"no feed and no sitemap")
	got := decode[shownAddress](t,
		recrawl(t, "show", "url", "HTTP://Example.ORG:80/a/../b%7e?utm_source=x#y", "--json").ok(t),
		true)
	if want := (shownAddress{Given: got.Given, Canonical: "http://example.org/b~?utm_source=x",
		Tidy: "http://example.org/b~", Server: "http://example.org",
		Robots: "http://example.org/robots.txt", Target: "/b~?utm_source=x",
		Key: "org,example)/b~?utm_source=x", Page: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := decode[shownAddress](t, recrawl(t, "show", "url", "http://a.example/x/x/x/x/",
		"--json").ok(t), true); got.Trap == "" {
		t.Errorf("%+v", got)
	}
	recrawl(t, "show", "url", "no address").refused(t, 2, "not a whole web address")
}
