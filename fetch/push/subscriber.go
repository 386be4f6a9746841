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
	mostRequests      = 8 // to hubs, at a time
	mostRedirects     = 3
)

// HubAnswer is what a hub said to a request.
type HubAnswer struct {
	Status    int
	Location  string    // where a redirect leads (307, 308); "": nowhere
	NotBefore time.Time // the hub asked not to be asked again earlier; zero: it did not
}

// SubscriberOptions of a Subscriber; all but Now and Woken are required.
type SubscriberOptions struct {
	// Callback is the public address below which callbacks lie, without a slash at its end.
	Callback string
	// Post sends a form politely. It returns with an error when its context is over.
	Post func(ctx context.Context, hub string, form url.Values) (HubAnswer, error)
	// Note is told what the user should know.
	Note func(format string, args ...any)
	Now  func() time.Time // nil: time.Now
	// Woken is called when a ping waits for Take, by any goroutine; it must not block. May be nil.
	Woken func()
}

// Subscriber has all subscriptions.
//
// It subscribes to feeds at the hubs that they name, so that a change is told and need not be
// looked for (W3C Recommendation WebSub, 23 January 2018).
//
// # Terms
//
//	topic         the address under which a hub knows a feed
//	callback      the address at which a hub reaches us, one for each subscription
//	lease         how long a hub keeps a subscription
//	verification  a hub asks the callback whether we want what was asked for in our name
//	ping          a hub says that a topic has changed, and sends it along
//
// # Guarantees
//
//  1. A ping says that a feed has changed and nothing more: what it sends along is not read beyond
//     its signature. The feed is fetched from its own server. So a hub can cause no more than
//     visits to a feed that named it: five at once, and then one a minute.
//  2. A callback has 128 random bits and belongs to one feed at one hub. Who does not know it moves
//     nothing: 404 to verifications, 410 to pings. Only what was asked for is verified.
//  3. A hub that was asked over https has a secret of 256 random bits. What comes to its callback
//     without a right signature (sha1, sha256, sha384, sha512) is answered and ignored. A secret is
//     never sent without TLS.
//  4. A subscription is on disk before its hub is asked for it, and holds over restarts. It is
//     asked for again when three quarters of its lease are over. Its callback stays the same while
//     the lease holds, so that no ping is lost in between; after that it gets another.
//  5. Requests to hubs are polite: they wait for the turn of server and address, at most eight are
//     under way, one to a hub. After a failure a hub rests for a minute, after each further one
//     twice as long, up to a day, for all its subscriptions: a feed that names somebody who is no
//     hub sends next to nothing there. A hub that refuses or denies a topic is asked for it again
//     after a month, unless the feed names another hub.
//  6. Where a feed is gone, or no longer names its hub, the subscription is ended at the hub.
//  7. Memory and disk are bounded: 10,000 subscriptions, 100 of feeds of one server, 4 hubs of a
//     feed, 2 KB an address, 16 MB a ping, which is not kept.
//
// Pings that came and were not handed out are lost at a restart; feeds are visited in their own
// time as well. What is known of hubs that failed is not kept either.
//
// The caller sees feeds and visits them, sends requests, serves the callbacks and has the store. A
// Subscriber may be used by many goroutines.
type Subscriber struct {
	o     SubscriberOptions
	stop  context.CancelFunc
	poke  chan struct{} // something may be due
	tasks sync.WaitGroup

	mu       sync.Mutex
	byToken  map[string]*subscription
	byFeed   map[string]*subscription // those that leave apart
	ofServer map[string]int           // by host of the feed
	hubs     map[string]*hub          // by their servers
	busy     int                      // requests under way
	dirty    map[string]bool          // settings that are to be saved
	pings    []*subscription          // that wait for Take
	full     bool                     // it was noted that there is no room
	counts   SubscriberCounts
}

// hub is what is known of a hub.
type hub struct {
	busy     bool
	failures int
	after    time.Time // not to be asked earlier
}

// SubscriberCounts are what came of all.
type SubscriberCounts struct {
	Known         int // subscriptions, whatever came of them
	Subscriptions int // that hubs have verified, and whose lease holds
	Pings         int // that were taken since the start
	Unsigned      int // that were ignored, as their signature is not right
}

// NewSubscriber returns a subscriber that asks hubs until Close. Restore must be called before
// anything else.
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

// Close ends the requests under way.
func (s *Subscriber) Close() {
	s.stop()
	s.tasks.Wait()
}

// Counts returns what came of all.
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

// Saw takes what a feed says that was just fetched: the hubs that it names, perhaps none, and its
// topic there.
func (s *Subscriber) Saw(feed, topic string, hubs []string) {
	hubs = slices.DeleteFunc(slices.Clone(hubs), func(hub string) bool {
		return strings.HasPrefix(hub, s.o.Callback) // that is us
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

// Left ends the subscription of a feed that is not there any more.
func (s *Subscriber) Left(feed string) { s.Saw(feed, "", nil) }

// Take returns the feeds that are to be visited because hubs say that they changed, and forgets
// that they do.
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

// add makes a subscription known; the owner of the mutex calls it, as all below.
func (s *Subscriber) add(sub *subscription) {
	s.byToken[sub.token()] = sub
	if sub.State != leaving {
		s.byFeed[sub.Feed] = sub
	}
	s.markDirty(sub)
}

// change lets f change a subscription, perhaps its callback.
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

// leave ends a subscription at its hub, or forgets it if no hub knows of it.
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

// run asks hubs for what is due.
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

// longestSleep is how long run sleeps where nothing is due.
const longestSleep = time.Hour

// begin begins the requests that are due, and returns when the next one is.
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
		case h.busy: // its end wakes
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

// hubOf is what is known of the hub of a subscription. Hubs that are well are not remembered.
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
		s.change(sub, func() { sub.State = asked }) // it may be verified before it is answered
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
			// nothing else happened meanwhile
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

// ask follows redirects, but from https to https only, as a secret may be in the form.
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

// noteAnswer takes what a hub answered, and calls note where it fails for the first time.
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

// refuses reports whether a hub will not do what it is asked, now or later.
func (a HubAnswer) refuses(err error) bool {
	return err == nil && a.Status >= 400 && a.Status < 500 && a.Status != 408 && a.Status != 429
}

// answered takes what a hub answered to a request that began at a moment.
func (s *Subscriber) answered(sub *subscription, a HubAnswer, err error, began time.Time) {
	now := s.o.Now()
	switch {
	case sub.State == active && !sub.verified.Before(began): // in the middle of the request
	case sub.State == leaving:
		if sub.Failures++; sub.Failures >= leaveTries { // or it did not verify that it is over
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
