// Package tracing tells a collector of OpenTelemetry what a run does and how long it takes: a span
// for each round, and for a share of the visits a span with one for the fetch and one for the store
// in it. Spans go out over HTTP (OTLP) beside the loop, which never waits for them: where the
// collector is slow or away they are lost.
//
// A nil Tracer is one that is off. Its methods do nothing and take no memory.
package tracing

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/sitegraph"
)

// Options of a tracer.
type Options struct {
	Address string  // of the collector, as http://127.0.0.1:4318; "": there is none
	Share   float64 // of the visits that are told of, 0 to 1
	Version string  // of the program
	Warn    func(error)
}

const (
	// mostPending bounds the visits that are under way or not durable yet and are told of.
	mostPending = 1 << 14
	sendWithin  = 10 * time.Second
	// warnEach is how far apart warnings of a collector are that is away.
	warnEach = time.Minute
)

// Tracer tells of rounds and visits. Fetch is called by many goroutines, the others by the loop.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	share    float64

	round  time.Time // when the last one ended, or the run began
	visits int       // of the round

	mu      sync.Mutex
	pending map[sitegraph.PageID]span
}

// span is a fetch.
type span struct{ began, ended time.Time }

// Check refuses an address that is none of a collector.
func Check(address string) error {
	u, err := url.Parse(address)
	if address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("%q is no address of a collector", address)
	}
	return nil
}

// Open returns a tracer that tells a collector; nil where none is named. The collector need not be
// there yet.
func Open(o Options) (*Tracer, error) {
	if o.Address == "" {
		return nil, nil
	}
	at := o.Address
	if u, err := url.Parse(at); err == nil && (u.Path == "" || u.Path == "/") {
		at = u.JoinPath("v1", "traces").String()
	}
	exporter, err := otlptracehttp.New(context.Background(), otlptracehttp.WithEndpointURL(at),
		otlptracehttp.WithTimeout(sendWithin),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}), // what comes later waits for nothing
		otlptracehttp.WithProxy(func(*http.Request) (*url.URL, error) { return nil, nil }))
	if err != nil {
		return nil, fmt.Errorf("traces to %s: %w", o.Address, err)
	}
	otel.SetErrorHandler(&seldom{warn: o.Warn, at: o.Address})
	t := &Tracer{share: o.Share, round: time.Now(), pending: map[sitegraph.PageID]span{}}
	t.provider = sdk.NewTracerProvider(sdk.WithBatcher(exporter),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "recrawl"),
			attribute.String("service.version", o.Version))))
	t.tracer = t.provider.Tracer("github.com/recrawl/recrawl")
	return t, nil
}

// seldom warns of what went wrong with spans.
type seldom struct {
	warn func(error)
	at   string

	mu   sync.Mutex
	last time.Time
}

func (s *seldom) Handle(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.last) >= warnEach {
		s.last = now
		s.warn(fmt.Errorf("traces to %s are lost: %w", s.at, err))
	}
}

func nothing(error) {}

// Fetch is called when the fetch of a page begins, and what it returns when that is over: with an
// error where no visit came of it.
func (t *Tracer) Fetch(page sitegraph.PageID) (over func(error)) {
	if t == nil || rand.Float64() >= t.share {
		return nothing
	}
	began := time.Now()
	return func(err error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if err == nil && len(t.pending) < mostPending {
			t.pending[page] = span{began, time.Now()}
		}
	}
}

// Acknowledged is called with visits that are durable.
func (t *Tracer) Acknowledged(events []cycle.Event) {
	if t == nil {
		return
	}
	now := time.Now()
	t.visits += len(events)
	for i := range events {
		e := &events[i]
		t.mu.Lock()
		s, ok := t.pending[e.Record.Page]
		delete(t.pending, e.Record.Page)
		t.mu.Unlock()
		if ok {
			t.visit(e, s, now)
		}
	}
}

// visit tells of one, from the beginning of its fetch to the commit.
func (t *Tracer) visit(e *cycle.Event, s span, now time.Time) {
	o := &e.Observation
	ctx, visit := t.tracer.Start(context.Background(), "visit", trace.WithTimestamp(s.began),
		trace.WithAttributes(
			attribute.String("url.full", e.Record.URL),
			attribute.String("server.address", sitegraph.ServerName(e.Record.URL)),
			attribute.Int("recrawl.round", e.Round.Number),
			attribute.String("recrawl.reason", e.Visit.Reason.String()),
			attribute.String("recrawl.verdict", e.Verdict.String()),
			attribute.String("recrawl.outcome", o.Outcome.String())))
	_, fetch := t.tracer.Start(ctx, "fetch", trace.WithTimestamp(s.began), trace.WithAttributes(
		attribute.Int("http.response.status_code", o.Status),
		attribute.Int64("http.response.body.size", o.Size)))
	if o.Outcome == sitegraph.OutcomeFailed {
		fetch.SetStatus(codes.Error, o.Detail)
	}
	fetch.End(trace.WithTimestamp(s.ended))
	_, store := t.tracer.Start(ctx, "store", trace.WithTimestamp(s.ended))
	store.End(trace.WithTimestamp(now))
	visit.End(trace.WithTimestamp(now))
}

// EndRound is called after each round, when its visits are durable.
func (t *Tracer) EndRound(r planner.Round) {
	if t == nil {
		return
	}
	_, round := t.tracer.Start(context.Background(), "round", trace.WithTimestamp(t.round),
		trace.WithAttributes(
			attribute.Int("recrawl.round", r.Number), attribute.Int("recrawl.visits", t.visits)))
	round.End()
	t.round, t.visits = time.Now(), 0
}

// Close sends what waits, for some seconds at most. Spans that are lost are no fault of the run.
func (t *Tracer) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendWithin)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
	return nil
}
