package core_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
)

// gallery is a server of pages, and three others with their requisites.
type gallery struct {
	bases []string // the first one has the pages
	mu    sync.Mutex
	began [][]time.Time // requests at each server
	ended [][]time.Time
}

const galleryPages = 12

func newGallery(t *testing.T) *gallery {
	g := &gallery{bases: make([]string, 4), began: make([][]time.Time, 4),
		ended: make([][]time.Time, 4)}
	for i := range g.bases {
		l, err := net.Listen("tcp", fmt.Sprintf("127.7.0.%d:0", i+1))
		if err != nil {
			t.Skipf("this machine has no such address: %v", err)
		}
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
			r *http.Request) {
			g.mu.Lock()
			g.began[i] = append(g.began[i], time.Now())
			g.mu.Unlock()
			g.serve(w, r, i)
			g.mu.Lock()
			g.ended[i] = append(g.ended[i], time.Now())
			g.mu.Unlock()
		}))
		server.Listener.Close()
		server.Listener = l
		server.Start()
		t.Cleanup(server.Close)
		g.bases[i] = "http://" + l.Addr().String()
	}
	return g
}

func (g *gallery) serve(w http.ResponseWriter, r *http.Request, server int) {
	switch name := strings.TrimPrefix(r.URL.Path, "/"); {
	case strings.HasSuffix(name, ".png"):
		w.Header().Set("Content-Type", "image/png")
		fmt.Fprint(w, strings.Repeat("picture "+name, 300), server)
	case strings.HasSuffix(name, ".css"):
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprintf(w, "b{background:url(deep.png)}")
	case name == "robots.txt" || name == "sitemap.xml":
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "text/html")
		for i := range galleryPages {
			fmt.Fprintf(w, "<a href=/page%d>page</a>", i)
		}
		fmt.Fprint(w, "<title>", name, "</title>")
		for _, url := range g.shown(name) {
			fmt.Fprintf(w, "<img src=%s>", url)
		}
		fmt.Fprintf(w, "<link rel=stylesheet href=%s/s.css>", g.bases[1])
	}
}

// shown returns the URLs of a page's pictures, on three servers.
func (g *gallery) shown(name string) (urls []string) {
	for i, base := range g.bases[1:] {
		urls = append(urls, fmt.Sprintf("%s/%s-%d.png", base, name, i), base+"/logo.png")
	}
	return urls
}

// TestRequisitesKilled kills a run with requisites in flight. In the end the archive has all
// requisites of acknowledged pages, and no server was asked too early, also across kills.
func TestRequisitesKilled(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	const delay = 30 * time.Millisecond
	dir := t.TempDir()
	data, kept := filepath.Join(dir, "data"), filepath.Join(dir, "kept")
	args := []string{"run", "--data", data, "--archive", kept, "--user-agent", contact,
		"--allow-private", "--delay", delay.String(), "--round", "30s", "--unlimited", "--quiet",
		g.bases[0] + "/page0"}
	pictures := func() (n int) {
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, all := range g.began[1:] {
			n += len(all)
		}
		return n
	}
	for range 5 {
		before := pictures()
		p := start(t, dir, nil, args...)
		eventually(t, "requests for pictures", func() bool { return pictures() > before+3 })
		time.Sleep(rand.N(100 * time.Millisecond))
		p.kill()
		acknowledgedAreKept(t, data, kept, true)
	}
	recrawl(t, append(args, "--rounds", "1")...).ok(t)
	reader, err := archive.OpenReader(kept)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	have := map[string]int{}
	if err := reader.Each(func(c *archive.Capture) error {
		if _, err := reader.Answer(c); err != nil {
			t.Errorf("%s: %v", c.URL, err)
		}
		have[c.URL]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for page := range galleryPages {
		name := fmt.Sprintf("page%d", page)
		for _, url := range append(g.shown(name), g.bases[0]+"/"+name, g.bases[1]+"/s.css",
			g.bases[1]+"/deep.png") {
			if have[url] == 0 {
				t.Errorf("%s is not in the archive", url)
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.bases {
		for n := 1; n < len(g.began[i]); n++ {
			if n-1 < len(g.ended[i]) {
				if gap := g.began[i][n].Sub(g.ended[i][n-1]); gap < delay-3*time.Millisecond {
					t.Errorf("%s: request %d came %v after the one before", g.bases[i], n, gap)
				}
			}
		}
	}
}

// TestNoRequisites checks that --requisites=false keeps pages alone, and so does a budget of zero.
func TestNoRequisites(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	for _, off := range []string{"--requisites=false", "--requisite-budget=0/day"} {
		dir := t.TempDir()
		recrawlIn(t, dir, nil, "run", "--data", "data", "--archive", "kept",
			"--user-agent", contact, "--allow-private", "--delay", "0s", "--round", "5s",
			"--rounds", "1", "--unlimited", "--quiet", off, g.bases[0]+"/page0").ok(t)
		g.mu.Lock()
		if n := len(g.began[1]) + len(g.began[2]) + len(g.began[3]); n > 0 {
			t.Errorf("%s: %d requests", off, n)
		}
		g.mu.Unlock()
	}
	recrawl(t, "run", "--data", t.TempDir(), "--user-agent", contact, "--requisite-budget", "much",
		"http://h.example/").refused(t, 2, "requisite-budget")
}
