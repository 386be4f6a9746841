package core_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

// hostileMemory is the memory for a hostile file or caller, in KiB: the program starts with 60 MiB,
// and sorts imports in 64 MiB. GOMEMLIMIT must be lower by its code and some room.
const hostileMemory = 320 << 10

// bomb returns octets octets of a repeated text, as gzip.
func bomb(text string, octets int) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	piece := bytes.Repeat([]byte(text), max(1<<20/len(text), 1))
	for left := octets; left > 0; left -= len(piece) {
		z.Write(piece[:min(left, len(piece))])
	}
	z.Close()
	return b.String()
}

func zipped(files map[string]string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, _ := z.Create(name)
		io.WriteString(w, content)
	}
	z.Close()
	return b.String()
}

func warcRecord(head, body string) string {
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: "+
		"<urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"+
		"WARC-Date: 2024-01-31T12:00:00Z\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n",
		head, len(body), body)
}

// TestHostileImports lets the program import files that are made to break readers, within the
// memory and time for any file. Whatever it reports, it does not crash, writes only in its
// directory, and can read a good file afterwards.
func TestHostileImports(t *testing.T) {
	t.Parallel()
	const large = 128 << 20
	const http200 = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	target := "WARC-Target-URI: https://h.example/\r\nContent-Type: application/http; " +
		"msgtype=response\r\n"
	cdxj := `example,h)/ 20240131120000 {"url":"https://h.example/","status":"200","mime":"text/html","digest":"sha1:X"}` + "\n"
	nutch := "https://h.example/\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Fri Mar 01 " +
		"12:00:00 UTC 2024\n"
	log := `h - - [31/Jan/2024:12:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "x"` + "\n"
	for name, content := range map[string]string{
		"bomb.warc.gz": bomb("\x00", large),
		"body.warc.gz": gz(fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: "+
			"2024-01-31T12:00:00Z\r\n%sContent-Length: 9223372036854775807\r\n\r\n", target)) +
			bomb("<p>x", large),
		"coded.warc.gz": gz(warcRecord(target, http200+"Content-Encoding: gzip\r\n\r\n"+
			bomb("<p>x", large))),
		"header.warc.gz": gz("WARC/1.1\r\n") + bomb("X: y\r\n", large),
		"line.warc.gz":   gz("WARC/1.1\r\nX: ") + bomb("x", large),
		"empty.warc.gz":  strings.Repeat(gz(""), 20_000),
		"members.warc.gz": gz("WARC/1.1\r\n") +
			strings.Repeat("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xffx", 10_000),
		"negative.warc": "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: -1\r\n\r\n",
		"forged.warc": warcRecord("WARC-Target-URI: https://h.example/\x1b[2J\x00\r\n "+
			"folded\r\nContent-Type: application/http\r\n",
			http200+"\r\nWARC/1.1\r\nWARC-Type: response\r\n\r\n"),
		"deep.warc": warcRecord(target,
			http200+"\r\n"+strings.Repeat("<p><b x=1>", 100_000)),
		"bomb.wacz": zipped(map[string]string{"archive/a.warc.gz": bomb("\x00", large),
			"indexes/index.cdxj": strings.Repeat(cdxj, 50_000), "datapackage.json": "{"}),
		"climbs.wacz": zipped(map[string]string{"../../out.warc": warcRecord(target,
			http200+"\r\nx"), "/abs.warc.gz": "x", "archive/../../b.warc": "WARC/1.1\r\n"}),
		"cut.wacz": zipped(
			map[string]string{"archive/a.warc.gz": gz(warcRecord(target, http200+"\r\nx"))})[:60],
		"line.cdxj.gz": gz(cdxj) + bomb("x", large),
		"json.cdxj": `example,h)/ 20240131120000 {"url":"https://h.example/","x":` +
			strings.Repeat("[", 1<<20) + "\n",
		"servers.cdxj.gz":  gz(manyServers(100_000)),
		"line.cdx.gz":      gz(" CDX N b a m s k r M S V g\n") + bomb("y ", large),
		"line.nutch.gz":    gz(nutch) + bomb("Status: ", large),
		"nothing.nutch.gz": gz(nutch) + bomb("Metadata:\n", large),
		"line.log.gz":      gz(log) + bomb(`"`, large),
		"paths.log.gz": gz(log) +
			bomb(strings.Replace(log, "/a", "/%2e%2e/"+strings.Repeat("a/../", 300), 1), 8<<20),
		"controls.log": log + strings.Replace(log, "/a", "/\x1b[2J\u202e", 1) +
			"\xff\xfe\x00\n",
		"bomb.xml.gz": gz("<urlset><url><loc>https://h.example/</loc></url>") +
			bomb("<a>", large),
		"entity.xml":          `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "&x;&x;">]><urlset><url><loc>https://h.example/&y;</loc></url></urlset>`,
		"list.txt.gz":         gz("https://h.example/\n") + bomb("x", large),
		"not.gz":              "\x1f\x8b\x08",
		"nothing but NUL.txt": strings.Repeat("\x00", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, name), content)
			began := time.Now()
			p := start(t, dir, []string{"GOMEMLIMIT=224MiB"}, "import", "--data", "data",
				"--server", "https://h.example", "--json", name)
			most := peak(p)
			code := p.wait()
			processor := p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
			t.Logf("exit code %d after %v (%v of a processor), %d MiB: %.120q",
				code, time.Since(began).Round(time.Millisecond), processor, most>>10,
				p.stderr.String())
			if code < 0 || code > 4 || strings.Contains(p.stderr.String(), "goroutine ") {
				t.Errorf("it ended with %d: %.500s", code, p.stderr.String())
			}
			if most > hostileMemory {
				t.Errorf("%d MiB of memory", most>>10)
			}
			if processor > 30*time.Second {
				t.Errorf("%v of a processor", processor)
			}
			if strings.ContainsAny(p.stderr.String()+p.stdout.String(), "\x1b\x00\u202e") {
				t.Errorf("control characters on the terminal: %q", p.stderr.String())
			}
			if beside, _ := filepath.Glob(filepath.Join(filepath.Dir(dir),
				"*.warc*")); len(beside) > 0 {
				t.Errorf("%v was written", beside)
			}
			writeFile(t, filepath.Join(dir, "good.cdxj"), cdxj)
			recrawlIn(t, dir, nil, "import", "--data", "data", "good.cdxj").ok(t)
		})
	}
}

// peak waits for the end of a program, and returns the highest observed memory in KiB, or 0 if the
// system does not report it. The system's final report includes the parent process.
func peak(p *program) (kib int) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
		if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
			var seen int
			fmt.Sscan(rest, &seen)
			kib = max(kib, seen)
		}
		select {
		case <-p.ended:
			return kib
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func gz(text string) string { return string(gzipped([]byte(text))) }

// manyServers returns an index with a page of each server.
func manyServers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "example,h%d)/ 20240131120000 "+
			"{\"url\":\"https://h%d.example/\",\"status\":\"200\",\"mime\":\"text/html\",\"digest\":\"sha1:X\"}\n", i, i)
	}
	return b.String()
}

// TestHostileCallers lets strangers keep the inbox of a run busy: silent and slow ones, long heads
// and bodies, guessed callbacks. Its memory stays bounded, they cause no visits, and genuine
// reports are accepted.
func TestHostileCallers(t *testing.T) {
	t.Parallel()
	site := newFeedSite(t, "")
	at := freeAddress(t)
	p := start(t, t.TempDir(), []string{"GOMEMLIMIT=256MiB"}, "run", "--data",
		filepath.Join(t.TempDir(), "data"), "--user-agent", contact,
		"--allow-private", "--delay", "50ms", "--round", "24h", "--budget", "100000", "--push", at,
		"--websub-callback", "http://"+at, site.URL+"/")
	eventually(t, "a visit", func() bool { n, _ := site.visits("/1"); return n > 0 })
	dial := func() net.Conn {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	for i := range 150 { // more than are served at a time
		c := dial()
		if i%2 == 0 {
			io.WriteString(c, "POST /hint HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n{")
		}
		if i%3 == 0 {
			io.WriteString(c, "GET /"+strings.Repeat("x", 500))
		}
	}
	began := time.Now()
	for _, request := range []struct {
		method, path, kind string
		body               io.Reader
		statuses           string
	}{
		{"POST", "/hint", "application/json", io.LimitReader(endlessly("["), 64<<20), "413 400"},
		{"POST", "/hint", "application/json", strings.NewReader(strings.Repeat("[", 3<<20)), "400"},
		{"POST", "/hint", "application/json",
			strings.NewReader(`{"urls": ["http://127.0.0.1:22/` + strings.Repeat("a", 3<<20) +
				`"]}`), "422"},
		{"POST", "/indexnow", "application/json", io.LimitReader(endlessly(`{"a":`), 64<<20),
			"413 400"},
		{"POST", "/00112233445566778899aabbccddeeff", "application/rss+xml",
			io.LimitReader(endlessly("x"), 64<<20), "410"},
		{"GET", "/00112233445566778899aabbccddeeff?hub.mode=subscribe&hub.challenge=x&hub.topic=" +
			site.topic(), "", nil, "404"},
		{"DELETE", "/", "", nil, "405"},
	} {
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true},
			Timeout: patience}
		r, _ := http.NewRequest(request.method, "http://"+at+request.path, request.body)
		r.Header.Set("Content-Type", request.kind)
		answer, err := client.Do(r)
		if err != nil { // cut off in the middle
			t.Logf("%s %.40s: %v", request.method, request.path, err)
			continue
		}
		answer.Body.Close()
		if !strings.Contains(request.statuses, fmt.Sprint(answer.StatusCode)) {
			t.Errorf("%s %.40s: %d, want %s", request.method, request.path, answer.StatusCode,
				request.statuses)
		}
	}
	t.Logf("answered within %v", time.Since(began))
	long := dial()
	io.WriteString(long, "GET / HTTP/1.1\r\nX: "+strings.Repeat("x", 1<<20))
	head := make([]byte, 12)
	if n, err := io.ReadFull(long, head); err == nil && string(head[9:]) != "431" {
		t.Errorf("a long head: %q, %v", head[:n], err)
	}
	if n, _ := site.visits("/feed.xml"); n > 2 { // as a page, and as a feed
		t.Errorf("%d visits to a feed for strangers", n)
	}
	if kib := resident(t, p.cmd.Process.Pid); kib > 256<<10 {
		t.Errorf("%d MiB of memory", kib>>10)
	}
	recrawl(t, "hint", "--push", at, site.URL+"/heard").ok(t)
	eventually(t, "a visit", func() bool { n, _ := site.visits("/heard"); return n > 0 })
	p.interrupt()
	p.result()
}

// endlessly repeats a text.
type endlessly string

func (e endlessly) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestSilentNameServer crawls servers while all replies of the name server are lost, and many new
// names wait for one. Servers with known names are visited as before, no page is blamed, and the
// user is warned. When replies return, the new ones are visited.
func TestSilentNameServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 40 s")
	}
	t.Parallel() // it waits more than it works
	const delay, known, unknown = 500 * time.Millisecond, 40, 400
	c := newCrowd(t, 3000, 0)
	var silent, back atomic.Bool
	dns := serveDNS(t, func(name string) time.Duration {
		if !back.Load() && (silent.Load() || strings.Contains(name, ".new.")) {
			return -1
		}
		return 0
	})
	var urls []string
	for _, url := range c.starts(map[kind]int{honest: known}) {
		urls = append(urls, strings.NewReplacer(".", "-", ":"+c.port,
			".known.example:"+c.port).Replace(url))
	}
	for i := range unknown {
		urls = append(urls, fmt.Sprintf("http://127-%d-1-%d.new.example:%s/",
			moving, i%200+1, c.port))
	}
	p := start(t, t.TempDir(), nil,
		append([]string{"run", "--data", filepath.Join(t.TempDir(), "data"), "--user-agent",
			contact, "--unlimited",
			"--allow-network", "127.0.0.0/8", "--allow-port", c.port, "--delay", delay.String(),
			"--resolver", dns, "--workers", "16", "--json"}, urls...)...)
	eventually(t, "visits to all known servers", func() bool { return c.of(honest) >= 2*known })
	silent.Store(true)
	time.Sleep(25 * time.Second)
	before := c.of(honest)
	eventually(t, "further visits to all known servers", func() bool {
		return c.of(honest) >= before+20*known
	})
	if n := c.asked(moving); n > 0 {
		t.Errorf("%d requests to servers whose names nobody told", n)
	}
	back.Store(true)
	eventually(t, "visits to new servers", func() bool { return c.asked(moving) > unknown })
	p.interrupt()
	if did := decode[struct{ Visits, Failed int }](t, p.result(), false); did.Failed > 0 {
		t.Errorf("%+v", did)
	}
	if !strings.Contains(p.stderr.String(), "no name server answers") {
		t.Errorf("the user is not told:\n%s", &p.stderr)
	}
}
