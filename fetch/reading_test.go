package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestReadSurvives checks that a parser's panic costs one page: the visit of a page, a source or
// unknown XML is a failure with that text.
func TestReadSurvives(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	for path, kind := range map[string]string{"page": "text/html", "feed": "text/xml"} {
		w.mux.HandleFunc("h.example/"+path, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", kind)
			rw.Header().Set("ETag", `"x"`)
			fmt.Fprint(rw, "<rss>")
		})
	}
	c := w.client(func(o *Options) {
		o.Read = func(_ context.Context, r Reading) (Content, error) {
			return surviving(func(r Reading) Content { return Content{None: r.Body[1000] == 'x'} },
				r)
		}
	})
	for _, rec := range []sitegraph.Record{
		{URL: "http://h.example/page"},
		{URL: "http://h.example/feed", State: sitegraph.StateSource},
	} {
		o := w.visit(c, rec)
		if o.Outcome != sitegraph.OutcomeFailed ||
			o.Detail != "reading it failed: runtime error: index out of range [1000] with length 5" || o.ETag != "" {
			t.Errorf("%s: %v %q, ETag %q", rec.URL, o.Outcome, o.Detail, o.ETag)
		}
	}
	if o := w.get(c, "http://h.example/feed"); o.Outcome != sitegraph.OutcomeExcluded ||
		len(o.Sources) != 1 {
		t.Errorf("XML that is no page: %v, sources %v", o.Outcome, o.Sources)
	}
}

// TestReadGivenUp checks that a visit has no outcome if its context ends while it is read.
func TestReadGivenUp(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.mux.HandleFunc("h.example/", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, "<html>")
	})
	ctx, cancel := context.WithCancel(t.Context())
	c := w.client(func(o *Options) {
		o.Read = func(ctx context.Context, _ Reading) (Content, error) {
			cancel()
			return Content{}, ctx.Err()
		}
	})
	if _, err := c.Visit(ctx, sitegraph.Record{URL: home}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestReadingTakesTurns checks that at most one body a processor is parsed at a time, and that a
// visit has no outcome if it ends while it waits.
func TestReadingTakesTurns(t *testing.T) {
	for range cap(reading) {
		reading <- struct{}{}
	}
	r := Reading{URL: home, ContentType: "text/html", Body: []byte("<title>t</title><a href=/x>")}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ended, r); !errors.Is(err, context.Canceled) {
		t.Errorf("no processor is free and the visit ends: error %v", err)
	}
	for range cap(reading) {
		<-reading
	}
	if _, err := Read(t.Context(), r); err != nil {
		t.Error(err)
	}
}
