package feeds

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const at = "http://h.example/s.xml"

// say writes a listing in the form of the tests: kind, and a path with date and frequency for each
// claim.
func say(l Listing) string {
	words := []string{l.Kind.String()}
	for _, c := range l.Claims {
		word := strings.TrimPrefix(c.URL, "http://h.example")
		if !c.Modified.IsZero() {
			word += "@" + c.Modified.Format("2006-01-02T15:04")
		}
		if c.Every > 0 {
			word += fmt.Sprintf("/%.0fh", c.Every.Hours())
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a sitemap", `<?xml version="1.0"?><urlset><url><loc>http://h.example/a</loc><lastmod>2024-05-06</lastmod><changefreq>weekly</changefreq></url>
			<url><loc>/b</loc><lastmod>2024-05-06T07:08:09Z</lastmod></url></urlset>`, "sitemap /a@2024-05-07T00:00/168h /b@2024-05-06T07:08"},
		{"an index", `<sitemapindex><sitemap><loc>1.xml.gz</loc><lastmod>2024-05-06T07:08Z</lastmod></sitemap></sitemapindex>`, "index /1.xml.gz@2024-05-06T07:08"},
		{"each address once, none of others, not itself",
			`<urlset><url><loc>/a</loc></url><url><loc>/a#x</loc></url><url><loc>http://other.example/</loc></url><url><loc>/s.xml</loc></url></urlset>`, "sitemap /a"},
		{"images of a page are no pages",
			`<urlset><url><loc>/a</loc><image:image><image:loc>/i</image:loc></image:image><image:loc>/j</image:loc></url></urlset>`, "sitemap /a"},
		{"entries that are not closed", `<urlset><url><loc>/a</loc><url><loc>/b</loc></urlset>`,
			"sitemap /a /b"},
		{"ends without starts", `<urlset></url></x><url><loc>/a</loc></url></urlset>`,
			"sitemap /a"},
		{"what comes after the root",
			`<urlset><url><loc>/a</loc></url></urlset><urlset><url><loc>/b</loc></url></urlset>`,
			"sitemap /a"},
		{"RSS with the dates of all dialects", `<rss><channel><link>/</link><item><link>/a</link><pubDate>Mon, 06 May 2024 07:08:09 +0200</pubDate></item>
			<item><guid>http://h.example/b</guid><dc:date>2024-05-06T07:08:09Z</dc:date></item><item><guid isPermaLink="false">/c</guid></item>
			<item><atom:link rel="self" href="/d"/><link><![CDATA[/e]]></link><pubDate>x</pubDate></item></channel></rss>`,
			"feed /a@2024-05-06T05:08 /b@2024-05-06T07:08 /e"},
		{"RDF", `<rdf:RDF><channel rdf:about="/"><link>/</link></channel><item rdf:about="/a"><link>/a</link></item></rdf:RDF>`, "feed /a"},
		{"Atom: later of two dates, alternate links only, bases", `<feed xml:base="/x/"><link href="/"/><entry xml:base="y/"><link rel="edit" href="/no"/><link href="1"/>
			<published>2024-05-06T07:08:09Z</published><updated>2024-05-07T07:08:09Z</updated><source><link href="/no"/><updated>2025-01-01T00:00:01Z</updated></source></entry></feed>`,
			"feed /x/y/1@2024-05-07T07:08"},
		{"an address in a title is no link",
			`<feed><entry><title>/no<link/></title><link href="/a"/></entry></feed>`, "feed /a"},
		{"text with columns, comments and CR alone", "# list\rhttp://h.example/a\tx=1\r\n" +
			"http://h.example/b c\rh.example/d\r<http://h.example/e>\rhttp://h.example/f,g\r" +
			"http://h.example/h # note\r", "sitemap /a /e /f,g /h"},
		{"text", "\ufeffhttp://h.example/a\r\n\r\nhttp://h.example/b#c\nnothing\n",
			"sitemap /a /b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := Read([]byte(c.body), "", at)
			if err != nil || say(l) != c.want {
				t.Errorf("%s, %v; want %s", say(l), err, c.want)
			}
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			z.Write([]byte(c.body))
			z.Close()
			if l, err := Read(packed.Bytes(), "application/gzip", at); err != nil ||
				say(l) != c.want {
				t.Errorf("as gzip: %s, %v", say(l), err)
			}
		})
	}
}

// TestHubs checks the hubs and topics of feeds.
func TestHubs(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"Atom", `<feed><link rel="hub" href="https://Hub.example"/><link href="HTTP://h.example/feed" rel="self"/><link rel="alternate" href="/"/></feed>`, "HTTP://h.example/feed https://hub.example/"},
		{"RSS, relative", `<rss><channel><atom:link rel="hub" href="/hub"/><atom10:link rel="self" href="feed?a"/></channel></rss>`, "http://h.example/feed?a http://h.example/hub"},
		{"several, each once, four at most",
			`<feed><link rel="hub" href="//a/"/><link rel="hub" href="//a/"/><link rel="hub" href="//b/"/><link rel="hub" href="//c/"/><link rel="hub" href="//d/"/><link rel="hub" href="//e/"/></feed>`, " http://a/ http://b/ http://c/ http://d/"},
		{"both at once, the first self",
			`<feed><link rel="self hub" href="/x"/><link rel=self href=/y /></feed>`,
			"http://h.example/x http://h.example/x"},
		{"of entries and sources",
			`<feed><entry><link rel=hub href=/no /><source><link rel=hub href=/no /></source></entry></feed>`, ""},
		{"deep in something else", `<feed><a><b><c><link rel=hub href=/no /></c></b></a></feed>`,
			""},
		{"of a sitemap", `<urlset><link rel=hub href=/no /><url><loc>/a</loc></url></urlset>`, ""},
		{"other schemes", `<feed><link rel=hub href="javascript:x"/><link rel=hub href="ftp://h/"/><link rel=self href="mailto:x"/></feed>`, ""},
		{"too long", `<feed><link rel=hub href="/` + strings.Repeat("x", 5000) +
			`"/><link rel=self href="/` + strings.Repeat("x", 5000) + `"/></feed>`, ""},
		{"a topic that is no address as it stands",
			`<feed><link rel=self href="http://h.example/a b&#10;&#xe9;"/></feed>`,
			"http://h.example/a%20b%C3%A9"},
		{"a topic that stands alone in appearance", `<feed><link rel=self href="http:"/></feed>`,
			at},
		{"JSON", `{"hubs": [{"type": "rssCloud", "url": "/no"}, {"type": "WebSub", "url": "https://hub.example/"}, 5, {"url": 7}], "feed_url": "https://h.example/f.json", "version": "https://jsonfeed.org/version/1.1"}`, "https://h.example/f.json https://hub.example/"},
		{"JSON of another kind",
			`{"version": "https://jsonfeed.org/version/1.1", "hubs": {"a": 1}, "feed_url": ["x"]}`,
			""},
		{"no feed", `{"hubs": [{"type": "WebSub", "url": "https://hub.example/"}]}`, ""},
	} {
		l, _ := Read([]byte(c.body), "", at)
		if got := strings.TrimRight(l.Topic+" "+strings.Join(l.Hubs, " "), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReadInPart(t *testing.T) {
	entries := func(n int) string {
		var b strings.Builder
		b.WriteString("<urlset>")
		for i := range n {
			fmt.Fprintf(&b, "<url><loc>/%d</loc></url>", i)
		}
		return b.String() + "</urlset>"
	}
	for _, c := range []struct {
		name, body string
		claims     int
		want       error
	}{
		{"cut", "<urlset><url><loc>/a</loc></url><url><loc>/b</lo", 1, errCut},
		{"full", entries(MaxEntries), MaxEntries, nil},
		{"over full", entries(MaxEntries + 1), MaxEntries, errFull},
		{"deep", "<urlset><url><loc>/a</loc></url><url>" + strings.Repeat("<a>", 100_000), 1,
			errDeep},
		{"long", "<urlset><url><loc>/a</loc></url>" +
			strings.Repeat("<!-- "+strings.Repeat("x", 1<<20)+" -->", 51), 1, errLong},
		{"HTML", "<!doctype html><html><body>gone", 0, ErrNone},
		{"nothing", "", 0, ErrNone},
		{"prose", "Not found", 0, ErrNone},
		{"JSON", `{"items": [{"url": "/a"}]}`, 0, ErrNone},
		{"JSON of something else", `{"version": "1.1", "items": [{"url": "/a"}]}`, 0, ErrNone},
		{"a list", `["/a"]`, 0, ErrNone},
		{"JSON cut before it says what it is", `{"items": [{"url": "/a"}, {"url": "/b`, 0, ErrNone},
		{"cut JSON", `{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/a"}, {"url": "/b`, 1, errCut},
		{"JSON without end",
			`{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/a"}]`, 1, errCut},
		{"deep JSON", `{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/a"}], "x": ` + strings.Repeat("[", 100_000), 1, errJSON},
		{"broken JSON", `{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/a"}, {"url" "/b"}]}`, 1, errJSON},
		{"gzip that is none", "\x1f\x8b nothing", 0, ErrNone},
		{"an address too long for a line", "http://h.example/" + strings.Repeat("x", 2*maxValue), 0,
			ErrNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := Read([]byte(c.body), "", at)
			if !errors.Is(err, c.want) || len(l.Claims) != c.claims {
				t.Errorf("%d claims, %v; want %d, %v", len(l.Claims), err, c.claims, c.want)
			}
		})
	}
}

// FuzzRead checks that claims are canonical, unique and on the source's server, and that gzip
// changes nothing.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`<urlset><url><loc>/a</loc><lastmod>2024</lastmod></url></urlset>`,
		`<rss><item><guid>/b</guid><link>/a</link>`,
		`<feed><entry><link href="a"/><updated>2024-05-06T07:08:09Z</updated></entry></feed>`,
		"http://h.example/a\n", "\xff\xfe<\x00",
		`<?xml encoding="latin1"?><sitemapindex><sitemap><loc>` + "\xe9",
		`<rss><channel><atom:link rel="hub" href="//hub"/><atom:link rel="self" href="http://H/%zz"/></channel></rss>`,
		`{"hubs": [{"url": "//hub"}], "feed_url": "x", "version": "https://jsonfeed.org/version/1.1"}`,
		`{"items": [{"id": "/a", "url": "b", "date_modified": "2026-01-02T03:04:05Z"}], "version": "https://jsonfeed.org/version/1.1"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		l, err := Read(body, "", at)
		if (l.Kind == sitegraph.SourceUnknown) != errors.Is(err, ErrNone) ||
			errors.Is(err, ErrNone) && len(l.Claims) > 0 {
			t.Fatalf("%v with %d claims: %v", l.Kind, len(l.Claims), err)
		}
		for _, hub := range l.Hubs {
			if again, err := sitegraph.Canonical(hub); err != nil || again != hub ||
				len(hub) > sitegraph.MaxURLBytes {
				t.Fatalf("hub %q: %v", hub, err)
			}
		}
		if _, err := sitegraph.Canonical(l.Topic); l.Topic != "" && err != nil ||
			len(l.Hubs) > MaxHubs || l.Kind != sitegraph.SourceFeed &&
			len(l.Hubs)+len(l.Topic) > 0 {
			t.Fatalf("topic %q, hubs %q of a %v: %v", l.Topic, l.Hubs, l.Kind, err)
		}
		seen := map[string]bool{}
		for _, c := range l.Claims {
			if again, err := sitegraph.Canonical(c.URL); err != nil || again != c.URL ||
				sitegraph.ServerName(c.URL) != "h.example" || seen[c.URL] {
				t.Fatalf("claim about %q: %v", c.URL, err)
			}
			seen[c.URL] = true
			if c.Every < 0 || !c.Modified.IsZero() && c.Modified.Year() < 1970 {
				t.Fatalf("claim %+v", c)
			}
		}
		if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
			return
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(body)
		z.Close()
		if g, _ := Read(packed.Bytes(), "", at); g.Kind != l.Kind ||
			!slices.Equal(g.Claims, l.Claims) {
			t.Fatalf("as gzip %s, else %s", say(g), say(l))
		}
	})
}

// FuzzDate checks that a date is the same after writing it in either form.
func FuzzDate(f *testing.F) {
	for _, s := range []string{"2024-05-06", "Mon, 06 May 2024 07:08:09 GMT",
		"Sunday, 06-Nov-94 08:49:37 GMT", "2004-07-08 23:56:58 -00:20", "gmt", "+", "5:4",
		"May 1 +1500"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, ok := parseDate(s)
		if !ok {
			return
		}
		for _, layout := range []string{time.RFC3339, time.RFC1123Z, time.ANSIC, time.RFC1123} {
			if again, ok := parseDate(d.Format(layout)); !ok || !again.Equal(d) {
				t.Fatalf("%q is %v, and %q is %v", s, d, d.Format(layout), again)
			}
		}
		if l := latest(d); l.Before(d) || l.After(d.Add(24*time.Hour)) {
			t.Fatalf("%v means at the latest %v", d, l)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var sitemap, feed strings.Builder
	sitemap.WriteString(
		`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for i := range MaxEntries {
		fmt.Fprintf(&sitemap,
			"<url>\n<loc>http://h.example/posts/%d/some-article.html</loc>\n<lastmod>2024-05-06T07:08:09+00:00</lastmod>\n<changefreq>weekly</changefreq></url>\n", i)
	}
	feed.WriteString(`<rss version="2.0"><channel>`)
	for i := range 20 {
		fmt.Fprintf(
			&feed, "<item><title>An article</title><link>http://h.example/%d</link><pubDate>Mon, "+
				"06 May 2024 07:08:09 GMT</pubDate><description>%s</description></item>",
			i, strings.Repeat("&lt;p&gt;All of its text. ", 400))
	}
	for name, body := range map[string]string{"sitemap/entries=50000": sitemap.String() +
		"</urlset>", "feed/entries=20": feed.String() + "</channel></rss>"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read([]byte(body), "", at); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestManyBases checks that each base is resolved once, and that different ones are limited: a feed
// of 151 KB took six seconds.
func TestManyBases(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<feed xmlns="http://www.w3.org/2005/Atom">`)
	for i := range 3000 {
		fmt.Fprintf(&b, `<entry xml:base="/%d/"><link href="x"/></entry>`, i)
	}
	b.WriteString(`</feed>`)
	listing, err := Read([]byte(b.String()), "application/atom+xml", "http://h.example/feed")
	if err != nil || len(listing.Claims) < maxBases {
		t.Errorf("%d claims, %v", len(listing.Claims), err)
	}
	r, _ := newReader("http://h.example/feed")
	s := scanner{reader: r}
	first := s.rebase(r.resolver, "/a/")
	if again := s.rebase(r.resolver, "/a/"); again != first {
		t.Error("an equal base is resolved twice")
	}
	for i := range 2 * maxBases {
		s.rebase(r.resolver, fmt.Sprint("/", i, "/"))
	}
	if len(s.bases) != maxBases {
		t.Errorf("%d bases were resolved", len(s.bases))
	}
}

// TestJSONFeed checks dates, relative URLs, ids that are URLs, invalid items, and other servers.
func TestJSONFeed(t *testing.T) {
	body := `{"title": "News", "items": [
		{"id": 1, "url": "/one", "date_published": "2026-01-02T03:04:05Z", "date_modified": "2026-02-02T03:04:05+01:00", "content_html": "<p>"},
		{"id": "http://h.example/two", "content_text": "x"},
		{"id": "three", "url": "http://other.example/three"}, "none", {"url": 4}, {"id": "five"},
		{"url": "/one"}], "version": "https://jsonfeed.org/version/1.1"}`
	l, err := Read([]byte(body), "application/feed+json", "http://h.example/feed.json")
	if err != nil || l.Kind != sitegraph.SourceFeed || len(l.Claims) != 2 {
		t.Fatalf("%+v, %v", l, err)
	}
	if one, two := l.Claims[0], l.Claims[1]; one.URL != "http://h.example/one" ||
		!one.Modified.Equal(time.Date(2026, 2, 2, 2, 4, 5, 0, time.UTC)) ||
		two.URL != "http://h.example/two" || !two.Modified.IsZero() {
		t.Errorf("claims %+v", l.Claims)
	}
}
