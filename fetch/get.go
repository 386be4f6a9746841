package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
)

// Get asks politely for a small file and returns its bytes, up to the number most. It obeys
// robots.txt, waits for the turn of server and address, and follows no redirect. The error says why
// there is no file.
func (c *Client) Get(ctx context.Context, address string, most int64) ([]byte, error) {
	p, err := c.Part(ctx, address, nil, most)
	switch {
	case err != nil:
		return nil, err
	case p.Status != 200:
		return nil, fmt.Errorf("the server answered with status %d", p.Status)
	}
	return p.Body, nil
}

// Part is the answer to a request for something other than a page.
type Part struct {
	Status    int
	Header    http.Header
	Body      []byte // content coding undone; empty for a status outside 200 to 299
	Ended     time.Time
	NoArchive bool // X-Robots-Tag forbids to keep a copy
	// NotBefore is when the server may be asked again: after its pause, or Retry-After up to a day.
	NotBefore time.Time
	Busy      bool // the server is overloaded: status 429 or 503
}

// ErrForbidden is wrapped if robots.txt or the guard forbids a request.
var ErrForbidden = errors.New("may not be asked for")

// Part asks politely for something other than a page, with additional header fields, and reads at
// most most octets. It obeys robots.txt and the guard (ErrForbidden), waits for the turn of server
// and address, and follows no redirect. The error is that of ctx, a LocalError, or says why there
// is no answer.
func (c *Client) Part(ctx context.Context, address string, header http.Header, most int64) (
	*Part, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an address of a web page", address)
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	ctx, over := c.gate.waiting(ctx)
	defer over()
	for {
		p, err := c.part(ctx, u, header, most)
		var later *notYet
		if !errors.As(err, &later) || later.unreachable {
			return p, err
		}
		if err := later.wait(ctx, c.clock); err != nil {
			return nil, err
		}
	}
}

func (c *Client) part(ctx context.Context, u *url.URL, header http.Header, most int64) (
	*Part, error) {
	policy, err := c.robotsFor(ctx, u, 0)
	switch {
	case err != nil:
		return nil, err
	case policy.refused != nil:
		return nil, fmt.Errorf("%w: %s", ErrForbidden, failure(policy.refused))
	case policy.unreachable != "":
		return nil, fmt.Errorf("robots.txt: %s", policy.unreachable)
	case !policy.rules.Allowed(u.RequestURI()):
		return nil, fmt.Errorf("%w: robots.txt forbids it", ErrForbidden)
	}
	delay, _ := policy.rules.Delay()
	if header = header.Clone(); header == nil {
		header = http.Header{}
	}
	a, err := c.exchange(ctx, u, header, 0, delay, most)
	wireOf(ctx).hold(a)
	defer a.release()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case a != nil && isRefused(err):
		return nil, fmt.Errorf("%w: %s", ErrForbidden, failure(err))
	case err != nil:
		return nil, err
	}
	p := &Part{Status: a.status, Header: a.header, Ended: a.ended,
		Body:      append([]byte(nil), a.body.octets...),
		NoArchive: extract.NoArchive(c.agent, a.header.Values("X-Robots-Tag")),
		Busy:      a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable,
		NotBefore: a.ended.Add(max(delay, c.PauseOf(u.Host)))}
	if at, ok := retryAfter(a.header, a.ended); ok && at.After(p.NotBefore) {
		p.NotBefore = at
		c.gate.Postpone(u.Host, at)
	}
	return p, nil
}

// Shown lists the requisites in the part of a page that one visit has read.
type Shown struct{ Requisites []string }

// shownKey is the context key of a Shown.
type shownKey struct{}

// Showing returns a context, and the Shown that a visit with it fills.
func Showing(ctx context.Context) (context.Context, *Shown) {
	s := new(Shown)
	return context.WithValue(ctx, shownKey{}, s), s
}

// shownOf returns the Shown of a context, or nil.
func shownOf(ctx context.Context) *Shown {
	s, _ := ctx.Value(shownKey{}).(*Shown)
	return s
}
