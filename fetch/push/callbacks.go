package push

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	mostPing      = 16 << 20 // octets
	mostChallenge = 4 << 10
)

// ServeHTTP answers hubs. The last segment of the path names the subscription; a proxy may have
// changed the rest.
func (s *Subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		s.serveVerification(w, r.URL)
	case http.MethodPost:
		s.servePing(w, r)
	default:
		http.Error(w, "hubs know GET and POST", http.StatusMethodNotAllowed)
	}
}

// serveVerification answers a hub that asks whether a request was ours, or that denies a
// subscription.
func (s *Subscriber) serveVerification(w http.ResponseWriter, u *url.URL) {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil || !s.confirm(tokenOf(u.Path), q) {
		http.Error(w, "nothing of that kind was asked for", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8") // which no browser runs
	w.Header().Set("X-Content-Type-Options", "nosniff")
	io.WriteString(w, q.Get("hub.challenge"))
}

// confirm reports whether this crawler wants what a hub asks about.
func (s *Subscriber) confirm(token string, q url.Values) bool {
	mode, challenge := q.Get("hub.mode"), q.Get("hub.challenge")
	lease, ok := leaseOf(q.Get("hub.lease_seconds"))
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.byToken[token]
	if sub == nil || q.Get("hub.topic") != sub.Topic {
		return false
	}
	now := s.o.Now()
	if mode == "denied" {
		s.deny(sub, q.Get("hub.reason"), now)
		return true
	}
	if challenge == "" || len(challenge) > mostChallenge {
		return false
	}
	switch {
	case mode == "unsubscribe" && sub.State == leaving:
		s.drop(sub)
		return true
	case mode == "subscribe" && ok && (sub.State == asked || sub.State == active):
		s.change(sub, func() {
			sub.State, sub.Failures, sub.verified, sub.accepted = active, 0, now, false
			sub.Until, sub.Next = now.Add(lease), now.Add(lease*3/4)
		})
		return true
	}
	return false
}

// deny notes that a hub refuses a subscription, at once or later.
func (s *Subscriber) deny(sub *subscription, reason string, now time.Time) {
	if sub.State == leaving {
		s.drop(sub)
		return
	}
	s.o.Note("WebSub: hub %s denies %s: %s",
		sub.hub(), sub.Feed, strconv.QuoteToASCII(reason[:min(len(reason), 200)]))
	s.change(sub, func() { sub.refused(s.o.Callback, now) })
}

// leaseOf reads a number of seconds. Hubs older than WebSub name none.
func leaseOf(text string) (time.Duration, bool) {
	if text == "" {
		return usualLease, true
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && n > uint64(longestLease/time.Second) {
		return longestLease, true
	}
	return time.Duration(n) * time.Second, err == nil && n > 0
}

// servePing answers a hub that reports a change of a topic.
func (s *Subscriber) servePing(w http.ResponseWriter, r *http.Request) {
	token := tokenOf(r.URL.Path)
	secret, ok := s.expects(token)
	if !ok {
		http.Error(w, "there is no such subscription", http.StatusGone)
		return
	}
	signature := r.Header.Get("X-Hub-Signature")
	right, err := signed(http.MaxBytesReader(w, r.Body, mostPing), signature, secret)
	if err != nil {
		http.Error(w, "the body cannot be read, or is too long", http.StatusRequestEntityTooLarge)
		return
	}
	s.ping(token, right)
	w.WriteHeader(http.StatusAccepted) // also if ignored, so that nobody learns from it
}

// expects returns the secret for pings of a subscription, or "" if they need none.
func (s *Subscriber) expects(token string) (secret string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.byToken[token]
	if sub == nil || sub.State != asked && sub.State != active {
		return "", false
	}
	if sub.signs() {
		secret = sub.Secret
	}
	return secret, true
}

// ping notes that a feed has changed, if the signature was right.
func (s *Subscriber) ping(token string, right bool) {
	s.mu.Lock()
	sub := s.byToken[token]
	if !right || sub == nil {
		s.counts.Unsigned++
		s.mu.Unlock()
		return
	}
	s.counts.Pings++
	if !sub.pinged {
		sub.pinged = true
		s.pings = append(s.pings, sub)
	}
	s.mu.Unlock()
	if s.o.Woken != nil {
		s.o.Woken()
	}
}

// methods are the methods of signatures (WebSub 7.1). Most hubs use SHA-1; its collisions do not
// matter to HMAC.
var methods = map[string]func() hash.Hash{
	"sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New}

// signed reads a body and reports whether its signature is right. Without a secret any body is.
func signed(body io.Reader, signature, secret string) (right bool, err error) {
	if secret == "" {
		_, err = io.Copy(io.Discard, body)
		return err == nil, err
	}
	method, digits, _ := strings.Cut(signature, "=")
	made := methods[strings.ToLower(strings.TrimSpace(method))]
	want, bad := hex.DecodeString(strings.TrimSpace(digits))
	if made == nil || bad != nil {
		_, err = io.Copy(io.Discard, body)
		return false, err
	}
	mac := hmac.New(made, []byte(secret))
	if _, err := io.Copy(mac, body); err != nil {
		return false, err
	}
	return hmac.Equal(mac.Sum(nil), want), nil
}
