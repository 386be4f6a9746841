package captures

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// request is what a line of a log says.
type request struct {
	method, target string
	status         int
	at             time.Time
}

// log reads the log of a web server. It tells which addresses there are, and how often they are
// asked for. Sizes and "304 Not Modified" depend on who asked and what that one had, so that they
// say nothing safe of changes.
func (r *reader) log(ctx context.Context, in *Input) error {
	if r.base == "" {
		base, err := serverBase(r.o.Server)
		if err != nil {
			return err
		}
		r.base = base
	}
	resolver, err := sitegraph.NewResolver(r.base)
	if err != nil {
		return fmt.Errorf("%w: %q is no server", ErrServer, r.o.Server)
	}
	server := sitegraph.ServerName(r.base)
	return r.lines(ctx, in, func(n int64, line []byte) error {
		q, err := parseLog(string(line))
		if err != nil {
			r.file.bad(n, err.Error(), line)
			return nil
		}
		switch {
		case q.method != "GET" && q.method != "HEAD", q.status != 200 && q.status != 304:
			r.file.NoNews++
			return nil
		case q.at.Before(r.o.From) || !r.o.To.IsZero() && !q.at.Before(r.o.To):
			r.file.Elsewhen++
			return nil
		}
		if strings.HasPrefix(q.target, "//") { // a path that begins so, not another server
			q.target = r.base + strings.TrimLeft(q.target, "/")
		}
		url, ok := resolver.Resolve(q.target)
		if !ok || sitegraph.ServerName(url) != server {
			r.file.NoNews++ // asked of a proxy
			return nil
		}
		return r.listed(url, 1)
	})
}

// serverBase is the top page of a server.
func serverBase(server string) (string, error) {
	if server == "" {
		return "", fmt.Errorf("%w: say which server it is of", ErrServer)
	}
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	base, err := sitegraph.Canonical(server)
	if err != nil || base != sitegraph.Root(base) {
		return "", fmt.Errorf("%w: %q is no server; want one as https://example.org",
			ErrServer, server)
	}
	return base, nil
}

var errLog = errors.New(`want host, user, user, [time], "request", status and size`)

// parseLog reads a line of the common or combined format, also with the name of the server before
// it.
func parseLog(line string) (q request, err error) {
	_, rest, ok := strings.Cut(line, " [")
	stamp, rest, closed := strings.Cut(rest, `] "`)
	if !ok || !closed {
		return q, errLog
	}
	if q.at, err = time.Parse("02/Jan/2006:15:04:05 -0700", stamp); err != nil {
		return q, fmt.Errorf("the time is %.40q; want one as 31/Jan/2026:12:00:00 +0000", stamp)
	}
	end := 0
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		return q, errLog
	}
	words, after := strings.Fields(rest[:end]), strings.Fields(rest[end+1:])
	if len(after) == 0 {
		return q, errLog
	}
	if q.status, err = strconv.Atoi(after[0]); err != nil || q.status < 100 || q.status > 999 {
		return q, fmt.Errorf("the status is %.20q; want three digits", after[0])
	}
	if len(words) >= 2 { // else what was asked is no HTTP
		q.method, q.target = words[0], words[1]
	}
	return q, nil
}
