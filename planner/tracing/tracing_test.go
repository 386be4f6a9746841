package tracing

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	pb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/sitegraph"
)

// listener is a collector on loopback.
type listener struct {
	*httptest.Server
	mu    sync.Mutex
	spans map[string]*pb.Span // by name
	all   int
	of    string
}

func listen(t *testing.T) *listener {
	l := &listener{spans: map[string]*pb.Span{}}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var told collector.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &told) != nil {
			t.Errorf("%s, error %v", r.URL.Path, err)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, of := range told.ResourceSpans {
			l.of = of.Resource.String()
			for _, scope := range of.ScopeSpans {
				for _, s := range scope.Spans {
					l.spans[s.Name] = s
					l.all++
				}
			}
		}
	}))
	t.Cleanup(l.Close)
	return l
}

func event(page sitegraph.PageID, outcome sitegraph.Outcome) cycle.Event {
	return cycle.Event{Round: planner.Round{Number: 7},
		Record: sitegraph.Record{Page: page, URL: "http://a.example/p"},
		Observation: sitegraph.Observation{Outcome: outcome, Status: 503, Size: 1234,
			Detail: "it is tired"}}
}

// A collector is told of a round, and of a visit with its fetch and its store in it, each with its
// own time.
func TestVisit(t *testing.T) {
	l := listen(t)
	tracer, err := Open(Options{Address: l.URL, Share: 1, Version: "9", Warn: func(err error) {
		t.Error(err)
	}})
	if err != nil {
		t.Fatal(err)
	}
	over := tracer.Fetch(3)
	time.Sleep(2 * time.Millisecond)
	over(nil)
	tracer.Fetch(4)(io.EOF) // no visit came of it
	time.Sleep(2 * time.Millisecond)
	tracer.Acknowledged([]cycle.Event{event(3, sitegraph.OutcomeFailed),
		event(4, sitegraph.OutcomeFetched)})
	tracer.EndRound(planner.Round{Number: 7})
	if err := tracer.Close(); err != nil {
		t.Fatal(err)
	}
	visit, fetch, store, round := l.spans["visit"], l.spans["fetch"], l.spans["store"],
		l.spans["round"]
	if l.all != 4 || visit == nil || fetch == nil || store == nil || round == nil {
		t.Fatalf("%d spans: %v", l.all, l.spans)
	}
	for _, s := range []*pb.Span{fetch, store} {
		if !slices.Equal(s.ParentSpanId, visit.SpanId) || !slices.Equal(s.TraceId, visit.TraceId) ||
			s.EndTimeUnixNano-s.StartTimeUnixNano < 2e6 {
			t.Errorf("%v is no part of %v", s, visit)
		}
	}
	if visit.StartTimeUnixNano != fetch.StartTimeUnixNano ||
		fetch.EndTimeUnixNano != store.StartTimeUnixNano ||
		store.EndTimeUnixNano != visit.EndTimeUnixNano {
		t.Errorf("visit %v, fetch %v, store %v", visit, fetch, store)
	}
	if fetch.Status.Code != pb.Status_STATUS_CODE_ERROR || fetch.Status.Message != "it is tired" {
		t.Errorf("status %v", fetch.Status)
	}
	for text, want := range map[string]string{visit.String(): "http://a.example/p",
		fetch.String(): "503", round.String(): "recrawl.visits", l.of: "recrawl"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s has no %s", text, want)
		}
	}
	if round.StartTimeUnixNano > visit.StartTimeUnixNano ||
		round.EndTimeUnixNano < visit.EndTimeUnixNano {
		t.Errorf("the round %v is not about its visit %v", round, visit)
	}
}

// A share of the visits is told of, and nothing where nobody listens; that takes no memory.
func TestShareAndOff(t *testing.T) {
	l := listen(t)
	tracer, err := Open(Options{Address: l.URL + "/", Share: 0.25, Warn: func(err error) {
		t.Error(err)
	}})
	if err != nil {
		t.Fatal(err)
	}
	const visits = 400
	for p := range sitegraph.PageID(visits) {
		tracer.Fetch(p)(nil)
		tracer.Acknowledged([]cycle.Event{event(p, sitegraph.OutcomeFetched)})
	}
	if err := tracer.Close(); err != nil {
		t.Fatal(err)
	}
	if told := l.all / 3; told < visits/8 || told > visits/2 || len(tracer.pending) > 0 {
		t.Errorf("told of %d visits of %d; %d are kept", told, visits, len(tracer.pending))
	}
	off, err := Open(Options{})
	if off != nil || err != nil {
		t.Fatal(off, err)
	}
	events := []cycle.Event{event(1, sitegraph.OutcomeFetched)}
	if n := testing.AllocsPerRun(100, func() {
		off.Fetch(1)(nil)
		off.Acknowledged(events)
		off.EndRound(planner.Round{})
	}); n > 0 {
		t.Errorf("%v allocations where nobody is told", n)
	}
	if err := off.Close(); err != nil {
		t.Error(err)
	}
	for address, good := range map[string]bool{"": true, "http://127.0.0.1:4318": true,
		"https://a.example/otlp/v1/traces": true, "127.0.0.1:4318": false, "http://": false,
		"ftp://a.example": false} {
		if err := Check(address); (err == nil) != good {
			t.Errorf("%q: error %v", address, err)
		}
	}
}

// Where the collector is away the run goes on and ends, and says so once.
func TestAway(t *testing.T) {
	l := listen(t)
	l.Close()
	warned := 0
	tracer, err := Open(Options{Address: l.URL, Share: 1, Warn: func(error) { warned++ }})
	if err != nil {
		t.Fatal(err)
	}
	tracer.EndRound(planner.Round{})
	if err := tracer.Close(); err != nil || warned != 1 {
		t.Errorf("error %v, warned %d times", err, warned)
	}
}

// BenchmarkVisit is what telling adds to a visit: where nobody is told, to one that is not of the
// share, and to one that is.
func BenchmarkVisit(b *testing.B) {
	for name, share := range map[string]float64{"off": -1, "share=0": 0, "share=1": 1} {
		b.Run(name, func(b *testing.B) {
			var tracer *Tracer
			if share >= 0 {
				var err error
				if tracer, err = Open(Options{Address: "http://127.0.0.1:1", Share: share,
					Warn: func(error) {}}); err != nil {
					b.Fatal(err)
				}
				defer tracer.Close()
			}
			events := []cycle.Event{event(1, sitegraph.OutcomeFetched)}
			b.ReportAllocs()
			for b.Loop() {
				tracer.Fetch(1)(nil)
				tracer.Acknowledged(events)
			}
		})
	}
}
