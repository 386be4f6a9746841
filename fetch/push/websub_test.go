package push

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	base  = "https://us.example/websub"
	feed  = "https://blog.example/feed.xml"
	hubA  = "https://hub.example/"
	hubB  = "http://plain.example/hub"
	topic = "https://blog.example/feed"
)

// store keeps settings like the store of a run.
type store struct {
	settings, batch map[string][]byte
	broken          error
}

func newStore() *store { return &store{map[string][]byte{}, map[string][]byte{}, nil} }

func (s *store) SaveSetting(name string, value []byte) error {
	s.batch[name] = value
	return s.broken
}

func (s *store) Commit() error {
	maps.Copy(s.settings, s.batch)
	clear(s.batch)
	return s.broken
}

func (s *store) setting(name string) ([]byte, bool, error) {
	value, ok := s.settings[name]
	return value, ok, s.broken
}

// web stands between a subscriber and its hubs.
type web struct {
	t *testing.T
	*Subscriber
	store *store

	mu    sync.Mutex
	asked []url.Values // by any hub, in order
	to    []string
	at    []time.Time
	hub   func(address string, form url.Values) (HubAnswer, error)
	notes []string
}

func accepts(string, url.Values) (HubAnswer, error) { return HubAnswer{Status: 202}, nil }

func newWeb(t *testing.T, s *store) *web {
	w := &web{t: t, store: s, hub: accepts}
	w.Subscriber = NewSubscriber(SubscriberOptions{
		Callback: base,
		Note: func(format string, args ...any) {
			w.notes = append(w.notes, fmt.Sprintf(format, args...))
		},
		Post: func(ctx context.Context, address string, form url.Values) (HubAnswer, error) {
			w.mu.Lock()
			w.asked, w.to, w.at = append(w.asked, form), append(w.to, address),
				append(w.at, time.Now())
			hub := w.hub
			w.mu.Unlock()
			return hub(address, form)
		},
	})
	if err := w.Restore(s.setting); err != nil {
		t.Fatal(err)
	}
	return w
}

// settle keeps changes until nothing more happens now.
func (w *web) settle() {
	w.t.Helper()
	for range 4 {
		if err := w.Keep(w.store); err != nil {
			w.t.Fatal(err)
		}
		synctest.Wait()
	}
}

// pass lets time pass, and keeps changes each minute, like the loop.
func (w *web) pass(d time.Duration) {
	w.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(min(time.Minute, time.Until(end)))
		w.settle()
	}
}

func (w *web) requests() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked)
}

// last returns the last request to a hub.
func (w *web) last() url.Values { return w.asked[len(w.asked)-1] }

// verify asks a callback like a hub.
func (w *web) verify(form url.Values, mode, topic, lease string) *httptest.ResponseRecorder {
	q := url.Values{"hub.mode": {mode}, "hub.topic": {topic}, "hub.challenge": {"challenge<&"},
		"hub.lease_seconds": {lease}}
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, form.Get("hub.callback")+"?"+q.Encode(),
		nil))
	return answer
}

// ping sends a signed ping, and returns the status.
func (w *web) ping(form url.Values, method, secret string) int {
	body := "<feed>fat</feed>"
	r := httptest.NewRequest(http.MethodPost, form.Get("hub.callback"), strings.NewReader(body))
	if method != "" {
		mac := hmac.New(methods[method], []byte(secret))
		mac.Write([]byte(body))
		r.Header.Set("X-Hub-Signature", method+"="+hex.EncodeToString(mac.Sum(nil)))
	}
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer.Code
}

func virtual(t *testing.T, f func(t *testing.T, w *web)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(t, newStore())
		defer func() { w.Close() }()
		f(t, w)
	})
}

// TestSubscription checks that a subscription is requested, verified and pinged, and renewed before
// its lease ends, with the same callback.
func TestSubscription(t *testing.T) {
	virtual(t, func(t *testing.T, w *web) {
		w.Saw(feed, topic, []string{hubA})
		synctest.Wait()
		if w.requests() > 0 {
			t.Fatal("the hub was asked before the subscription was kept")
		}
		w.settle()
		first := w.last()
		callback, secret := first.Get("hub.callback"), first.Get("hub.secret")
		if w.requests() != 1 || w.to[0] != hubA || first.Get("hub.mode") != "subscribe" ||
			first.Get("hub.topic") != topic ||
			!strings.HasPrefix(callback, base+"/") || len(callback) != len(base)+33 ||
			len(secret) != 64 || first.Get("hub.lease_seconds") != "864000" {
			t.Fatalf("%d requests, the last %v", w.requests(), first)
		}
		for _, c := range []struct{ mode, topic, lease string }{
			{"subscribe", feed, "1000"}, {"unsubscribe", topic, ""}, {"subscribe", topic, "-1"},
			{"subscribe", topic, "0"}, {"subscribe", topic, "x"}, {"", topic, "1000"},
		} {
			if a := w.verify(first, c.mode, c.topic, c.lease); a.Code != 404 ||
				strings.Contains(a.Body.String(), "challenge") {
				t.Errorf("%v: %d %s", c, a.Code, a.Body)
			}
		}
		stranger := url.Values{"hub.callback": {base + "/00112233445566778899aabbccddeeff"}}
		if a := w.verify(stranger, "subscribe", topic, "1000"); a.Code != 404 {
			t.Errorf("a callback that nobody gave away: %d", a.Code)
		}
		if code := w.ping(stranger, "", ""); code != 410 {
			t.Errorf("a ping there: %d", code)
		}
		a := w.verify(first, "subscribe", topic, "1000")
		if a.Code != 200 || a.Body.String() != "challenge<&" ||
			!strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain") {
			t.Fatalf("%d %q %v", a.Code, a.Body, a.Header())
		}
		for _, c := range []struct {
			method, secret string
			right          bool
		}{
			{"sha1", secret, true}, {"sha256", secret, true}, {"sha384", secret, true},
			{"sha512", secret, true},
			{"", "", false}, {"sha256", "guess", false}, {"sha1", "", false},
		} {
			if code := w.ping(first, c.method, c.secret); code != 202 {
				t.Errorf("%v: %d", c, code)
			}
			if feeds := w.Take(); slices.Equal(feeds, []string{feed}) != c.right || !c.right &&
				feeds != nil {
				t.Errorf("%v: visits to %v", c, feeds)
			}
		}
		if c := w.Counts(); c != (SubscriberCounts{Known: 1, Subscriptions: 1, Pings: 4,
			Unsigned: 3}) {
			t.Errorf("%+v", c)
		}
		w.pass(740 * time.Second)
		if w.requests() != 1 {
			t.Errorf("asked again after %v", w.at[1].Sub(w.at[0]))
		}
		w.pass(20 * time.Second)
		if w.requests() != 2 || w.last().Get("hub.callback") != callback ||
			w.last().Get("hub.secret") != secret {
			t.Fatalf("%d requests, the last %v", w.requests(), w.last())
		}
		w.verify(first, "subscribe", topic, "1000")
		if w.pass(500 * time.Second); w.requests() != 2 || w.Counts().Subscriptions != 1 {
			t.Errorf("%d requests, %+v", w.requests(), w.Counts())
		}
		w.Saw(feed, topic, []string{hubA, hubB}) // another hub besides this crawler's own
		if w.settle(); w.requests() != 2 {
			t.Error("asked anew though nothing changed")
		}
	})
}

// TestManyPings checks that visits caused by pings are bounded, and that no ping is forgotten.
func TestManyPings(t *testing.T) {
	virtual(t, func(t *testing.T, w *web) {
		w.Saw(feed, topic, []string{hubB})
		w.settle()
		f := w.last()
		if f.Has("hub.secret") {
			t.Error("a secret went over http")
		}
		w.verify(f, "subscribe", topic, "86400")
		visits := 0
		for range 1000 {
			w.ping(f, "", "")
			w.ping(f, "", "")
			visits += len(w.Take())
		}
		if visits != pingsAtOnce {
			t.Errorf("%d visits at once", visits)
		}
		w.pass(61 * time.Second)
		if got := w.Take(); len(got) != 1 {
			t.Errorf("the last ping caused %v", got)
		}
		if w.pass(time.Hour); len(w.Take()) != 0 {
			t.Error("a visit that nobody asked for")
		}
		long := httptest.NewRequest(http.MethodPost, f.Get("hub.callback"),
			bytes.NewReader(make([]byte, mostPing+1)))
		answer := httptest.NewRecorder()
		if w.ServeHTTP(answer, long); answer.Code != 413 || len(w.Take()) > 0 {
			t.Errorf("a body that is too long: %d", answer.Code)
		}
	})
}

// TestRestart checks that a subscription survives the process. If its lease ended meanwhile, or the
// public URL changed, it is requested again with a new callback.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		w := newWeb(t, s)
		w.Saw(feed, topic, []string{hubA})
		w.settle()
		first := w.last()
		w.verify(first, "subscribe", topic, "1000")
		w.settle()
		w.Close()

		w = newWeb(t, s)
		if w.settle(); w.requests() != 0 || w.Counts().Subscriptions != 1 {
			t.Fatalf("%d requests, %+v", w.requests(), w.Counts())
		}
		if w.ping(first, "sha256", first.Get("hub.secret")); len(w.Take()) != 1 {
			t.Error("a ping after a restart moves nothing")
		}
		w.pass(751 * time.Second)
		if w.requests() != 1 || w.last().Get("hub.callback") != first.Get("hub.callback") {
			t.Errorf("%d requests", w.requests())
		}
		w.Close()

		time.Sleep(time.Hour)
		w = newWeb(t, s)
		if w.settle(); w.requests() != 1 ||
			w.last().Get("hub.callback") == first.Get("hub.callback") {
			t.Errorf("%d requests after the lease, at the same callback", w.requests())
		}
		if code := w.ping(first, "sha256", first.Get("hub.secret")); code != 410 {
			t.Errorf("a ping to a callback that is over: %d", code)
		}
		w.verify(w.last(), "subscribe", topic, "86400")
		w.settle()
		w.Close()

		moved := &web{t: t, store: s, hub: accepts}
		moved.Subscriber = NewSubscriber(SubscriberOptions{Callback: "https://new.example/w",
			Note: t.Logf,
			Post: func(_ context.Context, address string, form url.Values) (HubAnswer, error) {
				moved.asked = append(moved.asked, form)
				return HubAnswer{Status: 202}, nil
			}})
		defer moved.Close()
		if err := moved.Restore(s.setting); err != nil {
			t.Fatal(err)
		}
		if moved.settle(); len(moved.asked) != 1 ||
			!strings.HasPrefix(moved.last().Get("hub.callback"), "https://new.example/w/") {
			t.Errorf("%v", moved.asked)
		}
	})
}

// TestHubDown checks that a failing hub rests, longer each time, for all feeds that name it. If a
// feed names another hub, that one is asked.
func TestHubDown(t *testing.T) {
	virtual(t, func(t *testing.T, w *web) {
		w.hub = func(address string, _ url.Values) (HubAnswer, error) {
			if address == hubA {
				return HubAnswer{}, errors.New("connection refused")
			}
			return HubAnswer{Status: 202}, nil
		}
		w.Saw(feed, topic, []string{hubA})
		for i := range 50 {
			w.Saw(fmt.Sprintf("https://blog%d.example/feed", i), topic, []string{hubA})
		}
		w.Saw("https://two.example/feed", topic, []string{hubA, hubB})
		w.settle()
		if w.requests() != 1 {
			t.Errorf("%d requests to a hub that is down", w.requests())
		}
		w.pass(24 * time.Hour)
		down, up := 0, 0
		for _, to := range w.to {
			if to == hubA {
				down++
			} else {
				up++
			}
		}
		// 1, 2, 4 ... 512, 1024 minutes.
		if down < 10 || down > 12 {
			t.Errorf("%d requests in a day to a hub that is down", down)
		}
		if len(w.notes) != 1 || !strings.Contains(w.notes[0], "connection refused") {
			t.Errorf("%q", w.notes)
		}
		w.mu.Lock()
		w.hub = accepts
		w.mu.Unlock()
		w.pass(48 * time.Hour)
		topics := map[string]bool{}
		for i, f := range w.asked {
			if w.at[i].After(time.Now().Add(-48 * time.Hour)) {
				topics[f.Get("hub.callback")] = true
			}
		}
		if len(topics) < 51 {
			t.Errorf("%d of 52 feeds are asked for after it came back", len(topics))
		}
	})
}

func TestSecondHub(t *testing.T) {
	virtual(t, func(t *testing.T, w *web) {
		w.hub = func(address string, _ url.Values) (HubAnswer, error) {
			return map[string]HubAnswer{hubA: {Status: 500}, hubB: {Status: 202}}[address], nil
		}
		w.Saw(feed, topic, []string{hubA, hubB})
		w.pass(2 * time.Minute)
		if !slices.Equal(w.to, []string{hubA, hubB}) ||
			w.asked[0].Get("hub.callback") == w.asked[1].Get("hub.callback") {
			t.Errorf("asked %v", w.to)
		}
	})
}

// TestDenied checks that a hub which refuses or denies a topic is left alone for a month. One that
// never verifies is asked less and less often.
func TestDenied(t *testing.T) {
	virtual(t, func(t *testing.T, w *web) {
		w.Saw(feed, topic, []string{hubA})
		w.settle()
		w.verify(w.last(), "subscribe", topic, "86400")
		first := w.last()
		if a := w.verify(first, "denied", "https://other.example/", ""); a.Code != 404 {
			t.Errorf("denied for another topic: %d", a.Code)
		}
		if a := w.verify(first, "denied", topic, ""); a.Code != 200 ||
			w.Counts().Subscriptions != 0 || len(w.notes) != 1 {
			t.Errorf("%d, %+v, %q", a.Code, w.Counts(), w.notes)
		}
		if code := w.ping(first, "sha256", first.Get("hub.secret")); code != 410 {
			t.Errorf("a ping after it was denied: %d", code)
		}
		w.Saw(feed, topic, []string{hubA})
		if w.pass(29 * 24 * time.Hour); w.requests() != 1 {
			t.Errorf("%d requests in the month after it was denied", w.requests())
		}
		w.pass(2 * 24 * time.Hour)
		if w.requests() < 2 {
			t.Error("not asked again after a month")
		}
		w.Saw(feed, topic, []string{hubB})
		w.settle()
		if to := w.to[len(w.to)-1]; to != hubB && w.to[len(w.to)-2] != hubB {
			t.Errorf("another hub was not asked, but %v", w.to)
		}
	})
	virtual(t, func(t *testing.T, w *web) {
		w.hub = func(string, url.Values) (HubAnswer, error) { return HubAnswer{Status: 403}, nil }
		w.Saw(feed, topic, []string{hubA})
		if w.pass(29 * 24 * time.Hour); w.requests() != 1 {
			t.Errorf("%d requests to a hub that refuses", w.requests())
		}
	})
	virtual(t, func(t *testing.T, w *web) {
		w.Saw(feed, topic, []string{hubA})
		if w.pass(7 * 24 * time.Hour); w.requests() < 5 || w.requests() > 20 {
			t.Errorf("%d requests in a week to a hub that never verifies", w.requests())
		}
	})
}

// TestLeave checks that a feed which is gone, or names no hub, is unsubscribed once.
func TestLeave(t *testing.T) {
	virtual(t, func(t *testing.T, w *web) {
		w.Saw(feed, topic, []string{hubA})
		w.settle()
		first := w.last()
		w.verify(first, "subscribe", topic, "86400")
		w.Left(feed)
		w.Left(feed)
		w.settle()
		if w.requests() != 2 || w.last().Get("hub.mode") != "unsubscribe" ||
			w.last().Get("hub.callback") != first.Get("hub.callback") ||
			w.last().Has("hub.secret") {
			t.Fatalf("%v", w.asked)
		}
		if w.ping(first, "sha1", first.Get("hub.secret")); len(w.Take()) > 0 {
			t.Error("a ping of a feed that left moves something")
		}
		if a := w.verify(first, "subscribe", topic, "86400"); a.Code != 404 {
			t.Errorf("subscribed against our will: %d", a.Code)
		}
		if a := w.verify(first, "unsubscribe", topic, ""); a.Code != 200 ||
			a.Body.String() != "challenge<&" {
			t.Errorf("%d %s", a.Code, a.Body)
		}
		w.pass(24 * time.Hour)
		if c := w.Counts(); w.requests() != 2 || c.Known != 0 {
			t.Errorf("%d requests, %+v", w.requests(), c)
		}
		for name, value := range w.store.settings {
			if string(value) != "null" {
				t.Errorf("%s still has %s", name, value)
			}
		}
	})
}

// TestBounds checks the limits of what feeds can make a Subscriber keep and send.
func TestBounds(t *testing.T) {
	virtual(t, func(t *testing.T, w *web) {
		for i := range 3 * mostOfServer {
			w.Saw(fmt.Sprintf("https://blog.example/%d", i), topic, []string{hubA})
		}
		if known := w.Counts().Known; known != mostOfServer {
			t.Errorf("%d subscriptions of one server", known)
		}
		for i := range mostSubscriptions + 100 {
			w.Saw(fmt.Sprintf("https://blog%d.example/feed", i), topic,
				[]string{"https://hub.example/" + fmt.Sprint(i)})
		}
		if known := w.Counts().Known; known != mostSubscriptions || len(w.notes) != 1 {
			t.Errorf("%d subscriptions, %q", known, w.notes)
		}
		w.Saw("https://loop.example/feed", topic, []string{base + "/x"})
		w.hub = func(string, url.Values) (HubAnswer, error) { return HubAnswer{Status: 404}, nil }
		w.pass(time.Hour)
		if w.requests() > 7 { // 0, 1, 3, 7, 15, 31 min
			t.Errorf("%d requests in an hour to a server that is no hub, though each has "+
				"another path", w.requests())
		}
	})
}

// TestRedirect checks that redirects of hubs are followed, and that a secret stays within https.
func TestRedirect(t *testing.T) {
	virtual(t, func(t *testing.T, w *web) {
		w.hub = func(address string, _ url.Values) (HubAnswer, error) {
			return map[string]HubAnswer{
				hubA:                         {Status: 307, Location: "https://hub.example/2"},
				"https://hub.example/2":      {Status: 202},
				"https://down.example/":      {Status: 308, Location: "http://down.example/"},
				"https://circle.example/":    {Status: 307, Location: "https://circle.example/"},
				"http://down.example/":       {Status: 202},
				"https://elsewhere.example/": {Status: 307},
			}[address], nil
		}
		for i, hub := range []string{hubA, "https://down.example/", "https://circle.example/",
			"https://elsewhere.example/"} {
			w.Saw(fmt.Sprintf("https://%d.example/", i), topic, []string{hub})
		}
		w.settle()
		count := map[string]int{}
		for _, to := range w.to {
			count[to]++
		}
		want := map[string]int{hubA: 1, "https://hub.example/2": 1, "https://down.example/": 1,
			"https://circle.example/": 1 + mostRedirects, "https://elsewhere.example/": 1}
		if !maps.Equal(count, want) {
			t.Errorf("asked %v", count)
		}
	})
}

// TestBrokenStore checks that a damaged store does no harm, and that an error of the store is
// returned.
func TestBrokenStore(t *testing.T) {
	virtual(t, func(t *testing.T, w *web) {
		for _, text := range []string{"", "x", "null", "[null]", `[{}]`,
			`[{"feed":"a","topic":"b","hubs":[],"state":"active"}]`,
			`[{"feed":"a","topic":"b","hubs":["c"],"turn":-1}]`, `{"a":1}`} {
			w.restore([]byte(text))
		}
		if c := w.Counts(); c.Known != 0 {
			t.Errorf("%+v", c)
		}
		w.store.broken = errors.New("disk")
		w.Saw(feed, topic, []string{hubA})
		if err := w.Keep(w.store); err == nil {
			t.Error("no error")
		}
		if err := w.Restore(w.store.setting); err == nil {
			t.Error("no error")
		}
		if synctest.Wait(); w.requests() > 0 {
			t.Error("a hub was asked for what is not kept")
		}
		w.store.broken = nil
		w.Close()
	})
}

// FuzzServe checks that only genuine requests are confirmed, that only a ping to a feed's callback
// reports it, and that the kept state can be read again.
func FuzzServe(f *testing.F) {
	f.Add("GET", "/TOKEN", "hub.mode=subscribe&hub.topic=TOPIC&hub.challenge=x&hub.lease_seconds=5",
		"", "")
	f.Add("GET", "/a/TOKEN", "hub.mode=denied&hub.topic=TOPIC&hub.reason=%ff%00", "", "")
	f.Add("GET", "/TOKEN",
		"hub.mode=subscribe&hub.topic=TOPIC&hub.challenge=x&hub.lease_seconds=99999999999999999999",
		"", "")
	f.Add("POST", "/TOKEN", "", "sha256=00", "body")
	f.Add("POST", "/TOKEN/", "", "sha1", "body")
	f.Fuzz(func(t *testing.T, method, path, query, signature, body string) {
		s := NewSubscriber(SubscriberOptions{Callback: base, Note: func(string, ...any) {},
			Post: func(ctx context.Context, _ string, _ url.Values) (HubAnswer, error) {
				<-ctx.Done()
				return HubAnswer{}, ctx.Err()
			}})
		defer s.Close()
		s.Saw(feed, topic, []string{hubA})
		s.mu.Lock()
		sub := s.byFeed[feed]
		sub.State = asked
		token := sub.token()
		s.mu.Unlock()
		fill := strings.NewReplacer("TOKEN", token, "TOPIC", url.QueryEscape(topic))
		r := &http.Request{Method: method,
			URL:    &url.URL{Path: fill.Replace(path), RawQuery: fill.Replace(query)},
			Header: http.Header{"X-Hub-Signature": {signature}}, Body: http.NoBody}
		if method == http.MethodPost {
			r = httptest.NewRequest(method, "/", strings.NewReader(body))
			r.URL.Path, r.Header = fill.Replace(path), http.Header{"X-Hub-Signature": {signature}}
		}
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, r)
		q, _ := url.ParseQuery(r.URL.RawQuery)
		if answer.Code == 200 && (q.Get("hub.topic") != topic || tokenOf(r.URL.Path) != token) {
			t.Fatalf("confirmed: %s?%s", r.URL.Path, r.URL.RawQuery)
		}
		if len(s.Take()) > 0 {
			t.Fatal("a ping without a right signature moves something")
		}
		kept := newStore()
		if err := s.Keep(kept); err != nil {
			t.Fatal(err)
		}
		again := NewSubscriber(s.o)
		defer again.Close()
		if err := again.Restore(kept.setting); err != nil || again.Counts().Known != 1 {
			t.Fatalf("%v, %+v", err, again.Counts())
		}
	})
}

// FuzzRestore checks that a restored state is complete, within limits, and saved unchanged.
func FuzzRestore(f *testing.F) {
	f.Add(
		`[{"feed":"https://a.example/","topic":"t","hubs":["https://h.example/"],"turn":1,"callback":"` + base + `/00112233445566778899aabbccddeeff","secret":"s","state":"active","until":"2099-01-01T00:00:00Z","next":"2098-01-01T00:00:00Z","failures":0}]`)
	f.Add(`[{"state":"leaving"},null,{"hubs":null}]`)
	f.Fuzz(func(t *testing.T, text string) {
		s := NewSubscriber(SubscriberOptions{Callback: base, Note: func(string, ...any) {},
			Post: func(context.Context, string, url.Values) (HubAnswer, error) {
				return HubAnswer{}, errors.New("no")
			}})
		defer s.Close()
		s.restore([]byte(text))
		s.mu.Lock()
		defer s.mu.Unlock()
		for token, sub := range s.byToken {
			if len(token) != 2*tokenBytes || sub.hub() == "" || sub.Feed == "" ||
				sub.token() != token {
				t.Fatalf("%q: %+v", token, sub)
			}
		}
	})
}
