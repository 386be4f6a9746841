package fetch

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestHubsOfSource checks that Link fields come before links in a feed, and that the URL is the
// topic of a feed without one.
func TestHubsOfSource(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	lines := map[string][]string{
		"/header": {`<https://hub.example>; rel="hub", </self>; rel="self"`,
			`<//two.example/>; rel=hub`},
		"/both": {`<https://hub.example/>; rel=hub`},
		"/body": {`<https://up.example/>; rel=up`},
		"/none": nil,
	}
	for path, link := range lines {
		w.handle("h.example"+path, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header()["Link"] = link
			inner := `<link rel="hub" href="/inner"/><link rel="self" href="http://h.example/me"/>`
			if path == "/none" {
				inner = `<link rel="self" href="/me"/>`
			}
			fmt.Fprint(rw, "<feed>"+inner+"</feed>")
		})
	}
	c := w.client(nil)
	for path, want := range map[string]string{
		"/header": home + "self https://hub.example/ http://two.example/",
		"/both":   home + "me https://hub.example/",
		"/body":   home + "me " + home + "inner",
		"/none":   "",
	} {
		o := w.visit(c, sitegraph.Record{URL: strings.TrimSuffix(home, "/") + path,
			State: sitegraph.StateSource})
		if got := strings.TrimSpace(o.Topic + " " + strings.Join(o.Hubs, " ")); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestPost checks that Post waits and passes the guard like any request, returns the target of a
// redirect, and does not ask for robots.txt.
func TestPost(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1", "private.example", "10.0.0.1")
	var sent []string
	w.handle("h.example/hub", func(rw http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		sent = append(sent, r.Method+" "+r.Header.Get("Content-Type")+" "+r.PostForm.Encode())
		rw.Header().Set("Location", "/next#x")
		rw.Header().Set("Retry-After", "7")
		rw.WriteHeader(http.StatusTemporaryRedirect)
		fmt.Fprint(rw, strings.Repeat("x", 1<<20))
	})
	c := w.client(nil)
	began := w.clock.Now()
	for range 2 {
		got, err := c.Post(t.Context(), "http://user@h.example/hub#f",
			url.Values{"a": {"b c", "&"}})
		if err != nil || got.Status != 307 || got.Location != home+"next" ||
			got.NotBefore.Sub(w.clock.Now()) != 7*time.Second {
			t.Errorf("%+v, %v", got, err)
		}
	}
	const form = "POST application/x-www-form-urlencoded a=b+c&a=%26"
	if pause := w.clock.Now().Sub(began); !slices.Equal(sent, []string{form, form}) ||
		pause < 10*time.Second {
		t.Errorf("%q within %v", sent, pause)
	}
	for _, bad := range []string{"http://private.example/", "http://10.0.0.1/",
		"file:///etc/passwd", "http://h.example:22/", "x"} {
		if _, err := c.Post(t.Context(), bad, nil); err == nil {
			t.Errorf("%s was asked", bad)
		}
	}
}

// TestWaiterHasATurn checks that a waiter gets its turn beside repeated tries, and that one that
// went away delays nobody.
func TestWaiterHasATurn(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	g := NewGate(w.clock)
	at := netip.MustParseAddr("127.0.0.1")
	leave := func(p *Pass) {
		p.Leave(w.clock.Now().Add(time.Second), w.clock.Now().Add(time.Second))
	}
	first, _ := g.tryEnter("a", at, nil)
	hub := &waiter{}
	if p, later := g.tryEnter("hub", at, hub); p != nil || later == nil {
		t.Fatal("two at a time")
	}
	leave(first)
	w.clock.advance(time.Second)
	if p, later := g.tryEnter("a", at, nil); p != nil ||
		later.until.Sub(w.clock.Now()) != turnAgain {
		t.Fatal("the turn of the waiter was given to another")
	}
	p, _ := g.tryEnter("hub", at, hub)
	if p == nil {
		t.Fatal("the waiter has no turn")
	}
	leave(p)
	w.clock.advance(time.Second)
	if p, _ = g.tryEnter("a", at, nil); p == nil {
		t.Fatal("the turn is still kept")
	}
	g.tryEnter("hub", at, &waiter{}) // goes away
	leave(p)
	w.clock.advance(time.Second + turnHeld)
	if p, _ = g.tryEnter("a", at, nil); p == nil {
		t.Error("one that went away keeps the turn")
	}
}
