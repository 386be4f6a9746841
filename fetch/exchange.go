package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/extract"
)

// answer is the result of one request. The body is read and the connection closed.
type answer struct {
	status int
	header http.Header
	body   body
	addr   netip.Addr // address that was asked
	began  time.Time  // when the server's turn had come
	ended  time.Time
	local  error    // a fault of this machine, because of which the body could not be read
	tap    *tap     // the recorded octets; nil: no Wire listens
	secret []string // names of the secret fields in the request
}

// exchange makes one request. It resolves and guards the address. If the turn of server and address
// has come, it asks, reads and leaves. The pause of the server afterwards is delay, or that of its
// settings or the interval if longer. The error is notYet, a LocalError or a site's (see failure),
// or that of ctx. A refusal of the guard is notYet or a LocalError (see guarded).
func (c *Client) exchange(
	ctx context.Context,
	u *url.URL,
	header http.Header,
	try int,
	delay time.Duration,
	limit int64,
) (*answer, error) {
	request := &http.Request{Method: http.MethodGet, URL: u, Header: header}
	return c.send(ctx, request, try, delay, limit)
}

// send is exchange for a request that has method, URL, header and body.
func (c *Client) send(ctx context.Context, r *http.Request, try int, delay time.Duration,
	limit int64) (*answer, error) {
	u := r.URL
	to, err := c.resolve(u, try, c.known(ctx))
	if errors.Is(err, errNoNameServer) && c.names.servesKnown() {
		now := c.clock.Now()
		c.nameless.add(err, "Servers whose names are known are visited; others wait, and no page "+
			"is blamed", now, c.o.Warn)
		return nil, &notYet{until: now.Add(deadAgain)}
	}
	if err != nil {
		return nil, err
	}
	at := to.Addr()
	if c.o.Hosts.Of(u.Host).Proxy() != nil {
		at = netip.Addr{} // servers behind one proxy share no address
	}
	waits, _ := ctx.Value(waiterKey{}).(*waiter)
	if until := c.afterBefore(max(delay, c.PauseOf(u.Host))); until.After(c.clock.Now()) {
		return nil, &notYet{until: until}
	}
	pass, later := c.gate.tryEnter(u.Host, at, waits)
	if later != nil {
		return nil, later
	}
	if c.o.Asking != nil {
		if err := c.o.Asking(); err != nil {
			pass.Leave(c.clock.Now(), c.clock.Now())
			return nil, &LocalError{Err: err}
		}
	}
	a := &answer{addr: to.Addr(), began: c.clock.Now()}
	ctx, a.tap = c.listening(ctx)
	err = c.ask(ctx, r, to, limit, a)
	a.ended = c.clock.Now()
	if a.tap != nil {
		wireOf(ctx).record(u, a)
	}
	if refusal := (*GuardRefusal)(nil); errors.As(err, &refusal) {
		server, address, err := c.guarded(refusal, a.ended)
		pass.Leave(server, address)
		return a, err
	}
	if local := localFault(err); local != nil { // no request was sent
		pass.Leave(a.ended, a.ended)
		return nil, local
	}
	pause := c.PauseOf(u.Host)
	pass.Leave(a.ended.Add(max(delay, pause)), a.ended.Add(min(pause, c.o.Interval)))
	return a, err
}

// ask sends the request and reads the answer into a. It is one round trip: it follows no redirect,
// keeps no cookie, and sends neither a referrer nor a field of another server's settings.
func (c *Client) ask(
	ctx context.Context,
	r *http.Request,
	to netip.AddrPort,
	limit int64,
	a *answer,
) error {
	u, header := r.URL, r.Header
	proxy := c.proxyFor(u)
	settings := c.o.Hosts.Of(u.Host)
	call := &call{to: to, proxy: proxy, via: settings.Proxy(), url: u,
		most: mostOnWire(limit, c.o.MaxHeader)}
	if c.takesFiles(u) {
		call.most = max(call.most, mostOnWire(c.o.MaxSource, c.o.MaxHeader))
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, callKey{}, call), c.o.Timeout)
	defer cancel()
	if proxy != nil && u.Scheme == "http" {
		header.Set("Proxy-Authorization", c.nonceField())
	}
	header.Set("User-Agent", c.o.UserAgent)
	header.Set("Accept-Encoding", c.codings)
	a.secret = settings.AddTo(header, u.Scheme)
	if proxy != nil || call.via != nil {
		a.secret = append(a.secret, "Proxy-Authorization")
	}
	request := r.WithContext(ctx)
	request.Host, request.Proto, request.ProtoMajor, request.ProtoMinor = u.Host, "HTTP/1.1", 1, 1
	trip := c.transport.RoundTrip
	if c.talks(u) {
		trip = c.talk
	}
	response, err := trip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if proxy != nil && u.Scheme == "http" {
		if refusal := c.guardRefusal(response); refusal != nil {
			return refusal
		}
	}
	a.status, a.header = response.StatusCode, response.Header
	if types := a.header.Values("Content-Type"); len(types) > 1 {
		a.header.Set("Content-Type", strings.Join(types, ", ")) // the last one counts
	}
	contentType := a.header.Get("Content-Type")
	if extract.FormOf(contentType, "", nil).IsFile() && c.takesFiles(u) {
		limit = max(limit, c.o.MaxSource) // a part of a file cannot be read
	}
	if a.tap != nil {
		defer a.tap.finish(response, limit)
	}
	wanted := wantsBody(response)
	if !wanted && !(mayChallenge(response.StatusCode) && c.isWatched(u.String())) {
		return nil
	}
	large := c.largePages
	if limit > c.o.MaxBody {
		large = c.largeSources
	}
	if err := a.body.read(ctx, response, limit, large); wanted {
		return err
	}
	return nil
}

// takesFiles reports whether a PDF or office file may be a page at this URL.
func (c *Client) takesFiles(u *url.URL) bool {
	forms := c.o.Documents
	return forms.Has(extract.FormPDF) || forms.Has(extract.FormOffice) || c.isWatched(u.String())
}

// wantsBody reports whether the body of an answer is worth its transfer.
func wantsBody(r *http.Response) bool { return r.StatusCode >= 200 && r.StatusCode < 300 }

// failure describes a failed request for people, without the operation and address that package net
// adds.
func failure(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "took too long"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the connection ended in the middle"
	}
	return printable(err.Error())
}

// origin returns the scheme and authority of a URL (RFC 6454). robots.txt holds for an origin, for
// example.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// printable returns text of a server as one line without control characters.
func printable(text string) string {
	const shown = 200
	if len(text) > shown {
		text = text[:shown]
	}
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		if c := text[i]; c >= ' ' && c <= '~' {
			out = append(out, c)
		} else {
			out = append(out, '?')
		}
	}
	return string(out)
}
