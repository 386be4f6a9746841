package push

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const good = "0123456789abcdef"

// owners returns a Get that finds key files at some URLs, with the right key.
func owners(asked *atomic.Int64, files ...string) Get {
	return func(_ context.Context, address string, _ int64) ([]byte, error) {
		asked.Add(1)
		if slices.Contains(files, address) {
			return []byte(good + "\n"), nil
		}
		return nil, errors.New("the server answered with status 404")
	}
}

func post(b *Inbox, path, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.RemoteAddr = "127.0.0.1:5000"
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func all(string) bool { return true }

func TestHint(t *testing.T) {
	b := New(t.Context(), nil)
	if w := post(b, "/hint",
		`{"urls": ["HTTP://Example.com:80/a", "https://example.com/b#c"]}`); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	hints, owned := b.Take(all)
	if !slices.Equal(hints, []string{"http://example.com/a", "https://example.com/b"}) ||
		owned != nil || b.waiting != 0 {
		t.Errorf("%v, %v, %d wait", hints, owned, b.waiting)
	}
	for _, c := range []struct {
		name, body string
		change     func(*http.Request)
		code       int
	}{
		{"another machine", `{"urls": ["http://a.example/"]}`, func(r *http.Request) {
			r.RemoteAddr = "192.0.2.1:5000"
		}, 403},
		{"another machine behind a proxy", `{"urls": ["http://a.example/"]}`,
			func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") }, 403},
		{"a page in a browser", `{"urls": ["http://a.example/"]}`, func(r *http.Request) {
			r.Header.Set("Content-Type", "text/plain")
		}, 415},
		{"no address", `{}`, nil, 400},
		{"no JSON", `{"urls": [`, nil, 400},
		{"no web address", `{"urls": ["ftp://a.example/"]}`, nil, 422},
		{"a blank inside", `{"urls": ["http://a.example/a b"]}`, nil, 422},
		{"two columns", `{"urls": ["http://a.example/a\tb"]}`, nil, 422},
		{"a long body", `{"urls": ["http://a.example/` + strings.Repeat("a", mostBody) + `"]}`, nil,
			413},
		{"GET", "", func(r *http.Request) { r.Method = http.MethodGet }, 405},
	} {
		if c.change == nil {
			c.change = func(*http.Request) {}
		}
		if w := post(b, "/hint", c.body, c.change); w.Code != c.code || w.Body.Len() == 0 {
			t.Errorf("%s: %d %s, want %d", c.name, w.Code, w.Body, c.code)
		}
	}
	if hints, _ := b.Take(all); hints != nil {
		t.Errorf("%v was taken", hints)
	}
}

// TestIndexNow checks that reports of an owner count once the server has shown the key, and then at
// once for a day.
func TestIndexNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		b := New(t.Context(),
			owners(&asked, "https://a.example/"+good+".txt", "https://a.example/blog/k.txt"))
		defer b.Close()
		said := `{"host": "a.example", "key": "` + good +
			`", "urlList": ["https://a.example/1", "https://a.example/2"]}`
		if w := post(b, "/indexnow", said); w.Code != 202 {
			t.Fatal(w.Code, w.Body)
		}
		take := func() []string {
			_, first := b.Take(all)
			synctest.Wait()
			_, second := b.Take(all)
			return append(first, second...)
		}
		if got := take(); !slices.Equal(got,
			[]string{"https://a.example/1", "https://a.example/2"}) {
			t.Fatalf("taken %v", got)
		}
		w := httptest.NewRecorder()
		b.ServeHTTP(w, httptest.NewRequest(http.MethodGet,
			"/indexnow?url=https%3A%2F%2Fa.example%2F3&key="+good, nil))
		if got := take(); w.Code != 200 || len(got) != 1 || asked.Load() != 1 {
			t.Errorf("%d: %v after %d proofs", w.Code, got, asked.Load())
		}
		folder := `{"key": "` + good +
			`", "keyLocation": "https://a.example/blog/k.txt", "urlList": ["https://a.example/%s"]}`
		if w := post(b, "/indexnow", fmt.Sprintf(folder, "blog/x")); w.Code != 202 ||
			len(take()) != 1 {
			t.Error(w.Code, w.Body)
		}
		if w := post(b, "/indexnow", fmt.Sprintf(folder, "shop/x")); w.Code != 422 {
			t.Error(w.Code, w.Body)
		}
		time.Sleep(25 * time.Hour)
		before := asked.Load()
		if w := post(b, "/indexnow", said); w.Code != 202 || len(take()) != 2 ||
			asked.Load() != before+1 {
			t.Errorf("%d after a day: %d proofs", w.Code, asked.Load()-before)
		}
	})
}

// TestWrongKeys checks that wrong keys for a server cost it few requests, one at a time, and
// exclude neither a proved key nor other servers.
func TestWrongKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under, most := map[string]int{}, 0
		asked := map[string]int{}
		var mu sync.Mutex
		b := New(t.Context(), func(_ context.Context, address string, _ int64) ([]byte, error) {
			host := strings.Split(address, "/")[2]
			mu.Lock()
			asked[host]++
			under[host]++
			most = max(most, under[host])
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			under[host]--
			mu.Unlock()
			return []byte(good), nil
		})
		defer b.Close()
		say := func(host, key string) int {
			return post(b, "/indexnow", `{"key": "`+key+`", "urlList": ["https://`+host+`/"]}`).Code
		}
		taken := 0
		pass := func() {
			for range 100 {
				_, owned := b.Take(all)
				taken += len(owned)
				time.Sleep(time.Second)
			}
		}
		if say("a.example", good) != 202 {
			t.Fatal("the right key is refused")
		}
		pass()
		codes := map[int]int{}
		for i := range 200 {
			codes[say("a.example", fmt.Sprintf("bogus%06d", i))]++
		}
		if codes[202] != proofsEach-1 || codes[429] != 200-codes[202] {
			t.Errorf("answers %v", codes)
		}
		if c := say("a.example", good); c != 200 {
			t.Errorf("the key that was shown: %d", c)
		}
		if c := say("b.example", good); c != 202 {
			t.Errorf("another server: %d", c)
		}
		pass()
		if asked["a.example"] != proofsEach || asked["b.example"] != 1 || most != 1 || taken != 3 {
			t.Errorf("asked %v, %d at a time, %d taken", asked, most, taken)
		}
		if c := say("a.example", "bogus000000"); c != 403 {
			t.Errorf("a key that is known to be wrong: %d", c)
		}
		time.Sleep(25 * time.Hour)
		for i := range 200 {
			say("a.example", fmt.Sprintf("wrong%06d", i))
		}
		if c := say("a.example", good); c != 202 {
			t.Errorf("the key that was shown the day before: %d", c)
		}
		pass()
		if asked["a.example"] != 2*proofsEach+1 || taken != 4 {
			t.Errorf("the day after: asked %v, %d taken", asked, taken)
		}
		for i := range mostServers + 10 {
			say(fmt.Sprintf("h%d.example", i), good)
		}
		if len(b.servers) > mostServers || len(b.keys) > mostKeys {
			t.Errorf("%d servers, %d keys", len(b.servers), len(b.keys))
		}
		b.Take(func(string) bool { return false })
		if len(b.servers) > 2 || b.waiting != 0 {
			t.Errorf("%d servers are remembered, %d addresses wait", len(b.servers), b.waiting)
		}
	})
}

// TestStrangers checks that strangers cause no visits, no requests to unknown servers and no
// repeated ones, and that memory is bounded.
func TestStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		b := New(t.Context(), owners(&asked))
		defer b.Close()
		one := func(host string) string {
			return `{"key": "` + good + `", "urlList": ["https://` + host + `/"]}`
		}
		for range 50 {
			post(b, "/indexnow", one("victim.example"))
			post(b, "/indexnow", one("unknown.example"))
			hints, owned := b.Take(func(server string) bool { return server == "victim.example" })
			if synctest.Wait(); len(hints)+len(owned) > 0 {
				t.Fatalf("taken: %v", owned)
			}
		}
		if asked.Load() != 1 || b.waiting != 0 || len(b.keys) != 1 {
			t.Errorf("%d requests, %d addresses wait, %d keys",
				asked.Load(), b.waiting, len(b.keys))
		}
		for _, body := range []string{
			`{"key": "short", "urlList": ["https://a.example/"]}`,
			`{"host": "b.example", "key": "` + good + `", "urlList": ["https://a.example/"]}`,
			`{"key": "` + good + `", "urlList": ["https://a.example/", "https://b.example/"]}`,
			`{"key": "` + good +
				`", "keyLocation": "https://b.example/k.txt", "urlList": ["https://a.example/"]}`,
			`{"key": "` + good + `", "urlList": []}`,
		} {
			if w := post(b, "/indexnow", body); w.Code < 400 || w.Code > 422 {
				t.Errorf("%s: %d", body, w.Code)
			}
		}
		long := `{"urls": ["http://a.example/"` + strings.Repeat(`, "http://a.example/"`,
			mostURLs-1) + `]}`
		for range mostWaiting / mostURLs {
			if w := post(b, "/hint", long); w.Code != 200 {
				t.Fatal(w.Code, w.Body)
			}
		}
		if w := post(b, "/hint", long); w.Code != 429 || w.Header().Get("Retry-After") == "" {
			t.Errorf("%d where too many wait", w.Code)
		}
		if hints, _ := b.Take(all); len(hints) != mostWaiting || b.waiting != 0 {
			t.Errorf("%d hints", len(hints))
		}
	})
}

func TestSend(t *testing.T) {
	b := New(t.Context(), nil)
	s, err := Listen("127.0.0.1:0", b, []string{"Crawl.example"}, "hubs.example:8443")
	if err != nil {
		t.Fatal(err)
	}
	if err := Send(t.Context(), s.Address(), []string{"http://a.example/"}); err != nil {
		t.Fatal(err)
	}
	if hints, _ := b.Take(all); len(hints) != 1 {
		t.Errorf("hints %v", hints)
	}
	if err := Send(t.Context(), s.Address(), []string{"mailto:a"}); err == nil ||
		!strings.Contains(err.Error(), "address 1") {
		t.Error(err)
	}
	for _, c := range []struct {
		path, host, origin string
		want               int
	}{
		{"/hint", s.Address(), "", 200},
		{"/hint", "localhost", "", 200},
		{"/hint", "crawl.example:8090", "", 200},
		{"/hint", "evil.example:8090", "http://evil.example:8090", 421},
		{"/hint", "evil.example", "", 421},
		{"/hint", "hubs.example", "", 421}, // from a stranger, through a proxy on this machine
		{"/hint", s.Address(), "http://evil.example", 403},
		{"/indexnow", "hubs.example", "", 400},
		{"/indexnow", "crawl.example", "", 400},
		{"/indexnow", "evil.example", "", 421},
		{"/websub/x", "evil.example", "", 421},
		{"/websub/x", "hubs.example:443", "", 404},
	} {
		body := strings.NewReader(`{"urls": ["http://a.example/"], "key": "` + good + `"}`)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			"http://"+s.Address()+c.path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != c.want {
			t.Errorf("%+v: %s", c, answer.Status)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := Send(t.Context(), s.Address(), []string{"http://a.example/"}); err == nil {
		t.Error("it still listens")
	}
}

// FuzzInbox checks that returned URLs are canonical, that those of owners are on known servers, and
// that hints of strangers are refused.
func FuzzInbox(f *testing.F) {
	f.Add("POST", "/hint", "", "application/json", `{"urls": ["http://a.example/", "x"]}`, true)
	f.Add("POST", "/indexnow", "", "application/json", `{"host": "A.example:80", "key": "`+good+
		`", "keyLocation": "http://a.example/b/k.txt", "urlList": ["http://a.example/b/c"]}`, false)
	f.Add("GET", "/indexnow", "url=http%3A%2F%2Fa.example%2F&key="+good, "", "", false)
	f.Fuzz(func(t *testing.T, method, path, query, kind, body string, near bool) {
		b := New(t.Context(), func(context.Context, string, int64) ([]byte, error) {
			return []byte(good), nil
		})
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Method, r.URL.Path, r.URL.RawQuery, r.Header = method, path, query,
			http.Header{"Content-Type": {kind}}
		if near {
			r.RemoteAddr = "127.0.0.1:5000"
		}
		b.ServeHTTP(httptest.NewRecorder(), r)
		hints, owned := b.Take(func(server string) bool { return server == "a.example" })
		b.Close()
		_, later := b.Take(all)
		if len(hints) > 0 && !near || b.waiting != 0 {
			t.Fatalf("hints %q of a stranger; %d wait", hints, b.waiting)
		}
		for _, url := range slices.Concat(hints, owned, later) {
			if again, err := sitegraph.Canonical(url); err != nil || again != url {
				t.Fatalf("%q is not canonical", url)
			}
		}
		for _, url := range slices.Concat(owned, later) {
			if sitegraph.ServerName(url) != "a.example" {
				t.Fatalf("%q is of a server that nobody knows", url)
			}
		}
	})
}
