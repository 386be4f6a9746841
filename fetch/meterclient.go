package fetch

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// MeteredClient is a client whose visits are metered.
//
// It counts the bytes that a visit reads from the network, and ends the visit when it has read as
// many as it may.
//
// # Terms
//
//	bound       how many bytes a visit may read, robots.txt and headers included
//	on the way  what the system receives ahead of a reader, and perhaps is never read
//
// # Guarantees
//
//  1. Observation.Transferred of a visit is what its connections received, also where a body is cut
//     or not needed. Bytes that a connection received and that were not read are counted on Linux
//     only.
//  2. A visit with a bound reads no more. When nothing is left the visit is cut: it fails, unless
//     the client had enough of the body, and counts as having read the whole bound.
//
// The caller chooses servers and bounds. A MeteredClient may be used by many goroutines.
type MeteredClient struct{ *Client }

// NewMeteredClient makes a client. It connects by itself: Options.Dial is not called.
func NewMeteredClient(o Options) (*MeteredClient, error) {
	o.Dial = dial
	client, err := New(o)
	if err != nil {
		return nil, err
	}
	return &MeteredClient{client}, nil
}

// Try is fetch.Client.Try for a visit that may read so many bytes; 0: any number. The observation
// tells how many it has read, also where there is an error.
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
			// the server has none
			o.Detail, o.Trouble = errNoBytes.Error(), sitegraph.TroubleUnknown
		}
	}
	return o, until, err
}
