package fetch

import (
	"context"
	"errors"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// notYet is the error of a request whose turn has not come. No request was sent.
type notYet struct {
	busy  <-chan struct{} // closed when the current request or look-up ends; nil: the time is known
	since time.Time       // start of the current look-up; zero: it is none
	until time.Time

	// unreachable means that robots.txt could not be fetched, and nothing may be asked for until
	// then. Callers return an observation of that with it.
	unreachable bool
}

func (n *notYet) Error() string { return "its turn has not come" }

// wait sleeps until another try makes sense. Its error is that of ctx.
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

// busyAgain is the wait of a caller that does not block while another request is in flight.
const busyAgain = 250 * time.Millisecond

// mostBusy limits that wait during a look-up; it grows with the age of the look-up.
const mostBusy = 4 * time.Second

// deadAgain is that wait if no name server answers and visits to known names continue.
const deadAgain = 10 * time.Second

// again returns when a caller that does not block may try again.
func (n *notYet) again(now time.Time) time.Time {
	if n.since.IsZero() {
		return now.Add(busyAgain)
	}
	return now.Add(min(max(time.Since(n.since), busyAgain), mostBusy))
}

// Try visits as Visit does, but never waits for a turn. There are three results:
//
//   - a zero time: the visit was made, and o is the outcome;
//   - a time and a zero o: the page was not asked for; try again then. Try may have asked for
//     robots.txt, whose pause the page then keeps;
//   - a time and a failed o: robots.txt cannot be reached. Pages of the server under another scheme
//     need not wait for it.
//
// The error is that of ctx, or a LocalError.
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

// Visit asks once for the page of rec, and first for robots.txt of its server if that is not known.
// It waits as long as politeness demands, but fails at once if robots.txt cannot be fetched.
// Whatever the site does is an outcome. The error is that of ctx, or a LocalError.
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
