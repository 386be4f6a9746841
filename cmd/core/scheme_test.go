package core_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSchemeWithoutAnswer crawls a server under http whose pages link to https, where nobody
// answers. Requests under both schemes keep the interval, because they go to one server.
func TestSchemeWithoutAnswer(t *testing.T) {
	t.Parallel() // it waits for its pauses
	const delay = 50 * time.Millisecond
	var mu sync.Mutex
	pages, last := 0, time.Time{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if gap := time.Since(last); gap < delay {
			t.Errorf("%s after %v", r.URL, gap)
		}
		defer func() { last = time.Now() }()
		if r.URL.Path == "/robots.txt" || r.URL.Path == "/sitemap.xml" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		pages++
		w.Header().Set("Content-Type", text)
		fmt.Fprintf(w, "<p>%s", r.URL)
		if r.URL.Path == "/" {
			for i := range 100 {
				fmt.Fprintf(w, "<a href='https://%s/s%d'>x</a><a href='/p%d'>x</a>", r.Host, i, i)
			}
		}
	}))
	defer web.Close()
	u, err := url.Parse(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, t.TempDir(), nil, "run", "--data", filepath.Join(t.TempDir(), "data"),
		"--user-agent", contact, "--unlimited",
		"--allow-network", "127.0.0.0/8", "--allow-port", u.Port(), "--delay", delay.String(),
		"--quiet", web.URL+"/")
	count := func() int { mu.Lock(); defer mu.Unlock(); return pages }
	for end := time.Now().Add(time.Minute); count() <= 100 && time.Now().Before(end); {
		time.Sleep(delay)
	}
	p.interrupt()
	if got := count(); got <= 100 {
		t.Errorf("%d of 101 pages under http in a minute\n%s",
			got, strings.TrimSpace(p.stdout.String()))
	}
}
