package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// BenchmarkVisit measures one visit over loopback, server included: connection, request, body,
// links, digests. "304" is a conditional visit that is answered without a body.
func BenchmarkVisit(b *testing.B) {
	var page strings.Builder
	for i := 0; page.Len() < 22_000; i++ {
		fmt.Fprintf(&page, "<p>Some words of text &amp; more, and a <a "+
			"href=\"/section-%d/page-%d.html\">link</a> "+strings.Repeat("of which there are few ",
			18)+"</p>\n", i%7, i)
	}
	body := []byte(page.String())
	coded := zipText(b, page.String())
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(rw, r)
		case r.Header.Get("If-None-Match") != "":
			rw.WriteHeader(304)
		default:
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			if r.URL.Path == "/gzip" {
				rw.Header().Set("Content-Encoding", "gzip")
				rw.Write(coded)
				return
			}
			rw.Write(body)
		}
	}))
	defer server.Close()
	for name, c := range map[string]struct {
		rec  sitegraph.Record
		main bool
		want sitegraph.Outcome
	}{
		"plain": {sitegraph.Record{URL: server.URL + "/"}, false, sitegraph.OutcomeFetched},
		"gzip":  {sitegraph.Record{URL: server.URL + "/gzip"}, false, sitegraph.OutcomeFetched},
		"main":  {sitegraph.Record{URL: server.URL + "/"}, true, sitegraph.OutcomeFetched},
		"304": {sitegraph.Record{URL: server.URL + "/", State: sitegraph.StateAlive, ETag: `"x"`},
			false, sitegraph.OutcomeNotModified},
	} {
		b.Run(name, func(b *testing.B) {
			client, err := New(Options{UserAgent: testAgent, AllowPrivate: true,
				Interval: NoInterval, Main: c.main})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				o, err := client.Visit(context.Background(), c.rec)
				if err != nil || o.Outcome != c.want {
					b.Fatalf("%v %q %v", o.Outcome, o.Detail, err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}
