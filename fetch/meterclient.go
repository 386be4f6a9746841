package fetch

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// MeteredClient is a Client that counts the bytes which a visit reads from the network, and ends
// the visit at a limit.
//
// # Terms
//
//	bound       how many bytes a visit may read, robots.txt and headers included
//	on the way  received by the system, and perhaps never read
//
// # Guarantees
//
//  1. Observation.Transferred is what the connections of a visit received, also if a body is cut or
//     not needed. Received bytes that nobody read are counted on Linux only.
//  2. A visit with a bound reads no more. It is cut when nothing is left, and counts as the whole
//     bound. It fails unless the client had enough of the body.
//
// Goroutines may share a MeteredClient.
type MeteredClient struct{ *Client }

// NewMeteredClient returns a client that connects by itself: it does not call Options.Dial.
func NewMeteredClient(o Options) (*MeteredClient, error) {
	o.Dial = dial
	client, err := New(o)
	if err != nil {
		return nil, err
	}
	return &MeteredClient{client}, nil
}

// Try is Client.Try for a visit that may read at most this many bytes; 0 means any number. The
// observation has the number of bytes read, also if there is an error.
func (c *MeteredClient) Try(
	ctx context.Context, r *sitegraph.Record, mostBytes int64,
) (o *sitegraph.Observation, until time.Time, err error) {
	m := &meter{most: mostBytes}
	o, until, err = c.Client.Try(context.WithValue(ctx, meterKey{}, m), r)
	m.awaitClosed()
	o.Transferred = m.read.Load()
	if m.cut.Load() {
		o.Transferred = m.most
		if o.Outcome == sitegraph.OutcomeFailed {
			// the server is not at fault
			o.Detail, o.Trouble = errNoBytes.Error(), sitegraph.TroubleUnknown
		}
	}
	return o, until, err
}
