package fetch

import (
	"context"
	"errors"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// notYet is the error of a request whose turn has not come. Nothing was sent.
type notYet struct {
	busy  <-chan struct{} // closed when what is under way is over; nil: the moment is known
	since time.Time       // when a look-up began that is under way; zero: it is none
	until time.Time

	// unreachable: until then nothing may be asked for because robots.txt could not be had. What is
	// returned beside it is an observation of that.
	unreachable bool
}

func (n *notYet) Error() string { return "its turn has not come" }

// wait sleeps until it is worth trying again. Its error is ctx's.
func (n *notYet) wait(ctx context.Context, clock Clock) error {
	if n.busy == nil {
		return clock.SleepUntil(ctx, n.until)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-n.busy:
		return ctx.Err()
	}
}

// busyAgain is when a caller that does not wait may try again while another request is under way.
const busyAgain = 250 * time.Millisecond

// mostBusy bounds the time until it tries again where a look-up is under way, which grows with its
// age.
const mostBusy = 4 * time.Second

// deadAgain is when it tries again where no name server answers, and visits to known names go on.
const deadAgain = 10 * time.Second

// again is when a caller that does not wait may try again.
func (n *notYet) again(now time.Time) time.Time {
	if n.since.IsZero() {
		return now.Add(busyAgain)
	}
	return now.Add(min(max(time.Since(n.since), busyAgain), mostBusy))
}

// Try visits as Visit does, but never waits for a turn. There are three results:
//
//   - a zero time: the visit was made, and o is its outcome;
//   - a time and a zero o: the page was not asked for; try again then. Try may have asked for
//     robots.txt, whose pause the page then keeps;
//   - a time and a failed o: robots.txt cannot be reached. Pages of the server under another scheme
//     need not wait for it.
//
// The error is ctx's, or a LocalError.
func (c *Client) Try(
	ctx context.Context,
	rec *sitegraph.Record,
) (o *sitegraph.Observation, until time.Time, err error) {
	o, err = c.once(ctx, rec)
	var later *notYet
	switch {
	case !errors.As(err, &later):
		return o, time.Time{}, err
	case later.busy != nil:
		return o, later.again(c.clock.Now()), nil
	}
	return o, later.until, nil
}

// Visit asks once for the page of rec, and before that for the server's robots.txt if it
// is not known. It waits as long as politeness demands, but not for a robots.txt that cannot be
// had: then it fails. Whatever the site does is an outcome; the error is ctx's, or a LocalError.
func (c *Client) Visit(ctx context.Context, rec sitegraph.Record) (sitegraph.Observation, error) {
	for {
		o, err := c.once(ctx, &rec)
		var later *notYet
		if !errors.As(err, &later) {
			return *o, err
		}
		if later.unreachable {
			return *o, nil
		}
		if err := later.wait(ctx, c.clock); err != nil {
			return *o, err
		}
	}
}
