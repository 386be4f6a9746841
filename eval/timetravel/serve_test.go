package timetravel

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// lab is a served web, a clock to set, and a client that follows no redirect and undoes no
// compression.
type lab struct {
	t      testing.TB
	server *Server
	now    atomic.Int64
	client http.Client

	mu  sync.Mutex
	log []Access
}

func serveLab(t testing.TB, web Web) *lab {
	t.Helper()
	l := &lab{t: t}
	server, err := Serve(web, func() time.Time {
		return time.Unix(l.now.Load(), 0)
	}, Options{Log: func(a Access) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.log = append(l.log, a)
	}})
	if err != nil {
		t.Fatal(err)
	}
	l.server = server
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 8}
	l.client = http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// ask makes a request to host; header fields come in pairs.
func (l *lab) ask(method, host, path string, fields ...string) (*http.Response, string) {
	l.t.Helper()
	addr, ok := l.server.Addr(host)
	if !ok {
		l.t.Fatalf("no server %s", host)
	}
	r, err := http.NewRequest(method, "http://"+addr.String()+path, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	r.Host = host
	for i := 0; i < len(fields); i += 2 {
		if fields[i] == "Host" {
			r.Host = fields[i+1]
		}
		r.Header.Set(fields[i], fields[i+1])
	}
	a, err := l.client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return a, string(body)
}

const html = "text/html; charset=utf-8"

var long = strings.Repeat("<p>many words</p>", 200)

// small returns a web of two servers that changes at 100, 200 and 300.
func small() *Static {
	w := NewStatic()
	at := func(t int64) time.Time { return time.Unix(t, 0) }
	w.Put("a.example", "/index.html", at(100), html, []byte("<a href=/b>b</a> <a "+
		"href='c?q=1'>c</a> <a href=d/>d</a> <a href=/x%20y.html>x</a> <a href=/feed.xml>f</a> "+
		"<a href=/never>n</a>"))
	w.Put("a.example", "/index.html", at(200), html,
		[]byte("<a href=/b>b</a><a href=http://a.example/d/index.html>d</a><a "+
			"href=http://b.example/>b</a><a href=/secret/>s</a>"))
	w.Put("a.example", "/b/index.html", at(100), html, []byte("<a href=..>up</a>"+long))
	w.Remove("a.example", "/b/index.html", at(200))
	w.Put("a.example", "/b/index.html", at(300), html, []byte("<a href=..>up</a>"+long))
	w.Put("a.example", "/c.html", at(100), html, []byte("<a href=./>start</a>"))
	w.Put("a.example", "/d/index.html", at(200), html,
		[]byte("<frameset><frame src=../c.html></frameset>"))
	w.Put("a.example", "/x y.html", at(100), "text/html; charset=iso-8859-1",
		[]byte("caf\xe9 <a href=../b>b</a>"))
	w.Put("a.example", "/x y.html", at(200), html, []byte("caf\xe9 <a href=../b>b</a>"))
	w.Put("a.example", "/feed.xml", at(100), "application/xml", []byte("<rss/>"))
	w.Put("a.example", "/data.html", at(100), "text/plain", []byte("a page later"))
	w.Put("a.example", "/data.html", at(300), html, []byte("now a page"))
	w.Put("a.example", "/secret/index.html", at(100), html, []byte("<a href=/>up</a>"))
	w.Put("a.example", "/robots.txt", at(200), "text/plain",
		[]byte("User-agent: *\nDisallow: /secret/\n"))
	w.Put("b.example", "/index.html", at(100), html, []byte("other server"))
	return w
}

func TestTimeTravel(t *testing.T) {
	l := serveLab(t, small())
	for _, c := range []struct {
		now    int64
		path   string
		status int
		want   string // part of the body, or Location
	}{
		{99, "/", 404, "Not Found"},
		{100, "/", 200, "c?q=1"},
		{199, "/", 200, "c?q=1"},
		{200, "/", 200, "secret"},
		{150, "/", 200, "c?q=1"}, // back again
		{150, "/?any=query", 200, "c?q=1"},
		{150, "/index.html", 301, "/"},
		{150, "/b", 301, "/b/"},
		{150, "/b?x=%20", 301, "/b/?x=%20"},
		{150, "/b/", 200, "up"},
		{150, "/b/index.html?z", 301, "/b/?z"},
		{250, "/b", 404, "Not Found"},
		{250, "/b/", 404, "Not Found"},
		{300, "/b/", 200, "up"},
		{150, "/c", 301, "/c.html"},
		{150, "/c.html", 200, "start"},
		{150, "/c/", 404, "Not Found"},
		{150, "/x%20y", 301, "/x%20y.html"},
		{150, "/x%20y.html", 200, "caf"},
		{150, "/%78%20y.html", 200, "caf"},
		{150, "/%zz", 404, "Not Found"},
		{150, "/robots.txt", 404, "Not Found"},
		{250, "/robots.txt", 200, "Disallow"},
	} {
		if strings.Contains(c.path, "%zz") { // Go's client does not send it
			if r := small().Resource("a.example", c.path,
				time.Unix(c.now, 0)); r.Status != c.status {
				t.Errorf("%d %s: %v", c.now, c.path, r)
			}
			continue
		}
		l.now.Store(c.now)
		r, body := l.ask("GET", "a.example", c.path)
		got := body
		if c.status == 301 {
			got = r.Header.Get("Location")
		}
		if r.StatusCode != c.status || !strings.Contains(got, c.want) || c.status == 301 &&
			got != c.want {
			t.Errorf("%d %s: %s %q, want %d %q", c.now, c.path, r.Status, got, c.status, c.want)
		}
		if date := r.Header.Get("Date"); date != time.Unix(c.now, 0).UTC().Format(http.TimeFormat) {
			t.Errorf("%d %s: Date %q", c.now, c.path, date)
		}
	}
}

// TestConditions checks which condition decides, and how (RFC 9110 13).
func TestConditions(t *testing.T) {
	l := serveLab(t, small())
	l.now.Store(250)
	r, _ := l.ask("GET", "a.example", "/")
	tag, modified := r.Header.Get("ETag"), r.Header.Get("Last-Modified")
	body := small().Resource("a.example", "/", time.Unix(250, 0)).Body
	if want := `"` + md5Of(body) + `"`; tag != want {
		t.Errorf("ETag %s, want %s", tag, want)
	}
	if want := time.Unix(200, 0).UTC().Format(http.TimeFormat); modified != want {
		t.Errorf("Last-Modified %s, want %s", modified, want)
	}
	before := time.Unix(199, 0).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		name   string
		fields []string
		want   int
	}{
		{"13.1.2 same tag", []string{"If-None-Match", tag}, 304},
		{"13.1.2 weak comparison", []string{"If-None-Match", "W/" + tag}, 304},
		{"13.1.2 one of a list", []string{"If-None-Match", `"x", ` + tag}, 304},
		{"13.1.2 any", []string{"If-None-Match", "*"}, 304},
		{"13.1.2 other tag", []string{"If-None-Match", `"x"`}, 200},
		{"13.1.3 same time", []string{"If-Modified-Since", modified}, 304},
		{"13.1.3 earlier", []string{"If-Modified-Since", before}, 200},
		{"13.1.3 no date", []string{"If-Modified-Since", "yesterday"}, 200},
		{"13.2.2 the tag decides: changed", []string{"If-None-Match", `"x"`, "If-Modified-Since",
			modified}, 200},
		{"13.2.2 the tag decides: same", []string{"If-None-Match", tag, "If-Modified-Since",
			before}, 304},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			r, got := l.ask(method, "a.example", "/", c.fields...)
			if r.StatusCode != c.want || r.Header.Get("ETag") != tag {
				t.Errorf("%s %s: %s, ETag %s; want %d",
					method, c.name, r.Status, r.Header.Get("ETag"), c.want)
			}
			if empty := c.want == 304 || method == "HEAD"; (got == "") != empty {
				t.Errorf("%s %s: body %q", method, c.name, got)
			}
		}
	}
	r, _ = l.ask("HEAD", "a.example", "/")
	if r.ContentLength != int64(len(body)) || r.Header.Get("Content-Type") != html {
		t.Errorf("HEAD: length %d, type %s", r.ContentLength, r.Header.Get("Content-Type"))
	}
	l.now.Store(150) // an older version: neither its tag nor its time is the newer one's
	if r, _ := l.ask("GET", "a.example", "/", "If-None-Match", tag); r.StatusCode != 200 {
		t.Errorf("tag of another version: %s", r.Status)
	}
	if r, _ := l.ask("GET", "a.example", "/nothing", "If-None-Match", "*"); r.StatusCode != 404 {
		t.Errorf("condition on nothing: %s", r.Status)
	}
	if r, _ := l.ask("POST", "a.example", "/"); r.StatusCode != 405 ||
		r.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %s", r.Status)
	}
}

func TestGzip(t *testing.T) {
	l := serveLab(t, small())
	l.now.Store(150)
	plainAnswer, plainBody := l.ask("GET", "a.example", "/b/")
	for accept, want := range map[string]bool{"gzip": true, "br, GZIP;q=0.5": true,
		"gzip;q=1.0, *;q=0": true,
		"gzip;q=0":          false, "gzip; q=0.000": false, "br": false, "": false} {
		r, body := l.ask("GET", "a.example", "/b/", "Accept-Encoding", accept)
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != want ||
			r.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: coded %v, want %v; Vary %q", accept, got, want, r.Header.Get("Vary"))
			continue
		}
		if !want {
			continue
		}
		z, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(z)
		if err != nil || string(unpacked) != plainBody {
			t.Errorf("%q: unpacked to %d bytes, %v", accept, len(unpacked), err)
		}
		tag := r.Header.Get("ETag")
		if tag == plainAnswer.Header.Get("ETag") || r.ContentLength != int64(len(body)) {
			t.Errorf("%q: ETag %s, length %d of %d", accept, tag, r.ContentLength, len(body))
		}
		if r, body := l.ask("GET", "a.example", "/b/", "Accept-Encoding", accept, "If-None-Match",
			tag); r.StatusCode != 304 || body != "" {
			t.Errorf("%q: repeated: %s", accept, r.Status)
		}
	}
	if r, _ := l.ask("GET", "a.example", "/", "Accept-Encoding",
		"gzip"); r.Header.Get("Content-Encoding") != "" {
		t.Error("a small page is compressed")
	}
}

func TestAddressesAndLog(t *testing.T) {
	l := serveLab(t, small())
	l.now.Store(150)
	a, _ := l.server.Addr("a.example")
	b, _ := l.server.Addr("b.example")
	if a == b || !a.Addr().IsLoopback() || !b.Addr().IsLoopback() {
		t.Errorf("addresses %v and %v", a, b)
	}
	if a.Addr() != netip.MustParseAddr("127.3.0.1") ||
		b.Addr() != netip.MustParseAddr("127.3.0.2") {
		t.Logf("only 127.0.0.1 here: %v and %v", a, b)
	}
	if _, ok := l.server.Addr("c.example"); ok {
		t.Error("an unknown server has an address")
	}
	if _, body := l.ask("GET", "b.example", "/"); body != "other server" {
		t.Errorf("b.example: %q", body)
	}
	if r, _ := l.ask("GET", "a.example", "/b?x", "Host",
		"b.example"); r.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("wrong host: %s", r.Status)
	}
	if r, _ := l.ask("GET", "a.example", "/b", "Host", a.String()); r.StatusCode != 301 {
		t.Errorf("asked by address: %s", r.Status)
	}
	want := fmt.Sprint([]Access{{"b.example", "/", time.Unix(150, 0), 200},
		{"a.example", "/b?x", time.Unix(150, 0), 421},
		{"a.example", "/b", time.Unix(150, 0), 301}})
	l.mu.Lock()
	defer l.mu.Unlock()
	if got := fmt.Sprint(l.log); got != want {
		t.Errorf("log %s, want %s", got, want)
	}
}

// TestManyServers checks that the address of a server depends on its number alone, also beyond 254
// servers.
func TestManyServers(t *testing.T) {
	w := NewStatic()
	for i := range 300 {
		w.Put(fmt.Sprintf("s%03d.example", i), "/index.html", time.Unix(1, 0), html,
			fmt.Appendf(nil, "%d", i))
	}
	l := serveLab(t, w)
	l.now.Store(1)
	for _, i := range []int{0, 254, 255, 299} {
		if _, body := l.ask("GET", fmt.Sprintf("s%03d.example", i), "/"); body != fmt.Sprint(i) {
			t.Errorf("server %d says %q", i, body)
		}
	}
}

// TestConcurrent checks that concurrent clients each see one whole version while the clock moves.
func TestConcurrent(t *testing.T) {
	l := serveLab(t, small())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 25 {
				l.now.Store(int64(100 + 50*((i+k)%5)))
				switch r, body := l.ask("GET", "a.example", "/b/", "Accept-Encoding", "gzip"); {
				case r.StatusCode == 404:
				case r.StatusCode != 200 || r.Header.Get("Content-Encoding") != "gzip" ||
					len(body) == 0:
					t.Errorf("%s with %d bytes", r.Status, len(body))
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkServe(b *testing.B) {
	w := NewStatic()
	w.Put("a.example", "/index.html", time.Unix(1, 0), html,
		bytes.Repeat([]byte("<p>some text of a page</p>"), 500))
	l := serveLab(b, w)
	l.now.Store(1)
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			l.ask("GET", "a.example", "/")
		}
	})
	b.Run("gzip", func(b *testing.B) {
		for b.Loop() {
			l.ask("GET", "a.example", "/", "Accept-Encoding", "gzip")
		}
	})
	b.Run("not-modified", func(b *testing.B) {
		for b.Loop() {
			l.ask("GET", "a.example", "/", "If-None-Match", "*")
		}
	})
}
