package fetch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestWatchedAnswers checks that a watched page is read as text whatever its type. A feed is read
// as a page if a rule names it, and otherwise as a source. A challenge is no answer of the page.
func TestWatchedAnswers(t *testing.T) {
	const feed = `<rss><channel><item><title>One</title><link>/p</link></item></channel></rss>`
	const challenge = "<title>Just a moment...</title>"
	w := newWeb(t, "h.example", "127.0.0.1")
	r, err := extract.NewRule(extract.RuleSpec{})
	if err != nil {
		t.Fatal(err)
	}
	c := w.client(func(o *Options) {
		o.Watch = func(string) []*extract.Rule { return []*extract.Rule{r} }
		o.Named = func(url string) bool { return !strings.Contains(url, "below") }
	})
	for i, x := range []struct {
		status     int
		kind, body string
		outcome    sitegraph.Outcome
		text       string
	}{
		{200, "application/rss+xml", feed, sitegraph.OutcomeFetched, "title: One\nlink: /p"},
		{200, "application/x-ndjson", "{}\n{}", sitegraph.OutcomeFetched, "{}\n{}"},
		{200, "text/calendar", "SUMMARY:x", sitegraph.OutcomeFetched, "SUMMARY:x"},
		{200, "application/octet-stream", "v 1", sitegraph.OutcomeFetched, "v 1"},
		{200, "application/pdf", "%PDF-1.4", sitegraph.OutcomeFetched, "A file of which the text " +
			"cannot be read; its bytes have the MD5 914240125319291c7cb7e712e419b254."},
		{200, "image/png", "text", sitegraph.OutcomeExcluded, ""},
		{403, "text/html", "no", sitegraph.OutcomeExcluded, ""},
		{403, "text/html", challenge, sitegraph.OutcomeFailed, "challenge"},
		{503, "text/html", challenge, sitegraph.OutcomeFailed, "challenge"},
		{404, "text/html", challenge, sitegraph.OutcomeGone, ""},
	} {
		path := fmt.Sprintf("named%d", i)
		w.handle("h.example/"+path, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", x.kind)
			rw.WriteHeader(x.status)
			fmt.Fprint(rw, x.body)
		})
		o := w.get(c, home+path)
		got := ""
		switch {
		case o.Watched == nil:
		case o.Watched.Challenge:
			got = "challenge"
		default:
			got = o.Watched.Texts[0]
		}
		if o.Outcome != x.outcome || got != x.text {
			t.Errorf("%d %s %.20q: %v %q %s, want %v %q", x.status, x.kind, x.body, o.Outcome, got,
				o.Detail, x.outcome, x.text)
		}
		if x.body == feed && (len(o.Sources) > 0 || !slices.Equal(o.Links, []string{home + "p"})) {
			t.Errorf("the feed is a source %v, with links %v", o.Sources, o.Links)
		}
	}
	w.handle("h.example/below", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprint(rw, feed)
	})
	o := w.get(c, home+"below")
	if o.Outcome != sitegraph.OutcomeExcluded ||
		!slices.Equal(o.Sources, []string{home + "below"}) {
		t.Errorf("a feed below a prefix: %v, sources %v", o.Outcome, o.Sources)
	}
	w.page("h.example/page", `<link rel=alternate type="application/rss+xml" href="/named0">`)
	if o := w.get(c, home+"page"); len(o.Sources) > 0 {
		t.Errorf("a page makes what is watched a source: %v", o.Sources)
	}
}
