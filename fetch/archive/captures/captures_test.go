package captures

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/recrawl/recrawl/sitegraph"
)

// fileOf writes a file, compressed if its name says so.
func fileOf(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	b := []byte(text)
	if strings.HasSuffix(name, ".gz") {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(b)
		w.Close()
		b = z.Bytes()
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll reads a file like import.
func readAll(t testing.TB, path string, o Options) (*File, []Capture, error) {
	t.Helper()
	in, err := Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var all []Capture
	f, err := Read(t.Context(), in, o, func(c *Capture) error {
		all = append(all, *c)
		return nil
	})
	return f, all, err
}

const (
	shaA = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
	shaB = "Z7UXAV255K46FJF32XMG7VVYANUD3GFN"
)

// TestFormats checks that each format is recognised by its content and read correctly.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     Format
		want       string // kind, time and status of each capture
		bad        int64
	}{
		{"a.txt", "http://h.example/\nhttp://h.example/b\n", List, "listed 0 0, listed 0 0", 0},
		{"a.xml", "\xef\xbb\xbf<?xml version=\"1.0\"?><urlset " +
			"xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>http://h.example/</loc></url><url><loc>http://h.example/b</loc></url><url><loc>http://other.example/</loc></url></urlset>", Sitemap, "listed 0 0, listed 0 0", 0},
		{"a.cdxj.gz", `!meta {"x":1}
example,h)/ 20240131120000 {"url":"http://h.example/","mime":"text/html","status":"200","digest":"sha1:` + shaA + `"}
example,h)/ 20240201120000 {"url":"http://h.example/","mime":"warc/revisit","digest":"` + shaA + `"}
example,h)/ 20240202120000 {"url":"http://h.example/","mime":"text/html","status":404,"digest":"` + shaA + `"}
example,h)/ 20240203120000 {"url":"http://h.example/","mime":"text/html","status":"503"}
example,h)/x.png 20240203120000 {"url":"http://h.example/x.png","mime":"image/png","status":"200"}
damaged
`, CDXJ, "fetched 1706702400 200 A, fetched 1706788800 0 A, gone 1706875200 404", 1},
		{"a.json", `{"urlkey":"example,h)/","timestamp":"20240131120000","url":"http://h.example/","mime":"text/html","status":"301","digest":"X"}`, CDXJ, "moved 1706702400 301", 0},
		{"a.cdx", ` CDX a b a m s k r M V g u
http://h.example/ 20240131120000 http://h.example/ text/html 200 ` + shaA + ` - - 816 one.warc.gz <urn:uuid:7>
http://h.example/ 20249931120000 http://h.example/ text/html 200 ` + shaA + ` - - 816 one.warc.gz <urn:uuid:7>
`, CDX, "fetched 1706702400 200 A", 1},
		{"b.cdx", "example,h)/ 20240131120000 http://h.example/ text/html 200 " + shaA +
			" - - 1043 333 f.warc.gz\n" +
			"example,h)/ 20240201120000 http://h.example/ warc/revisit - " + shaA +
			" - - 1043 333 f.warc.gz\n", CDX, "fetched 1706702400 200 A, fetched 1706788800 0 A",
			0},
		{"c.cdx", "example,h)/ 20240131120000 http://h.example/ text/html 200 " + shaA + " 1043\n",
			CDX, "fetched 1706702400 200 A", 0},
		{"nutch.txt", "http://h.example/\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Fri " +
			"Mar 01 12:00:00 UTC 2024\nModified time: Wed Jan 31 12:00:00 UTC 2024\n" +
			"Retries since fetch: 0\nRetry interval: 86400 seconds (1 days)\nScore: " +
			"1.0\nSignature: 5f7f\nMetadata: \n \t_pst_=success(1), lastModified=0\n\n" +
			"http://h.example/g\tVersion: 7\nStatus: 3 (db_gone)\nFetch time: Fri Mar 01 " +
			"12:00:00 UTC 2024\nRetry interval: x\n\n" +
			"http://h.example/new\tVersion: 7\nStatus: 1 (db_unfetched)\nSignature: null\n", Nutch,
			"fetched 1706702400 0 N, fetched 1709208000 0 N, listed 0 0", 2},
		{"access.log", `192.0.2.1 - - [31/Jan/2024:12:00:00 +0000] "GET /a?x=1 HTTP/1.1" 200 5 "-" "x \" y"
h.example:443 192.0.2.1 - bob [31/Jan/2024:12:00:00 +0000] "GET /b HTTP/1.1" 304 -
192.0.2.1 - - [31/Jan/2024:12:00:00 +0000] "POST /c HTTP/1.1" 200 5
192.0.2.1 - - [31/Jan/2024:12:00:00 +0000] "GET http://evil.example/ HTTP/1.1" 200 5
192.0.2.1 - - [31/Jan/2024:12:00:00 +0000] "\x16\x03" 400 5
192.0.2.1 - - [32/Jan/2024:12:00:00 +0000] "GET /d HTTP/1.1" 200 5
`, Log, "listed 0 0, listed 0 0", 1},
	} {
		f, all, err := readAll(t, fileOf(t, c.name, c.text), Options{Server: "https://h.example"})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, k := range all {
			s := fmt.Sprintf("%s %d %d",
				[]string{"", "listed", "fetched", "unchanged", "gone", "moved"}[k.Kind], k.Time,
				k.Status)
			switch k.Payload {
			case sitegraph.PayloadDigest("sha1", shaA):
				s += " A"
			case sitegraph.PayloadDigest("nutch", "5f7f"):
				s += " N"
			}
			got = append(got, s)
		}
		if f.Format != c.format || strings.Join(got, ", ") != c.want || f.BadCount != c.bad {
			t.Errorf("%s: %s, %v, %d bad %+v; want %s, %s, %d bad",
				c.name, f.Format, got, f.BadCount, f.Bad, c.format, c.want, c.bad)
		}
	}
}

// TestUnreadable checks that unreadable files say why, and where.
func TestUnreadable(t *testing.T) {
	for _, c := range []struct {
		text, server string
		want         []string
		is           error
	}{
		{`192.0.2.1 - - [31/Jan/2024:12:00:00 +0000] "GET / HTTP/1.1" 200 5`, "",
			[]string{"server"}, ErrServer},
		{`192.0.2.1 - - [31/Jan/2024:12:00:00 +0000] "GET / HTTP/1.1" 200 5`,
			"https://h.example/path", []string{"h.example/path"}, ErrServer},
		{"WARC/1.0\r\nnonsense", "", []string{"at 0", "header is cut"}, ErrNothing},
		{" CDX N b a\nx y\n", "", []string{"at 2", "2 columns"}, ErrNothing},
		{"<rss>nothing</rss>", "", []string{"names an address"}, nil},
	} {
		_, _, err := readAll(t, fileOf(t, "f", c.text), Options{Server: c.server})
		if err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		for _, word := range append(c.want, "import ", "/f: ") {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q: no %q in %v", c.text, word, err)
			}
		}
	}
}

// someCaptures returns captures of a few URLs, several for some.
func someCaptures(r *rand.Rand, n int) (all []Capture) {
	for range n {
		c := Capture{URL: fmt.Sprintf("http://h%d.example/%d", r.IntN(3), r.IntN(40)),
			Time: 1_700_000_000 + uint32(r.IntN(50))*86400,
			Kind: KindFetched, Status: 200, Size: r.Int64N(1000),
			Payload: sitegraph.PayloadDigest("sha1", fmt.Sprint(r.IntN(3)))}
		switch r.IntN(6) {
		case 0:
			c = Capture{URL: c.URL, Kind: KindListed, Requests: r.Uint64N(3)}
		case 1:
			c.Kind, c.Payload, c.Size, c.Status = KindGone, sitegraph.Digest{}, 0, 404
		case 2:
			c.Digests.Bytes, c.LinksKnown = sitegraph.DigestOf([]byte{byte(r.IntN(3))}), true
			c.Links, c.Frames = []string{"http://h.example/a", "http://h.example/b"},
				[]string{"http://h.example/b"}
		}
		all = append(all, c)
	}
	return all
}

// sortedBy returns the groups of a sorter.
func sortedBy(t *testing.T, all []Capture, memory int) (groups []Group) {
	t.Helper()
	s, err := NewSorter(filepath.Join(t.TempDir(), "sort"), LeastMemory)
	if err != nil {
		t.Fatal(err)
	}
	s.memory = memory
	for i := range all {
		if err := s.Add(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		if err := s.AddKnown([]byte(fmt.Sprintf("http://h1.example/%d", i)),
			uint32(i)); err != nil {
			t.Fatal(err)
		}
	}
	err = s.Each(t.Context(), func(g *Group) error {
		clone := *g
		clone.Captures = slices.Clone(g.Captures)
		groups = append(groups, clone)
		return nil
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.dir); err == nil {
		t.Errorf("%s is left", s.dir)
	}
	return groups
}

// TestSorter checks that the order of captures and the memory do not change the result.
func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := someCaptures(r, 4000)
	want := sortedBy(t, all, 1<<30)
	requests, asked := uint64(0), uint64(0)
	for _, c := range all {
		requests += c.Requests
	}
	for i, g := range want {
		asked += g.Requests
		if i > 0 && want[i-1].URL >= g.URL || g.Known.Is != strings.HasPrefix(g.URL, "http://h1.") {
			t.Errorf("%s (%+v) comes after %s", g.URL, g.Known, want[max(i-1, 0)].URL)
		}
	}
	if asked != requests {
		t.Errorf("%d requests, want %d", asked, requests)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, memory := range []int{1000, 20_000} { // hundreds of runs, merged twice, or a few
		if got := sortedBy(t, all, memory); !reflect.DeepEqual(got, want) {
			t.Errorf("with %d octets of memory: %d groups, want %d, or others",
				memory, len(got), len(want))
		}
	}
}

// TestSorterInterrupted checks that an interrupted sorter returns the error of its context.
func TestSorterInterrupted(t *testing.T) {
	s, err := NewSorter(filepath.Join(t.TempDir(), "sort"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range someCaptures(rand.New(rand.NewPCG(1, 2)), 10) {
		s.Add(&c)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Each(ctx, func(*Group) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestApply checks that captures become the history that own visits would have left.
func TestApply(t *testing.T) {
	day := func(n int) uint32 { return 1_700_000_000 + uint32(n)*86400 }
	body := func(n int, text, main string) Capture {
		return Capture{Time: day(n), Kind: KindFetched, Status: 200,
			Payload: sitegraph.PayloadDigest("sha1", text),
			Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte(text)),
				Text: sitegraph.DigestOf([]byte(text)), Main: sitegraph.DigestOf([]byte(main))}}
	}
	told := func(n int, text string) Capture {
		return Capture{Time: day(n), Kind: KindFetched, Status: 200,
			Payload: sitegraph.PayloadDigest("sha1", text)}
	}
	at := func(n int, k Kind) Capture { return Capture{Time: day(n), Kind: k} }
	for name, c := range map[string]struct {
		all            []Capture
		by             sitegraph.ChangeBy
		state          sitegraph.State
		visits, change uint32
		stable         int // days
	}{
		"equal digests": {[]Capture{told(0, "a"), told(3, "a"), told(5, "b"),
			told(6, "b")}, 0, sitegraph.StateAlive, 4, 1, 4},
		"bodies by main text": {[]Capture{body(0, "a", "m"), body(3, "b", "m"),
			body(5, "c", "n")}, sitegraph.ChangeByMain, sitegraph.StateAlive, 3, 1, 3},
		"a revisit has the body": {[]Capture{body(0, "a", "m"), told(3, "a"),
			body(5, "c", "n")}, sitegraph.ChangeByMain, sitegraph.StateAlive, 3, 1, 3},
		"one body, one without": {[]Capture{body(0, "a", "m"), told(3, "b"),
			body(5, "c", "n")}, sitegraph.ChangeByMain, sitegraph.StateAlive, 3, 2, 0},
		"not modified": {[]Capture{told(0, "a"), at(2, KindUnchanged), told(4, "a")},
			0, sitegraph.StateAlive, 3, 0, 4},
		"first not modified": {[]Capture{at(0, KindUnchanged), at(2, KindUnchanged)}, 0,
			sitegraph.StateAlive, 2, 0, 2},
		"gone and back": {[]Capture{told(0, "a"), at(2, KindGone), told(4, "a"),
			told(5, "a")}, 0, sitegraph.StateAlive, 2, 0, 1},
		"gone": {[]Capture{told(0, "a"), at(2, KindGone)}, 0,
			sitegraph.StateGone, 1, 0, 0},
		"moved": {[]Capture{told(0, "a"), at(2, KindMoved)}, 0,
			sitegraph.StateMoved, 1, 0, 0},
		"two of one second are one": {[]Capture{told(0, "a"), body(0, "a", "m"), told(1, "a")}, 0,
			sitegraph.StateAlive, 2, 0, 1},
		"digests of different tools": {[]Capture{told(0, "a"), {Time: day(9), Kind: KindFetched,
			Payload: sitegraph.PayloadDigest("nutch", "a")}}, 0, sitegraph.StateAlive, 1, 0, 0},
	} {
		var r sitegraph.Record
		Apply(&r, Resolve(c.all), c.by)
		h := r.History
		if r.State != c.state || h.Visits != c.visits || h.Changes != c.change ||
			int(h.Stable) != c.stable*86400 {
			t.Errorf("%s: %v, %+v", name, r.State, h)
		}
		before := r
		if told := Apply(&r, Resolve(c.all), c.by); told.Visits != 0 || r != before {
			t.Errorf("%s: a second time: %+v, %+v", name, told, r)
		}
	}
}

// FuzzBody checks that a sorted capture is read back equal, and that arbitrary octets do no harm.
func FuzzBody(f *testing.F) {
	for _, c := range someCaptures(rand.New(rand.NewPCG(3, 4)), 20) {
		f.Add(c.appendBody(nil))
	}
	known := Capture{Kind: KindFetched,
		Digests: sitegraph.Digests{Bytes: sitegraph.Digest{1}, Text: sitegraph.Digest{1}}}
	noBytes := known.appendBody(nil)
	noBytes[2] = 0 // the digest of the bytes follows kind and flags
	f.Add(noBytes)
	f.Fuzz(func(t *testing.T, b []byte) {
		var c, again Capture
		if c.parseBody(b) != nil {
			return
		}
		if err := again.parseBody(c.appendBody(nil)); err != nil || !reflect.DeepEqual(c, again) {
			t.Fatalf("%+v\n%+v %v", c, again, err)
		}
	})
}

// fuzzLines reads octets as a file of a format, and checks that all URLs are canonical.
func fuzzLines(f *testing.F, format Format, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := &Input{Name: "f", Format: format, Reader: bytes.NewReader(b)}
		o := Options{Server: "https://h.example", To: time.Unix(1<<32-1, 0)}
		file, err := Read(t.Context(), in, o, func(c *Capture) error {
			if again, err := sitegraph.Canonical(c.URL); err != nil || again != c.URL {
				t.Fatalf("%q is not canonical: %q %v", c.URL, again, err)
			}
			if (c.Time == 0) != (c.Kind == KindListed) {
				t.Fatalf("%+v", c)
			}
			return nil
		})
		// a sitemap has no lines
		if len(file.Bad) > mostMistakes || err != nil && file.BadCount == 0 && format != Sitemap {
			t.Fatalf("%+v %v", file, err)
		}
	})
}

func FuzzCDXJ(f *testing.F) {
	fuzzLines(
		f, CDXJ, `example,h)/ 20240131120000 {"url":"http://h.example/","mime":"text/html","status":"200","digest":"sha1:X"}`,
		`{"timestamp":"20240131120000","url":"http://h.example/","status":"404"}`,
		"!meta {}\n\xff 1 {")
}

func FuzzCDX(f *testing.F) {
	fuzzLines(f, CDX, " CDX N b a m s k r M S V g\nexample,h)/ 20240131120000 http://h.example/ "+
		"text/html 200 "+shaB+" - - 1 2 f\n",
		"example,h)/ 20240131120000 http://h.example/ warc/revisit - - 1\n", " CDX \n",
		`[["original","timestamp","statuscode","digest"],["http://h.example/","20240131120000",`+
			`"200","`+shaB+`"],[],["resume"]]`, `[["original"],["http://h.example/"]`,
		`[{"url": "http://h.example/", "timestamp": 20240131120000, "status": 404}]`, `[["a"]]`)
}

func FuzzNutch(f *testing.F) {
	fuzzLines(f, Nutch, "http://h.example/\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Fri "+
		"Mar 01 12:00:00 UTC 2024\nRetry interval: 86400 seconds (1 days)\nSignature: 5f7f\n",
		"http://h.example/\tVersion: 7\nStatus: 3\nFetch time: Fri Mar 01 12:00:00 CET "+
			"1924\nRetry interval: 99999999999999 seconds\n")
}

func FuzzLog(f *testing.F) {
	fuzzLines(f, Log, `h - - [31/Jan/2024:12:00:00 +0000] "GET /a?x=1 HTTP/1.1" 200 5 "-" "x"`,
		`h [31/Jan/2024:12:00:00 +0000] "GET //x\" HTTP/1.1" 200`,
		`{"ts":1.5,"request":{"method":"GET","uri":"/a"},"status":200}`,
		"#Fields: date time cs-method cs-uri-stem sc-status\n2024-01-31 12:00:00 GET /a 200")
}

func FuzzSitemap(f *testing.F) {
	fuzzLines(f, Sitemap,
		"<urlset><url><loc>https://h.example/a</loc><lastmod>2024-01-31</lastmod></url></urlset>",
		"<sitemapindex><sitemap><loc>/a.xml")
}

func FuzzWARC(f *testing.F) {
	const head = "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x>\r\nWARC-Date: " +
		"2024-01-31T12:00:00Z\r\nWARC-Target-URI: https://h.example/\r\nContent-Type: " +
		"%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
	http := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b"
	fuzzLines(f, WARC, fmt.Sprintf(head, "response", "application/http", len(http), http),
		fmt.Sprintf(head, "resource", "text/html", 3, "<p>"),
		fmt.Sprintf(head, "revisit", "application/http", 0, ""),
		"filedesc://x.arc 0.0.0.0 20240131120000 text/plain 4\n1 0\n\n"+
			"http://h.example/a b 192.0.2.1 20240131120000 text/html 18\nHTTP/1.0 200 OK\n\nx\n"+
			"dns:h.example 192.0.2.1 202401311200 text/dns 200 - - 0 x.arc 1\nx\n")
}

// FuzzWACZ checks that any ZIP is read to an end, whatever sizes, names and methods it claims.
func FuzzWACZ(f *testing.F) {
	const record = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x>\r\nWARC-Date: " +
		"2024-01-31T12:00:00Z\r\nWARC-Target-URI: https://h.example/\r\nContent-Type: " +
		"text/html\r\nContent-Length: 3\r\n\r\n<p>\r\n\r\n"
	const line = `example,h)/ 20240131120000123 {"url":"http://h.example/","mime":"text/html","status":"200","digest":"sha1:X"}` + "\n"
	for _, files := range []map[string]string{
		{"archive/a.warc": record, "indexes/index.cdxj": line}, {"indexes/index.cdxj": line},
		{"archive/../../a.warc.gz": record, "archive//b.warc": record, "archive/": "",
			"/archive/a.warc": record},
		{"indexes/index.cdx.gz": "\x1f\x8b"}, {"datapackage.json": "{"},
	} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			for _, name := range slices.Sorted(maps.Keys(files)) {
				w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
				if err != nil {
					f.Fatal(err)
				}
				w.Write([]byte(files[name]))
			}
			z.Close()
			f.Add(b.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := &Input{Name: "f.wacz", Format: WACZ, Reader: bytes.NewReader(b)}
		file, err := Read(t.Context(), in, Options{To: time.Unix(1<<32-1, 0)},
			func(c *Capture) error {
				if again, err := sitegraph.Canonical(c.URL); err != nil || again != c.URL {
					t.Fatalf("%q is not canonical: %q %v", c.URL, again, err)
				}
				return nil
			})
		if len(file.Bad) > mostMistakes {
			t.Fatalf("%+v %v", file, err)
		}
	})
}
