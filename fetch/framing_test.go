package fetch

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/recrawl/recrawl/sitegraph"
)

// framedAnswer reads an answer through framing.
func framedAnswer(from io.Reader) (*http.Response, []byte, error) {
	var f framing
	f.reset(bufio.NewReader(from), 1<<10)
	return readAnswer(bufio.NewReaderSize(&f, talkLine))
}

func readAnswer(r *bufio.Reader) (*http.Response, []byte, error) {
	for {
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			return nil, nil, err
		}
		if response.StatusCode/100 == 1 && response.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		body, err := io.ReadAll(response.Body)
		return response, body, err
	}
}

// TestFraming checks which answers are read and which are refused, in the words of net/http. "B"
// marks a body of five octets, which must be read.
func TestFraming(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\n"
	const chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
	for _, c := range []struct {
		name, answer, refused string
	}{
		{"as it should be", head + "Content-Length: 5\r\n\r\nB more", ""},
		{"until it closes", head + "X: y\r\n\r\nB", ""},
		{"identity", head + "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nB more", ""},
		{"identity alone", head + "Transfer-Encoding: Identity\r\n\r\nB", ""},
		{"no coding", head + "Transfer-Encoding: none\r\nContent-Length: 5\r\n\r\nB more", ""},
		{"chunked twice",
			head + "Transfer-Encoding: chunked\r\ntransfer-encoding: Chunked\r\n\r\n" +
				"5\r\nB\r\n0\r\n\r\n", ""},
		{"chunked in a list",
			head + "Transfer-Encoding: identity, chunked,chunked\r\n\r\n5\r\nB\r\n0\r\n\r\n", ""},
		{"chunked and a length",
			head + "Transfer-Encoding: chunked\r\nContent-Length: x\r\n\r\n" +
				"5\r\nB\r\n0\r\n\r\n", ""},
		{"chunked in HTTP/1.0",
			"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nB\r\n0\r\n\r\n", ""},
		{"gzip in transfer",
			head + "Transfer-Encoding: gzip, chunked\r\n\r\n" +
				"5\r\nB\r\n0\r\n\r\n", ""},
		{"unknown coding in transfer",
			head + "Transfer-Encoding: 8bit\r\nContent-Length: 5\r\n\r\nB more", ""},
		{"chunked in quotes",
			head + "Transfer-Encoding: \"chunked\"\r\n\r\n5\r\nB\r\n0\r\n\r\n", ""},
		{"lengths in a list", head + "Content-Length: 5, 5\r\n\r\nB more", ""},
		{"lengths in lines", head + "Content-Length: 5,\r\nContent-Length: 05\r\n\r\nB more", ""},
		{"length with a sign", head + "Content-Length: +5\r\n\r\nB more", ""},
		{"length with a unit", head + "Content-Length: 5 bytes;\r\n\r\nB more", ""},
		{"lengths that differ", head + "Content-Length: 5, 3\r\n\r\nB", "bad Content-Length"},
		{"lengths that differ in lines",
			head + "Content-Length: 5\r\nContent-Length: 3\r\n\r\nB", "multiple Content-Length"},
		{"no length", head + "Content-Length: 0x5\r\n\r\nB", ""},
		{"empty length", head + "Content-Length:\r\n\r\nB", ""},
		{"negative length", head + "Content-Length: -1\r\n\r\nB", "bad Content-Length"},
		{"huge length", head + "Content-Length: 99999999999999999999\r\n\r\nB", ""},
		{"two numbers", head + "Content-Length: 5 3\r\n\r\nB", ""},
		{"a length and none", head + "Content-Length: 3\r\nContent-Length: x\r\n\r\nB",
			"multiple Content-Length"},
		{"too short", head + "Content-Length: 50\r\n\r\nB", "unexpected EOF"},
		{"blank before an extension", chunked + "5 ; a=b\r\nB\r\n0 ;c\r\n\r\n", ""},
		{"tab before an extension", chunked + "5\t;a=\"x;y\"\r\nB\r\n0\r\n\r\n", ""},
		{"chunks with LF alone", chunked + "5\nB\n0\n\n", ""},
		{"two chunks", chunked + "0002\r\nwo\r\n3 \r\nrds\r\n0\r\nX: y\r\n\r\n", ""},
		{"no end of the trailer", chunked + "5\r\nB\r\n0\r\n", ""},
		{"bad trailer", chunked + "5\r\nB\r\n0\r\nxyz\r\n\r\n", ""},
		{"no last chunk", chunked + "5\r\nB\r\n", "unexpected EOF"},
		{"cut chunk", chunked + "9\r\nB", "unexpected EOF"},
		{"no chunk", chunked + "B\r\n", "invalid byte in chunk length"},
		{"huge chunk", chunked + "11111111111111111\r\nB", "chunk length too large"},
		{"no end of a chunk", chunked + "5\r\nB0\r\n\r\n", "malformed chunked encoding"},
		{"no name", head + ": x\r\n:\r\nContent-Length: 5\r\n\r\nB more", ""},
		{"blanks before the colon", head + "X-Y : z\r\nContent-Length\t: 5\r\n\r\nB more", ""},
		{"no token", head + "X(Y): z\r\n\xc3\x84: z\r\n continued\r\n[a]/b@c: d\r\n\r\nB", ""},
		{"controls in a value", head + "X: a\x01\rb\x7f\r\r\n\r\nB", ""},
		{"NUL", head + "X: a\x00b\r\n\r\nB", "malformed MIME header"},
		{"no colon", head + "foo\r\n bar: x\r\nContent-Length: 5\r\n\r\nB more", ""},
		{"status line twice", head + head + "Content-Length: 5\r\n\r\nB more", ""},
		{"blank line before", "\r\n" + head + "\r\nB", "malformed HTTP response"},
		{"continued", head + "Content-Length:\r\n  5\r\nX: a\r\n\tb\r\n\r\nB more", ""},
		{"continued from nothing", head + " X: y\r\nContent-Length: 5\r\n\r\nB more", ""},
		{"LF alone", "HTTP/1.1 200 OK\nContent-Length: 5\n\nB more", ""},
		{"CR twice", "HTTP/1.1 200 OK\r\r\nContent-Length: 5\r\r\n\r\r\nB more", ""},
		{"no reason", "HTTP/1.1 200\r\n\r\nB", ""},
		{"no blank before the reason", "HTTP/1.1 200OK\r\n\r\nB", ""},
		{"tab before the reason", "HTTP/1.1 200\tOK\r\n\r\nB", ""},
		{"small letters", "http/1.1 200 ok\r\n\r\nB", ""},
		{"HTTP/2 in words",
			"HTTP/2 200\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nB\r\n0\r\n\r\n", ""},
		{"interim answers",
			"HTTP/1.1 100 Continue\r\n: x\r\n\r\n" +
				"HTTP/1.1 103\r\nA : b\r\n\r\nHTTP/1.1 200OK\r\n\r\n" +
				"B", ""},
		{"another protocol", "ICY 200 OK\r\n\r\nB", "malformed HTTP version"},
		{"long code", "HTTP/1.1 2000 OK\r\n\r\nB", "malformed HTTP status code"},
		{"no status line", "<p>B", "malformed HTTP response"},
		{"empty", "", "unexpected EOF"},
		{"header without end", head + "X: y", "unexpected EOF"},
		{"long header", head + "X: " + strings.Repeat("y", 2000) + "\r\n\r\nB", "too long"},
		{"many lines", head + strings.Repeat(": y\r\n", 2000) + "\r\nB", "too long"},
	} {
		answer := strings.ReplaceAll(c.answer, "B", "words")
		for _, slow := range []bool{false, true} {
			var from io.Reader = strings.NewReader(answer)
			if slow {
				from = iotest.OneByteReader(from)
			}
			response, body, err := framedAnswer(from)
			switch {
			case c.refused != "":
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("%s: %v, want %q", c.name, err, c.refused)
				}
			case err != nil || response.StatusCode != 200 || string(body) != "words":
				t.Errorf("%s: %q, %v", c.name, body, err)
			}
		}
	}
}

// TestFramingOverTLS checks that framing also mends answers behind encryption.
func TestFramingOverTLS(t *testing.T) {
	for _, capture := range []bool{false, true} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter,
			r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				rw.WriteHeader(404)
				return
			}
			conn, _, err := rw.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 200OK\r\n: x\r\nContent-Type: text/html\r\n"+
				"Transfer-Encoding: identity\r\nContent-Length: 5, 5\r\n\r\nwords and more")
		}))
		defer server.Close()
		c, _ := secure(t, server, func(o *Options) { o.Capture = capture })
		o, err := c.Visit(t.Context(), sitegraph.Record{URL: secureHome})
		if err != nil || o.Outcome != sitegraph.OutcomeFetched || o.Size != 5 {
			t.Errorf("capture %v: %v %q, %d octets, %v", capture, o.Outcome, o.Detail, o.Size, err)
		}
	}
}

// FuzzFraming checks that framing does not change any answer that net/http reads by itself, however
// the octets are split.
func FuzzFraming(f *testing.F) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nX: a\r\n b\r\n\r\nwords",
		"HTTP/1.1 103\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"5;a\r\nwords\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.1 204 \r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n: x\r\n\r\n",
		"http/2 200OK\nA(b): c\nContent-Length: 007\n\nx",
		"HTTP/1.1 +20 x\r\n\r\n",
		"HTTP/1.1 200 OK\nX: a\n \n b\n\n", // a continued line of blanks alone
	} {
		f.Add([]byte(answer))
	}
	// Intended differences from net/http: blanks before a colon, and chunks in HTTP/1.0.
	differs := regexp.MustCompile(`(?is)[ \t]:|http/(0\.|1\.0).*transfer-encoding`)
	f.Fuzz(func(t *testing.T, answer []byte) {
		framed, body, err := framedAnswer(bytes.NewReader(answer))
		again, body2, err2 := framedAnswer(iotest.OneByteReader(bytes.NewReader(answer)))
		if (err == nil) != (err2 == nil) || !bytes.Equal(body, body2) ||
			err == nil && !sameHeader(framed.Header, again.Header) {
			t.Errorf("octet by octet it is %q %v, and not %q %v", body2, err2, body, err)
		}
		want, plain, err3 := readAnswer(bufio.NewReader(bytes.NewReader(answer)))
		if err3 != nil || differs.Match(answer) || len(answer) > 1<<10 {
			return
		}
		if err != nil {
			t.Fatalf("net/http reads %q, and this fails: %v", plain, err)
		}
		if framed.StatusCode != want.StatusCode || !sameHeader(framed.Header, want.Header) ||
			!bytes.Equal(body, plain) {
			t.Errorf("%d %q %q, net/http reads %d %q %q", framed.StatusCode, framed.Header, body,
				want.StatusCode, want.Header, plain)
		}
	})
}

// sameHeader reports whether headers are equal, except for blanks at the end of a continued value.
func sameHeader(a, b http.Header) bool {
	return maps.EqualFunc(a, b, func(a, b []string) bool {
		return slices.EqualFunc(a, b, func(a, b string) bool {
			return strings.TrimRight(a, " ") == strings.TrimRight(b, " ")
		})
	})
}
