package fetch

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

func TestSourcesThatAVisitNames(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1", "bare.example", "127.0.0.2")
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, "User-agent: other\nDisallow: /\nSitemap: http://h.example/maps/a.xml # "+
			"ours\nSITEMAP: /b.xml\n"+
			"Sitemap: http://other.example/c.xml\nSitemap:\nSitemap: http://h.example/maps/a.xml\n")
	})
	w.page("h.example/", `<link rel="alternate" type="application/rss+xml" href="/feed"><link rel=alternate type="application/atom+xml; charset=utf-8" href="c.atom">
		<link rel=alternate hreflang=de href=/de><link rel=stylesheet type="application/rss+xml" href="/no">`)
	w.page("bare.example/", "")
	c := w.client(nil)
	if o, want := w.get(c, home), []string{home + "maps/a.xml", home + "b.xml", home + "feed",
		home + "c.atom"}; !slices.Equal(o.Sources, want) {
		t.Errorf("named %v, want %v", o.Sources, want)
	}
	if o, want := w.get(c, "http://bare.example/"),
		[]string{"http://bare.example/sitemap.xml"}; !slices.Equal(o.Sources, want) {
		t.Errorf("named %v, want %v", o.Sources, want)
	}
}

func TestVisitToASource(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/map.xml.gz", func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"v1"` {
			rw.WriteHeader(304)
			return
		}
		rw.Header().Set("ETag", `"v1"`)
		rw.Header().Set("Content-Type", "application/octet-stream")
		z := gzip.NewWriter(rw)
		fmt.Fprint(z, `<urlset><url><loc>/a</loc><lastmod>2023-11-01T10:00:00Z</lastmod><changefreq>daily</changefreq></url>
			<url><loc>/paper.pdf</loc></url><url><loc>http://other.example/</loc></url></urlset>`)
		z.Close()
	})
	w.handle("h.example/index.xml", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `<sitemapindex><sitemap><loc>/map.xml.gz</loc></sitemap>`)
	})
	w.handle("h.example/feed", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/xml")
		fmt.Fprint(rw, `<rss><channel><item><link>/a</link></item></channel></rss>`)
	})
	w.handle("h.example/moved", func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "/feed", http.StatusFound)
	})
	w.page("h.example/page", "<html>")
	c := w.client(nil)
	source := func(path string) sitegraph.Record {
		return sitegraph.Record{URL: home + path, State: sitegraph.StateSource}
	}

	rec := source("map.xml.gz")
	o := w.visit(c, rec)
	want := []sitegraph.Claim{{URL: home + "a",
		Modified: time.Date(2023, 11, 1, 10, 0, 0, 0, time.UTC), Every: 24 * time.Hour}}
	if o.Outcome != sitegraph.OutcomeFetched || o.Source != sitegraph.SourceSitemap ||
		!slices.Equal(o.Claims, want) || o.LinksKnown || o.Truncated {
		t.Errorf("%+v", o)
	}
	if v := rec.Apply(o, sitegraph.ChangeByBytes); v != sitegraph.VerdictFirst ||
		rec.State != sitegraph.StateSource {
		t.Errorf("%v, %v", v, rec.State)
	}
	w.clock.advance(time.Hour)
	if o := w.visit(c, rec); o.Outcome != sitegraph.OutcomeNotModified ||
		rec.Apply(o, sitegraph.ChangeByBytes) != sitegraph.VerdictUnchanged {
		t.Errorf("%+v", o)
	}
	// An index is cut here, and the observation says so. Its sitemaps are no pages.
	if o := w.visit(c, source("index.xml")); o.Source != sitegraph.SourceIndex ||
		len(o.Claims) != 1 || !o.Truncated || o.Detail == "" {
		t.Errorf("%+v", o)
	}
	if o := w.visit(c, source("moved")); o.Outcome != sitegraph.OutcomeRedirected ||
		o.RedirectTo != home+"feed" {
		t.Errorf("%+v", o)
	}
	rec = source("page")
	if o := w.visit(c, rec); o.Outcome != sitegraph.OutcomeExcluded ||
		rec.Apply(o, sitegraph.ChangeByBytes) != sitegraph.VerdictLeft ||
		rec.State != sitegraph.StateSource {
		t.Errorf("%+v, %v", o, rec.State)
	}
	// A feed that was visited as a page is returned as a source.
	if o := w.get(c, home+"feed"); o.Outcome != sitegraph.OutcomeExcluded ||
		!slices.Contains(o.Sources, home+"feed") {
		t.Errorf("%+v", o)
	}
	if o := w.get(c, home+"page"); slices.Contains(o.Sources, home+"page") {
		t.Errorf("%+v", o)
	}
}
