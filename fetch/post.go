package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Reply is the answer of a server to Post.
type Reply struct {
	Status    int
	Location  string    // absolute and canonical, of a 307 or 308; "": nothing to follow
	NotBefore time.Time // the earliest next request that the server asked for; zero: none
}

// Post sends a form. It waits for the turn of server and address and passes the guard like every
// request. It follows no redirect and reads no body. It does not ask for robots.txt, which speaks
// about reading: a form goes only to servers that asked for it, or whose publisher did. The error
// says why no answer came, or is that of ctx.
func (c *Client) Post(ctx context.Context, address string, form url.Values) (Reply, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Reply{}, fmt.Errorf("%q is not an address of a web server", address)
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	body := []byte(form.Encode())
	ctx, over := c.gate.waiting(ctx)
	defer over()
	for {
		r := &http.Request{
			Method: http.MethodPost, URL: u, ContentLength: int64(len(body)),
			Body:   io.NopCloser(bytes.NewReader(body)),
			Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		}
		a, err := c.send(ctx, r, 0, 0, mostOfReply)
		a.release()
		var later *notYet
		switch {
		case errors.As(err, &later) && !later.unreachable:
			if err := later.wait(ctx, c.clock); err != nil {
				return Reply{}, err
			}
		case ctx.Err() != nil:
			return Reply{}, ctx.Err()
		case a == nil || a.status == 0:
			return Reply{}, errors.New(failure(err))
		default: // faults of its body do not matter
			return a.reply(address), nil
		}
	}
}

// mostOfReply limits the body of an answer that nobody reads.
const mostOfReply = 4 << 10

func (a *answer) reply(address string) (r Reply) {
	r.Status = a.status
	if a.status == http.StatusTemporaryRedirect || a.status == http.StatusPermanentRedirect {
		if locations := a.header.Values("Location"); len(locations) == 1 {
			if target, ok := resolveTarget(address, locations[0]); ok {
				r.Location = target
			}
		}
	}
	r.NotBefore, _ = retryAfter(a.header, a.ended)
	return r
}
