package filter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/recrawl/recrawl/fetch/filter/program"
)

// service asks a web service of this machine: a page a request, a verdict an answer.
type service struct {
	url    string
	client http.Client
}

var errNotLoopback = errors.New("the service is not of this machine: want an address of " +
	"loopback, as http://127.0.0.1:9000/judge")

func newService(s *spec) (Filter, error) {
	timeout, err := s.timeout()
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" || u.User != nil {
		return nil, errors.New("url: want one as http://127.0.0.1:9000/judge")
	}
	if addr, err := netip.ParseAddr(u.Hostname()); u.Hostname() != "localhost" &&
		(err != nil || !addr.IsLoopback()) {
		return nil, fmt.Errorf("url: %w", errNotLoopback)
	}
	// What a name leads to is known when it is dialled.
	dialer := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		if addr, err := netip.ParseAddrPort(address); err != nil || !addr.Addr().IsLoopback() {
			return errNotLoopback
		}
		return nil
	}}
	return &service{url: s.URL, client: http.Client{
		Timeout: timeout,
		Transport: &http.Transport{ // no proxy: none of the environment either
			DialContext: dialer.DialContext, MaxResponseHeaderBytes: mostAnswer,
			MaxIdleConnsPerHost: program.MostProcesses, IdleConnTimeout: 30 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}, nil
}

// Judge asks the service.
func (s *service) Judge(ctx context.Context, p *Page) (v Verdict, err error) {
	line, err := json.Marshal(p)
	if err != nil {
		return v, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(line))
	if err != nil {
		return v, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return v, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err != nil {
		return v, err
	}
	if response.StatusCode != http.StatusOK {
		return v, fmt.Errorf("%s answers with status %d: %s",
			s.url, response.StatusCode, printable(strings.TrimSpace(string(answer))))
	}
	if v, err = parseVerdict(answer); err != nil {
		return v, fmt.Errorf("%s: %w", s.url, err)
	}
	return v, nil
}

// Close ends connections that are not in use.
func (s *service) Close() error {
	s.client.CloseIdleConnections()
	return nil
}
