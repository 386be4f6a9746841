package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/recrawl/recrawl/fetch/robots"
	"github.com/recrawl/recrawl/sitegraph"
)

// maxRobotsHops limits the redirects of a robots.txt (RFC 9309 2.3.1.2).
const maxRobotsHops = 5

// robotsFor returns the policy of robots.txt for the server of u, and asks for the file if
// necessary. The error is that of ctx, notYet, or a LocalError.
func (c *Client) robotsFor(ctx context.Context, u *url.URL, try int) (robotsPolicy, error) {
	key, longest := origin(u), time.Duration(0)
	if c.o.MaxAge != nil {
		longest = c.o.MaxAge(u.String())
	}
	p, entry, busy := c.robots.lookup(key, c.clock.Now(), longest)
	switch {
	case busy != nil:
		return p, &notYet{busy: busy}
	case entry == nil:
		return p, nil
	}
	if p, ok := c.recallRobots(entry, u, longest); ok {
		c.robots.done(key, entry)
		return p, nil
	}
	p, err := c.askRobots(ctx, u, try, entry)
	var later *notYet
	switch {
	case errors.As(err, &later):
		c.robots.pause(key, entry)
		return p, err
	case err != nil || p.refused != nil:
		c.robots.done(key, nil)
		return p, err
	}
	if entry.rules != nil {
		// The delay was not known when this request ended, and the page must keep it. The same
		// holds if a new robots.txt cannot be fetched and the old one still holds.
		if delay, _ := entry.rules.Delay(); delay > c.PauseOf(u.Host) {
			entry.after = entry.after.Add(delay - c.PauseOf(u.Host))
			c.gate.Postpone(u.Host, entry.after)
		}
	}
	c.keepRobots(entry)
	c.robots.done(key, entry)
	now := c.clock.Now()
	p, ok := entry.policy(now, longest)
	if !ok {
		// The clock passed the retry during the request: its result still holds once.
		p = robotsPolicy{
			unreachable: entry.why,
			retry:       entry.retry,
			after:       entry.after,
			wished:      entry.wished,
		}
	}
	p.asked, p.trouble, p.elapsed = true, entry.trouble, entry.elapsed
	return p, nil
}

// askRobots asks for robots.txt and notes the result in entry. It follows redirects, each with its
// own guard, turn and pause. The rules hold for the server that was asked first. The policy
// returned only says whether the guard refused that server. With notYet, entry knows where to
// continue.
func (c *Client) askRobots(
	ctx context.Context,
	u *url.URL,
	try int,
	entry *robotsEntry,
) (robotsPolicy, error) {
	if entry.next == nil {
		entry.next = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
		entry.seen = []string{entry.next.String()}
	}
	for {
		at, first := entry.next, len(entry.seen) == 1
		header := http.Header{"Accept": {"text/plain,*/*;q=0.5"}}
		a, err := c.exchange(
			ctx,
			at,
			header,
			try,
			c.robots.delay(origin(at), c.clock.Now()),
			robots.MaxBytes+1,
		)
		if ctx.Err() != nil {
			return robotsPolicy{}, ctx.Err()
		}
		var later *notYet
		if errors.As(err, &later) || isLocal(err) {
			return robotsPolicy{}, err
		}
		defer a.release()
		if a != nil {
			entry.elapsed = a.ended.Sub(a.began)
		}
		if a != nil && first {
			entry.after = a.ended.Add(c.PauseOf(at.Host))
		}
		if err != nil {
			if first && isRefused(err) {
				return robotsPolicy{refused: err}, nil
			}
			entry.fail(c.clock.Now(), failure(err), time.Time{})
			entry.trouble = sitegraph.TroubleFailing
			return robotsPolicy{}, nil
		}
		entry.trouble = troubleOf(a, nil)
		next, more := c.judgeRobots(at, u.Host, a, entry)
		if !more {
			return robotsPolicy{}, nil
		}
		if len(entry.seen) > maxRobotsHops || slices.Contains(entry.seen, next.String()) {
			entry.know(robots.AllowAll(), a.ended) // as if there were no file (2.3.1.2)
			return robotsPolicy{}, nil
		}
		entry.next = next
		entry.seen = append(entry.seen, next.String())
	}
}

func (e *robotsEntry) know(r *robots.Rules, now time.Time) {
	e.rules, e.fetched, e.failures, e.why, e.wished, e.text = r, now, 0, "", time.Time{}, nil
	e.sources = sitemapsOf(e.key, r)
}

// sitemapsOf returns the sitemaps on its own server that robots.txt names (key is
// scheme://authority), or the default location if it names none.
func sitemapsOf(key string, r *robots.Rules) []string {
	resolver, err := sitegraph.NewResolver(key + "/")
	if err != nil {
		return nil
	}
	named := r.Sitemaps()
	if len(named) == 0 {
		named = []string{"/sitemap.xml"}
	}
	var sources []string
	for _, text := range named {
		url, ok := resolver.Resolve(text)
		if ok && sitegraph.ServerName(url) == sitegraph.ServerName(resolver.Base()) &&
			!slices.Contains(sources, url) {
			sources = append(sources, strings.Clone(url))
		}
	}
	return sources
}

// judgeRobots notes in entry the meaning of an answer (RFC 9309 2.3.1), or returns the target of
// its redirect.
func (c *Client) judgeRobots(
	at *url.URL,
	host string,
	a *answer,
	entry *robotsEntry,
) (next *url.URL, more bool) {
	switch s := a.status; {
	case s >= 200 && s < 300 && a.body.damaged:
		entry.fail(a.ended, "the content is damaged", time.Time{}) // the lost part may forbid pages
	case s >= 200 && s < 300:
		entry.know(robots.Parse(a.body.octets, c.agent), a.ended)
		if c.o.KeepRobots {
			entry.text = bytes.Clone(a.body.octets)
		}
	case s == 301 || s == 302 || s == 303 || s == 307 || s == 308:
		location := a.header.Get("Location")
		target, ok := resolveTarget(at.String(), location)
		if !ok || location == "" {
			entry.fail(a.ended, statusText(s)+" to no web page", time.Time{})
			return nil, false
		}
		next, err := url.Parse(target)
		if err != nil || !c.o.RobotsAnyHost && !sameHost(at, next, host) {
			entry.fail(a.ended, "redirected to another server: "+printable(target), time.Time{})
			return nil, false
		}
		return next, true
	case s >= 400 && s < 500 && !isTemporary(s):
		entry.know(robots.AllowAll(), a.ended) // 2.3.1.3
	default:
		asked, _ := retryAfter(a.header, a.ended)
		entry.fail(a.ended, statusText(s), asked)
	}
	return nil, false
}

// sameHost reports whether a redirect of robots.txt stays on the site: on the same authority, or on
// default ports of hosts with one registered domain, such as www.example.org and example.org. Any
// other target could be a stranger's.
func sameHost(at, next *url.URL, host string) bool {
	if at.Scheme == "https" && next.Scheme == "http" {
		return false // anybody on the way can write a redirect over plain HTTP
	}
	if next.Host == host || next.Host == at.Host {
		return true
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(at.Hostname())
	other, otherErr := publicsuffix.EffectiveTLDPlusOne(next.Hostname())
	return err == nil && otherErr == nil && domain == other && next.Port() == "" && at.Port() == ""
}
