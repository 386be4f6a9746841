package guard

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// forward makes one request in absolute form and passes on its answer.
func (g *Guard) forward(w http.ResponseWriter, r *http.Request) {
	if r.URL.User != nil || passedHere(r.Header) {
		deny(w, http.StatusLoopDetected, "proxy_loop_detected", "", nonceOf(r),
			"the request has passed this guard before, or names a user")
		return
	}
	p, to := g.admit(w, r, r.URL.Hostname(), cmp.Or(r.URL.Port(), "80"))
	if p == nil {
		return
	}
	defer func() { p.leave(g.now()) }()
	if g.isOwn(to) {
		deny(w, http.StatusLoopDetected, "proxy_loop_detected", "", nonceOf(r),
			"that is the guard itself")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.o.Longest)
	defer cancel()
	conn, err := g.connect(ctx, p, to)
	if err != nil {
		g.fail(w, r, p, err)
		return
	}
	defer conn.Close()
	request := &http.Request{
		Method: r.Method, Host: r.URL.Host,
		URL: &url.URL{Scheme: "http", Host: r.URL.Host, Path: r.URL.Path,
			RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery},
		Header: endToEnd(r.Header), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if _, ok := request.Header["User-Agent"]; !ok {
		request.Header["User-Agent"] = []string{""} // prevents a default
	}
	request.Header.Add("Via", "1.1 "+Name)
	if r.Body != nil && r.Body != http.NoBody {
		request.Body, request.ContentLength = http.MaxBytesReader(w, r.Body, mostRequestBody),
			r.ContentLength
	}
	response, err := g.transport.RoundTrip(request.WithContext(context.WithValue(ctx, upstreamKey{},
		conn)))
	if err != nil {
		g.fail(w, r, p, err)
		return
	}
	defer response.Body.Close()
	g.answer(w, r, response, p)
}

// answer passes on the answer of a server. The request ends with the last byte of the server,
// before the client has it.
func (g *Guard) answer(w http.ResponseWriter, r *http.Request, response *http.Response, p *pass) {
	status, h := response.StatusCode, w.Header()
	for name, values := range endToEnd(response.Header) {
		h[name] = values
	}
	h.Del("Proxy-Status") // only the guard may set it
	h.Add("Via", "1.1 "+Name)
	if _, ok := h["Date"]; !ok {
		h["Date"] = nil // prevents a default
	}
	if status == http.StatusProxyAuthRequired { // a server may not answer this (RFC 9110 15.5.8)
		status = http.StatusBadGateway
	}
	buffer := g.buffers.Get().(*[32 << 10]byte)
	defer g.buffers.Put(buffer)
	started := false
	for {
		n, err := response.Body.Read(buffer[:])
		if err == io.EOF {
			p.leave(g.now())
		}
		if err != nil && err != io.EOF && !started && n == 0 {
			for name := range h {
				delete(h, name)
			}
			g.fail(w, r, p, err)
			return
		}
		if !started {
			started = true
			w.WriteHeader(status)
		}
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return // the client left
			}
		}
		switch {
		case err == io.EOF:
			return
		case err != nil:
			g.cutShort(r, p)
			panic(http.ErrAbortHandler) // so that the client notices the missing part
		}
		http.NewResponseController(w).Flush()
	}
}

// cutShort reports a limit that cut an answer or a tunnel, and counts other ends.
func (g *Guard) cutShort(r *http.Request, p *pass) {
	if refusal := p.exceeded(); refusal != nil {
		g.cut.Add(1)
		g.teller.note(refusal, r.RemoteAddr)
	} else {
		g.failed.Add(1)
	}
}

// fail answers a request without an answer of the server (RFC 9209 2.3).
func (g *Guard) fail(w http.ResponseWriter, r *http.Request, p *pass, err error) {
	if r.Context().Err() != nil {
		return // the client left
	}
	if refusal := p.exceeded(); refusal != nil {
		p.leave(g.now())
		g.cutShort(r, p)
		refusal.answer(w, nonceOf(r))
		return
	}
	g.failed.Add(1)
	status, kind := http.StatusBadGateway, "http_protocol_error"
	var timeout net.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		status, kind = http.StatusRequestEntityTooLarge, "http_request_error"
	case errors.Is(err, syscall.ECONNREFUSED):
		kind = "connection_refused"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		status, kind = http.StatusGatewayTimeout, "connection_timeout"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		kind = "connection_terminated"
	case isUnreachable(err):
		kind = "destination_ip_unroutable"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		status, kind = http.StatusServiceUnavailable, "proxy_internal_error"
	}
	deny(w, status, kind, "", nonceOf(r), p.host.name+" at "+p.addr.String()+": "+short(err))
}

func isUnreachable(err error) bool {
	return errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
}

// hopByHop are the fields of a single connection (RFC 9110 7.6.1).
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization",
	"Proxy-Authenticate",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect"}

// endToEnd returns the fields that are passed on.
func endToEnd(h http.Header) http.Header {
	out := h.Clone()
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			out.Del(textproto.TrimString(name))
		}
	}
	for _, name := range hopByHop {
		out.Del(name)
	}
	return out
}

// passedHere reports whether a request came through a guard (RFC 9110 7.6.3).
func passedHere(h http.Header) bool {
	for _, line := range h["Via"] {
		for part := range strings.SplitSeq(line, ",") {
			if fields := strings.Fields(part); len(fields) > 1 &&
				strings.EqualFold(fields[1], Name) {
				return true
			}
		}
	}
	return false
}
