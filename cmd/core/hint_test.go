package core_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestHints checks that a page is visited within two seconds after the operator, or an owner with
// the key, reports a change. This holds soon after a visit, for an unknown page, and in an idle
// crawl. Without a key nothing happens.
func TestHints(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdef"
	var mu sync.Mutex
	asked := map[string][]time.Time{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path] = append(asked[r.URL.Path], time.Now())
		mu.Unlock()
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<a href="/a">a</a> <a href="/b">b</a>`)
		case "/a", "/b", "/hidden":
			fmt.Fprint(w, "a page")
		case "/" + key + ".txt":
			fmt.Fprint(w, key)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	visits := func(path string) int {
		mu.Lock()
		defer mu.Unlock()
		return len(asked[path])
	}
	at := freeAddress(t)
	p := start(t, t.TempDir(), nil, "run", "--data", filepath.Join(t.TempDir(), "data"),
		"--user-agent", contact, "--allow-private",
		"--delay", "20ms", "--round", "24h", "--budget", "500", "--push", at, site.URL+"/")
	eventually(t, "a first visit to each page", func() bool {
		return visits("/a") > 0 && visits("/b") > 0
	})
	time.Sleep(time.Second) // a copy must be older than a visit
	soon := func(path string, times int) {
		t.Helper()
		eventually(t, "a visit to "+path, func() bool { return visits(path) >= times })
	}
	before := visits("/a")
	recrawl(t, "hint", "--push", at, site.URL+"/a", site.URL+"/hidden").ok(t)
	soon("/a", before+1)
	soon("/hidden", 1)

	say := func(key, path string) int {
		answer, err := http.Post("http://"+at+"/indexnow", "application/json",
			strings.NewReader(fmt.Sprintf(`{"key": %q, "urlList": [%q]}`, key, site.URL+path)))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		return answer.StatusCode
	}
	before = visits("/b")
	if code := say("another-key", "/b"); code != 202 {
		t.Errorf("an unknown key: %d", code)
	}
	eventually(t, "a look for the key", func() bool { return visits("/another-key.txt") == 1 })
	time.Sleep(1500 * time.Millisecond)
	if visits("/b") != before {
		t.Error("a page was visited though nobody showed the key")
	}
	if code := say(key, "/b"); code != 202 {
		t.Errorf("the owner's key: %d", code)
	}
	soon("/b", before+1)
	if code := say(key, "/a"); code != 200 {
		t.Errorf("a key that is known: %d", code)
	}
	p.interrupt()
	p.result()
	recrawl(t, "hint", "--push", at, site.URL+"/a").refused(t, 1, "--push")
	recrawl(t, "hint", site.URL+"/a").refused(t, 2, "--push")
}
