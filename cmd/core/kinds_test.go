package core_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/recrawl/recrawl/fetch/archive/warc"
)

// keptKind is a path, the answer of its server at the n-th visit from 0, octet for octet, and the
// archive's record of it: type, status and why it is cut; "": none.
type keptKind struct {
	path string
	send func(n int, r *http.Request) string
	want func(n int) string
}

// always returns a function with the same record for each visit.
func always(want string) func(int) string { return func(int) string { return want } }

func then(first, later string) func(int) string {
	return func(n int) string {
		if n == 0 {
			return first
		}
		return later
	}
}

func head(status, header string, length int) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n", status, header, length)
}

func sent(status, header, body string) func(int, *http.Request) string {
	return func(int, *http.Request) string { return head(status, header, len(body)) + body }
}

const htmlType = "Content-Type: text/html; charset=utf-8\r\n"

// keptKinds returns all kinds of answers that an archive must keep.
func keptKinds() []keptKind {
	page := "<!DOCTYPE html><title>A page</title>" +
		strings.Repeat("<p>Some words of a page that is kept.</p>\n", 60)
	edition := func(path string, n int) string {
		return fmt.Sprintf("<title>Edition %d of %s</title>", n, path) + page
	}
	inCoding := func(coding string, encode func([]byte) []byte) keptKind {
		return keptKind{"/coding-" + coding, func(n int, _ *http.Request) string {
			body := encode([]byte(edition(coding, n)))
			return head("200 OK", htmlType+"Content-Encoding: "+coding+"\r\n", len(body)) +
				string(body)
		}, always("response 200")}
	}
	chunked := func(body, extension, trailer string) string {
		n := len(body) - 1
		return fmt.Sprintf("%x%s\r\n%s\r\n1\r\n%s\r\n0\r\n%s\r\n",
			n, extension, body[:n], body[n:], trailer)
	}
	gone := func(status string) keptKind {
		return keptKind{"/status-" + status[:3], sent(status, htmlType, "<p>"+status),
			func(n int) string {
				return then("response ", "revisit ")(n) + status[:3]
			}}
	}
	moved := func(status, to string) keptKind {
		return keptKind{"/status-" + status[:3], sent(status, "Location: "+to+"\r\n", ""),
			always("response " + status[:3])}
	}
	zstdWriter, _ := zstd.NewWriter(nil)
	kinds := []keptKind{
		{"/same", sent("200 OK", htmlType, page), then("response 200", "revisit 200")},
		{"/other", func(n int, _ *http.Request) string {
			return head("200 OK", htmlType, len(edition("other", n))) + edition("other", n)
		}, always("response 200")},
		// Twice the same, and then another one: a revisit between two bodies of its URL.
		{"/twice", func(n int, _ *http.Request) string {
			return head("200 OK", htmlType, len(edition("twice", n/2))) + edition("twice", n/2)
		}, func(n int) string { return []string{"response 200", "revisit 200"}[n%2] }},
		{"/tagged", func(n int, r *http.Request) string {
			if r.Header.Get("If-None-Match") == fmt.Sprintf(`"%d"`, (n-1)/2) && n%2 == 1 {
				return fmt.Sprintf("HTTP/1.1 304 Not Modified\r\nETag: \"%d\"\r\nContent-Length: "+
					"7\r\n\r\n", n/2)
			}
			body := string(gzipped([]byte(edition("tagged", n/2))))
			return head("200 OK", fmt.Sprintf("%sContent-Encoding: gzip\r\nETag: \"%d\"\r\n",
				htmlType, n/2), len(body)) + body
		}, func(n int) string { return []string{"response 200", "revisit 304"}[n%2] }},
		// "Not modified" without any field.
		{"/bare", func(n int, r *http.Request) string {
			if r.Header.Get("If-Modified-Since") != "" {
				return "HTTP/1.1 304 Not Modified\r\n\r\n"
			}
			return head("200 OK", htmlType+"Last-Modified: Mon, 01 Jan 2001 00:00:00 GMT\r\n",
				len(page)) + page
		}, then("response 200", "revisit 304")},
		inCoding("gzip", gzipped),
		inCoding("br", inBrotli),
		inCoding("zstd", func(b []byte) []byte { return zstdWriter.EncodeAll(b, nil) }),
		inCoding("deflate", func(b []byte) []byte {
			var out bytes.Buffer
			z, _ := flate.NewWriter(&out, -1)
			z.Write(b)
			z.Close()
			return out.Bytes()
		}),
		{"/chunks", func(n int, _ *http.Request) string {
			return "HTTP/1.1 200 OK\r\n" + htmlType + "Transfer-Encoding: chunked\r\n\r\n" +
				chunked(edition("chunks", n), "", "")
		}, always("response 200")},
		{"/chunks-more", func(n int, _ *http.Request) string {
			return "HTTP/1.1 200 OK\r\n" + htmlType +
				"Trailer: X-End\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(edition("more", n),
				";name=\"a;b\"", "X-End: yes\r\n")
		}, always("response 200")},
		{"/chunks-gzip", func(n int, _ *http.Request) string {
			return "HTTP/1.1 200 OK\r\n" + htmlType +
				"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" +
				chunked(string(gzipped([]byte(edition("chunks-gzip", n)))), "", "")
		}, always("response 200")},
		{"/until-closed", func(n int, _ *http.Request) string {
			return "HTTP/1.0 200 OK\r\n" + htmlType + "\r\n" + edition("closed", n)
		}, always("response 200")},
		{"/odd-header", func(n int, _ *http.Request) string {
			header := htmlType + "X-Octets: \xe4\xf6\xfc\r\nX-TWICE: a\r\nx-twice: " +
				"b\r\nX-Empty:\r\nX-Long: " + strings.Repeat("x", 5000) + "\r\n"
			return head("200 \xc4h", header, len(edition("odd", n))) + edition("odd", n)
		}, always("response 200")},
		{"/latin-1", func(n int, _ *http.Request) string {
			body := fmt.Sprintf("<title>\xfcber %d</title><p>\xe4\xf6", n)
			return head("200 OK", "Content-Type: text/html; charset=iso-8859-1\r\n", len(body)) +
				body
		}, always("response 200")},
		{"/query?b=2&a=%C3%BC&a=1", sent("200 OK", htmlType, page),
			then("response 200", "revisit 200")},
		{"/%C3%BCber/", sent("200 OK", htmlType, page), then("response 200", "revisit 200")},
		moved("301 Moved Permanently", "/target?a=1&b=2"), moved("302 Found", "target"),
		moved("308 Permanent Redirect", "/target"),
		{"/target?a=1&b=2", sent("200 OK", htmlType, page), then("response 200", "revisit 200")},
		gone("404 Not Found"), gone("410 Gone"), gone("500 Internal Server Error"),
		{"/empty", sent("200 OK", htmlType, ""), always("response 200")},
		{"/status-204", func(int, *http.Request) string {
			return "HTTP/1.1 204 No Content\r\n\r\n"
		}, always("response 204")},
		{"/large", sent("200 OK", htmlType, "<title>Large</title>"+strings.Repeat("<p>large",
			10_000)), always("response 200 length")},
		{"/large-chunks", func(int, *http.Request) string {
			return "HTTP/1.1 200 OK\r\n" + htmlType + "Transfer-Encoding: chunked\r\n\r\n" +
				strings.Repeat(fmt.Sprintf("%x\r\n%s\r\n", len(page), page), 20) + "0\r\n\r\n"
		}, always("response 200 length")},
		{"/cut", func(int, *http.Request) string {
			return head("200 OK", htmlType, 2*len(page)) + page
		}, always("response 200 disconnect")},
		{"/cut-chunks", func(int, *http.Request) string {
			return "HTTP/1.1 200 OK\r\n" + htmlType + "Transfer-Encoding: chunked\r\n\r\n" +
				chunked(page, "", "")[:200]
		}, always("response 200 disconnect")},
		{"/withdrawn-header", sent("200 OK", htmlType+"X-Robots-Tag: noarchive\r\n",
			"<p>withdrawn"), always("")},
		{"/withdrawn-meta", sent("200 OK", htmlType,
			"<meta name=robots content=noarchive><p>withdrawn"), always("")},
		{"/text", sent("200 OK", "Content-Type: text/plain\r\n", "Plain text."),
			then("response 200", "revisit 200")},
		{"/json", sent("200 OK", "Content-Type: application/json\r\n", `{"a":1}`),
			then("response 200", "revisit 200")},
		{"/picture", sent("200 OK", "Content-Type: image/png\r\n",
			"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), then("response 200", "revisit 200")},
		{"/untyped", sent("200 OK", "", "\x00\x01\x02 no type"),
			then("response 200", "revisit 200")},
		{"/feed", sent("200 OK", "Content-Type: application/rss+xml\r\n",
			"<rss><channel><title>x</title><item><link>/same</link></item></channel></rss>"),
			then("response 200", "revisit 200")},
		{"/sitemap.xml", sent("200 OK", "Content-Type: application/xml\r\n", "<urlset></urlset>"),
			then("response 200", "revisit 200")},
		{"/robots.txt", sent("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nAllow: /\n"),
			then("response 200", "revisit 200")},
	}
	links := "<title>All kinds</title><link rel=alternate type=application/rss+xml href=/feed>"
	for _, k := range kinds {
		if !slices.Contains([]string{"/robots.txt", "/sitemap.xml", "/feed"}, k.path) {
			links += fmt.Sprintf("<a href=\"%s\">%s</a>\n",
				strings.ReplaceAll(k.path, "&", "&amp;"), k.path)
		}
	}
	return append(kinds,
		keptKind{"/", sent("200 OK", htmlType, links), then("response 200", "revisit 200")})
}

// kindsServer sends the answers of keptKinds, and remembers them.
type kindsServer struct {
	at    string
	kinds map[string]keptKind

	mu   sync.Mutex
	sent map[string][]string // by path
}

func newKindsServer(t *testing.T) *kindsServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.4.7.1:0")
	if err != nil {
		t.Skipf("this machine has no 127.4.7.1: %v", err)
	}
	t.Cleanup(func() { listener.Close() })
	s := &kindsServer{at: "http://" + listener.Addr().String(), kinds: map[string]keptKind{},
		sent: map[string][]string{}}
	for _, k := range keptKinds() {
		s.kinds[k.path] = k
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.answer(conn)
		}
	}()
	return s
}

func (s *kindsServer) answer(conn net.Conn) {
	defer conn.Close()
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	path := r.URL.RequestURI()
	k, ok := s.kinds[path]
	if !ok { // a probe for a URL that cannot exist
		k.send = sent("404 Not Found", "", "none")
	}
	s.mu.Lock()
	raw := k.send(len(s.sent[path]), r)
	s.sent[path] = append(s.sent[path], raw)
	s.mu.Unlock()
	if strings.HasPrefix(raw, "HTTP/1.1 200 OK") { // after an interim answer
		io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
	}
	io.WriteString(conn, raw)
}

// TestArchiveOfAllKinds keeps answers of all kinds, each octet for octet, or as a revisit of an
// earlier one. With RECRAWL_TEST_ARCHIVES the archives are left in that directory, for other
// readers:
//
//	RECRAWL_TEST_ARCHIVES=DIRECTORY go test ./cmd/core -run '^TestArchiveOfAllKinds$'
func TestArchiveOfAllKinds(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>Over TLS</title><p>kept from a server that offers HTTP/2")
	}))
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(secure.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: secure.Certificate().Raw})
	out := os.Getenv("RECRAWL_TEST_ARCHIVES")
	for _, gzip := range []string{"true", "false"} {
		if gzip == "false" && out == "" {
			continue // it differs only for readers
		}
		t.Run("gzip="+gzip, func(t *testing.T) {
			t.Parallel()
			s := newKindsServer(t)
			dir := t.TempDir()
			ca := writeFile(t, filepath.Join(dir, "ca.pem"), string(authority))
			kept := filepath.Join(dir, "kept")
			if out != "" {
				kept = filepath.Join(out, "gzip-"+gzip)
			}
			p := start(t, dir, nil, "run", "--data", "data", "--archive", kept,
				"--archive-gzip="+gzip, "--user-agent", contact, "--allow-private",
				"--ca-file", ca, "--delay", "0s", "--unlimited", "--round", "1s", "--max-body",
				"20000", "--quiet", s.at+"/", secure.URL+"/")
			// The last one may be in flight when the run is interrupted, and is then not kept.
			eventually(t, "the fourth visit", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return len(s.sent["/twice"]) > 3 && len(s.sent["/tagged"]) > 3 &&
					len(s.sent["/bare"]) > 2
			})
			p.interrupt()
			s.check(t, kept, secure.URL)
		})
	}
}

// check compares the sent answers with the archive.
func (s *kindsServer) check(t *testing.T, dir, secure string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}    // visits by path
	bodies := map[string]bool{} // digests of bodies that are kept once for all URLs
	overTLS := 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r := warc.NewReader(f, 0)
		for rec, err := r.Next(); err != io.EOF; rec, err = r.Next() {
			if err != nil {
				t.Fatal(err)
			}
			block, err := io.ReadAll(rec.Block)
			if err == nil {
				err = r.Finish()
			}
			if err != nil {
				t.Fatal(err)
			}
			kind := rec.Type()
			if kind != warc.Response && kind != warc.Revisit {
				continue
			}
			if strings.HasPrefix(rec.URI(), secure) {
				overTLS++
				if !bytes.HasPrefix(block, []byte("HTTP/1.1 ")) {
					t.Errorf("%s: %.20q", rec.URI(), block)
				}
				continue
			}
			path := strings.TrimPrefix(rec.URI(), s.at)
			k, known := s.kinds[path]
			if !known {
				continue
			}
			n := seen[path]
			seen[path]++
			if n >= len(s.sent[path]) {
				t.Errorf("%s is kept %d times and was sent %d times", path, n+1, len(s.sent[path]))
				continue
			}
			var status int
			fmt.Sscanf(string(block[bytes.IndexByte(block, ' ')+1:]), "%d", &status)
			got := strings.TrimSpace(fmt.Sprintf("%s %d %s",
				kind, status, rec.Get(warc.TruncatedField)))
			want, digest := k.want(n), rec.Get(warc.PayloadDigestField)
			if kind == warc.Revisit && n == 0 && bodies[digest] {
				want = strings.Replace(want, "response", "revisit", 1)
			}
			bodies[digest] = true
			if got != want {
				t.Errorf("visit %d of %s: %q, want %q", n+1, path, got, want)
			}
			raw := s.sent[path][n]
			switch {
			case kind == warc.Revisit:
				raw, _, _ = strings.Cut(raw, "\r\n\r\n")
				raw += "\r\n\r\n"
			case rec.Get(warc.TruncatedField) == "length":
				if len(block) < 20_000 {
					t.Errorf("%s: %d octets are kept", path, len(block))
				}
				raw = raw[:min(len(block), len(raw))]
			}
			if string(block) != raw {
				t.Errorf("visit %d of %s: %d octets are kept that begin %.80q, and %d were sent "+
					"that begin %.80q", n+1, path, len(block), block, len(raw), raw)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.kinds)) {
		wanted := s.kinds[path].want(0) != ""
		if len(s.sent[path]) == 0 || wanted != (seen[path] > 0) {
			t.Errorf("%s was sent %d times and is kept %d times",
				path, len(s.sent[path]), seen[path])
		}
	}
	if seen["/twice"] < 3 || seen["/tagged"] < 3 || seen["/bare"] < 2 || overTLS == 0 {
		t.Errorf("too few visits: %v, and %d over TLS", seen, overTLS)
	}
	if kept := recrawl(t, append([]string{"show", "warc"}, files[0])...).ok(t); !strings.Contains(
		kept.stdout, "revisit") {
		t.Errorf("show warc: %.300s", kept.stdout)
	}
	t.Logf("%d addresses, visits: %v", len(seen), seen)
}

func inBrotli(text []byte) []byte {
	var b bytes.Buffer
	z := brotli.NewWriter(&b)
	z.Write(text)
	z.Close()
	return b.Bytes()
}
