package fetch

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/recrawl/recrawl/sitegraph"
)

func zip(t testing.TB, content io.Reader) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, content); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return b.Bytes()
}

func zipText(t testing.TB, s string) []byte { return zip(t, strings.NewReader(s)) }

func brText(s string) []byte {
	var b bytes.Buffer
	z := brotli.NewWriter(&b)
	io.WriteString(z, s) // a buffer takes everything
	z.Close()
	return b.Bytes()
}

func zstdText(s string) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return z.EncodeAll([]byte(s), nil)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestBodies checks which content is kept of bodies in each coding.
func TestBodies(t *testing.T) {
	const limit = 1000
	text := strings.Repeat("hello ", 100)
	long := strings.Repeat("x", 5000)
	coded := zipText(t, text)
	wrong := bytes.Clone(coded)
	wrong[len(wrong)-6] ^= 1 // the checksum
	for _, c := range []struct {
		name, codings string
		sent          []byte
		kept          string
		outcome       sitegraph.Outcome
		truncated     bool
	}{
		{"plain", "", []byte(text), text, sitegraph.OutcomeFetched, false},
		{"empty", "", nil, "", sitegraph.OutcomeFetched, false},
		{"at the limit", "", []byte(long[:limit]), long[:limit], sitegraph.OutcomeFetched, false},
		{"over the limit", "", []byte(long[:limit+1]), long[:limit], sitegraph.OutcomeFetched,
			true},
		{"gzip", "gzip", coded, text, sitegraph.OutcomeFetched, false},
		{"gzip by its old name", "X-GZIP", coded, text, sitegraph.OutcomeFetched, false},
		{"gzip over the limit", "gzip", zipText(t, long), long[:limit], sitegraph.OutcomeFetched,
			true},
		{"two members", "gzip", append(bytes.Clone(coded), zipText(t, "end")...), text + "end",
			sitegraph.OutcomeFetched, false},
		{"twice", "gzip, gzip", zip(t, bytes.NewReader(coded)), text, sitegraph.OutcomeFetched,
			false},
		{"said, not done", "gzip", []byte(text), text, sitegraph.OutcomeFetched, false},
		{"said, empty", "gzip", nil, "", sitegraph.OutcomeFetched, false},
		{"a blank before gzip", "gzip", append([]byte("\r\n"), coded...), "",
			sitegraph.OutcomeFailed, false},
		{"zlib said to be gzip", "gzip", zlibText(text), text, sitegraph.OutcomeFetched, false},
		{"text like zlib", "gzip", []byte("x^2 is " + text), "x^2 is " + text,
			sitegraph.OutcomeFetched, false},
		{"gzip said to be deflate", "deflate", coded, text, sitegraph.OutcomeFetched, false},
		{"wrong checksum", "gzip", wrong, text, sitegraph.OutcomeFetched, true},
		{"three times", "gzip, gzip, gzip", coded, "", sitegraph.OutcomeFailed, false},
		{"br", "br", brText(text), text, sitegraph.OutcomeFetched, false},
		{"br over the limit", "br", brText(long), long[:limit], sitegraph.OutcomeFetched, true},
		{"br in the middle", "br", brText(text)[:10], "", sitegraph.OutcomeFailed, false},
		{"br and more", "br", append(brText(text), "xx"...), text, sitegraph.OutcomeFetched, true},
		{"br said, not done", "br", []byte(text), text, sitegraph.OutcomeFetched, false},
		{"br said, empty", "br", nil, "", sitegraph.OutcomeFetched, false},
		{"br in gzip", "br, gzip", zip(t, bytes.NewReader(brText(text))), text,
			sitegraph.OutcomeFetched, false},
		{"gzip in br", "gzip, br", brText(string(coded)), text, sitegraph.OutcomeFetched, false},
		{"zstd", "zstd", zstdText(text), text, sitegraph.OutcomeFetched, false},
		{"zstd over the limit", "ZSTD", zstdText(long), long[:limit], sitegraph.OutcomeFetched,
			true},
		{"zstd in the middle", "zstd", zstdText(text)[:15], "", sitegraph.OutcomeFailed, false},
		{"zstd and more", "zstd", append(zstdText(text), "xxxxxxxx"...), text,
			sitegraph.OutcomeFetched, true},
		{"zstd said, not done", "zstd", []byte(text), text, sitegraph.OutcomeFetched, false},
		// A frame whose window is 1 TB (RFC 8878 3.1.1.1.2).
		{"zstd with a huge window", "zstd", []byte("\x28\xb5\x2f\xfd\x00\xf0\x01\x00\x00"), "",
			sitegraph.OutcomeFailed, false},
		{"not asked for", "compress", coded, "", sitegraph.OutcomeFailed, false},
		{"a charset", "utf-8", []byte(text), text, sitegraph.OutcomeFetched, false},
		{"a charset, not of text", "utf-8", coded, "", sitegraph.OutcomeFailed, false},
		{"none", "none", []byte(text), text, sitegraph.OutcomeFetched, false},
		{"words for nothing", "Identity, none,, BINARY, 8bit,identity, x", []byte(text), text,
			sitegraph.OutcomeFetched, false},
		{"gzip and a charset", "utf-8, GZip, none", coded, text, sitegraph.OutcomeFetched, false},
		{"with a parameter", "gzip;q=1", coded, text, sitegraph.OutcomeFetched, false},
		{"in quotes", `"gzip"`, coded, text, sitegraph.OutcomeFetched, false},
		{"deflate", "deflate", zlibText(text), text, sitegraph.OutcomeFetched, false},
		{"bare deflate", "Deflate", deflateText(text), text, sitegraph.OutcomeFetched, false},
		{"deflate over the limit", "deflate", deflateText(long), long[:limit],
			sitegraph.OutcomeFetched, true},
		{"deflate in the middle", "deflate", zlibText(text)[:15], "",
			sitegraph.OutcomeFailed, false},
		{"deflate said, not done", "deflate", []byte(text), text, sitegraph.OutcomeFetched, false},
		{"deflate said, empty", "deflate", nil, "", sitegraph.OutcomeFetched, false},
	} {
		w := newWeb(t, "h.example", "127.0.0.1")
		w.handle("h.example/", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			if c.codings != "" {
				rw.Header().Set("Content-Encoding", c.codings)
			}
			rw.Write(c.sent)
		})
		w.handle("h.example/robots.txt", http.NotFound)
		o := w.get(w.client(func(o *Options) { o.MaxBody = limit }), home)
		if o.Outcome != c.outcome || o.Truncated != c.truncated {
			t.Errorf("%s: %v %q, truncated %v", c.name, o.Outcome, o.Detail, o.Truncated)
		}
		if want := sitegraph.DigestOf([]byte(c.kept)); o.Outcome == sitegraph.OutcomeFetched &&
			o.Digests.Bytes != want {
			t.Errorf("%s: %d octets kept, want %d", c.name, o.Size, len(c.kept))
		}
	}
}

// zlibText and deflateText are the two forms of deflate.
func zlibText(text string) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

func deflateText(text string) []byte {
	b := zlibText(text)
	return b[2 : len(b)-4]
}

// TestBombs checks that endless or very large content costs little more than the limit.
func TestBombs(t *testing.T) {
	const limit = 500_000
	bomb := zip(t, io.LimitReader(zeros{}, 16<<20))
	members := bytes.Repeat(zipText(t, ""), 50_000)
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/robots.txt", http.NotFound)
	send := func(path, coding string, f func(io.Writer)) {
		w.handle("h.example"+path, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			rw.Header().Set("Content-Encoding", coding)
			f(rw)
		})
	}
	send("/bomb", "gzip", func(rw io.Writer) { rw.Write(bomb) })
	send("/members", "gzip", func(rw io.Writer) { rw.Write(members) })
	for path, coding := range map[string]string{"/br": "br", "/zstd": "zstd"} {
		var coded bytes.Buffer
		var z io.WriteCloser = brotli.NewWriterOptions(&coded,
			brotli.WriterOptions{Quality: 5, LGWin: 24})
		if coding == "zstd" {
			z, _ = zstd.NewWriter(&coded, zstd.WithWindowSize(8<<20)) // options that are in range
		}
		io.Copy(z, io.LimitReader(zeros{}, 64<<20))
		z.Close()
		send(path, coding, func(rw io.Writer) { rw.Write(coded.Bytes()) })
	}
	send("/endless", "", func(rw io.Writer) { io.Copy(rw, zeros{}) })
	c := w.client(func(o *Options) { o.MaxBody = limit })
	w.get(c, home+"robots.txt")
	for _, path := range []string{"bomb", "members", "endless", "br", "zstd"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o := w.get(c, home+path)
		runtime.ReadMemStats(&after)
		if o.Outcome != sitegraph.OutcomeFetched || !o.Truncated || o.Size > limit {
			t.Errorf("%s: %v %q, %d octets, truncated %v",
				path, o.Outcome, o.Detail, o.Size, o.Truncated)
		}
		// The sum of allocations, not the peak: the buffer of the body doubles up to twice the
		// limit, and the text and its token take about as much again each.
		most := uint64(16 * limit)
		if path == "br" || path == "zstd" { // a window for each of the two decodings
			most += 2 * (16 << 20)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > most {
			t.Errorf("%s: %d MB allocated", path, used>>20)
		}
	}
}

// TestRawAnswers visits servers that do not speak HTTP or stop in the middle.
func TestRawAnswers(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	for name, c := range map[string]struct {
		answer string
		want   sitegraph.Outcome
	}{
		"nothing":           {"", sitegraph.OutcomeFailed},
		"no HTTP":           {"hello\r\n\r\n", sitegraph.OutcomeFailed},
		"binary":            {"\x00\x01\x02\r\n\r\n", sitegraph.OutcomeFailed},
		"cut in the header": {head[:30], sitegraph.OutcomeFailed},
		"cut in the body":   {head + "Content-Length: 100\r\n\r\nhello", sitegraph.OutcomeFailed},
		"cut in a chunk": {head + "Transfer-Encoding: chunked\r\n\r\n10\r\nhello",
			sitegraph.OutcomeFailed},
		"huge chunk": {head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhello",
			sitegraph.OutcomeFailed},
		"negative length": {head + "Content-Length: -1\r\n\r\nhello", sitegraph.OutcomeFailed},
		"two lengths": {head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nhello",
			sitegraph.OutcomeFailed},
		"no length":        {head + "\r\nhello", sitegraph.OutcomeFetched},
		"longer than told": {head + "Content-Length: 2\r\n\r\nhello", sitegraph.OutcomeFetched},
		"header flood": {head + "X: " + strings.Repeat("x", 200<<10) + "\r\n\r\nhello",
			sitegraph.OutcomeFailed},
		"many headers": {head + strings.Repeat("Set-Cookie: a=b\r\n", 20_000) + "\r\nhello",
			sitegraph.OutcomeFailed},
		"many interim": {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 10_000) + head +
			"\r\nhello", sitegraph.OutcomeFailed},
		"old tag": {head + "ETag: v 1\r\nLast-Modified: yesterday\r\n\r\nhello",
			sitegraph.OutcomeFetched},
	} {
		o := rawVisit(t, c.answer, false, nil)
		if o.Outcome != c.want || o.ETag != "" || !o.LastModified.IsZero() {
			t.Errorf("%s: %v %q", name, o.Outcome, o.Detail)
		}
	}
}

func TestSlowServers(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	short := func(o *Options) {
		o.HeaderTimeout, o.Timeout = 100*time.Millisecond, 250*time.Millisecond
	}
	for name, answer := range map[string]string{"says nothing": "", "stops in the header": head,
		"stops in the body": head + "\r\nhello"} {
		if o := rawVisit(t, answer, true, short); o.Outcome != sitegraph.OutcomeFailed {
			t.Errorf("%s: %v %q", name, o.Outcome, o.Detail)
		}
	}
}

// rawVisit visits a page whose server sends the octets of answer and has no robots.txt. With stay
// the connection stays open afterwards.
func rawVisit(t *testing.T, answer string, stay bool, change func(*Options)) sitegraph.Observation {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	end := make(chan struct{})
	defer close(end)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buf := make([]byte, 4096)
				n, _ := conn.Read(buf)
				if bytes.Contains(buf[:n], []byte("GET /robots.txt")) {
					io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
					return
				}
				io.WriteString(conn, answer)
				if stay {
					<-end
				}
			}()
		}
	}()
	w := newWeb(t)
	port := listener.Addr().(*net.TCPAddr).Port
	return w.get(w.client(func(o *Options) {
		o.Resolve, o.Dial = nil, nil
		if change != nil {
			change(o)
		}
	}), "http://127.0.0.1:"+strconv.Itoa(port)+"/")
}
