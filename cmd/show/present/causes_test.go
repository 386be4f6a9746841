package present

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

func TestCauses(t *testing.T) {
	for _, c := range []struct{ detail, want string }{
		{"dial tcp 127.0.0.1:8099: connect: connection refused", "connection refused"},
		{"robots.txt: dial tcp [::1]:80: connect: connection refused", "connection refused"},
		{"look up a.example: lookup a.example on 127.0.0.53:53: no such host", "no such host"},
		{"look up a.example: the name has no address", "no such host"},
		{"took too long", "time-out"},
		{"net/http: TLS handshake timeout", "time-out"},
		{"read tcp 10.0.0.1:5->10.0.0.2:80: read: connection reset by peer", "connection reset"},
		{"the connection ended in the middle", "connection broken off"},
		{"tls: failed to verify certificate: x509: certificate signed by unknown authority",
			"certificate not trusted"},
		{"status 503 Service Unavailable", "status 503"},
		{"robots.txt: status 500 Internal Server Error", "status 500 of robots.txt"},
		{"status 302 Found to http://a.example/503", "status 302"},
		{"robots.txt: redirected to another server: http://b.example/robots.txt",
			"redirected to another server: ... of robots.txt"},
		{"proxy 127.0.0.1:3128: it is odd", "proxy ...: it is odd"},
		{"", "an unknown cause"},
	} {
		if got := CauseOf(&sitegraph.Observation{Detail: c.detail}); got != c.want {
			t.Errorf("%q: cause %q, want %q", c.detail, got, c.want)
		}
	}
}

// TestCausesAreCounted: the three commonest causes are named, and the number of causes is bounded.
func TestCausesAreCounted(t *testing.T) {
	r := NewRun()
	see := func(n int, detail string) {
		for range n {
			r.See(&crawl.Event{Observation: sitegraph.Observation{Detail: detail}})
		}
	}
	see(1, "took too long")
	see(9, "connection refused")
	see(2, "no such host")
	if got, want := r.Finding(), "12 visits found nothing that counts; 12 failed: 9 connection "+
		"refused, 2 no such host, 1 time-out; 0 pages are known."; got != want {
		t.Errorf("finding %q, want %q", got, want)
	}
	for i := range 1000 {
		see(1, "odd reason "+strings.Repeat("x", i))
	}
	if len(r.Failures) > mostCauses+1 {
		t.Errorf("%d causes are kept", len(r.Failures))
	}
	if !strings.Contains(r.Finding(), "for other reasons") {
		t.Errorf("finding %q", r.Finding())
	}
}

func FuzzCause(f *testing.F) {
	f.Add("dial tcp 127.0.0.1:8099: connect: connection refused")
	f.Add("robots.txt: status 503 Service Unavailable")
	f.Fuzz(func(t *testing.T, detail string) {
		if CauseOf(&sitegraph.Observation{Detail: detail}) == "" {
			t.Errorf("%q has no cause", detail)
		}
	})
}

// TestTooFew: a round whose share of the budget is below one visit says so, and what would help.
func TestTooFew(t *testing.T) {
	for _, c := range []struct {
		perDay float64
		round  time.Duration
		want   string // part of the text; "": no text
	}{
		{1000, time.Second, "about every 87 rounds: --round 1m30s or longer"},
		{1000, 15 * time.Second, "about every 6 rounds: --round 1m30s"},
		{1000, time.Hour, ""}, {24, time.Hour, ""},
		{23, time.Hour, "--round 1h12m or longer"},
		{5, time.Hour, "--round 4h48m"},
		{0.5, time.Hour, "about every 48 rounds: a larger --budget helps"},
		{1, time.Hour, "--round 24h or longer"},
		{planner.Unlimited, time.Second, ""}, {0, time.Hour, ""},
	} {
		got := tooFew(c.perDay, c.round+time.Nanosecond)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%g a day in rounds of %v: %q, want %q", c.perDay, c.round, got, c.want)
		}
	}
	r := NewRun()
	r.few = tooFew(1000, time.Second)
	if got := r.Finding(); !strings.HasPrefix(got, "No visit was made: a round of 1s gets 0.012 ") {
		t.Errorf("finding %q", got)
	}
}

// TestNotAsked: the text on refused pages names what refuses them and the flag that allows them.
func TestNotAsked(t *testing.T) {
	address := func(what string) sitegraph.Denial {
		return sitegraph.Denial{By: sitegraph.DeniedByAddress, What: what}
	}
	port := func(what string) sitegraph.Denial {
		return sitegraph.Denial{By: sitegraph.DeniedByPort, What: what}
	}
	for _, c := range []struct {
		denied []sitegraph.Denial
		want   string
	}{
		{nil, ""},
		{[]sitegraph.Denial{address("127.0.0.1")}, " 1 page was not asked: its address is " +
			"private (127.0.0.1); --allow-private allows it."},
		{[]sitegraph.Denial{address("127.0.0.1"), address("127.0.0.1"), address("127.0.0.1")},
			" 3 pages were not asked: their addresses are private (127.0.0.1); --allow-private " +
				"allows it."},
		{[]sitegraph.Denial{port("8100"), port("8101"), address("::1")},
			" 2 pages were not asked: their ports are not allowed (8100, 8101); --allow-port " +
				"8100,8101 allows it. 1 page was not asked: its address is private (::1); " +
				"--allow-private allows it."},
		{[]sitegraph.Denial{port("1"), port("2"), port("3"), port("4"), port("5"), port("6"),
			port("7"), port("8"), port("9"), port("10")}, " 10 pages were not asked: their ports " +
			"are not allowed (1, 2, 3 and others); --allow-port PORT allows it."},
	} {
		p := startsOnly()
		for i := range c.denied {
			url := fmt.Sprintf("http://s%d.example/", i)
			id := p.Pages.Graph.AddStart(url)
			p.Pages.Remember(&sitegraph.Record{Page: id, URL: url, State: sitegraph.StateNew})
			p.Found(id)
		}
		p.Begin(planner.Round{Number: 1, Start: time.Unix(0, 0),
			End: time.Unix(86400, 0), Budget: planner.Unlimited})
		for _, d := range c.denied {
			v, ok := p.Next()
			if !ok {
				t.Fatal("no visit")
			}
			p.SetAside(v, d)
		}
		if v, ok := p.Next(); ok {
			t.Errorf("%v: page %d is visited, though refused", c.denied, v.Page)
		}
		if got := sayNotAsked(notAskedOf(p.Pages)); got != c.want {
			t.Errorf("%v: %q, want %q", c.denied, got, c.want)
		}
	}
}
