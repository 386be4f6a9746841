package core_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// feedHub is a hub of feeds (W3C WebSub 5 to 7): it answers requests, verifies them, and
// distributes changes.
type feedHub struct {
	t      *testing.T
	server *httptest.Server
	lease  time.Duration

	mu    sync.Mutex
	subs  map[string]feedSub // by callback
	asked int                // accepted requests
}

type feedSub struct {
	topic, secret string
	until         time.Time
}

func newFeedHub(t *testing.T) *feedHub {
	h := &feedHub{t: t, lease: time.Hour, subs: map[string]feedSub{}}
	h.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.ParseForm() != nil ||
			r.PostForm.Get("hub.callback") == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		h.mu.Lock()
		h.asked++
		h.mu.Unlock()
		go h.verify(r.PostForm)
	}))
	t.Cleanup(h.server.Close)
	return h
}

// verify asks the subscriber whether a request was genuine.
func (h *feedHub) verify(form url.Values) {
	const challenge = "0f3a"
	h.mu.Lock()
	lease := h.lease
	h.mu.Unlock()
	q := url.Values{"hub.mode": form["hub.mode"], "hub.topic": form["hub.topic"],
		"hub.challenge": {challenge}, "hub.lease_seconds": {fmt.Sprint(int(lease.Seconds()))}}
	callback := form.Get("hub.callback")
	answer, err := http.Get(callback + "?" + q.Encode())
	if err != nil {
		return
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case answer.StatusCode/100 != 2 || string(body) != challenge:
		h.t.Errorf("%s of %s is not confirmed: %d %q",
			form.Get("hub.mode"), callback, answer.StatusCode, body)
	case form.Get("hub.mode") == "unsubscribe":
		delete(h.subs, callback)
	default:
		h.subs[callback] = feedSub{form.Get("hub.topic"), form.Get("hub.secret"),
			time.Now().Add(lease)}
	}
}

// publish sends a topic to its subscribers, and returns their answers.
func (h *feedHub) publish(topic, content string) (statuses []int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for callback, sub := range h.subs {
		if sub.topic != topic || time.Now().After(sub.until) {
			continue
		}
		mac := hmac.New(sha256.New, []byte(sub.secret))
		mac.Write([]byte(content))
		statuses = append(statuses,
			h.send(callback, content, "sha256="+hex.EncodeToString(mac.Sum(nil))))
	}
	return statuses
}

func (h *feedHub) send(callback, content, signature string) int {
	r, _ := http.NewRequest(http.MethodPost, callback, strings.NewReader(content))
	r.Header.Set("Content-Type", "application/rss+xml")
	r.Header.Set("X-Hub-Signature", signature)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// state returns the number of valid subscriptions, of requests, and a callback.
func (h *feedHub) state() (holding, asked int, callback string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for at, sub := range h.subs {
		if time.Now().Before(sub.until) {
			holding++
			callback = at
		}
	}
	return holding, h.asked, callback
}

// feedSite has a feed that names a hub. It notes the times of requests.
type feedSite struct {
	*httptest.Server
	mu    sync.Mutex
	items []string
	hub   string
	asked map[string][]time.Time
}

func newFeedSite(t *testing.T, hub string) *feedSite {
	s := &feedSite{hub: hub, items: []string{"/1"}, asked: map[string][]time.Time{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[r.URL.Path] = append(s.asked[r.URL.Path], time.Now())
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/":
			fmt.Fprint(w, `<link rel=alternate type="application/rss+xml" href=/feed.xml>`,
				manyLinks(300))
		case r.URL.Path == "/feed.xml":
			w.Header().Set("Content-Type", "application/rss+xml")
			fmt.Fprint(w, s.content())
		case r.URL.Path == "/robots.txt" || r.URL.Path == "/sitemap.xml":
			http.NotFound(w, r)
		default:
			fmt.Fprint(w, "a page ", r.URL.Path)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *feedSite) topic() string { return s.URL + "/feed.xml" }

func (s *feedSite) content() string {
	var b strings.Builder
	b.WriteString(`<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel>`)
	if s.hub != "" {
		fmt.Fprintf(&b, `<atom:link rel="hub" href="%s"/><atom:link rel="self" href="%s"/>`,
			s.hub, s.topic())
	}
	for _, item := range s.items {
		fmt.Fprintf(&b, "<item><link>%s</link></item>", item)
	}
	return b.String() + "</channel></rss>"
}

// add adds an item, and returns the feed in the form for the hub.
func (s *feedSite) add(item string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = append(s.items, item)
	return s.content()
}

func (s *feedSite) visits(path string) (times int, last time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if times = len(s.asked[path]); times > 0 {
		last = s.asked[path][times-1]
	}
	return times, last
}

// TestWebSub checks that a feed which names a hub is subscribed to. Changes from the hub are
// fetched from the site itself, with the new items of the feed, within a second beyond politeness.
// This holds also while many other pages of the site wait, and after a kill. Leases are renewed in
// time. Strangers cause nothing.
func TestWebSub(t *testing.T) {
	t.Parallel()
	hub := newFeedHub(t)
	site := newFeedSite(t, hub.server.URL+"/hub")
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hub.server.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	const delay = 200 * time.Millisecond
	at, data := freeAddress(t), filepath.Join(t.TempDir(), "data")
	args := []string{"run", "--data", data, "--user-agent", contact, "--allow-private", "--ca-file",
		authority, "--delay", delay.String(),
		"--round", "24h", "--budget", "100000", "--push", at, "--websub-callback",
		"http://" + at + "/websub/"}
	p := start(t, t.TempDir(), nil, append(args, site.URL+"/")...)
	holds := func() bool { n, _, _ := hub.state(); return n == 1 }
	eventually(t, "a subscription", holds)

	// pushed checks that a new item is fetched soon after the hub sent it.
	pushed := func(item string) {
		t.Helper()
		before, _ := site.visits("/feed.xml")
		content := site.add(item)
		began := time.Now()
		if got := hub.publish(site.topic(), content); len(got) != 1 || got[0] != 202 {
			t.Fatalf("the subscriber answers %v", got)
		}
		eventually(t, "a visit to "+item, func() bool { n, _ := site.visits(item); return n > 0 })
		times, _ := site.visits("/feed.xml")
		_, fetched := site.visits(item)
		t.Logf("%s was fetched after %v", item, fetched.Sub(began))
		if times <= before {
			t.Error("the feed was not fetched from its own server")
		}
	}
	pushed("/2")
	pushed("/3")

	_, _, callback := hub.state()
	before, _ := site.visits("/feed.xml")
	for _, forged := range []string{"", "sha256=00", "sha1=" + strings.Repeat("0", 40)} {
		if code := hub.send(callback, "forged", forged); code != 202 {
			t.Errorf("a forged ping: %d", code)
		}
	}
	if code := hub.send("http://"+at+"/websub/"+strings.Repeat("0", 32), "forged",
		""); code != 410 {
		t.Errorf("a ping to no subscription: %d", code)
	}
	time.Sleep(1200 * time.Millisecond)
	if n, _ := site.visits("/feed.xml"); n != before {
		t.Error("the feed was fetched though the signature is wrong")
	}

	p.kill()
	_, asked, _ := hub.state()
	p = start(t, t.TempDir(), nil, args...)
	eventually(t, "an open inbox", func() bool {
		return strings.Contains(p.stderr.String(), "1 subscriptions are known")
	})
	pushed("/4")
	if _, now, after := hub.state(); now != asked || after != callback {
		t.Errorf("after a restart the hub was asked %d times more; callback %s, was %s",
			now-asked, after, callback)
	}
	p.kill()

	// Short leases are renewed with the same callback. After one that ended while no process ran,
	// the hub is asked again, with a new one.
	hub.mu.Lock()
	hub.lease = 2 * time.Second
	clear(hub.subs)
	asked = hub.asked
	hub.mu.Unlock()
	args[2] = filepath.Join(t.TempDir(), "data")
	p = start(t, t.TempDir(), nil, append(args, site.URL+"/")...)
	eventually(t, "two renewals", func() bool { _, now, _ := hub.state(); return now >= asked+3 })
	hub.mu.Lock()
	if len(hub.subs) != 1 {
		t.Errorf("%d callbacks of one subscription", len(hub.subs))
	}
	hub.mu.Unlock()
	p.kill()
	time.Sleep(2100 * time.Millisecond)
	p = start(t, t.TempDir(), nil, args...)
	eventually(t, "another subscription", holds)
	hub.mu.Lock()
	if len(hub.subs) != 2 {
		t.Errorf("%d callbacks, want another one after the lease ended", len(hub.subs))
	}
	hub.mu.Unlock()

	// A feed that no longer names a hub is unsubscribed.
	site.mu.Lock()
	site.hub = ""
	site.mu.Unlock()
	if got := hub.publish(site.topic(), "changed"); len(got) == 0 || got[0] != 202 {
		t.Errorf("the subscriber answers %v", got)
	}
	eventually(t, "the end of the subscription", func() bool {
		n, _, _ := hub.state()
		return n == 0
	})
	p.interrupt()
	p.result()
}
