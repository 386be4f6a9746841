package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
)

// Get asks politely for a small file and returns its first bytes, most at most. It obeys
// robots.txt, waits for the turn of server and address, and follows no redirect. The error says why
// there is none.
func (c *Client) Get(ctx context.Context, address string, most int64) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an address of a web page", address)
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	ctx, over := c.gate.waiting(ctx)
	defer over()
	for {
		content, err := c.getOnce(ctx, u, most)
		var later *notYet
		if !errors.As(err, &later) || later.unreachable {
			return content, err
		}
		if err := later.wait(ctx, c.clock); err != nil {
			return nil, err
		}
	}
}

func (c *Client) getOnce(ctx context.Context, u *url.URL, most int64) ([]byte, error) {
	policy, err := c.robotsFor(ctx, u, 0)
	switch {
	case err != nil:
		return nil, err
	case policy.refused != nil:
		return nil, errors.New(failure(policy.refused))
	case policy.unreachable != "":
		return nil, fmt.Errorf("robots.txt: %s", policy.unreachable)
	case !policy.rules.Allowed(u.RequestURI()):
		return nil, errors.New("robots.txt forbids it")
	}
	delay, _ := policy.rules.Delay()
	a, err := c.exchange(ctx, u, make(map[string][]string), 0, delay, most)
	defer a.release()
	switch {
	case err != nil:
		return nil, err
	case a.status != 200:
		return nil, fmt.Errorf("the server answered with status %d", a.status)
	}
	return append([]byte(nil), a.body.octets...), nil
}
