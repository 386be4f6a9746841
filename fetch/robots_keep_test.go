package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// settings are the settings of a store, for Keep and Recall.
type settings map[string][]byte

func (s settings) save(name string, value []byte) error {
	s[name] = value
	return nil
}

func (s settings) setting(name string) ([]byte, bool, error) {
	value, ok := s[name]
	return value, ok, nil
}

// try recalls robots.txt for a page, tries to visit the page, and keeps new results. It returns the
// outcome; OutcomeUnknown means not yet.
func (s settings) try(t *testing.T, c *Client, url string) (
	o sitegraph.Observation, wait time.Duration) {
	t.Helper()
	if err := c.Recall(url, s.setting); err != nil {
		t.Fatal(err)
	}
	seen, until, err := c.Try(t.Context(), &sitegraph.Record{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Keep(s.save); err != nil {
		t.Fatal(err)
	}
	if until.IsZero() {
		return *seen, 0
	}
	return sitegraph.Observation{}, until.Sub(c.clock.Now())
}

// TestRobotsOutlivesTheProcess checks that a process does not ask for a robots.txt that another
// read less than a day ago, and finds the group for its own name in it.
func TestRobotsOutlivesTheProcess(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	status := 200
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(status)
		fmt.Fprint(rw, "User-agent: recrawl-test\nCrawl-delay: 300\nDisallow: /a\n\nUser-agent: "+
			"otherbot\nDisallow: /b\n")
	})
	w.page("h.example/", "x")
	s := settings{}
	client := func(agent string) *Client {
		return w.client(func(o *Options) { o.KeepRobots, o.RobotsAgent = true, agent })
	}
	expect := func(name string, c *Client, path string, outcome sitegraph.Outcome,
		asked ...string) {
		t.Helper()
		if o, wait := s.try(t, c, home+path); o.Outcome != outcome {
			t.Errorf("%s: /%s %v %q, wait %v; want %v", name, path, o.Outcome, o.Detail, wait,
				outcome)
		}
		if got := w.paths(); !slices.Equal(got, asked) {
			t.Errorf("%s: asked for %q, want %q", name, got, asked)
		}
	}
	const fetched, excluded, failed, notYet = sitegraph.OutcomeFetched, sitegraph.OutcomeExcluded,
		sitegraph.OutcomeFailed, sitegraph.OutcomeUnknown
	expect("at first", client(""), "", notYet, "/robots.txt")
	for range 3 {
		w.clock.advance(5 * time.Second)
		expect("a restart in the Crawl-delay", client(""), "a", excluded)
	}
	expect("still in it", client(""), "", notYet)
	w.clock.advance(285 * time.Second)
	expect("after it", client(""), "", fetched, "/")
	expect("another name", client("otherbot"), "a", fetched, "/a")
	expect("another name", client("otherbot"), "b", excluded)
	w.clock.advance(24*time.Hour - 300*time.Second)
	status = 503
	expect("a day later, unreachable", client(""), "a", excluded, "/robots.txt")
	w.clock.advance(time.Minute)
	expect("a restart after the failure: the old one holds", client(""), "a", excluded)
	w.clock.advance(24 * time.Hour)
	expect("two days later, unreachable", client(""), "b", failed, "/robots.txt")
	expect("a restart: nothing is asked for", client(""), "b", notYet)
	if _, wait := s.try(t, client(""), home+"b"); wait != 2*robotsRetry {
		t.Errorf("after two failures, over restarts, wait %v", wait)
	}
	w.clock.advance(2 * robotsRetry)
	status = 404
	expect("gone", client(""), "a", notYet, "/robots.txt")
	w.clock.advance(time.Minute)
	expect("gone, and a restart", client(""), "a", fetched, "/a")
	for name, damage := range map[string][]byte{
		"unreadable": []byte("x"), "nothing": {},
		"from the future": []byte("2999-01-01T00:00:00Z\nUser-agent: *\nDisallow: /\n")} {
		for key := range s {
			s[key] = damage
		}
		w.clock.advance(time.Hour)
		expect(name, client(""), "a", notYet, "/robots.txt")
	}
	broken := errors.New("broken")
	if err := client("").Recall(home, func(string) ([]byte, bool, error) {
		return nil, false, broken
	}); err != broken {
		t.Errorf("the store's error: %v", err)
	}
	if err := w.client(nil).Recall(home, func(string) ([]byte, bool, error) {
		return nil, false, broken
	}); err != nil {
		t.Errorf("recalled without being asked to: %v", err)
	}
}

// TestResume checks that a new process asks each server at least a whole pause after the kill of
// the last one.
func TestResume(t *testing.T) {
	w := newWeb(t, "quick.example", "127.0.0.1", "crawl.example", "127.0.0.2",
		"slow.example", "127.0.0.3")
	w.handle("crawl.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, "User-agent: *\nCrawl-delay: 3\n")
	})
	pauses := map[string]time.Duration{"quick.example": time.Second / 2,
		"crawl.example": 3 * time.Second, "slow.example": 7 * time.Second}
	s := settings{}
	client := func() *Client {
		seven := 7 * time.Second
		return w.client(func(o *Options) {
			o.KeepRobots, o.Interval = true, time.Second/2
			o.Hosts = settingsOf(t, HostRule{Match: "slow.example", Delay: &seven})
		})
	}
	first := client()
	for host := range pauses {
		w.page(host+"/", "x")
		for range 2 { // robots.txt, and the page
			s.try(t, first, "http://"+host+"/")
			w.clock.advance(10 * time.Second)
		}
	}
	if asked := w.paths(); len(asked) != 6 {
		t.Fatalf("asked for %q", asked)
	}
	for range 3 {
		next := client()
		next.Resume(w.clock.Now())
		for host, pause := range pauses {
			if _, wait := s.try(t, next, "http://"+host+"/"); wait != pause {
				t.Errorf("%s is asked %v after the restart, want %v", host, wait, pause)
			}
		}
		w.clock.advance(200 * time.Millisecond) // killed again
		if asked := w.paths(); len(asked) > 0 {
			t.Errorf("asked for %q", asked)
		}
	}
	last := client()
	last.Resume(w.clock.Now())
	w.clock.advance(7 * time.Second)
	for host := range pauses {
		if o, wait := s.try(t, last, "http://"+host+"/"); o.Outcome != sitegraph.OutcomeFetched {
			t.Errorf("%s: %v, wait %v", host, o.Outcome, wait)
		}
	}
}

// TestKeptRobotsAreBounded checks the limits of octets that wait for Keep or were recalled. A file
// without room in the cache is recalled and not asked for again.
func TestKeptRobotsAreBounded(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	c := w.client(func(o *Options) { o.KeepRobots, o.RobotsBytes = true, 10*entryBytes })
	long := strings.Repeat("#", 500<<10)
	s := settings{}
	for i := range 100 {
		e := &robotsEntry{key: fmt.Sprint("http://h", i), fetched: w.clock.Now(),
			text: []byte(long)}
		c.keepRobots(e)
		s[textSetting(e.key)] = []byte(w.clock.Now().Format(time.RFC3339Nano) + "\n" + long)
	}
	if n := len(c.robots.unkept.values); n < 20 || c.robots.unkept.bytes > mostUnkept {
		t.Errorf("%d octets of %d files wait to be kept", c.robots.unkept.bytes, n)
	}
	for i := range 100 {
		if err := c.Recall(fmt.Sprintf("http://h%d/", i), s.setting); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.robots.recalled.values); n < 20 || c.robots.recalled.bytes > mostRecalled {
		t.Errorf("%d octets of %d files are recalled", c.robots.recalled.bytes, n)
	}
	w.handle("/", http.NotFound)
	for i := range 40 {
		w.hosts[fmt.Sprintf("s%d.example", i)] = w.hosts["h.example"]
	}
	for range 3 {
		for i := range 40 {
			w.clock.advance(time.Minute)
			s.try(t, c, fmt.Sprintf("http://s%d.example/", i))
		}
	}
	asked := 0
	for _, path := range w.paths() {
		if path == "/robots.txt" {
			asked++
		}
	}
	if asked != 40 || len(c.robots.entries) > 10 {
		t.Errorf("robots.txt of 40 servers was asked for %d times; %d are in memory",
			asked, len(c.robots.entries))
	}
}

// TestUnreachableRobotsIsAWait checks that only visits which ask for an unreachable robots.txt
// fail. Others wait without requests, at growing intervals.
func TestUnreachableRobotsIsAWait(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(500)
	})
	w.page("h.example/", "x")
	c := w.client(nil)
	failures, waits := 0, 0
	var pauses []time.Duration
	var last time.Time
	for i := range 200 {
		o, until, err := c.Try(t.Context(), &sitegraph.Record{URL: fmt.Sprint(home, i)})
		switch {
		case err != nil:
			t.Fatal(err)
		case !until.IsZero():
			waits++
			if o.Outcome != sitegraph.OutcomeFailed {
				t.Errorf("waits, and the outcome is %v", o.Outcome)
			}
			if wait := until.Sub(w.clock.Now()); wait <= 0 || wait > robotsRetryMax {
				t.Errorf("wait %v", wait)
			}
		default:
			failures++
			if !last.IsZero() {
				pauses = append(pauses, w.clock.Now().Sub(last))
			}
			last = w.clock.Now()
			// other schemes need not wait longer
			if until := o.NotBefore.Sub(o.Time); until != 10*time.Second {
				t.Errorf("the server is not to be asked for %v", until)
			}
			if o.Outcome != sitegraph.OutcomeFailed || o.Trouble != sitegraph.TroubleFailing ||
				!strings.HasPrefix(o.Detail, "robots.txt: ") {
				t.Errorf("%+v", o)
			}
		}
		w.clock.advance(5 * time.Minute)
	}
	asked := w.paths()
	if failures != len(asked) || slices.ContainsFunc(asked, func(p string) bool {
		return p != "/robots.txt"
	}) {
		t.Errorf("%d failures, %d waits, asked for %q", failures, waits, asked)
	}
	if !slices.IsSorted(pauses) || len(pauses) < 6 || pauses[0] != robotsRetry ||
		pauses[len(pauses)-1] != robotsRetryMax {
		t.Errorf("asked again after %v", pauses)
	}
}
