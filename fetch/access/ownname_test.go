package access

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

func at(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 8090} }

func TestNames(t *testing.T) {
	machine, _ := os.Hostname()
	for _, c := range []struct {
		at    net.Addr
		yes   []string
		never []string
	}{
		{nil, []string{"127.0.0.1", "[::1]:8090"}, []string{"10.0.0.1", "0.0.0.0:8090"}},
		{at("127.0.0.1"), []string{"127.0.0.1:8090", "127.9.9.9", "::1", "[::ffff:127.0.0.1]:1"},
			[]string{"10.0.0.1:8090", "[2001:db8::1]:8090", "0.0.0.0", "8.8.8.8"}},
		{at("::1"), []string{"[::1]"}, []string{"10.0.0.1"}},
		{at("10.0.0.1"), []string{"10.0.0.1:8090", "10.0.0.1", "[::ffff:10.0.0.1]:8090"},
			[]string{"10.0.0.2", "0.0.0.0"}},
		{at("0.0.0.0"), []string{"10.0.0.1:1", "0.0.0.0:8090", "[2001:db8::1]", machine}, nil},
		{at("::"), []string{"10.0.0.1", "[::]:8090", machine + ":8090"}, nil},
	} {
		n := OwnNamesAt(c.at, "Crawl.example.org", "b.example:443")
		for _, host := range append(c.yes, "localhost", "LOCALHOST:1", "localhost.:1",
			"crawl.example.org", "CRAWL.example.org.:8090", "b.example", "b.example:8090") {
			if !n.Has(host) {
				t.Errorf("at %v: %s is refused: %s", c.at, host, n.Refusal(host))
			}
		}
		for _, host := range append(c.never, "evil.example", "evil.example:8090", "", ":8090",
			"localhost.evil.example", "127.0.0.1.evil.example", "crawl.example.org.evil.example",
			"a.crawl.example.org", "127.0.0.1:8090; script-src *", "127.0.0.1:99999", "[::1",
			"127.0.0.1@evil.example") {
			if n.Has(host) {
				t.Errorf("at %v: %q is taken", c.at, host)
			}
		}
	}
}

func TestGuard(t *testing.T) {
	answer := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	g := OwnNamesAt(at("127.0.0.1"), "crawl.example.org").Guard(http.HandlerFunc(answer))
	for _, c := range []struct {
		method, host, origin, site string
		want                       int
	}{
		{"POST", "127.0.0.1:8090", "", "", 204},
		{"GET", "crawl.example.org", "", "", 204},
		{"POST", "crawl.example.org", "https://crawl.example.org", "same-origin", 204},
		{"GET", "evil.example:8090", "", "", 421},
		{"POST", "evil.example:8090", "http://evil.example:8090", "same-origin", 421},
		{"POST", "127.0.0.1:8090", "http://evil.example", "cross-site", 403},
		{"POST", "127.0.0.1:8090", "http://evil.example", "", 403},
		{"POST", "127.0.0.1:8090", "null", "", 403},
	} {
		r := httptest.NewRequest(c.method, "/hint", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		w := httptest.NewRecorder()
		if g.ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}

func FuzzHas(f *testing.F) {
	for _, seed := range []string{"localhost:80", "[::1]:8090", "a.example", "[", "127.0.0.1:x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, host string) {
		n := OwnNamesAt(nil)
		if n.Has(host) && !OwnNamesAt(at("0.0.0.0")).Has(host) {
			t.Errorf("%q is taken on loopback alone", host)
		}
		n.Refusal(host)
	})
}
