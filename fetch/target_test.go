package fetch

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// FuzzRequestTarget checks that the requested URL is the canonical one, octet for octet, so that
// guard, robots.txt and request agree. A host with an octet that browsers accept and no name has is
// never asked.
func FuzzRequestTarget(f *testing.F) {
	for _, s := range []string{home, "http://h.example//a/../b;c?d=[e]|f&%zz#g",
		"http://h.example/%2f%7e'(ä)", "http://[::1]:81/?a?b", `http://a\@b/`, "http://}/",
		"http://a`{b}/c"} {
		f.Add(s)
	}
	client, err := New(Options{UserAgent: testAgent,
		Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
			f.Errorf("%s was dialled", addr)
			return nil, errors.New("no network here")
		}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		canonical, err := sitegraph.Canonical(raw)
		if err != nil {
			return
		}
		u, err := url.Parse(canonical)
		if err != nil {
			if !strings.ContainsAny(sitegraph.ServerName(canonical), "`{}") {
				t.Fatalf("%q cannot be asked for: %v", canonical, err)
			}
			o, err := client.Visit(t.Context(), sitegraph.Record{URL: canonical})
			if err != nil || o.Outcome != sitegraph.OutcomeExcluded ||
				o.Detail != "not an address of a web page" {
				t.Errorf("%q: %v %q, %v; want it excluded", canonical, o.Outcome, o.Detail, err)
			}
			return
		}
		if got := u.Scheme + "://" + u.Host + u.RequestURI(); got != canonical {
			t.Errorf("%q is asked for as %q", canonical, got)
		}
		if u.Host != sitegraph.ServerName(canonical) {
			t.Errorf("the server of %q is %q for one, %q for the other",
				canonical, u.Host, sitegraph.ServerName(canonical))
		}
	})
}

func TestTLSNeedsAKnownName(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	w := newWeb(t)
	o := w.get(w.client(func(o *Options) { o.Resolve, o.Dial = nil, nil }), server.URL+"/")
	if o.Outcome != sitegraph.OutcomeFailed || !strings.Contains(o.Detail, "certificate") {
		t.Errorf("%v %q", o.Outcome, o.Detail)
	}
}
