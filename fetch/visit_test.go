package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const home = "http://h.example/"

func TestVisitFetches(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/a", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("ETag", `"v1"`)
		rw.Header().Set("Last-Modified", "Tue, 14 Nov 2023 10:00:00 GMT")
		rw.Header().Set("X-Robots-Tag", "noindex")
		rw.Header().Add("Set-Cookie", "id=1")
		fmt.Fprint(rw, `<base href="/x/"><a href=b>b</a><frame src=c>`)
	})
	c := w.client(nil)
	o := w.get(c, home+"a")
	if o.Outcome != sitegraph.OutcomeFetched || o.Status != 200 || o.ETag != `"v1"` || !o.NoIndex ||
		o.Truncated {
		t.Errorf("%+v", o)
	}
	if want := []string{home + "x/b", home + "x/c"}; !slices.Equal(o.Links, want) ||
		!slices.Equal(o.Frames, want[1:]) || !o.LinksKnown || !o.FramesKnown {
		t.Errorf("links %v, frames %v", o.Links, o.Frames)
	}
	if o.Size != 45 || o.Digests.Bytes.IsZero() || o.LastModified.Unix() != 1699956000 {
		t.Errorf("size %d, last modified %v", o.Size, o.LastModified)
	}
	if o.NotBefore != o.Time.Add(10*time.Second) {
		t.Errorf("not before %v, %v after the visit", o.NotBefore, o.NotBefore.Sub(o.Time))
	}
	w.get(c, home+"a")
	for _, r := range w.requests {
		if r.header.Get("User-Agent") != testAgent ||
			r.header.Get("Cookie")+r.header.Get("Referer")+r.header.Get("Authorization") != "" {
			t.Errorf("request header %v", r.header)
		}
	}
	if got := w.paths(); !slices.Equal(got, []string{"/robots.txt", "/a", "/a"}) {
		t.Errorf("asked for %v", got)
	}
}

func TestConditionalVisit(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/", func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `W/"v1"` ||
			r.Header.Get("If-Modified-Since") == "Tue, 14 Nov 2023 10:00:00 GMT" {
			rw.WriteHeader(304)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
	})
	modified := time.Unix(1699956000, 0)
	for _, c := range []struct {
		name string
		rec  sitegraph.Record
		want sitegraph.Outcome
		sent string // header fields
	}{
		{"tag", sitegraph.Record{State: sitegraph.StateAlive, ETag: `W/"v1"`},
			sitegraph.OutcomeNotModified, "If-None-Match"},
		{"date", sitegraph.Record{State: sitegraph.StateAlive, LastModified: modified},
			sitegraph.OutcomeNotModified, "If-Modified-Since"},
		{"no copy", sitegraph.Record{State: sitegraph.StateGone, ETag: `W/"v1"`,
			LastModified: modified}, sitegraph.OutcomeFetched, ""},
		{"bad tag", sitegraph.Record{State: sitegraph.StateAlive, ETag: "\"v\r\nX: y\""},
			sitegraph.OutcomeFetched, ""},
		{"long tag", sitegraph.Record{State: sitegraph.StateAlive,
			ETag: `"` + strings.Repeat("x", 2000) + `"`}, sitegraph.OutcomeFetched, ""},
		{"each 16th in full", sitegraph.Record{State: sitegraph.StateAlive, ETag: `W/"v1"`,
			History: sitegraph.History{Visits: 15}}, sitegraph.OutcomeFetched, ""},
	} {
		c.rec.URL = home
		if o := w.visit(w.client(nil), c.rec); o.Outcome != c.want ||
			o.LinksKnown != (c.want == sitegraph.OutcomeFetched) {
			t.Errorf("%s: %v %q", c.name, o.Outcome, o.Detail)
		}
		last := w.requests[len(w.requests)-1]
		for _, field := range []string{"If-None-Match", "If-Modified-Since"} {
			if (last.header.Get(field) != "") != (field == c.sent) {
				t.Errorf("%s: %s is %q", c.name, field, last.header.Get(field))
			}
		}
	}
}

func TestOutcomes(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/page", func(rw http.ResponseWriter, r *http.Request) {
		var status int
		var kind string
		fmt.Sscan(r.URL.Query().Get("s"), &status)
		if kind = r.URL.Query().Get("t"); kind == "" {
			kind = "text/html"
		}
		rw.Header()["Content-Type"] = []string{kind}
		for _, l := range r.URL.Query()["l"] {
			rw.Header().Add("Location", l)
		}
		rw.WriteHeader(status)
	})
	c := w.client(func(o *Options) { o.Interval = NoInterval })
	for _, tt := range []struct {
		query  string
		want   sitegraph.Outcome
		detail string // or the target of a redirect
	}{
		{"s=200", sitegraph.OutcomeFetched, ""},
		{"s=203", sitegraph.OutcomeFetched, ""},
		{"s=200&t=application/xhtml%2Bxml", sitegraph.OutcomeFetched, ""},
		{"s=200&t=TEXT/HTML%3Bcharset", sitegraph.OutcomeFetched, ""},
		{"s=200&t=application/pdf", sitegraph.OutcomeExcluded, "not a page: application/pdf"},
		{"s=200&t=text/plain%3Bcharset=x", sitegraph.OutcomeExcluded, "not a page: text/plain"},
		{"s=202", sitegraph.OutcomeFailed, "status 202 Accepted"},
		{"s=204", sitegraph.OutcomeFailed, "status 204 No Content"},
		{"s=304", sitegraph.OutcomeFailed,
			"not modified, but the page was asked for without condition"},
		{"s=404", sitegraph.OutcomeGone, ""},
		{"s=410", sitegraph.OutcomeGone, ""},
		{"s=401", sitegraph.OutcomeExcluded, "status 401 Unauthorized"},
		{"s=403", sitegraph.OutcomeExcluded, "status 403 Forbidden"},
		{"s=451", sitegraph.OutcomeExcluded, "status 451 Unavailable For Legal Reasons"},
		{"s=408", sitegraph.OutcomeFailed, "status 408 Request Timeout"},
		{"s=429", sitegraph.OutcomeFailed, "status 429 Too Many Requests"},
		{"s=500", sitegraph.OutcomeFailed, "status 500 Internal Server Error"},
		{"s=599", sitegraph.OutcomeFailed, "status 599"},
		{"s=999", sitegraph.OutcomeFailed, "status 999"},
		{"s=301&l=/b%23x", sitegraph.OutcomeRedirected, home + "b"},
		{"s=302&l=b", sitegraph.OutcomeRedirected, home + "b"},
		{"s=303&l=//O.example", sitegraph.OutcomeRedirected, "http://o.example/"},
		{"s=307&l=https://h.example/", sitegraph.OutcomeRedirected, "https://h.example/"},
		{"s=308&l=http://10.0.0.1/", sitegraph.OutcomeRedirected, "http://10.0.0.1/"},
		{"s=300", sitegraph.OutcomeFailed, "status 300 Multiple Choices without one Location"},
		{"s=301", sitegraph.OutcomeFailed, "status 301 Moved Permanently without one Location"},
		{"s=301&l=/b&l=/b", sitegraph.OutcomeRedirected, home + "b"},
		{"s=301&l=/caf%E9+x%C3%A9", sitegraph.OutcomeRedirected, home + "caf%E9%20x%C3%A9"},
		{"s=301&l=/a&l=/b", sitegraph.OutcomeFailed,
			"status 301 Moved Permanently without one Location"},
		{"s=301&l=%23x", sitegraph.OutcomeFailed, "status 301 Moved Permanently to itself"},
		{"s=301&l=file:///etc/passwd", sitegraph.OutcomeFailed,
			"status 301 Moved Permanently to no web page: file:///etc/passwd"},
		{"s=301&l=javascript:x", sitegraph.OutcomeFailed,
			"status 301 Moved Permanently to no web page: javascript:x"},
		{"s=301&l=" + strings.Repeat("x", 3000), sitegraph.OutcomeFailed, ""},
		{"s=305&l=/b", sitegraph.OutcomeFailed, "status 305 Use Proxy"},
	} {
		o := w.get(c, home+"page?"+tt.query)
		got := o.Detail + o.RedirectTo
		if o.Outcome != tt.want || tt.detail != "" && got != tt.detail {
			t.Errorf("%.40s: %v %q, want %v %q", tt.query, o.Outcome, got, tt.want, tt.detail)
		}
	}
	for _, p := range w.paths() {
		if p != "/robots.txt" && !strings.HasPrefix(p, "/page") {
			t.Errorf("a redirect was followed to %s", p)
		}
	}
}

// TestTemporaryRedirects checks that a temporary redirect costs a page with a copy nothing at
// first, because a maintenance page must not empty a corpus. A permanent one is believed at once.
func TestTemporaryRedirects(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/page", func(rw http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscan(r.URL.Query().Get("s"), &status)
		rw.Header().Set("Location", "/maintenance")
		rw.WriteHeader(status)
	})
	c := w.client(func(o *Options) { o.Interval = NoInterval })
	for _, tt := range []struct {
		status int
		errors uint8
		want   sitegraph.Outcome
	}{
		{302, 0, sitegraph.OutcomeFailed}, {303, 1, sitegraph.OutcomeFailed},
		{307, 4, sitegraph.OutcomeFailed},
		{302, 5, sitegraph.OutcomeRedirected}, {301, 0, sitegraph.OutcomeRedirected},
		{308, 0, sitegraph.OutcomeRedirected},
	} {
		rec := sitegraph.Record{URL: fmt.Sprintf("%spage?s=%d", home, tt.status),
			State: sitegraph.StateAlive, Errors: tt.errors}
		o, err := c.Visit(t.Context(), rec)
		if err != nil || o.Outcome != tt.want {
			t.Errorf("status %d after %d failures: %v, %v; want %v",
				tt.status, tt.errors, o.Outcome, err, tt.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	value := ""
	w.handle("h.example/", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", value)
		rw.WriteHeader(503)
	})
	w.handle("h.example/robots.txt", http.NotFound)
	c := w.client(nil)
	for given, want := range map[string]time.Duration{
		"120": 120 * time.Second, "0": 10 * time.Second, "-5": 10 * time.Second,
		"1e9": 10 * time.Second, "soon": 10 * time.Second,
		"1000000000000": 24 * time.Hour, "99999999999999999999": 24 * time.Hour,
		"Fri, 31 Dec 1999 23:59:59 GMT": 10 * time.Second,
		"Fri, 31 Dec 2100 23:59:59 GMT": 24 * time.Hour, "": 10 * time.Second,
	} {
		value = given
		if o := w.get(c, home); o.NotBefore.Sub(o.Time) != want ||
			o.Outcome != sitegraph.OutcomeFailed {
			t.Errorf("Retry-After %q: %v, wait %v, want %v",
				given, o.Outcome, o.NotBefore.Sub(o.Time), want)
		}
	}
}

func TestVisitEndsWithContext(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	ctx, cancel := context.WithCancel(context.Background())
	w.handle("h.example/", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if _, err := w.client(nil).Visit(ctx, sitegraph.Record{URL: home}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestNetworkFailures(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.hosts["down.example"] = w.hosts["h.example"].Next()
	c := w.client(nil)
	for url, detail := range map[string]string{
		"http://none.example/": "robots.txt: look up none.example: no such host",
		"http://down.example/": "robots.txt: connection refused: 127.0.0.2:80",
	} {
		if o := w.get(c, url); o.Outcome != sitegraph.OutcomeFailed || o.Detail != detail {
			t.Errorf("%s: %v %q, want %q", url, o.Outcome, o.Detail, detail)
		}
	}
	for _, url := range []string{"", "x", "ftp://h.example/", "http:///x", "http://h.example:x/"} {
		if o, err := c.Visit(context.Background(), sitegraph.Record{URL: url}); err != nil ||
			o.Outcome != sitegraph.OutcomeExcluded {
			t.Errorf("%q: %v %v", url, o.Outcome, err)
		}
	}
}

// TestCanonicalAddress checks that a visit returns the canonical URL that a page names in an
// element or header.
func TestCanonicalAddress(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.mux.HandleFunc("h.example/element", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, `<link rel=canonical href="/a">`)
	})
	w.mux.HandleFunc("h.example/header", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		rw.Header().Set("Link", `</a>; rel="canonical"`)
	})
	c := w.client(nil)
	for _, page := range []string{"element", "header"} {
		if o := w.get(c, "http://h.example/"+page); o.Canonical != "http://h.example/a" {
			t.Errorf("%s: canonical %q", page, o.Canonical)
		}
	}
}

// TestNoArchive checks that a page which forbids archiving is fetched and digested as usual, and
// that the visit reports its wish. So does a visit to other content.
func TestNoArchive(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/page", func(rw http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		rw.Header().Set("Content-Type", cmp.Or(q.Get("type"), "text/html"))
		for _, line := range q["tag"] {
			rw.Header().Add("X-Robots-Tag", line)
		}
		fmt.Fprintf(rw, `<meta name="%s" content="%s"><p>text`,
			cmp.Or(q.Get("name"), "robots"), q.Get("meta"))
	})
	c := w.client(func(o *Options) { o.Interval = NoInterval })
	for query, want := range map[string]bool{
		"": false, "meta=index,follow": false, "meta=none": false,
		"meta=NoArchive": true, "meta=noindex,+noarchive": true,
		"name=recrawl-test&meta=noarchive": true, "name=otherbot&meta=noarchive": false,
		"tag=noarchive": true, "tag=noindex&tag=NOARCHIVE,+nofollow": true,
		"tag=recrawl-test:+noarchive": true, "tag=otherbot:+noarchive": false,
		"tag=unavailable_after:+1+Jan+2030+00:00:00+GMT": false,
		"tag=max-snippet:+5,+noarchive":                  true,
		"tag=noarchive&type=application/pdf":             true,
		"tag=noindex&type=application/pdf":               false,
		"meta=noarchive&type=application/pdf":            false,
	} {
		o := w.get(c, home+"page?"+query)
		if o.NoArchive != want {
			t.Errorf("%s: noarchive %v, want %v", query, o.NoArchive, want)
		}
		if o.Outcome == sitegraph.OutcomeFetched && o.Digests.Bytes.IsZero() {
			t.Errorf("%s: no digest", query)
		}
	}
}
