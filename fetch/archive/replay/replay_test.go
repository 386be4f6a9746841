package replay

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/sitegraph/words"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// ofWeb links to captures of noon.
var ofWeb = leading{prefix: "/web/", at: noon}

// answer is a capture, minute minutes after noon.
type answer struct {
	url    string
	minute int
	raw    string
}

func serverOf(t testing.TB, answers ...answer) *Server {
	t.Helper()
	dir := t.TempDir()
	a, err := archive.Open(dir, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range answers {
		at := noon.Add(time.Duration(x.minute) * time.Minute)
		status := 0
		fmt.Sscanf(x.raw, "HTTP/1.1 %d", &status)
		if err := a.Put(&archive.Visit{URL: x.url, Time: at},
			[]fetch.Exchange{{URL: x.url, Address: netip.MustParseAddr("127.0.0.1"),
				Began: at, Ended: at, Status: status, Request: []byte("GET / HTTP/1.1\r\n\r\n"),
				Response: []byte(x.raw)}}); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := archive.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return New(r)
}

func page200(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: "+
		"a=b\r\nRefresh: 0;url=http://live.example/\r\nX-Own: 1\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
}

func get(s *Server, path string) *httptest.ResponseRecorder {
	q := httptest.NewRequest("GET", "http://127.0.0.1:8088"+path, nil)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, q)
	return w
}

func TestCaptures(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, `<a href="/x">zipped</a>`)
	z.Close()
	s := serverOf(t,
		answer{url: "https://h.example/", minute: 0, raw: page200(`<a href=next>one</a>`)},
		// same payload
		answer{url: "https://h.example/", minute: 10, raw: page200(`<a href=next>one</a>`)},
		// not modified
		answer{url: "https://h.example/", minute: 20,
			raw: "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n"},
		answer{url: "https://h.example/", minute: 30, raw: page200("two")},
		answer{url: "https://h.example/old", minute: 5,
			raw: "HTTP/1.1 301 Moved\r\nLocation: /#x\r\nContent-Length: 0\r\n\r\n"},
		answer{url: "https://h.example/gone", minute: 5,
			raw: "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"},
		answer{url: "https://h.example/zip", minute: 5,
			raw: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n" +
				zipped.String()},
		answer{url: "https://h.example/chunks?a=b//c", minute: 5,
			raw: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: " +
				"chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"},
		answer{url: "https://h.example/br", minute: 5,
			raw: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: " +
				"br\r\nContent-Length: 3\r\n\r\nxyz"},
	)
	for _, test := range []struct {
		path   string
		status int
		want   string // of the body, or Location
	}{
		{"/web/20260131120000/https://h.example/", 200,
			`<a href="/web/20260131120000/https://h.example/next">one</a>`},
		{"/web/20260131121000/https://h.example/", 200,
			`<a href="/web/20260131121000/https://h.example/next">one</a>`},
		{"/web/20260131122000/https://h.example/", 200,
			`<a href="/web/20260131122000/https://h.example/next">one</a>`},
		{"/web/20260131123000/https://h.example/", 200, "two"},
		{"/web/20260131121000id_/https://h.example/", 200, `<a href=next>one</a>`},
		{"/web/2026/https://h.example/", 302, "/web/20260131120000/https://h.example/"},
		{"/web/2027/h.example", 302, "/web/20260131123000/https://h.example/"},
		{"/web/2027id_/https:/h.example/", 302, "/web/20260131123000id_/https://h.example/"},
		{"/web/20260131120500/https://h.example/old", 301,
			"/web/20260131120500/https://h.example/#x"},
		{"/web/20260131120500/https://h.example/gone", 404, "gone"},
		{"/web/20260131120500/https://h.example/zip", 200,
			`<a href="/web/20260131120500/https://h.example/x">zipped</a>`},
		{"/web/20260131120500id_/https://h.example/zip", 200, zipped.String()},
		{"/web/20260131120500/https://h.example/chunks?a=b//c", 200, "abcde"},
		{"/web/20260131120500/https://h.example/br", 200, "xyz"},
		{"/web/*/https://h.example/", 200, "/web/20260131121000/https://h.example/"},
		{"/", 200, "/web/*/https://h.example/old"},
		{"/web/2026/https://other.example/", 404, "no capture"},
		{"/web/x/https://h.example/", 400, "digits"},
		{"/web/", 404, ""}, {"/web/2026", 404, ""}, {"/other", 404, ""}, {"/web/2026/", 404, ""},
	} {
		w := get(s, test.path)
		got := w.Body.String()
		if w.Code >= 300 && w.Code < 400 {
			got = w.Header().Get("Location")
		}
		switch exact := strings.HasPrefix(test.path, "/web/2026013112") && test.status < 400; {
		case w.Code != test.status, exact && got != test.want, !strings.Contains(got, test.want):
			t.Errorf("%s: %d %q, want %d %q", test.path, w.Code, got, test.status, test.want)
		}
		for _, name := range []string{"Set-Cookie", "Refresh", "X-Own"} {
			if w.Header().Get(name) != "" {
				t.Errorf("%s: %s is passed on", test.path, name)
			}
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp,
			"sandbox; default-src 'none'; ") {
			t.Errorf("%s: policy %q", test.path, csp)
		}
	}
	if h := get(s, "/web/20260131120500id_/https://h.example/zip").Header(); h.Get(
		"Content-Encoding") != "gzip" ||
		h.Get("Memento-Datetime") != "Sat, 31 Jan 2026 12:05:00 GMT" {
		t.Errorf("headers: %v", h)
	}
}

// TestDecoded serves a body that is not in the coding of its header, in a form that browsers show.
func TestDecoded(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br\r\n\r\n"
	s := serverOf(t, answer{"http://h.example/", 0, head + "<p>words of a page"})
	for _, kind := range []string{"", "id_"} {
		w := get(s, "/web/20260131120000"+kind+"/http://h.example/")
		if got := w.Header().Get("Content-Encoding"); got != "" || w.Body.String() !=
			"<p>words of a page" {
			t.Errorf("%q: coding %q, %q", kind, got, w.Body)
		}
	}
}

// TestSharedKeys requests URLs that share the key of others, and gets no other page.
func TestSharedKeys(t *testing.T) {
	s := serverOf(t, answer{"https://www3288.com/", 0, page200("one")},
		answer{"http://h.example/PAGE", 1, page200("large")},
		answer{"http://h.example/page", 2, page200("small")},
		answer{"https://www.web.example/x", 3, page200("x")})
	for path, want := range map[string]string{
		"https://www504778.com/": "", "http://h.example/Page": "", "http://h.example/page/": "",
		"www3288.com":           "/web/20260131120000/https://www3288.com/",
		"http://h.example/PAGE": "/web/20260131120100/http://h.example/PAGE",
		"http://h.example/page": "/web/20260131120200/http://h.example/page",
		"http://web.example/x":  "/web/20260131120300/https://www.web.example/x",
	} {
		w := get(s, "/web/2026/"+path)
		if to := w.Header().Get("Location"); to != want || (w.Code == 404) != (want == "") {
			t.Errorf("%s: %d, to %q; want %q", path, w.Code, to, want)
		}
		list := get(s, "/web/*/"+path).Body.String()
		if n := strings.Count(list, "<tr>"); n != strings.Count(want, "/web/") {
			t.Errorf("%s: %d captures are listed", path, n)
		}
	}
	// A capture has only its own URL, also at its moment.
	if w := get(s, "/web/20260131120300/http://web.example/x"); w.Code != 302 {
		t.Errorf("a capture of another host: %d", w.Code)
	}
}

// TestWhoIsAnswered checks that only names of loopback are answered, and only reading requests.
func TestWhoIsAnswered(t *testing.T) {
	s := serverOf(t, answer{url: "https://h.example/", raw: page200("x")})
	for host, want := range map[string]int{"127.0.0.1:8088": 200, "localhost:1": 200,
		"[::1]:8088": 200, "LOCALHOST": 200,
		"evil.example:8088": 421, "127.0.0.1.evil.example": 421, "10.0.0.1:8088": 421, "": 421,
		"127.0.0.1:8088; script-src *": 421} {
		q := httptest.NewRequest("GET", "/", nil)
		q.Host = host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, q)
		if w.Code != want || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("host %q: %d, want %d", host, w.Code, want)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("POST", "http://127.0.0.1/web/2026/https://h.example/", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
	for _, address := range []string{"0.0.0.0:80", "192.0.2.1:80", ":8088", "localhost:8088", "x"} {
		if _, err := Listen(address); !errors.Is(err, ErrNotLoopback) {
			t.Errorf("listens at %q: %v", address, err)
		}
	}
}

// TestListenHintsAtFreePort checks the hint of a port that another program uses.
func TestListenHintsAtFreePort(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Listen(l.Addr().String())
	if hint, code, _ := words.HintOf(err); hint != words.FreePort || code != words.ExitMisuse {
		t.Errorf("%v: hint %q, exit code %d", err, hint, code)
	}
}

func TestRewrite(t *testing.T) {
	for in, want := range map[string]string{
		`<P CLASS=x>Text &amp; <!-- <a href="/c"> --> more`:  `<P CLASS=x>Text &amp; <!-- <a href="/c"> --> more`,
		`<a href="/x?a=1&amp;b=2#f">`:                        `<a href="/web/20260131120000/https://h.example/x?a=1&amp;b=2#f">`,
		`<a href="#here">`:                                   `<a href="#here">`,
		`<a href="mailto:a@b">`:                              `<a href="mailto:a@b">`,
		`<a href="//cdn.example/x" target=_blank>`:           `<a href="/web/20260131120000/https://cdn.example/x" target="_self">`,
		`<a href="http://[bad" ping="http://live.example/">`: `<a href="about:invalid" ping="">`,
		`<base href="/dir/"><base href="/no/"><a href=y>`:    `<a href="/web/20260131120000/https://h.example/dir/y">`,
		`<link rel="preconnect" href="http://live.example">x<link rel=DNS-prefetch href=//live.example>`: `x`,
		`<meta http-equiv=Refresh content="0; url='http://live.example/'">`:                              `<meta http-equiv="Refresh" content="0; url=&#39;/web/20260131120000/http://live.example/&#39;">`,
		`<meta http-equiv="Content-Security-Policy" content="img-src x">y`:                               `y`,
		`<img srcset=" a.png,b.png 2x,c.png">`:                                                           `<img srcset="/web/20260131120000/https://h.example/a.png,b.png 2x, /web/20260131120000/https://h.example/c.png">`,
		`<img srcset="a.png 1x, b.png 2x">`:                                                              `<img srcset="/web/20260131120000/https://h.example/a.png 1x, /web/20260131120000/https://h.example/b.png 2x">`,
		`<script>var a = "<a href='/x'>";</script>`:                                                      `<script>var a = "<a href='/x'>";</script>`,
		`<a href="/unclosed`: `<a href="/unclosed`,
	} {
		if got := string(rewrite([]byte(in), "text/html; charset=utf-8", "https://h.example/",
			ofWeb)); got != want {
			t.Errorf("%s\n is %s\nwant %s", in, got, want)
		}
	}
	css := string(rewrite([]byte(`@import "a.css"; b{background:url( 'c.png' )} d{x:url(data:x)}`),
		"text/css", "https://h.example/s/", ofWeb))
	if want := `@import "/web/20260131120000/https://h.example/s/a.css"; b{background:url("/web/20260131120000/https://h.example/s/c.png")} d{x:url(data:x)}`; css != want {
		t.Errorf("style sheet: %s", css)
	}
	if raw := "\x00<a href=x>"; string(rewrite([]byte(raw), "text/html; charset=UTF-16LE",
		"https://h.example/", ofWeb)) != raw {
		t.Error("two octets a character were rewritten")
	}
}

// TestOthers serves files of other writers.
func TestOthers(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "shared", "data", "warc")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no files of other writers here: %v", err)
	}
	r, err := archive.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := New(r)
	for path, want := range map[string]string{
		"/web/20170306040206/http://example.com/":  "Example Domain",
		"/web/20170306165409/http://www.iana.org/": "IANA",
		// a revisit without a reference
		"/web/20170306040348/http://example.com/": "Example Domain"} {
		if w := get(s, path); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %.200s", path, w.Code, w.Body)
		}
	}
}

// FuzzRewrite checks that no URL which a browser would follow leads to the live web, and that
// rewriting ends.
func FuzzRewrite(f *testing.F) {
	f.Add(
		`<base href=//x><a href=" http://live.example/">x</a><img srcset="a 1x, b"><meta http-equiv=refresh content="0;url=//live.example">`)
	f.Fuzz(func(t *testing.T, page string) {
		out := rewrite([]byte(page), "text/html", "https://h.example/", ofWeb)
		if len(out) > 10*len(page)+2<<20 { // escapes are up to five times as long
			t.Errorf("%d octets of %d", len(out), len(page))
		}
		rewrite([]byte(page), "text/css", "https://h.example/", ofWeb)
	})
}

// FuzzPath checks that every path gets one answer, in which nothing runs and which links only into
// the archive.
func FuzzPath(f *testing.F) {
	for _, path := range []string{"/", "/web/2026/https://h.example/",
		"/web/20260131120000id_/https://h.example/", "/web/*/h.example",
		"/web/2026/../../etc/passwd",
		"/web/2026//http:/\\evil.example/%00",
		"/web/99999999999999/https://h.example/\r\nLocation: x",
		"/web/2026/https://h.example/moved"} {
		f.Add(path, "127.0.0.1:8088")
	}
	s := serverOf(f,
		answer{url: "https://h.example/", raw: page200(`<a href=next>one</a>`)},
		answer{url: "https://h.example/moved", raw: "HTTP/1.1 301 Moved\r\nLocation: " +
			"//live.example/\\x\r\nContent-Length: 0\r\n\r\n"})
	f.Fuzz(func(t *testing.T, path, host string) {
		q := httptest.NewRequest("GET", "http://127.0.0.1:8088/", nil)
		u, err := url.ParseRequestURI(path)
		if err != nil {
			return // net/http refuses it
		}
		q.URL, q.RequestURI, q.Host = u, path, host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, q)
		h := w.Header()
		if w.Code < 200 || w.Code > 599 || !strings.HasPrefix(h.Get("Content-Security-Policy"),
			"sandbox; default-src 'none'") {
			t.Errorf("%q: %d, %v", path, w.Code, h)
		}
		for name, values := range h {
			if len(values) != 1 || strings.ContainsAny(values[0], "\r\n\x00") {
				t.Errorf("%q: %s: %q", path, name, values)
			}
		}
		if to := h.Get("Location"); to != "" &&
			(!strings.HasPrefix(to, "/web/") || strings.HasPrefix(to, "//")) {
			t.Errorf("%q leads to %q", path, to)
		}
		if strings.Contains(w.Body.String(), "<script") {
			t.Errorf("%q: %s", path, w.Body)
		}
	})
}
