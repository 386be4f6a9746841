package push

import (
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"
)

// state of a subscription.
type state string

const (
	wanted  state = "wanted"  // to be requested, perhaps again
	asked   state = "asked"   // requested, and not verified yet
	active  state = "active"  // verified
	denied  state = "denied"  // no hub accepts it
	leaving state = "leaving" // to be ended at the hub
)

// subscription is one feed at one hub at a time, in its stored form.
type subscription struct {
	Feed     string    `json:"feed"` // URL that the crawl visits
	Topic    string    `json:"topic"`
	Hubs     []string  `json:"hubs"` // hubs that the feed names
	Turn     int       `json:"turn"` // index of the current hub, modulo their number
	Callback string    `json:"callback"`
	Secret   string    `json:"secret"`
	State    state     `json:"state"`
	Until    time.Time `json:"until"` // end of the lease; zero: none
	Next     time.Time `json:"next"`  // next request to the hub
	Failures int       `json:"failures"`

	kept     bool      // on disk with this callback
	busy     bool      // a request is in flight
	accepted bool      // the hub accepted a request, and has not verified it
	verified time.Time // last verification
	pinged   bool      // since Take
	tokens   float64   // visits that pings may cause now
	refilled time.Time
}

const (
	pingsAtOnce  = 5
	pingEvery    = time.Minute
	tokenBytes   = 16
	secretBytes  = 32
	verifyWithin = time.Hour           // after a request
	deniedFor    = 30 * 24 * time.Hour // until the next request
	usualLease   = 10 * 24 * time.Hour // requested, and assumed if a hub names none
	longestLease = 365 * 24 * time.Hour
	firstRest    = time.Minute // after a failure, doubled with each
	longestRest  = 24 * time.Hour
	leaveTries   = 3 // requests to end a subscription
)

func random(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// renew gives a subscription a new callback and secret, and makes it due now.
func (s *subscription) renew(base string, now time.Time) {
	s.Callback, s.Secret = base+"/"+random(tokenBytes), random(secretBytes)
	s.State, s.Until, s.Next, s.kept, s.accepted = wanted, time.Time{}, now, false, false
}

// token returns the last segment of the callback.
func (s *subscription) token() string { return tokenOf(s.Callback) }

func tokenOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func (s *subscription) hub() string { return s.Hubs[s.Turn%len(s.Hubs)] }

// signs reports whether pings must have a signature.
func (s *subscription) signs() bool { return strings.HasPrefix(s.hub(), "https://") }

func (s *subscription) holds(now time.Time) bool { return s.State == active && now.Before(s.Until) }

// form returns the request to the hub.
func (s *subscription) form() url.Values {
	f := url.Values{"hub.callback": {s.Callback}, "hub.topic": {s.Topic}, "hub.mode": {"subscribe"}}
	if s.State == leaving {
		f.Set("hub.mode", "unsubscribe")
		return f
	}
	f.Set("hub.lease_seconds", seconds(usualLease))
	if s.signs() {
		f.Set("hub.secret", s.Secret)
	}
	return f
}

// failed delays the next request. Without a lease the next hub of the feed gets it.
func (s *subscription) failed(base string, now time.Time) {
	s.Failures++
	s.accepted = false
	switch {
	case s.holds(now), len(s.Hubs) == 1 && s.State != active:
	default:
		s.Turn++
		s.renew(base, now)
	}
	s.Next = now.Add(rest(s.Failures))
}

// refused notes that a hub refuses a topic. Each hub of the feed is asked once, and then none for a
// month.
func (s *subscription) refused(base string, now time.Time) {
	s.Turn++
	s.renew(base, now)
	if s.Turn%len(s.Hubs) == 0 {
		s.State, s.Next = denied, now.Add(deniedFor)
	}
}

// rest returns the wait after a number of failures.
func rest(failures int) time.Duration {
	return min(firstRest<<min(max(failures-1, 0), 20), longestRest)
}

// mayPing uses one of the visits that pings may cause.
func (s *subscription) mayPing(now time.Time) bool {
	if s.refilled.IsZero() {
		s.tokens = pingsAtOnce
	}
	s.tokens = min(s.tokens+now.Sub(s.refilled).Seconds()/pingEvery.Seconds(), pingsAtOnce)
	s.refilled = now
	if s.tokens < 1 {
		return false
	}
	s.tokens--
	return true
}

// isOf reports whether a subscription is for the current topic and hubs of its feed.
func (s *subscription) isOf(topic string, hubs []string) bool {
	return s.Topic == topic && slices.Contains(hubs, s.hub())
}
