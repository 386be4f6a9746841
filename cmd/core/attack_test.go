package core_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/fetch/fetchtest"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

// attack is a hostile server. The program visits its start page, and the pages that it leads to.
type attack struct {
	id, about string
	host      string // a name instead of an address
	// serve answers a request for a path, also for robots.txt and sitemap.xml.
	serve func(w *wire, p string)
	// want is the outcome of the start page, or held; "": the journal need not name it.
	want string
	most int  // requests at most; 0: any number
	none bool // no request at all
	// leads is the target of its start page's redirect: a start page from then on, which may not be
	// visited.
	leads string
}

// held is the result for a page that settings refuse: it is in no journal.
const held = "held"

// isHeld reports whether explain says that an ended process did not ask for a page.
func isHeld(t *testing.T, dir, url string) bool {
	return strings.Contains(recrawl(t, "explain", "--data", dir, url).stdout, " did not ask: ")
}

// wire is a connection on which an attack writes anything.
type wire struct {
	net.Conn
	lab   *attackLab
	asked *http.Request
}

func (w *wire) send(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *wire) answer(status int, header string, body []byte) {
	w.send("HTTP/1.1 %d Status\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n",
		status, len(body), header)
	w.Write(body)
}

func (w *wire) html(body string) { w.answer(200, "Content-Type: text/html\r\n", []byte(body)) }

// linking answers the start page with links to paths, and these with redirects.
func linking(redirect func(w *wire, target string), targets ...string) func(*wire, string) {
	return func(w *wire, path string) {
		for i, target := range targets {
			if path == fmt.Sprintf("/r%d", i) {
				redirect(w, w.lab.placed(target))
				return
			}
		}
		var b strings.Builder
		for i := range targets {
			fmt.Fprintf(&b, "<a href=/r%d>x</a>", i)
		}
		usual(w, path, b.String())
	}
}

func location(status int) func(*wire, string) {
	return func(w *wire, target string) { w.answer(status, "Location: "+target+"\r\n", nil) }
}

// usual serves a start page. robots.txt, sitemap.xml and all other pages are missing.
func usual(w *wire, path, page string) {
	if path != "/" {
		w.answer(404, "", nil)
		return
	}
	w.html(page)
}

// everyPage serves the same for all pages.
func everyPage(body string) func(*wire, string) {
	return func(w *wire, path string) {
		if path == "/robots.txt" || path == "/sitemap.xml" {
			w.answer(404, "", nil)
			return
		}
		w.html(body)
	}
}

// everyNew serves for each page the result of page for a new random text.
func everyNew(page func(id string) string) func(*wire, string) {
	return func(w *wire, path string) {
		everyPage(page(fmt.Sprintf("%08x7f", rand.Uint32())))(w, path)
	}
}

// startPage serves a start page with serve.
func startPage(serve func(w *wire)) func(*wire, string) {
	return func(w *wire, path string) {
		if path != "/" {
			w.answer(404, "", nil)
			return
		}
		serve(w)
	}
}

func rawStart(text string) func(*wire, string) {
	return startPage(func(w *wire) { w.send("%s", text) })
}

// endless repeats a text, at once or with pauses.
func endless(w *wire, text string, pace time.Duration) {
	for {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		time.Sleep(pace)
	}
}

// manyLinks returns n links to pages of the same server.
func manyLinks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href=/p%d>x</a>", i)
	}
	return b.String()
}

func gzipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(body)
	z.Close()
	return b.Bytes()
}

func coded(coding string, body []byte) func(*wire, string) {
	return startPage(func(w *wire) {
		w.answer(200, "Content-Type: text/html\r\n"+coding, body)
	})
}

var (
	spellings = []string{"http://127.2.0.1:PORT/", "http://2130837505:PORT/",
		"http://0x7f.2.1:PORT/", "http://0177.0x2.0.01:PORT/", "http://127.2.1:PORT/",
		"http://１２７.２.０.１:PORT/", "http://127.2.0.1.:PORT/", "http://[::ffff:127.2.0.1]:PORT/",
		"http://[::ffff:7f02:1]:PORT/", "http://[64:ff9b::7f02:1]:PORT/",
		"http://[2002:7f02:1::]:PORT/", "http://[::1]:PORT/", "http://[fe80::1%25lo]:PORT/",
		"http://0.0.0.0:PORT/", "http://10.0.0.1:PORT/", "http://169.254.169.254/latest/",
		"http://good@127.2.0.1:PORT/", "http://127.2.0.1:PORT\\@good.example/",
		"http://good.example#@127.2.0.1:PORT/", "http://a;b@127.2.0.1:PORT/"}
	ports   = []string{"http://127.1.0.9:OTHER/", "http://127.1.0.9:22/", "http://127.1.0.9:6379/"}
	schemes = []string{"file:///etc/passwd", "data:text/html,x", "ftp://127.2.0.1/",
		"gopher://127.2.0.1:PORT/", "javascript:alert(1)", "s3://bucket/key"}
)

// attacks returns the cases of the table that need a server; those of bodies alone are made from
// fetchtest.Bodies.
func attacks() []attack {
	mega := bytes.Repeat([]byte("<p>x"), 1<<22)
	member := gzipped(nil)
	half := gzipped([]byte(strings.Repeat("<a href=/x>x</a> text that is long enough ", 500)))
	bad := slices.Clone(half)
	bad[len(bad)-6] ^= 0xff
	all := []attack{
		{id: "S01 S02 S12 S13", about: "301 to non-public addresses in 20 spellings",
			serve: linking(location(301), spellings...), want: "fetched"},
		{id: "S03", about: "name of a non-public address", host: "private.test",
			serve: startPage(func(w *wire) { w.html("x") }), want: held, none: true},
		{id: "S05", about: "a public and a non-public address", host: "both.test",
			serve: startPage(func(w *wire) { w.html("x") }), want: "fetched"},
		{id: "D01a", about: "name whose alias is an alias of it", host: "loop.test",
			serve: startPage(func(w *wire) { w.html("x") }), want: "failed"},
		{id: "D01b", about: "name of 80 addresses, none public", host: "many.test",
			serve: startPage(func(w *wire) { w.html("x") }), want: held, none: true},
		{id: "D01c", about: "301 to names of 255 octets and more",
			serve: linking(location(301), "http://"+strings.Repeat(strings.Repeat("a", 63)+".", 4)+
				"/",
				"http://"+strings.Repeat("a", 64)+".example/",
				"http://"+strings.Repeat("a.", 10_000)+"example/", "http://a..example/"),
			want: "fetched"},
		{id: "W01", about: "CR, NUL, ESC and a record in Content-Type, status and field names",
			serve: startPage(func(w *wire) {
				w.send("HTTP/1.1 200 OK\tWARC-Type: warcinfo\r\nContent-Type: text/html; " +
					"x=\"WARC/1.1\tWARC-Type: response\"\r\nWARC-Target-URI: " +
					"http://forged.example/\r\n" +
					"WARC-Type: response\r\nX: a\tb\r\nContent-Length: 4\r\n\r\n<p>x")
			}), want: "fetched"},
		{id: "W02", about: "body that is a WARC record", serve: startPage(func(w *wire) {
			w.html("<p>x\r\n\r\n" + warcRecord("WARC-Target-URI: http://forged.example/\r\n",
				"HTTP/1.1 200 OK\r\n\r\nx"))
		}), want: "fetched"},
		{id: "S06", about: "303, 307, 308 and Refresh to a non-public address",
			serve: linking(func(w *wire, t string) {
				status, _ := map[byte]int{'1': 303, '2': 307, '3': 308}[t[len(t)-1]], 0
				w.answer(max(status, 200), "Content-Type: text/html\r\nRefresh: 0;url="+t+
					"\r\nLocation: "+t+"\r\n",
					[]byte("<meta http-equiv=refresh content='0;url="+t+"'><frame src='"+t+"'>"))
			}, "http://127.2.0.1:PORT/1", "http://127.2.0.1:PORT/2", "http://127.2.0.1:PORT/3",
				"http://127.2.0.1:PORT/4"), want: "fetched"},
		{id: "S07", about: "robots.txt redirects to a non-public address",
			serve: func(w *wire, path string) {
				if path == "/robots.txt" {
					location(302)(w, "http://127.2.0.1:"+w.lab.port+"/robots.txt")
					return
				}
				usual(w, path, "x")
			}, want: "failed", most: 1},
		{id: "S07b", about: "robots.txt redirects to another port of its host",
			serve: func(w *wire, path string) {
				if path == "/robots.txt" {
					location(301)(w, "http://"+w.host()+":"+w.lab.otherPort+"/robots.txt")
					return
				}
				usual(w, path, "x")
			}, want: "failed", most: 1},
		{id: "S07c", about: "robots.txt redirects to a file", serve: func(w *wire, path string) {
			if path == "/robots.txt" {
				location(301)(w, "file:///etc/hosts")
				return
			}
			usual(w, path, "x")
		}, want: "failed", most: 1},
		{id: "S01b", about: "links, frames, canonical, base, sitemaps and feeds at non-public " +
			"addresses", serve: func(w *wire, path string) {
			private := "http://127.2.0.1:" + w.lab.port
			switch path {
			case "/robots.txt":
				w.answer(200, "Content-Type: text/plain\r\n",
					[]byte("Sitemap: "+private+"/s.xml\n"))
			case "/sitemap.xml":
				w.answer(200, "Content-Type: text/xml\r\n",
					[]byte("<sitemapindex><sitemap><loc>"+private+
						"/t.xml</loc></sitemap></sitemapindex>"))
			case "/feed":
				w.answer(200, "Content-Type: text/xml\r\n",
					[]byte("<rss><channel><item><link>"+private+"/i</link></item></channel></rss>"))
			default:
				usual(w, path, "<base href="+private+"/><link rel=canonical href="+private+
					"/c><link rel=alternate type=application/rss+xml href="+private+"/f>"+
					"<link rel=alternate type=application/rss+xml href=http://"+w.host()+":"+
					w.lab.port+"/feed><a href=a>x</a><frame src=b><iframe src="+private+
					"/g></iframe><area href=d>")
			}
		}, want: "fetched"},
		{id: "S08", about: "301 to other schemes", serve: linking(location(301), schemes...),
			want: "fetched"},
		{id: "S09", about: "301 to ports that are not allowed",
			serve: linking(location(301), ports...), want: "fetched"},
		{id: "R01", about: "301 to itself, in a circle, without end",
			serve: func(w *wire, path string) {
				switch {
				case path == "/" || path == "/robots.txt" || path == "/sitemap.xml":
					usual(w, path, "<a href=/self>x</a><a href=/a>x</a><a href=/n>x</a>")
				case path == "/self":
					location(301)(w, "/self")
				case path == "/a":
					location(301)(w, "/b")
				case path == "/b":
					location(301)(w, "/a")
				default:
					location(302)(w, path+"n")
				}
			}, want: "fetched", most: 30},
		{id: "R03", about: "Location missing, empty, two, 300 KB, CR, Latin-1, blanks",
			serve: linking(func(w *wire, t string) { w.answer(301, t, nil) },
				"", "Location:\r\n", "Location: /x\r\nLocation: /y\r\n",
				"Location: /"+strings.Repeat("x", 300_000)+"\r\n", "Location: /a\rb\r\n",
				"Location: /\xe4\r\n", "Location: / a b \r\n"), want: "fetched"},
		{id: "R04", about: "a chain of redirects from name to name of one address",
			host: "chain.test", serve: func(w *wire, path string) {
				if path == "/robots.txt" || path == "/sitemap.xml" {
					w.answer(404, "", nil)
					return
				}
				location(301)(w, fmt.Sprintf("http://n%d.chain.test:%s/",
					time.Now().UnixNano(), w.lab.port))
			}, want: "redirected", most: 6},
		{id: "R05", about: "Set-Cookie, 401 with Basic", serve: linking(func(w *wire, t string) {
			w.answer(401, "Set-Cookie: a=b\r\nWWW-Authenticate: Basic realm=x\r\n", nil)
		}, "a", "b"), want: "fetched"},
		{id: "B01", about: "gzip of 16 MB",
			serve: coded("Content-Encoding: gzip\r\n", gzipped(mega)), want: "fetched"},
		{id: "B01b", about: "gzip in gzip of 16 MB",
			serve: coded("Content-Encoding: gzip, gzip\r\n", gzipped(gzipped(mega))),
			want:  "fetched"},
		{id: "B02", about: "not br",
			serve: coded("Content-Encoding: br\r\n", []byte("\xff\x00\xfe\x01")), want: "failed"},
		{id: "B02b", about: "br of 64 MB",
			serve: coded("Content-Encoding: br\r\n", brotliOf(64<<20)), want: "fetched"},
		{id: "B02c", about: "zstd of 64 MB",
			serve: coded("Content-Encoding: zstd\r\n", zstdOf(64<<20)), want: "fetched"},
		{id: "B02d", about: "zstd with a window of 2 GB", serve: coded("Content-Encoding: zstd\r\n",
			[]byte("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00")), want: "failed"},
		{id: "B02e", about: "br in zstd in br",
			serve: coded("Content-Encoding: br, zstd, br\r\n", brotliOf(1000)), want: "failed"},
		{id: "B03", about: "100 codings",
			serve: coded("Content-Encoding: "+strings.Repeat("gzip, ", 99)+"gzip\r\n", half),
			want:  "failed"},
		{id: "B04", about: "200,000 empty gzip members",
			serve: coded("Content-Encoding: gzip\r\n", bytes.Repeat(member, 200_000)),
			want:  "fetched"},
		{id: "B05a", about: "gzip that is cut",
			serve: coded("Content-Encoding: gzip\r\n", half[:len(half)/2]), want: "failed"},
		{id: "B05b", about: "gzip with a wrong checksum",
			serve: coded("Content-Encoding: gzip\r\n", bad), want: ""},
		{id: "B05c", about: "not gzip",
			serve: coded("Content-Encoding: gzip\r\n", []byte("<p>plain")), want: ""},
		{id: "B06a", about: "body without end", serve: startPage(func(w *wire) {
			w.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
			endless(w, strings.Repeat("<p>x", 4096), 0)
		}), want: "fetched"},
		{id: "B06b", about: "Content-Length 2^63",
			serve: rawStart("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " +
				"9223372036854775808\r\n\r\n<p>x"), want: "fetched"},
		{id: "B06c", about: "negative Content-Length",
			serve: rawStart("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n<p>x"), want: "failed"},
		{id: "B06d", about: "two Content-Lengths",
			serve: rawStart("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: " +
				"6\r\n\r\n<p>xxx"), want: "failed"},
		{id: "B06e", about: "shorter than it says",
			serve: rawStart("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " +
				"500\r\n\r\n<p>x"), want: "failed"},
		{id: "B06f", about: "longer than it says",
			serve: rawStart("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " +
				"5\r\n\r\n<p>xxHTTP/1.1 200 OK\r\n\r\n"), want: "fetched"},
		{id: "R02", about: "301 to what robots.txt forbids", serve: func(w *wire, path string) {
			switch path {
			case "/robots.txt":
				w.answer(200, "Content-Type: text/plain\r\n",
					[]byte("User-agent: *\nDisallow: /no\n"))
			case "/r":
				location(301)(w, "/no/secret")
			default:
				usual(w, path, "<a href=/r>x</a>")
			}
		}, want: "fetched", most: 2},
		{id: "N01", about: "feed that names hubs at non-public addresses",
			serve: func(w *wire, path string) {
				if path != "/feed" {
					usual(w, path, "<link rel=alternate type=application/rss+xml href=/feed>")
					return
				}
				header := "Content-Type: application/rss+xml\r\nLink: <http://127.2.0.1:" +
					w.lab.port + "/hub>; rel=hub\r\n"
				for _, hub := range slices.Concat(spellings, schemes) {
					header += "Link: <" + strings.ReplaceAll(hub, "PORT", w.lab.port) +
						">; rel=hub\r\n"
				}
				w.answer(200, header,
					[]byte("<rss><channel><item><link>/1</link></item></channel></rss>"))
			}, want: "fetched"},
		{id: "N02", about: "hub that answers without end, and redirects to non-public addresses",
			serve: func(w *wire, path string) {
				switch path {
				case "/feed":
					w.answer(200, "Content-Type: application/rss+xml\r\nLink: </hub>; rel=hub, "+
						"</other>; rel=hub\r\n",
						[]byte("<rss><channel><item><link>/1</link></item></channel></rss>"))
				case "/hub":
					location(307)(w, "http://127.2.0.1:"+w.lab.port+"/hub")
				case "/other":
					w.send("HTTP/1.1 202 Accepted\r\n\r\n")
					endless(w, strings.Repeat("x", 4096), 0)
				default:
					usual(w, path, "<link rel=alternate type=application/rss+xml href=/feed>")
				}
			}, want: "fetched"},
		{id: "T02", about: "100 Continue without end", serve: startPage(func(w *wire) {
			endless(w, "HTTP/1.1 100 Continue\r\n\r\n", 0)
		}), want: "failed"},
		{id: "T03a", about: "a header of 10 MB", serve: startPage(func(w *wire) {
			w.send("HTTP/1.1 200 OK\r\nX: ")
			io.WriteString(w, strings.Repeat("x", 10<<20))
		}), want: "failed"},
		{id: "T03b", about: "headers without end", serve: startPage(func(w *wire) {
			w.send("HTTP/1.1 200 OK\r\n")
			endless(w, "X: y\r\n", 0)
		}), want: "failed"},
		{id: "T04", about: "100,000 cookies",
			serve: coded(strings.Repeat("Set-Cookie: a=b\r\n", 100_000), []byte("x")),
			want:  "failed"},
		{id: "T06a", about: "chunk extension without end", serve: startPage(func(w *wire) {
			w.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;")
			endless(w, "x=y;", 0)
		}), want: "failed"},
		{id: "T06b", about: "chunk of ffffffffffffffff",
			serve: rawStart("HTTP/1.1 200 OK\r\nTransfer-Encoding: " +
				"chunked\r\n\r\nffffffffffffffff\r\nx"), want: "failed"},
		{id: "T06c", about: "chunked, and is not",
			serve: rawStart("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<p>plain"),
			want:  "failed"},
		{id: "T07a", about: "no status line", serve: rawStart("<html>hello"), want: "failed"},
		{id: "T07b", about: "status 99999", serve: rawStart("HTTP/1.1 99999 Much\r\n\r\n"),
			want: "failed"},
		{id: "T07c", about: "binary", serve: rawStart("\x00\x01\x02\x1b[2J\xff"), want: "failed"},
		{id: "T07d", about: "closes at once", serve: startPage(func(*wire) {}), want: "failed"},
		{id: "P01", about: "robots.txt of 5 MB", serve: robotsOf(func() string {
			return "User-agent: *\n" + strings.Repeat("Disallow: /x\n", 400_000)
		}), want: "fetched"},
		{id: "P01b", about: "robots.txt without end", serve: func(w *wire, path string) {
			if path == "/robots.txt" {
				w.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
				endless(w, strings.Repeat("Disallow: /x\n", 1000), 0)
				return
			}
			usual(w, path, "x")
		}, want: "fetched"},
		// 300 s, longer than this test
		{id: "P02", about: "Crawl-delay 1e300, NaN, -5", serve: robotsOf(func() string {
			return "User-agent: *\nCrawl-delay: NaN\nCrawl-delay: -5\nCrawl-delay: 1e300\n"
		}), want: "", none: true},
		{id: "P03", about: "robots.txt answers 503", serve: func(w *wire, path string) {
			if path == "/robots.txt" {
				w.answer(503, "", nil)
				return
			}
			usual(w, path, "x")
		}, want: "failed", most: 1},
		{id: "P04", about: "robots.txt is a gzip bomb", serve: func(w *wire, path string) {
			if path == "/robots.txt" {
				w.answer(200, "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n",
					gzipped(bytes.Repeat([]byte("# x\n"), 1<<22)))
				return
			}
			usual(w, path, "x")
		}, want: "fetched"},
		{id: "B07", about: "sitemap index of 5,000 that name 5,000 pages each",
			serve: func(w *wire, path string) {
				var b bytes.Buffer
				switch {
				case path == "/sitemap.xml":
					b.WriteString("<sitemapindex>")
					for i := range 5000 {
						fmt.Fprintf(&b, "<sitemap><loc>/s%d.xml</loc></sitemap>", i)
					}
				case strings.HasSuffix(path, ".xml"):
					b.WriteString("<urlset>")
					for i := range 5000 {
						fmt.Fprintf(&b, "<url><loc>%s/p%d</loc></url>",
							strings.TrimSuffix(path, ".xml"), i)
					}
				default:
					usual(w, path, "x")
					return
				}
				w.answer(200, "Content-Type: application/xml\r\n", b.Bytes())
			}, want: "fetched"},
		{id: "U01a", about: "calendar without end", serve: func(w *wire, path string) {
			if path == "/robots.txt" || path == "/sitemap.xml" {
				w.answer(404, "", nil)
				return
			}
			w.html(fmt.Sprintf("<a href=/cal?d=%d>next</a>", time.Now().UnixNano()))
		}, want: "fetched"},
		{id: "U01b", about: "path that grows: a/b/a/b/...", serve: func(w *wire, path string) {
			if path == "/robots.txt" || path == "/sitemap.xml" {
				w.answer(404, "", nil)
				return
			}
			w.html("<a href='a/'>x</a><a href='b/'>x</a>")
		}, want: "fetched"},
		{id: "U01c", about: "10,000 new links on each page", serve: func(w *wire, path string) {
			if path == "/robots.txt" || path == "/sitemap.xml" {
				w.answer(404, "", nil)
				return
			}
			var b strings.Builder
			for i := range 10_000 {
				fmt.Fprintf(&b, "<a href='/%d-%d/'>x</a>", time.Now().UnixNano()%1e9, i)
			}
			w.html(b.String())
		}, want: "fetched"},
		{id: "U01d", about: "session ids in paths and queries, new ones in each link",
			serve: everyNew(func(id string) string {
				return "<a href='/a;jsessionid=" + id + "'>x</a><a href='/b?PHPSESSID=" + id +
					"'>x</a><a href='/(S(" + id + "))/c'>x</a><a href='/sid-" + id + "/d'>x</a>"
			}), want: "fetched", most: 3}, // the start page, /a and /b
		{id: "U02", about: "links of 1 MB, with 10,000 parameters, 10^5 ../",
			serve: startPage(func(w *wire) {
				w.html("<a href='/" + strings.Repeat("x", 1<<20) + "'>x</a><a href='?" +
					strings.Repeat("a=b&", 10_000) + "'>x</a><a href='" + strings.Repeat("../",
					100_000) + "y'>x</a><a href='ht\ttp://127.1.0.99\\x'>x</a>")
			}), want: "fetched"},
		{id: "M02a", about: "ETag of 64 KB",
			serve: coded("ETag: \""+strings.Repeat("x", 64<<10)+"\"\r\n", []byte("x")),
			want:  "fetched"},
		{id: "M02b", about: "304 to no condition",
			serve: startPage(func(w *wire) { w.answer(304, "", nil) }), want: "failed"},
		{id: "M02c", about: "412 to no condition",
			serve: startPage(func(w *wire) { w.answer(412, "", nil) }), want: ""},
		{id: "M03", about: "429 with Retry-After 10^12", serve: linking(func(w *wire, _ string) {
			w.answer(429, "Retry-After: 1000000000000\r\n", nil)
		}, "a", "b", "c"), want: "fetched", most: 4},
		{id: "L01a", about: "ESC in type and status",
			serve: rawStart("HTTP/1.1 200 \x1b[2JOK\r\nContent-Type: " +
				"text/html;\x1b[2J\r\nContent-Length: 0\r\n\r\n"), want: "fetched"},
		{id: "L01b", about: "ESC, bidi and CR in title and addresses",
			serve: startPage(func(w *wire) {
				w.html("<title>\x1b[31m\u202e</title><a href='/\x1b[2J\u202e\r\nx'>x</a>")
			}), want: "fetched"},
		{id: "T01a", about: "accepts and says nothing",
			serve: startPage(func(w *wire) { time.Sleep(time.Minute) }), want: ""},
		{id: "T01b", about: "header of an octet a second",
			serve: startPage(func(w *wire) { endless(w, "H", time.Second) }), want: ""},
		{id: "T01c", about: "body of an octet a second: still under way at the end",
			serve: startPage(func(w *wire) {
				w.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
				endless(w, "x", time.Second)
			}), want: ""},
	}
	// A redirect of a linked page to another server is not followed; one of a start page is.
	for _, target := range slices.Concat(spellings, schemes, ports) {
		a := attack{id: "S06b", about: "start page moves to " + target, want: "failed", most: 1,
			serve: startPage(func(w *wire) {
				location(301)(w, w.lab.placed(target))
			})}
		if strings.HasPrefix(target, "http") && !strings.Contains(target, "%25") {
			a.leads, a.want = target, "redirected"
		}
		all = append(all, a)
	}
	for _, b := range fetchtest.Bodies {
		id, about, _ := strings.Cut(b.Name, " ")
		a := attack{id: id, about: about, want: "fetched",
			serve: coded("Content-Type: "+b.Kind+"\r\n", nil)}
		switch {
		case strings.HasPrefix(id, "P"):
			a.want, a.serve = "", robotsOf(func() string { return string(b.Make()) })
		case strings.HasPrefix(id, "X"):
			a.serve = func(w *wire, path string) {
				if path == "/sitemap.xml" {
					w.answer(200, "Content-Type: "+b.Kind+"\r\n", b.Make())
					return
				}
				usual(w, path, "x")
			}
		default:
			if b.Kind == "" {
				a.want = ""
			}
			a.serve = startPage(func(w *wire) {
				w.answer(200, "Content-Type: "+b.Kind+"\r\n", b.Make())
			})
		}
		all = append(all, a)
	}
	return all
}

func brotliOf(octets int) []byte {
	var b bytes.Buffer
	z := brotli.NewWriterLevel(&b, 4)
	io.CopyN(z, endlessly("<p>x"), int64(octets))
	z.Close()
	return b.Bytes()
}

func zstdOf(octets int) []byte {
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b)
	io.CopyN(z, endlessly("<p>x"), int64(octets))
	z.Close()
	return b.Bytes()
}

func robotsOf(body func() string) func(*wire, string) {
	return func(w *wire, path string) {
		if path == "/robots.txt" {
			w.answer(200, "Content-Type: text/plain\r\n", []byte(body()))
			return
		}
		usual(w, path, "x")
	}
}

// host returns the address that was asked.
func (w *wire) host() string {
	host, _, _ := net.SplitHostPort(w.LocalAddr().String())
	return host
}

// attackLab serves all attacks, each at an address of 127.1.0.0/16, which the program may ask. It
// also listens at 127.2.0.0/16 and at another port, where no request may arrive.
type attackLab struct {
	port, otherPort, nameserver string
	attacks                     []attack

	mu       sync.Mutex
	asked    map[int]int // by attack
	trespass []string
	private  []string // headers with data about the client
	lookups  map[string]int
	last     map[string]time.Time // last request to an address
	early    []string             // requests before the pause was over
}

// placed returns a URL with the ports of the lab.
func (l *attackLab) placed(address string) string {
	return strings.NewReplacer("PORT", l.port, "OTHER", l.otherPort).Replace(address)
}

// canonical returns a placed URL in the form of the journal.
func (l *attackLab) canonical(address string) string {
	canonical, _ := sitegraph.Canonical(l.placed(address))
	return canonical
}

// attackDelay is the pause between requests to an address.
const attackDelay = 100 * time.Millisecond

// address returns the address of an attack; the first number is 1.
func (l *attackLab) address(i int) string { return fmt.Sprintf("127.1.%d.%d", 1+i/200, 1+i%200) }

func (l *attackLab) of(address string) int {
	var high, low int
	if n, _ := fmt.Sscanf(address, "127.1.%d.%d", &high, &low); n != 2 || high < 1 {
		return -1
	}
	return (high-1)*200 + low - 1
}

func (l *attackLab) start(i int) string {
	host := l.attacks[i].host
	if host == "" {
		host = l.address(i)
	}
	return fmt.Sprintf("http://%s:%s/", host, l.port)
}

func newAttackLab(t *testing.T, attacks []attack) *attackLab {
	t.Helper()
	l := &attackLab{attacks: attacks, asked: map[int]int{}, lookups: map[string]int{},
		last: map[string]time.Time{}}
	listen := func() (net.Listener, string) {
		listener, err := net.Listen("tcp4", "0.0.0.0:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		return listener, port
	}
	var main, other net.Listener
	main, l.port = listen()
	other, l.otherPort = listen()
	names, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { names.Close() })
	l.nameserver = names.LocalAddr().String()
	go l.serveNames(names)
	go l.accept(main)
	go l.accept(other)
	return l
}

func (l *attackLab) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go l.answer(conn)
	}
}

func (l *attackLab) answer(conn net.Conn) {
	defer conn.Close()
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	host, port, _ := net.SplitHostPort(conn.LocalAddr().String())
	i := l.of(host)
	l.mu.Lock()
	if i < 0 || i >= len(l.attacks) || port != l.port {
		l.trespass = append(l.trespass, conn.LocalAddr().String()+request.URL.String())
		l.mu.Unlock()
		return
	}
	// the clock is coarse
	if now := time.Now(); now.Sub(l.last[host]) < attackDelay-time.Millisecond {
		l.early = append(l.early, fmt.Sprintf("%s of %s after %v",
			request.URL, host, now.Sub(l.last[host])))
	}
	l.last[host] = time.Now()
	for _, name := range []string{"Cookie", "Authorization", "Referer"} {
		if value := request.Header.Get(name); value != "" {
			l.private = append(l.private, name+": "+value)
		}
	}
	if request.URL.Path != "/robots.txt" && request.URL.Path != "/sitemap.xml" {
		l.asked[i]++
	}
	l.mu.Unlock()
	l.attacks[i].serve(&wire{conn, l, request}, request.URL.Path)
}

// serveNames answers for the hosts of attacks: private.test is not public, rebind.test only at
// first, both.test has both kinds of addresses.
func (l *attackLab) serveNames(conn net.PacketConn) {
	buffer := make([]byte, 2048)
	for {
		n, from, err := conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.Additionals = true, nil
		host := strings.TrimSuffix(q.Name.String(), ".")
		i := slices.IndexFunc(l.attacks, func(a attack) bool {
			return a.host != "" && (a.host == host || strings.HasSuffix(host, "."+a.host))
		})
		if host == "loop.test" {
			for _, name := range []dnsmessage.Name{q.Name, dnsmessage.MustNewName("pool.test.")} {
				m.Answers = append(m.Answers,
					dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: name,
						Class: dnsmessage.ClassINET, Type: dnsmessage.TypeCNAME},
						Body: &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(
							"loop.test.")}})
			}
		} else if q.Type == dnsmessage.TypeA && i >= 0 {
			l.mu.Lock()
			l.lookups[host]++
			first := l.lookups[host] == 1
			l.mu.Unlock()
			public := [4]byte(net.ParseIP(l.address(i)).To4())
			addresses := [][4]byte{{127, 2, 0, 1}}
			switch {
			case host == "rebind.test" && first, strings.HasSuffix(host, "chain.test"):
				addresses = [][4]byte{public}
			case host == "many.test":
				for low := range byte(79) {
					addresses = append(addresses, [4]byte{127, 2, 1, low})
				}
			case host == "both.test":
				addresses = append(addresses, public)
			}
			for _, a := range addresses {
				m.Answers = append(m.Answers,
					dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name,
						Class: dnsmessage.ClassINET, Type: q.Type},
						Body: &dnsmessage.AResource{A: a}})
			}
		}
		if out, err := m.Pack(); err == nil {
			conn.WriteTo(out, from)
		}
	}
}

// TestAttackTable lets the program crawl all attacks at once, and shows the result of each:
//
//	go test ./cmd/core -run '^TestAttackTable$' -v
func TestAttackTable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 10 s")
	}
	t.Parallel() // it mostly waits
	l := newAttackLab(t, attacks())
	dir := filepath.Join(t.TempDir(), "data")
	p := l.crawl(t, dir, "--quiet=false")
	// longest is for a busy machine
	const least, longest = 8 * time.Second, 5 * time.Minute
	most, began := 0, time.Now()
	for time.Since(began) < least || time.Since(began) < longest && !l.done(t, dir) {
		time.Sleep(500 * time.Millisecond)
		most = max(most, resident(t, p.cmd.Process.Pid))
	}
	eventually(t, "refusals of private.test and many.test", func() bool {
		said := p.stderr.String()
		return strings.Contains(said, "(127.2.0.1)") && strings.Contains(said, "(127.2.1.")
	})
	p.interrupt()
	const day = 24 * time.Hour // a round
	rounds := 1 + int(time.Now().Truncate(day).Sub(began.Truncate(day))/day)
	entries := readJournal(t, dir)
	seen := map[string]journal.Entry{} // first visit of each page
	for _, e := range entries {
		if _, ok := seen[e.URL]; !ok {
			seen[e.URL] = e
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, a := range l.attacks {
		e := seen[l.start(i)]
		t.Logf("%-16s %-60.60s %4d requests, %s %d, %d ms, %d octets, %.90q",
			a.id, a.about, l.asked[i], e.Outcome, e.Status, e.ElapsedMillis, e.Bytes, e.Detail)
		if a.want == held && !isHeld(t, dir, l.start(i)) {
			t.Errorf("%s (%s): explain does not say that it is not asked for", a.id, a.about)
		}
		if want := strings.TrimPrefix(a.want, held); a.want != "" && e.Outcome != want {
			t.Errorf("%s (%s): %q, want %q", a.id, a.about, e.Outcome, a.want)
		}
		if led := seen[l.canonical(a.leads)]; a.leads != "" && led.Outcome != "" &&
			(led.Outcome != "failed" || !strings.Contains(led.URL, "//good.example/")) {
			t.Errorf("%s (%s): what it leads to is %q %q", a.id, a.about, led.Outcome, led.Detail)
		}
		if a.most > 0 && l.asked[i] > a.most*rounds || a.none && l.asked[i] > 0 {
			t.Errorf("%s (%s): %d requests in %d rounds, want at most %d in each",
				a.id, a.about, l.asked[i], rounds, a.most)
		}
	}
	t.Logf("%d visits, %d MiB at most", len(entries), most>>10)
	if len(l.trespass) > 0 {
		t.Errorf("%d requests where nobody may come, as %s", len(l.trespass), l.trespass[0])
	}
	if len(l.early) > 0 {
		t.Errorf("%d requests came before the pause was over, as %s", len(l.early), l.early[0])
	}
	if len(l.private) > 0 {
		t.Errorf("%d headers that tell of the client, as %s", len(l.private), l.private[0])
	}
	if most > 512<<10 {
		t.Errorf("%d MiB of memory", most>>10)
	}
	out := p.stdout.String() + p.stderr.String()
	for _, e := range entries {
		if strings.Contains(e.URL, "%1B") {
			out += recrawl(t, "explain", "--data", dir, e.URL).ok(t).stdout
		}
	}
	if strings.ContainsAny(out, "\x1b\x00\u202e") {
		t.Errorf("control characters on the terminal: %q", out)
	}
}

// TestNameThatBecomesPrivate (S04) has a name with a public address at first, and a private one
// (TTL 0) at the next start of the program. No request arrives at the private one.
func TestNameThatBecomesPrivate(t *testing.T) {
	t.Parallel() // it mostly waits
	l := newAttackLab(t,
		[]attack{{id: "S04", host: "rebind.test", serve: everyPage(manyLinks(1000))}})
	dir := filepath.Join(t.TempDir(), "data")
	p := l.crawl(t, dir)
	eventually(t, "a visit while the address is public", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.asked[0] > 0
	})
	p.interrupt()
	p = l.crawl(t, dir, "--quiet=false")
	eventually(t, "a refusal of the private address", func() bool {
		return strings.Contains(p.stderr.String(), "a page is not asked: ")
	})
	p.interrupt()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.trespass) > 0 {
		t.Errorf("%d requests where nobody may come, as %s", len(l.trespass), l.trespass[0])
	}
}

// TestAttacksAreKept lets the program archive what attacks send: W of the table, and those of
// headers, codings, chunks and lengths. The archive stays sound.
func TestAttacksAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 10 s")
	}
	t.Parallel() // it mostly waits
	all := attacks()
	all = slices.DeleteFunc(all[:len(all)-len(fetchtest.Bodies)], func(a attack) bool {
		// slow, or with many pages
		return !strings.Contains("BWTLMDR", a.id[:1]) || strings.HasPrefix(a.id, "T01") ||
			a.id == "B07"
	})
	l := newAttackLab(t, all)
	dir, kept := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "kept")
	p := l.crawl(t, dir, "--archive", kept)
	eventually(t, "an outcome of each attack", func() bool {
		time.Sleep(200 * time.Millisecond) // each read is of the whole journal
		return len(readJournal(t, dir)) > 0 && l.done(t, dir)
	})
	p.interrupt()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.checkKept(t, kept, readJournal(t, dir))
}

// crawl starts the program with all attacks, and with additional settings.
func (l *attackLab) crawl(t *testing.T, dir string, more ...string) *program {
	t.Helper()
	args := []string{"run", "--data", dir, "--user-agent", contact, "--allow-network",
		"127.1.0.0/16", "--allow-port", l.port, "--resolver", l.nameserver,
		"--delay", attackDelay.String(), "--change", "main", "--budget", "1000000/day",
		"--round", "24h", "--quiet", "--push", freeAddress(t),
		"--websub-callback", "https://us.example/"}
	args = append(args, more...)
	for i := range l.attacks {
		args = append(args, l.start(i))
	}
	return start(t, t.TempDir(), []string{"HTTP_PROXY=http://127.2.0.1:" + l.port,
		"ALL_PROXY=http://127.2.0.1:" + l.port, "GOMEMLIMIT=384MiB"}, args...)
}

// done reports whether the journal names the start page of each attack with a wanted outcome.
func (l *attackLab) done(t *testing.T, dir string) bool {
	t.Helper()
	named := map[string]bool{}
	if _, err := journal.Read(filepath.Join(dir, "journal"), nil, func(e *journal.Entry) {
		named[e.URL] = true
	}); err != nil {
		t.Fatal(err)
	}
	for i, a := range l.attacks {
		if a.want != "" && a.want != held && !named[l.start(i)] {
			return false
		}
	}
	return true
}

func readJournal(t *testing.T, dir string) (entries []journal.Entry) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "journal", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(content) {
			var e journal.Entry
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatalf("%s: %v in %q", file, err, line)
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// checkKept checks the archive of attacks: each record is complete and of a requested page, and
// every answer of the journal is in it.
func (l *attackLab) checkKept(t *testing.T, dir string, entries []journal.Entry) {
	t.Helper()
	lost := map[string]bool{} // visits with an answer whose record was not read yet
	for _, e := range entries {
		if e.Status > 0 && !e.NoArchive {
			lost[visitKey(e.URL, e.Time)] = true
		}
	}
	kept, octets := 0, int64(0)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if base := filepath.Base(name); base == "index" || base == "LOCK" ||
			base == "requisites.jsonl" {
			continue
		} else if ok, _ := filepath.Match("recrawl-??????????????-?????.warc.gz", base); !ok {
			t.Errorf("a file %q was made of what was sent", base)
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r := warc.NewReader(f, 0)
		for rec, err := r.Next(); err != io.EOF; rec, err = r.Next() {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var fields bytes.Buffer
			if rec.Type() == warc.Metadata {
				rec.Block = io.TeeReader(rec.Block, &fields)
			}
			seen, err := r.Verify(rec)
			if err != nil || seen.Block.Wrong() || seen.Payload.Wrong() {
				t.Errorf("%s at %d, %s: %+v, %v", name, rec.Offset, rec.URI(), seen, err)
			}
			octets += rec.Length
			if rec.Type() != warc.Info && !strings.HasPrefix(rec.URI(), "http://127.1.") &&
				!strings.Contains(rec.URI(), ".test:"+l.port+"/") ||
				strings.ContainsFunc(rec.URI(), func(c rune) bool {
					return c <= ' ' || c >= 0x7f
				}) {
				t.Errorf("a record of %.100q", rec.URI())
			}
			if rec.Type() == warc.Metadata {
				kept++
				_, rest, _ := strings.Cut(fields.String(), "visitTime: ")
				at, err := time.Parse(time.RFC3339Nano, strings.SplitN(rest, "\r\n", 2)[0])
				if err != nil {
					t.Fatalf("%q: %v", fields.String(), err)
				}
				delete(lost, visitKey(rec.URI(), at))
			}
		}
	}
	for visit := range lost {
		t.Errorf("%s was acknowledged with an answer and is not kept", visit)
	}
	t.Logf("%d visits are kept, %d octets", kept, octets)
}
