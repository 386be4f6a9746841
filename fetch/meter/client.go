package meter

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/sitegraph"
)

// Client is a client whose visits are metered.
type Client struct{ *fetch.Client }

// New makes a client. It connects by itself: Options.Dial is not called.
func New(o fetch.Options) (*Client, error) {
	o.Dial = dial
	client, err := fetch.New(o)
	if err != nil {
		return nil, err
	}
	return &Client{client}, nil
}

// Try is fetch.Client.Try for a visit that may read so many bytes; 0: any number. The observation
// tells how many it has read, also where there is an error.
func (c *Client) Try(
	ctx context.Context, r *sitegraph.Record, mostBytes int64,
) (o *sitegraph.Observation, until time.Time, err error) {
	m := &meter{most: mostBytes}
	o, until, err = c.Client.Try(context.WithValue(ctx, meterKey{}, m), r)
	m.settle()
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
