package fetch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/fetchtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestDocuments checks which answers are pages if documents count as pages, and that a document
// changes with its text alone.
func TestDocuments(t *testing.T) {
	const feed = `<rss><channel><title>F</title><item><link>/a.pdf</link></item></channel></rss>`
	pdf := func(text, made string) string {
		return string(fetchtest.Shows("/Info<</ModDate("+made+")>>", "BT /F 9 Tf ("+text+") Tj ET"))
	}
	docx := string(fetchtest.Zip(fetchtest.ZipPart{Name: "word/document.xml",
		Text: "<p><t>x</t></p>"}))
	w := newWeb(t, "h.example", "127.0.0.1")
	kind, body := "", ""
	w.handle("h.example/d", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", kind)
		fmt.Fprint(rw, body)
	})
	visit := func(kinds string, as, text string) *sitegraph.Observation {
		kind, body = as, text
		o := w.get(w.client(func(o *Options) {
			var err error
			if o.Documents, err = extract.ParseForms(strings.Fields(kinds)); err != nil {
				t.Fatal(err)
			}
		}), home+"d")
		return &o
	}
	for _, c := range []struct {
		kinds, kind, body string
		outcome           sitegraph.Outcome
	}{
		{"", fetchtest.PDFType, pdf("x", ""), sitegraph.OutcomeExcluded},
		{"text", fetchtest.PDFType, pdf("x", ""), sitegraph.OutcomeExcluded},
		{"pdf", fetchtest.PDFType, pdf("x", ""), sitegraph.OutcomeFetched},
		{"pdf", "application/octet-stream", pdf("x", ""), sitegraph.OutcomeFetched},
		{"pdf", fetchtest.PDFType, "no PDF", sitegraph.OutcomeFetched},
		{"pdf", "image/png", pdf("x", ""), sitegraph.OutcomeExcluded},
		{"office", fetchtest.DOCXType, docx, sitegraph.OutcomeFetched},
		{"office", "application/zip", docx, sitegraph.OutcomeFetched},
		{"office", "application/zip", "PK\x03\x04", sitegraph.OutcomeExcluded},
		{"text", "text/plain", "x", sitegraph.OutcomeFetched},
		{"text", "text/css", "x", sitegraph.OutcomeExcluded},
		{"text", "text/javascript", "x", sitegraph.OutcomeExcluded},
		{"json", "application/json", "{}", sitegraph.OutcomeFetched},
		{"text", "application/json", "{}", sitegraph.OutcomeExcluded},
		{"text", "application/rss+xml", feed, sitegraph.OutcomeExcluded},
		{"feed pdf", "application/rss+xml", feed, sitegraph.OutcomeFetched},
		{"feed", "application/xml", "<data/>", sitegraph.OutcomeExcluded},
		{"feed", "application/xml", "<urlset><url><loc>/x</loc></url></urlset>",
			sitegraph.OutcomeExcluded},
	} {
		o := visit(c.kinds, c.kind, c.body)
		if o.Outcome != c.outcome {
			t.Errorf("%q %s %.20q: %v %s, want %v", c.kinds, c.kind, c.body, o.Outcome, o.Detail,
				c.outcome)
		}
		isFeed := c.body == feed && o.Outcome == sitegraph.OutcomeFetched
		if isFeed && !slices.Equal(o.Links, []string{home + "a.pdf"}) {
			t.Errorf("links of a feed: %v", o.Links)
		}
	}
	one := visit("pdf", fetchtest.PDFType, pdf("x", "D:2025"))
	again := visit("pdf", fetchtest.PDFType, pdf("x", "D:2026"))
	other := visit("pdf", fetchtest.PDFType, pdf("y", "D:2026"))
	if one.Digests != again.Digests || one.Detail != "" {
		t.Errorf("the same text is another content: %+v, %+v", one, again)
	}
	if !one.Digests.Differ(other.Digests, sitegraph.ChangeByBytes) {
		t.Error("another text is the same content")
	}
	o := visit("pdf", fetchtest.PDFType, "no PDF")
	if !strings.Contains(o.Detail, "its bytes count") {
		t.Errorf("a file that cannot be read: %q", o.Detail)
	}
}

// TestLargeFile checks that a file may be larger than a page: no part of a file can be read by
// itself.
func TestLargeFile(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	body := fetchtest.Shows("", "(x) Tj", "("+strings.Repeat("x", defaultMaxBody)+")")
	for path, kind := range map[string]string{"pdf": fetchtest.PDFType, "text": "text/plain"} {
		w.handle("h.example/"+path, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", kind)
			rw.Write(body)
		})
	}
	c := w.client(func(o *Options) { o.Documents = extract.AllForms })
	if o := w.get(c, home+"pdf"); o.Truncated || o.Size != int64(len(body)) || o.Detail != "" {
		t.Errorf("of a PDF %d octets were taken, truncated %v, %s", o.Size, o.Truncated, o.Detail)
	}
	if o := w.get(c, home+"text"); !o.Truncated || o.Size != defaultMaxBody {
		t.Errorf("of a text %d octets were taken, truncated %v", o.Size, o.Truncated)
	}
}

// TestLinksToDocuments checks that links to documents are taken if documents are pages, and that
// feeds then are pages and not sources.
func TestLinksToDocuments(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.page("h.example/", `<a href=a.pdf><a href=b.css>`+
		`<link rel=alternate type="application/atom+xml" href="/feed.atom">`)
	for _, c := range []struct {
		kinds []string
		links []string
		feeds bool
	}{{nil, nil, true}, {[]string{"pdf"}, []string{home + "a.pdf"}, true},
		{[]string{"pdf", "feed"}, []string{home + "a.pdf", home + "feed.atom"}, false}} {
		o := w.get(w.client(func(o *Options) {
			var err error
			if o.Documents, err = extract.ParseForms(c.kinds); err != nil {
				t.Fatal(err)
			}
		}), home)
		if !slices.Equal(o.Links, c.links) ||
			slices.Contains(o.Sources, home+"feed.atom") != c.feeds {
			t.Errorf("%v: links %v, sources %v", c.kinds, o.Links, o.Sources)
		}
	}
}
