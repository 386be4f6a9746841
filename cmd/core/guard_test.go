package core_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// serveDNS answers over UDP on loopback: "127-9-0-3.anything.example" is at 127.9.0.3. delay
// returns the delay of the answer for a name; negative: no answer.
func serveDNS(t *testing.T, delay func(name string) time.Duration) (address string) {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buffer := make([]byte, 1500)
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
			m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
			var a [4]byte
			name := strings.ToLower(q.Name.String())
			if n, _ := fmt.Sscanf(name, "%d-%d-%d-%d.", &a[0], &a[1], &a[2], &a[3]); n == 4 {
				if q.Type == dnsmessage.TypeA {
					m.Answers = []dnsmessage.Resource{{
						Header: dnsmessage.ResourceHeader{Name: q.Name,
							Class: dnsmessage.ClassINET, Type: dnsmessage.TypeA, TTL: 60},
						Body: &dnsmessage.AResource{A: a}}}
				}
			} else if name != "." {
				m.RCode = dnsmessage.RCodeNameError
			}
			answer, _ := m.Pack()
			wait := time.Duration(0)
			if delay != nil {
				wait = delay(name)
			}
			if wait >= 0 {
				time.AfterFunc(wait, func() { conn.WriteTo(answer, from) })
			}
		}
	}()
	return conn.LocalAddr().String()
}

// victims are servers at many addresses that log their requests. A connection to the TLS port
// counts as one request, as for the guard, and requests in it are also counted.
type victims struct {
	port, tlsPort string

	mu    sync.Mutex
	of    map[string][]contactOf // by address
	inTLS map[string]int         // requests inside tunnels
}

type contactOf struct{ begin, end time.Time }

func serveVictims(t *testing.T) *victims {
	t.Helper()
	v := &victims{of: map[string][]contactOf{}, inTLS: map[string]int{}}
	plain, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	_, v.port, _ = net.SplitHostPort(plain.Addr().String())
	server := &http.Server{Handler: http.HandlerFunc(v.serve)}
	go server.Serve(plain)
	t.Cleanup(func() { server.Close() })

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"*.example"}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := tls.Listen("tcp4", "0.0.0.0:0",
		&tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate},
			PrivateKey: key}}})
	if err != nil {
		t.Fatal(err)
	}
	_, v.tlsPort, _ = net.SplitHostPort(secret.Addr().String())
	began := map[net.Conn]time.Time{}
	tlsServer := &http.Server{
		ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			v.mu.Lock()
			v.inTLS[localOf(r)]++
			v.mu.Unlock()
			io.WriteString(w, "secret")
		}),
		ConnState: func(c net.Conn, s http.ConnState) {
			v.mu.Lock()
			defer v.mu.Unlock()
			switch s {
			case http.StateNew:
				began[c] = time.Now()
			case http.StateClosed:
				host, _, _ := net.SplitHostPort(c.LocalAddr().String())
				v.of[host] = append(v.of[host], contactOf{began[c], time.Now()})
				delete(began, c)
			}
		},
	}
	go tlsServer.Serve(secret)
	t.Cleanup(func() { tlsServer.Close() })
	return v
}

func localOf(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
	return host
}

func (v *victims) serve(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	address := localOf(r)
	defer func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.of[address] = append(v.of[address], contactOf{begin, time.Now()})
	}()
	switch r.URL.Path {
	case "/slow":
		select {
		case <-r.Context().Done():
		case <-time.After(2 * time.Second):
		}
	case "/endless":
		block := bytes.Repeat([]byte("x"), 1<<16)
		for range 1000 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	default:
		io.WriteString(w, "page")
	}
}

// TestGuard runs crawlers that ignore politeness, each in another way and at other addresses. The
// servers' log shows that no limit of the guard is exceeded.
func TestGuard(t *testing.T) {
	t.Parallel()
	const interval, mostRequests, mostBytes, turns, long = 400 * time.Millisecond, 6, 3_000_000, 5,
		4 * time.Second
	v := serveVictims(t)
	p := start(t, t.TempDir(), nil, "guard", "--listen", "127.0.0.1:0", "--resolver",
		serveDNS(t, nil), "--allow-network", "127.9.0.0/16",
		"--allow-port", v.port, "--allow-port", v.tlsPort, "--interval", interval.String(),
		"--address-hour", fmt.Sprint(mostRequests),
		"--address-bytes", fmt.Sprint(mostBytes), "--answer-bytes", "1000000", "--tunnel-turns",
		fmt.Sprint(turns), "--stop-address-after", "100000", "--json")
	proxy := guardOf(t, p)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", proxy.Host)
		if err != nil {
			t.Error(err)
			return nil
		}
		conn.SetDeadline(time.Now().Add(long))
		return conn
	}
	newClient := func() *http.Client {
		return &http.Client{Timeout: long, Transport: &http.Transport{Proxy: http.ProxyURL(proxy),
			MaxIdleConnsPerHost: 100,
			TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}}}
	}
	var mu sync.Mutex
	passed, refused := map[string]int{}, map[string]int{}
	limits := map[string]bool{}
	get := func(ctx context.Context, attack string, c *http.Client, url string) {
		r, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
		a, err := c.Do(r)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			if strings.Contains(err.Error(), "Too Many Requests") { // of CONNECT
				refused[attack]++
			}
			return
		}
		body, _ := io.ReadAll(a.Body)
		a.Body.Close()
		switch {
		case len(body) > 1_000_000:
			t.Errorf("%s: %d bytes of an answer", attack, len(body))
		case a.StatusCode == 200:
			passed[attack]++
		case a.StatusCode == 429 && a.Header.Get("Retry-After") != "" &&
			bytes.HasPrefix(body, []byte("recrawl guard: limit ")):
			refused[attack]++
			limits[strings.Fields(string(body))[3]] = true
		default:
			t.Errorf("%s: %s: %s", attack, a.Status, body)
		}
	}
	host := func(i int, name string) string { return fmt.Sprintf("127-9-0-%d.%s.example", i, name) }
	until := time.Now().Add(long)
	ctx, cancel := context.WithDeadline(t.Context(), until)
	defer cancel()
	attacks := []struct {
		name string
		most int // workers
		do   func(i int, c *http.Client)
	}{
		{"", 0, nil},
		{"burst", 1, func(_ int, c *http.Client) {
			c.Transport.(*http.Transport).DisableKeepAlives = true
			get(ctx, "burst", c, "http://"+host(1, "a")+":"+v.port+"/")
		}},
		{"parallel", 30, func(_ int, c *http.Client) {
			get(ctx, "parallel", newClient(), "http://"+host(2, "a")+":"+v.port+"/")
		}},
		{"names", 8, func(i int, c *http.Client) {
			get(ctx, "names", c, fmt.Sprintf("http://%s:%s/",
				host(3, fmt.Sprintf("n%d-%d", i, time.Now().UnixNano()%1000)), v.port))
		}},
		{"pipeline", 1, func(int, *http.Client) {
			conn := dial()
			if conn == nil {
				return
			}
			defer conn.Close()
			one := fmt.Sprintf("GET http://%s:%s/ HTTP/1.1\r\nHost: x\r\n\r\n",
				host(4, "a"), v.port)
			go io.WriteString(conn, strings.Repeat(one, 50))
			answers := bufio.NewReader(conn)
			for range 50 {
				a, err := http.ReadResponse(answers, nil)
				if err != nil {
					return
				}
				io.Copy(io.Discard, a.Body)
				mu.Lock()
				if a.StatusCode == 200 {
					passed["pipeline"]++
				} else {
					refused["pipeline"]++
				}
				mu.Unlock()
			}
		}},
		{"keep-alive", 1, func(_ int, c *http.Client) {
			get(ctx, "keep-alive", c, "http://"+host(5, "a")+":"+v.port+"/")
		}},
		{"tunnels", 10, func(_ int, c *http.Client) {
			get(ctx, "tunnels", c, "https://"+host(6, "a")+":"+v.tlsPort+"/")
		}},
		{"spellings", 4, func(i int, c *http.Client) {
			names := []string{"127.9.0.7", "127-9-0-7.A.EXAMPLE", "127-9-0-7.a.example.",
				"[::ffff:127.9.0.7]"}
			get(ctx, "spellings", c, "http://"+names[i]+":"+v.port+"/")
		}},
		{"given up", 3, func(_ int, c *http.Client) {
			soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			get(soon, "given up", c, "http://"+host(8, "a")+":"+v.port+"/slow")
		}},
		{"endless", 1, func(_ int, c *http.Client) {
			get(ctx, "endless", c, "http://"+host(9, "a")+":"+v.port+"/endless")
		}},
		{"lies", 2, func(i int, _ *http.Client) {
			conn := dial()
			if conn == nil {
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET http://%s:%s/ HTTP/1.%d\r\nHost: other%d.example\r\nVia: 1.1 "+
				"me\r\nConnection: X-Y\r\n\r\n", host(10, "a"), v.port, i, i)
			a, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err == nil && a.StatusCode == 429 {
				mu.Lock()
				refused["lies"]++
				mu.Unlock()
			} else if err == nil {
				mu.Lock()
				passed["lies"]++
				mu.Unlock()
			}
		}},
		{"raw tunnels", 5, func(int, *http.Client) { // silent and open
			conn := dial()
			if conn == nil {
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "CONNECT %s:%s HTTP/1.1\r\n\r\n", host(11, "a"), v.tlsPort)
			a, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: "CONNECT"})
			switch {
			case err == nil && a.StatusCode == 200:
				mu.Lock()
				passed["raw tunnels"]++
				mu.Unlock()
				time.Sleep(300 * time.Millisecond)
			case err == nil:
				mu.Lock()
				refused["raw tunnels"]++
				mu.Unlock()
			}
		}},
	}
	var crawlers sync.WaitGroup
	for _, a := range attacks {
		for i := range a.most {
			crawlers.Go(func() {
				c := newClient()
				for time.Now().Before(until) {
					a.do(i, c)
				}
			})
		}
	}
	crawlers.Wait()
	p.interrupt()
	summary := decode[guardSummary](t, p.result(), true)
	time.Sleep(100 * time.Millisecond) // until the servers notice the last end

	v.mu.Lock()
	defer v.mu.Unlock()
	for i, a := range attacks {
		if i == 0 {
			continue
		}
		address := fmt.Sprintf("127.9.0.%d", i)
		seen := v.of[address]
		t.Logf("%-11s: the server saw %d requests (%d inside TLS); the client %d answers and %d "+
			"refusals", a.name, len(seen), v.inTLS[address], passed[a.name], refused[a.name])
		n := len(seen)
		// On a busy machine a client gives up before its request begins.
		if n == 0 && a.name != "given up" || n > mostRequests {
			t.Errorf("%s: %d requests, want 1 to %d", a.name, n, mostRequests)
		}
		for j, e := range seen {
			for _, b := range seen[:j] {
				first, second := b, e
				if e.begin.Before(b.begin) {
					first, second = e, b
				}
				gap := second.begin.Sub(first.end)
				if a.name == "given up" || a.name == "endless" ||
					strings.Contains(a.name, "tunnels") {
					// The server notices these ends later than the guard, and on a busy machine the
					// first request some milliseconds after the guard permits it.
					gap = second.begin.Sub(first.begin) + 20*time.Millisecond
				}
				if gap < interval {
					t.Errorf("%s: a request %v after the last", a.name, gap)
				}
			}
		}
		if refused[a.name] == 0 && a.name != "given up" && a.name != "endless" {
			t.Errorf("%s: nothing was refused", a.name)
		}
	}
	if n := v.inTLS["127.9.0.6"]; n > mostRequests*(turns-1) {
		t.Errorf("%d requests inside %d tunnels of %d turns", n, len(v.of["127.9.0.6"]), turns)
	}
	if summary.Refused < 100 || summary.ByLimit["interval"] == 0 ||
		summary.ByLimit["parallel"] == 0 || summary.ByLimit["hour"] == 0 ||
		summary.ByLimit["answer-bytes"] == 0 || summary.Stopped || len(summary.Worst) != 10 {
		t.Errorf("summary %+v", summary)
	}
	lines := 0
	for line := range strings.Lines(p.stderr.String()) {
		var of struct{ Msg, Limit, Scope, Host, Address, Allowed, Got string }
		if json.Unmarshal([]byte(line), &of) == nil && of.Msg == "refused" {
			lines++
			if of.Limit == "" || of.Scope == "" || of.Host == "" || of.Address == "" ||
				of.Allowed == "" || of.Got == "" {
				t.Fatalf("line %s", line)
			}
		}
	}
	if lines == 0 || lines > 100*(int(long/time.Second)+2) {
		t.Errorf("%d lines of refusals", lines)
	}
}

type guardSummary struct {
	Seconds                                                                       float64
	Requests, Tunnels, Bytes, Refused, Cut, Forbidden, Foreign, Failed, Addresses int64
	ByLimit                                                                       map[string]int64 `json:"by_limit"`
	Stopped                                                                       bool
	Worst                                                                         []struct {
		Address string
		Refused int64
		Stopped bool
	}
}

var guardAt = regexp.MustCompile(`the guard is at (http://\S+)`)

// guardOf waits until a guard listens, and returns its URL.
func guardOf(t *testing.T, p *program) *url.URL {
	t.Helper()
	var at *url.URL
	eventually(t, "the guard listens", func() bool {
		if found := guardAt.FindStringSubmatch(p.stderr.String()); found != nil {
			at, _ = url.Parse(found[1])
		}
		return at != nil
	})
	return at
}

// TestRunThroughGuard runs the crawler without any pause. The guard holds it to its limits; the
// crawler says so, waits, and blames no page. A crawler with the pauses of the guard is never
// refused.
func TestRunThroughGuard(t *testing.T) {
	t.Parallel() // it waits for its pauses
	const interval = 300 * time.Millisecond
	for name, delay := range map[string]time.Duration{"broken": 0, "polite": interval} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, 20, interval)
			p := start(t, t.TempDir(), nil, "guard", "--listen", "127.0.0.1:0", "--allow-network",
				"127.0.0.0/8",
				"--allow-port", c.port, "--interval", interval.String(), "--json")
			data := t.TempDir()
			r := start(t, t.TempDir(), nil,
				append([]string{"run", "--data", filepath.Join(data, "data"), "--user-agent",
					contact, "--unlimited",
					"--allow-network", "127.0.0.0/8", "--allow-port", c.port, "--delay",
					delay.String(), "--quiet", "--json", "--rounds", "1",
					"--proxy", guardOf(t, p).String()}, c.starts(map[kind]int{honest: 10})...)...)
			eventually(t, "visits to pages", func() bool { return c.of(honest) >= 60 })
			r.interrupt()
			p.interrupt()
			did := decode[struct{ Visits, Failed, Excluded int }](t, r.result(), false)
			summary := decode[guardSummary](t, p.result(), true)
			warned := strings.Contains(r.stderr.String(),
				"recrawl: warning: the guard refused: limit ")
			t.Logf("%d requests, %d refusals, %+v", summary.Requests, summary.Refused, did)
			if did.Visits < 50 || did.Failed > 0 {
				t.Errorf("run: %+v", did)
			}
			if broken := delay == 0; (summary.Refused > 0) != broken || warned != broken {
				t.Errorf("%d refusals, warned: %v\n%s", summary.Refused, warned, &r.stderr)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.early) > 0 {
				t.Errorf("%d requests too early, as %s", len(c.early), c.early[0])
			}
		})
	}
}

// TestRunWithoutProxy names a proxy without a listener: the crawler waits, and blames no page.
func TestRunWithoutProxy(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 5, 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	data := t.TempDir()
	r := start(t, t.TempDir(), nil, "run", "--data", filepath.Join(data, "data"), "--user-agent",
		contact, "--unlimited", "--allow-network", "127.0.0.0/8",
		"--allow-port", c.port, "--proxy", "http://"+l.Addr().String(),
		c.starts(map[kind]int{honest: 1})[0])
	eventually(t, "a word of the proxy", func() bool {
		return strings.Contains(r.stderr.String(),
			"waiting: connect to the proxy "+l.Addr().String())
	})
	r.interrupt()
	if n := c.asked(honest); n > 0 {
		t.Errorf("%d requests past the proxy", n)
	}
	recrawl(t, "run", "--data", filepath.Join(data, "data"), "--user-agent", contact, "--proxy",
		"http://me:secret@127.0.0.1:3128").refused(t, 2, "--proxy", "want http://HOST:PORT")
	recrawl(t, "guard", "--listen", "0.0.0.0:0").refused(t, 2, "no clients are named")
}
