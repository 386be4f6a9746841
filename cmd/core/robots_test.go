package core_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestRobotsOutlivesKills checks that a crawl which is repeatedly killed within the Crawl-delay of
// a server still visits its page: robots.txt and the time of its request survive the process.
func TestRobotsOutlivesKills(t *testing.T) {
	t.Parallel()
	const delay = 6 * time.Second
	var mu sync.Mutex
	var robots, pages []time.Time
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/robots.txt" {
			robots = append(robots, time.Now())
			fmt.Fprintf(w, "User-agent: *\nCrawl-delay: %v\n", delay.Seconds())
			return
		}
		pages = append(pages, time.Now())
		w.Header().Set("Content-Type", "text/html")
	}))
	defer web.Close()
	count := func(of *[]time.Time) int {
		mu.Lock()
		defer mu.Unlock()
		return len(*of)
	}
	args := []string{"run", "--data", filepath.Join(t.TempDir(), "data"), "--user-agent", contact,
		"--allow-private", "--delay", "100ms", "--unlimited", web.URL + "/"}
	for i := 0; i < 4 && count(&pages) == 0; i++ {
		p := start(t, t.TempDir(), nil, args...)
		if i == 0 {
			eventually(t, "robots.txt", func() bool { return count(&robots) > 0 })
		}
		for end := time.Now().Add(3500 * time.Millisecond); time.Now().Before(end) &&
			count(&pages) == 0; {
			time.Sleep(10 * time.Millisecond)
		}
		p.kill()
	}
	switch {
	case count(&robots) != 1:
		t.Errorf("robots.txt was asked for %d times, want once", count(&robots))
	case count(&pages) == 0:
		t.Error("no page was asked for")
	case pages[0].Sub(robots[0]) < delay:
		t.Errorf("a page was asked for %v after robots.txt, whose delay is %v",
			pages[0].Sub(robots[0]), delay)
	}
}
