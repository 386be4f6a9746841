package push

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	mostSubscriptions = 10_000
	mostOfServer      = 100
	mostRequests      = 8 // concurrent requests to hubs
	mostRedirects     = 3
)

// HubAnswer is the answer of a hub.
type HubAnswer struct {
	Status    int
	Location  string    // target of a redirect (307, 308); "": none
	NotBefore time.Time // earliest next request that the hub asked for; zero: none
}

// SubscriberOptions configure a Subscriber. All except Now and Woken are required.
type SubscriberOptions struct {
	// Callback is the public URL below which callbacks are, without a slash at its end.
	Callback string
	// Post sends a form politely. It returns an error when its context ends.
	Post func(ctx context.Context, hub string, form url.Values) (HubAnswer, error)
	// Note receives messages for the user.
	Note func(format string, args ...any)
	Now  func() time.Time // nil: time.Now
	// Woken is called when a ping waits for Take, by any goroutine; it must not block. It may be
	// nil.
	Woken func()
}

// Subscriber subscribes to feeds at the hubs that they name. Hubs then report changes, and the
// crawl need not look for them (W3C Recommendation WebSub, 23 January 2018).
//
// # Terms
//
//	topic         the URL under which a hub knows a feed
//	callback      the URL at which a hub reaches the crawler, one for each subscription
//	lease         how long a hub keeps a subscription
//	verification  a hub asks the callback whether a request in its name was genuine
//	ping          a hub reports a change of a topic, and sends its content
//
// # Guarantees
//
//  1. A ping counts only as a report of a change: its content serves for the signature alone. The
//     feed is fetched from its own server. So a hub can cause only visits to a feed that named it:
//     five at once, and then one a minute.
//  2. A callback has 128 random bits and belongs to one feed at one hub. Without it a request has
//     no effect: 404 to verifications, 410 to pings. Only genuine requests are verified.
//  3. A hub that was asked over https has a secret of 256 random bits. Pings without a right
//     signature (sha1, sha256, sha384, sha512) are answered and ignored. A secret is never sent
//     without TLS.
//  4. A subscription is on disk before its hub is asked, and survives restarts. It is renewed after
//     three quarters of its lease. Its callback stays the same during the lease, so that no ping is
//     lost; then it gets a new one.
//  5. Requests to hubs are polite: they wait for the turn of server and address. At most eight are
//     in flight, one to a hub. After a failure a hub rests for a minute, then for twice as long
//     each time, up to a day, for all its subscriptions. So a feed that names a server without a
//     hub causes almost no requests there. A hub that refuses or denies a topic is asked again
//     after a month, unless the feed names another hub.
//  6. If a feed is gone, or no longer names its hub, the subscription is ended at the hub.
//  7. Memory and disk are bounded: 10,000 subscriptions, 100 of feeds of one server, 4 hubs of a
//     feed, 2 KB an address, 16 MB a ping, which is not kept.
//
// A restart drops pings that Take has not returned, and the failures of hubs. Feeds are also
// visited at their due times.
//
// The caller visits feeds, sends requests, serves the callbacks and has the store. Goroutines may
// share a Subscriber.
type Subscriber struct {
	o     SubscriberOptions
	stop  context.CancelFunc
	poke  chan struct{} // something may be due
	tasks sync.WaitGroup

	mu       sync.Mutex
	byToken  map[string]*subscription
	byFeed   map[string]*subscription // without those in state leaving
	ofServer map[string]int           // by host of the feed
	hubs     map[string]*hub          // by their servers
	busy     int                      // requests in flight
	dirty    map[string]bool          // settings to save
	pings    []*subscription          // waiting for Take
	full     bool                     // the missing room was reported
	counts   SubscriberCounts
}

// hub is the state of a hub.
type hub struct {
	busy     bool
	failures int
	after    time.Time // earliest next request
}

// SubscriberCounts are the counts of a Subscriber.
type SubscriberCounts struct {
	Known         int // all subscriptions
	Subscriptions int // verified by hubs, with a lease that holds
	Pings         int // accepted since the start
	Unsigned      int // ignored, because their signature is wrong
}

// NewSubscriber returns a subscriber that asks hubs until Close. Call Restore before any other
// method.
func NewSubscriber(o SubscriberOptions) *Subscriber {
	if o.Now == nil {
		o.Now = time.Now
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Subscriber{
		o: o, stop: stop, poke: make(chan struct{}, 1), byToken: map[string]*subscription{},
		byFeed:   map[string]*subscription{},
		ofServer: map[string]int{}, hubs: map[string]*hub{}, dirty: map[string]bool{},
	}
	s.tasks.Go(func() { s.run(ctx) })
	return s
}

// Close ends requests in flight.
func (s *Subscriber) Close() {
	s.stop()
	s.tasks.Wait()
}

// Counts returns the counts so far.
func (s *Subscriber) Counts() SubscriberCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, now := s.counts, s.o.Now()
	c.Known = len(s.byToken)
	for _, sub := range s.byToken {
		if sub.holds(now) {
			c.Subscriptions++
		}
	}
	return c
}

// Saw handles the content of a fetched feed: the hubs that it names, perhaps none, and its topic
// there.
func (s *Subscriber) Saw(feed, topic string, hubs []string) {
	hubs = slices.DeleteFunc(slices.Clone(hubs), func(hub string) bool {
		return strings.HasPrefix(hub, s.o.Callback) // the hub is this Subscriber
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	sub := s.byFeed[feed]
	switch {
	case sub != nil && len(hubs) > 0 && sub.isOf(topic, hubs):
		if !slices.Equal(sub.Hubs, hubs) {
			sub.Turn, sub.Hubs = slices.Index(hubs, sub.hub()), hubs
			s.markDirty(sub)
		}
		return
	case sub != nil:
		s.leave(sub, now)
	}
	if len(hubs) == 0 {
		return
	}
	server := serverOf(feed)
	if len(s.byToken) >= mostSubscriptions || s.ofServer[server] >= mostOfServer {
		if !s.full {
			s.full = true
			s.o.Note("WebSub: no room for %s: there are %d subscriptions, %d of its server",
				feed, len(s.byToken), s.ofServer[server])
		}
		return
	}
	sub = &subscription{Feed: feed, Topic: topic, Hubs: hubs}
	sub.renew(s.o.Callback, now)
	s.ofServer[server]++
	s.add(sub)
}

// Left ends the subscription of a missing feed.
func (s *Subscriber) Left(feed string) { s.Saw(feed, "", nil) }

// Take returns and forgets the feeds to visit after pings.
func (s *Subscriber) Take() (feeds []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	s.pings = slices.DeleteFunc(s.pings, func(sub *subscription) bool {
		if !sub.pinged { // it left
			return true
		}
		if !sub.mayPing(now) {
			return false
		}
		sub.pinged = false
		feeds = append(feeds, sub.Feed)
		return true
	})
	return feeds
}

func serverOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// add adds a subscription. The caller holds the mutex, as for all methods below.
func (s *Subscriber) add(sub *subscription) {
	s.byToken[sub.token()] = sub
	if sub.State != leaving {
		s.byFeed[sub.Feed] = sub
	}
	s.markDirty(sub)
}

// change lets f change a subscription, perhaps with its callback.
func (s *Subscriber) change(sub *subscription, f func()) {
	before := sub.token()
	s.markDirty(sub)
	f()
	if after := sub.token(); after != before {
		delete(s.byToken, before)
		s.byToken[after] = sub
	}
	s.markDirty(sub)
	s.wake()
}

// leave ends a subscription at its hub, or drops it if no hub has it.
func (s *Subscriber) leave(sub *subscription, now time.Time) {
	delete(s.byFeed, sub.Feed)
	if server := serverOf(sub.Feed); s.ofServer[server] > 1 {
		s.ofServer[server]--
	} else {
		delete(s.ofServer, server)
	}
	sub.pinged = false
	if sub.State == active || sub.State == asked || sub.busy {
		s.change(sub, func() { sub.State, sub.Failures, sub.Next = leaving, 0, now })
		return
	}
	s.drop(sub)
}

func (s *Subscriber) drop(sub *subscription) {
	s.markDirty(sub)
	delete(s.byToken, sub.token())
}

func (s *Subscriber) wake() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// run makes the requests to hubs that are due.
func (s *Subscriber) run(ctx context.Context) {
	for ctx.Err() == nil {
		timer := time.NewTimer(s.begin(ctx))
		select {
		case <-timer.C:
		case <-s.poke:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// longestSleep limits the sleep of run if nothing is due.
const longestSleep = time.Hour

// begin starts the requests that are due, and returns when the next one is.
func (s *Subscriber) begin(ctx context.Context) (sleep time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	sleep = longestSleep
	if len(s.hubs) > mostSubscriptions {
		maps.DeleteFunc(s.hubs, func(_ string, h *hub) bool {
			return !h.busy && h.after.Before(now)
		})
	}
	due := slices.Collect(maps.Values(s.byToken))
	due = slices.DeleteFunc(due, func(sub *subscription) bool { return !sub.kept || sub.busy })
	slices.SortFunc(due, func(a, b *subscription) int { return a.Next.Compare(b.Next) })
	for _, sub := range due {
		h := s.hubOf(sub)
		at := sub.Next
		if h.after.After(at) {
			at = h.after
		}
		switch {
		case h.busy: // the end of its request wakes run
		case at.After(now):
			sleep = min(sleep, at.Sub(now))
		case sub.accepted && sub.State != leaving: // it was not verified in time
			s.change(sub, func() { sub.failed(s.o.Callback, now) })
		case s.busy >= mostRequests:
			return sleep
		default:
			s.request(ctx, sub, h, now)
		}
	}
	return sleep
}

// hubOf returns the state of a subscription's hub. Hubs without failures are not remembered.
func (s *Subscriber) hubOf(sub *subscription) *hub {
	h := s.hubs[serverOf(sub.hub())]
	if h == nil {
		h = &hub{}
	}
	return h
}

// request asks a hub in the background.
func (s *Subscriber) request(ctx context.Context, sub *subscription, h *hub, now time.Time) {
	address, ends := sub.hub(), sub.State == leaving
	s.hubs[serverOf(address)] = h
	h.busy, sub.busy = true, true
	s.busy++
	if sub.State == wanted || sub.State == denied {
		s.change(sub, func() { sub.State = asked }) // the hub may verify it before it answers
	}
	form := sub.form()
	s.tasks.Go(func() {
		answer, err := s.ask(ctx, address, form)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy--
		h.busy, sub.busy = false, false
		if ctx.Err() == nil {
			h.noteAnswer(answer, err, s.o.Now(), func() {
				s.o.Note("WebSub: hub %s %s; it is asked again later", address, saying(answer, err))
			})
			// nothing else happened in the meantime
			if s.byToken[sub.token()] == sub && ends == (sub.State == leaving) {
				s.answered(sub, answer, err, now)
			}
		}
		if h.failures == 0 && !h.after.After(s.o.Now()) {
			delete(s.hubs, serverOf(address))
		}
		s.wake()
	})
}

// ask follows redirects, but from https only to https, because the form may contain a secret.
func (s *Subscriber) ask(ctx context.Context, address string, form url.Values) (
	answer HubAnswer, err error) {
	for range 1 + mostRedirects {
		if answer, err = s.o.Post(ctx, address, form); err != nil || answer.Location == "" {
			return answer, err
		}
		if strings.HasPrefix(address, "https:") && !strings.HasPrefix(answer.Location, "https:") {
			return answer, nil
		}
		address = answer.Location
	}
	return answer, nil
}

// noteAnswer stores the answer of a hub, and calls note at its first failure.
func (h *hub) noteAnswer(a HubAnswer, err error, now time.Time, note func()) {
	if h.after = a.NotBefore; a.accepts(err) {
		h.failures = 0
		return
	}
	if h.failures++; h.failures == 1 {
		note()
	}
	if at := now.Add(rest(h.failures)); at.After(h.after) {
		h.after = at
	}
}

func (a HubAnswer) accepts(err error) bool {
	return err == nil && a.Status >= 200 &&
		a.Status < 300
}

// refuses reports whether a hub refuses for good.
func (a HubAnswer) refuses(err error) bool {
	return err == nil && a.Status >= 400 && a.Status < 500 && a.Status != 408 && a.Status != 429
}

// answered handles the answer of a hub to a request that started at began.
func (s *Subscriber) answered(sub *subscription, a HubAnswer, err error, began time.Time) {
	now := s.o.Now()
	switch {
	case sub.State == active && !sub.verified.Before(began): // during the request
	case sub.State == leaving:
		if sub.Failures++; sub.Failures >= leaveTries { // or it did not verify the end
			s.drop(sub)
			return
		}
		s.change(sub, func() { sub.Next = now.Add(verifyWithin) })
	case a.accepts(err):
		s.change(sub, func() { sub.accepted, sub.Next = true, now.Add(verifyWithin) })
	case a.refuses(err) && sub.State == asked:
		s.change(sub, func() { sub.refused(s.o.Callback, now) })
	default:
		s.change(sub, func() { sub.failed(s.o.Callback, now) })
	}
}

func saying(a HubAnswer, err error) string {
	if err != nil {
		return "does not answer (" + err.Error() + ")"
	}
	return "answers with status " + strconv.Itoa(a.Status)
}
