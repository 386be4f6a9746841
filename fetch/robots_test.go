package fetch

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

func TestRobotsForbids(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, "User-agent: recrawl-test\nDisallow: /private\nDisallow: "+
			"/*?s=\n\nUser-agent: *\nDisallow: /\n")
	})
	w.page("h.example/", "x")
	c := w.client(nil)
	for path, want := range map[string]sitegraph.Outcome{
		"": sitegraph.OutcomeFetched, "private/x": sitegraph.OutcomeExcluded,
		"%70rivate": sitegraph.OutcomeExcluded, "a?s=1": sitegraph.OutcomeExcluded,
	} {
		o := w.get(c, home+path)
		if o.Outcome != want || want == sitegraph.OutcomeExcluded && o.Detail != "robots.txt" {
			t.Errorf("%q: %v %q", path, o.Outcome, o.Detail)
		}
	}
	if got := w.paths(); len(got) != 2 {
		t.Errorf("asked for %v", got)
	}
}

// TestRobotsLives follows one robots.txt over time.
func TestRobotsLives(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	status, rules := 200, "User-agent: *\nDisallow: /old"
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(status)
		fmt.Fprint(rw, rules)
	})
	w.page("h.example/", "x")
	c := w.client(nil)
	step := func(name string, after time.Duration, asks bool, old, fresh sitegraph.Outcome) {
		t.Helper()
		w.clock.advance(after)
		gotOld, gotFresh := w.get(c, home+"old").Outcome, w.get(c, home+"new").Outcome
		if gotOld != old || gotFresh != fresh {
			t.Errorf("%s: /old %v, /new %v; want %v, %v", name, gotOld, gotFresh, old, fresh)
		}
		if paths := w.paths(); slices.Contains(paths, "/robots.txt") != asks {
			t.Errorf("%s: asked for %v", name, paths)
		}
	}
	const fetched, excluded, failed = sitegraph.OutcomeFetched, sitegraph.OutcomeExcluded,
		sitegraph.OutcomeFailed
	step("at first", 0, true, excluded, fetched)
	rules = "User-agent: *\nDisallow: /new"
	step("within 24 h (RFC 9309 2.4)", 23*time.Hour, false, excluded, fetched)
	step("after 24 h", time.Hour, true, fetched, excluded)
	status = 503
	step("unreachable: the old one is used (2.3.1.4)", 25*time.Hour, true, fetched, excluded)
	step("not asked for at once again", time.Minute, false, fetched, excluded)
	step("unreachable for another day: nothing is allowed", 24*time.Hour, true, failed, failed)
	step("and stays so", time.Minute, false, failed, failed)
	status = 404
	step("gone: everything is allowed (2.3.1.3)", 24*time.Hour, true, fetched, fetched)
}

// TestRobotsHoldsAsLongAsAsked checks that RobotsFresh shortens the life of a robots.txt, also
// after a restart.
func TestRobotsHoldsAsLongAsAsked(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	rules := "User-agent: *\nDisallow: /a"
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, rules)
	})
	w.page("h.example/", "x")
	kept := settings{}
	client := func() *Client {
		return w.client(func(o *Options) { o.KeepRobots, o.RobotsFresh = true, 10*time.Minute })
	}
	c := client()
	expect := func(want sitegraph.Outcome) {
		t.Helper()
		w.clock.advance(5 * time.Minute)
		o, wait := kept.try(t, c, home+"a")
		for wait > 0 {
			w.clock.advance(wait)
			o, wait = kept.try(t, c, home+"a")
		}
		if o.Outcome != want {
			t.Errorf("%v, want %v", o.Outcome, want)
		}
	}
	expect(sitegraph.OutcomeExcluded)
	rules = ""
	expect(sitegraph.OutcomeExcluded) // after 5 minutes
	c = client()
	expect(sitegraph.OutcomeFetched) // after 10
}

// TestRobotsWithinMaxAge checks that an unreachable robots.txt is asked for again within MaxAge,
// also after a restart, but not before the time that its server asked for.
func TestRobotsWithinMaxAge(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	after := ""
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		if after != "" {
			rw.Header().Set("Retry-After", after)
		}
		rw.WriteHeader(503)
	})
	w.page("h.example/", "x")
	kept := map[string][]byte{}
	client := func() *Client {
		c := w.client(func(o *Options) {
			o.KeepRobots = true
			o.MaxAge = func(string) time.Duration { return 30 * time.Second }
		})
		if err := c.Recall(home, func(name string) ([]byte, bool, error) {
			v, ok := kept[name]
			return v, ok, nil
		}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := client()
	step := func(name string, pass time.Duration, asks bool) {
		t.Helper()
		w.clock.advance(pass)
		w.get(c, home)
		if got := slices.Contains(w.paths(), "/robots.txt"); got != asks {
			t.Errorf("%s: robots.txt asked for: %v", name, got)
		}
		if err := c.Keep(func(name string, value []byte) error {
			kept[name] = value
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	step("first", 0, true)
	for range 5 {
		step("soon", 10*time.Second, false)
		step("within the greatest age", 25*time.Second, true)
	}
	c = client()
	step("soon after a restart", 10*time.Second, false)
	after = "300"
	step("within the greatest age", 25*time.Second, true)
	step("before the server wants it", 200*time.Second, false)
	step("as the server wants it", 100*time.Second, true)
}

func TestRobotsFailureIsTold(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "7200")
		rw.WriteHeader(429)
	})
	w.page("h.example/", "x")
	o := w.get(w.client(nil), home)
	if o.Outcome != sitegraph.OutcomeFailed ||
		o.Detail != "robots.txt: status 429 Too Many Requests" ||
		o.NotBefore.Sub(o.Time) != 2*time.Hour {
		t.Errorf("%v %q, wait %v", o.Outcome, o.Detail, o.NotBefore.Sub(o.Time))
	}
}

func TestRobotsCacheIsBounded(t *testing.T) {
	c := newRobotsCache(100*entryBytes, maxRobotsFresh)
	clock := newClock()
	for i := range 1000 {
		key := fmt.Sprint("http://h", i)
		_, e, busy := c.lookup(key, clock.Now(), 0)
		if busy != nil || e == nil {
			t.Fatalf("%s: %v %v", key, e, busy)
		}
		e.fail(clock.Now(), "no", time.Time{})
		c.done(key, e)
	}
	if c.bytes > c.bound || len(c.entries) != c.used.Len() || len(c.entries) > 100 ||
		len(c.asking) != 0 {
		t.Errorf("%d octets in %d entries, %d in the list", c.bytes, len(c.entries), c.used.Len())
	}
	if _, e, _ := c.lookup("http://h999", clock.Now(), 0); e != nil {
		t.Error("the entry used last is gone")
	}
}

// TestRobotsAnswers runs the published cases of answers for robots.txt.
func TestRobotsAnswers(t *testing.T) {
	raw, err := os.ReadFile("../../shared/data/robots/rfc9309-extra.json")
	if err != nil {
		t.Skipf("the published cases are not here: %v", err)
	}
	var file struct {
		Status []struct {
			Name, Ref, Result, Layer, Cached string
			Chain                            []any
			CachedAge                        float64 `json:"cached_age_h"`
			UnreachableDays                  int     `json:"unreachable_days"`
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	bomb := zipText(t, robotsRules+strings.Repeat("#\n", 1<<20))
	for _, c := range file.Status {
		t.Run(c.Name, func(t *testing.T) {
			if c.UnreachableDays > 0 {
				t.Skip("optional: a server unreachable for 30 days stays forbidden")
			}
			w := newWeb(t, "h.example", "127.0.0.1", "other.example", "127.0.0.2")
			s := &robotsScript{t: t, bomb: bomb, rules: robotsRules}
			w.handle("h.example/", s.serve)
			w.handle("other.example/", s.serve)
			client := w.client(func(o *Options) {
				o.RobotsAnyHost = true
				o.AllowPrivate = true
				o.Interval = NoInterval
				o.HeaderTimeout = 500 * time.Millisecond
			})
			if strings.Contains(c.Name, "private") {
				client.guard = guard{networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
			}
			if c.Cached != "" {
				w.get(client, home+"denied")
				w.clock.advance(time.Duration(c.CachedAge * float64(time.Hour)))
				w.paths()
			}
			s.chain = c.Chain
			url := home
			if len(s.chain) == 1 && s.chain[0] == "nxdomain" {
				url = "http://none.example/"
			}
			if len(s.chain) == 1 && s.chain[0] == "refused" {
				w.hosts["down.example"], url = w.hosts["other.example"].Next(),
					"http://down.example/"
			}
			allowed := w.get(client, url+"allowed").Outcome == sitegraph.OutcomeFetched
			denied := w.get(client, url+"denied").Outcome == sitegraph.OutcomeFetched
			want := map[string][2]bool{"rules": {true, false}, "cached": {true, false},
				"allow_all": {true, true}, "disallow_all": {false, false}}[c.Result]
			if c.Name == "200_html" {
				want = [2]bool{true, true}
			}
			if allowed != want[0] || denied != want[1] {
				t.Errorf("%s: %v, but an allowed page %v, a denied one %v",
					c.Ref, c.Result, allowed, denied)
			}
			if c.Name == "cache_25h" && !slices.Contains(w.paths(), "/robots.txt") {
				t.Error("not asked for again")
			}
		})
	}
}

const robotsRules = "User-agent: *\nDisallow: /denied\n"

// robotsScript answers requests for robots.txt by one of the published cases, and all others with a
// page.
type robotsScript struct {
	t     *testing.T
	rules string
	bomb  []byte
	chain []any
	at    int
}

func (s *robotsScript) serve(rw http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/allowed") || strings.HasPrefix(r.URL.Path, "/denied") {
		rw.Header().Set("Content-Type", "text/html")
		return
	}
	if s.at >= len(s.chain) {
		fmt.Fprint(rw, s.rules)
		return
	}
	answer := s.chain[s.at]
	loop := s.at+1 < len(s.chain) && s.chain[s.at+1] == "loop"
	if !loop {
		s.at++
	}
	if status, ok := answer.(float64); ok {
		s.status(rw, int(status), loop)
		return
	}
	text := answer.(string)
	if i := strings.IndexByte(text, ':'); i >= 0 && !strings.HasPrefix(text, "http:") {
		text = text[i+1:]
	}
	switch text {
	case "200":
		fmt.Fprint(rw, s.rules)
	case "timeout":
		<-r.Context().Done()
	case "reset":
		rw.Header().Set("Content-Length", "1000")
		fmt.Fprint(rw, "User-agent: *\n")
	case "text/html":
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, "<html><body>not found</body></html>")
	case "gzip":
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Write(zipText(s.t, s.rules))
	case "gzip-bomb":
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Write(s.bomb)
	default:
		s.t.Errorf("unknown answer %v", answer)
	}
}

func (s *robotsScript) status(rw http.ResponseWriter, status int, loop bool) {
	if status >= 300 && status < 400 {
		target := fmt.Sprintf("/robots%d.txt", s.at)
		if loop {
			target = "/robots.txt"
		} else if next, ok := s.chain[s.at].(string); ok {
			switch {
			case strings.HasPrefix(next, "http:"):
				target = next
			case strings.HasPrefix(next, "other-host:"):
				target = "http://other.example/robots.txt"
			default:
				target, _, _ = strings.Cut(next, ":")
			}
		}
		rw.Header().Set("Location", target)
	}
	rw.WriteHeader(status)
	if status == 200 {
		fmt.Fprint(rw, s.rules)
	}
}

func TestRobotsRedirectsStay(t *testing.T) {
	for target, want := range map[string]sitegraph.Outcome{
		"/r2.txt":                         sitegraph.OutcomeFetched,
		"http://www.h.example/robots.txt": sitegraph.OutcomeFetched,
		"http://o.example/robots.txt":     sitegraph.OutcomeFailed,
		"file:///etc/robots.txt":          sitegraph.OutcomeFailed,
		"":                                sitegraph.OutcomeFailed,
	} {
		w := newWeb(t, "h.example", "127.0.0.1", "www.h.example", "127.0.0.2", "o.example",
			"127.0.0.2")
		w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Location", target)
			rw.WriteHeader(301)
		})
		w.page("h.example/", "x")
		o := w.get(w.client(nil), home)
		if o.Outcome != want {
			t.Errorf("to %q: %v %q", target, o.Outcome, o.Detail)
		}
		for _, r := range w.requests {
			if r.host == "o.example" {
				t.Errorf("to %q: another server was asked", target)
			}
		}
	}
}

// TestCrawlDelayAroundRobots checks that the Crawl-delay of a valid robots.txt counts from a failed
// request for a new one. A server whose robots.txt is asked for on behalf of another keeps its own
// delay.
func TestCrawlDelayAroundRobots(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1", "www.h.example", "127.0.0.2")
	fail := false
	w.handle("www.h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		if fail {
			rw.WriteHeader(500)
			return
		}
		fmt.Fprint(rw, "User-agent: *\nCrawl-delay: 300\n")
	})
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", "http://www.h.example/robots.txt")
		rw.WriteHeader(301)
	})
	w.page("/", "x")
	c := w.client(nil)
	visit := func(url string) {
		t.Helper()
		if _, err := c.Visit(t.Context(), sitegraph.Record{URL: url}); err != nil {
			t.Fatal(err)
		}
	}
	visit("http://www.h.example/")
	visit("http://h.example/")
	visit("http://www.h.example/2")
	fail = true
	w.clock.advance(24 * time.Hour)
	visit("http://www.h.example/3")
	last := map[string]time.Time{}
	for _, r := range w.requests {
		if gap := r.at.Sub(last[r.host]); r.host == "www.h.example" && !last[r.host].IsZero() &&
			gap < 300*time.Second {
			t.Errorf("%s of %s is asked %v after the request before", r.path, r.host, gap)
		}
		last[r.host] = r.at
	}
}

// TestRobotsCutAtOnce checks that a robots.txt too short to show its coding forbids everything
// until a whole one is read.
func TestRobotsCutAtOnce(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		conn, _, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: "+
			"gzip\r\nConnection: close\r\n\r\n\x1f")
	})
	w.page("/", "x")
	if o := w.get(w.client(nil), home); o.Outcome != sitegraph.OutcomeFailed {
		t.Errorf("%v, want it not to be asked for", o.Outcome)
	}
}
