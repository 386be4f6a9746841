package core_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestSeeds checks that a run visits only what is in the scope of a list of seeds, also when it
// continues, and that archive status reports the result.
func TestSeeds(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]bool{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" || r.URL.Path == "/sitemap.xml" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		asked[r.URL.Path] = true
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/gone":
			w.WriteHeader(http.StatusInternalServerError)
		case "/moved":
			http.Redirect(w, r, "/target", http.StatusMovedPermanently)
		default:
			fmt.Fprintf(w, "<p>%s<a href=/news/a>a</a><a href=/newsletter>b</a><a href=/about>c</a>"+
				"<a href='%s/deeper'>d</a>", r.URL.Path, strings.TrimSuffix(r.URL.Path, "/"))
		}
	}))
	defer site.Close()
	dir := t.TempDir()
	written := recrawlIn(t, dir, nil, "init", "--for", "archive", "--user-agent",
		"keeper/1.0 (you@example.org)").ok(t)
	if !strings.Contains(written.stdout, "seeds.txt") {
		t.Errorf("init prints %s", written.stdout)
	}
	recrawlIn(t, dir, nil, "init", "--for", "archive").refused(t, 2, "is there already")
	recrawlIn(t, dir, nil, "init", "--for", "fun").refused(t, 2, "there is archive")
	run := func() result {
		return recrawlIn(t, dir, nil, "run", "--config", "recrawl.yaml", "--allow-private",
			"--delay", "1ms", "--unlimited", "--round", "1s", "--rounds", "2", "--quiet")
	}
	examined := func() result {
		return recrawlIn(t, dir, nil, "doctor", "--config", "recrawl.yaml")
	}
	empty := examined().exit(t, 1)
	if !strings.Contains(empty.stdout, "Not ready: 1 check failed") ||
		!strings.Contains(empty.stdout, "seeds.txt has no start page yet") ||
		!strings.Contains(empty.stdout, "enter the pages in seeds.txt") {
		t.Errorf("doctor prints of a list without pages:\n%s", empty.stdout)
	}
	run().refused(t, 2, "seeds.txt has no start page yet")
	writeFile(t, filepath.Join(dir, "seeds.txt"), strings.ReplaceAll("SITE/news/ directory\n"+
		"SITE/alone page\nSITE/one hops 2\nSITE/gone page\nSITE/moved page\n", "SITE", site.URL))
	if listed := examined().ok(t); !strings.Contains(listed.stdout, "seeds.txt has 5 start pages") {
		t.Errorf("doctor prints of a list:\n%s", listed.stdout)
	}
	wanted := map[string]bool{"/news/": true, "/news/a": true, "/news/deeper": true,
		"/alone": true, "/alone/deeper": false, "/newsletter": true, "/newsletter/deeper": true,
		"/one": true, "/one/deeper": true, "/one/deeper/deeper": true, "/moved": true,
		"/target": true, "/target/deeper": false, "/one/deeper/deeper/deeper": false,
		"/newsletter/deeper/deeper": false}
	isDone := func() bool {
		mu.Lock()
		defer mu.Unlock()
		for path, want := range wanted {
			if want && !asked[path] {
				return false
			}
		}
		return asked["/gone"]
	}
	for again := 0; again < 2 || again < 10 && !isDone(); again++ { // rounds may be too short
		if r := run(); r.code != 0 && r.code != 3 {
			t.Fatalf("exit code %d: %s", r.code, r.stderr)
		}
	}
	for path, want := range wanted {
		if mu.Lock(); asked[path] != want {
			t.Errorf("%s was asked for: %v", path, asked[path])
		}
		mu.Unlock()
	}
	status := recrawlIn(t, dir, nil, "archive", "status", "--archive", "warc", "--data",
		"keep").ok(t)
	for _, want := range []string{"pages kept, in", "Nothing is kept of 1 page, because",
		site.URL + "/gone", "status 500 Internal Server Error", "1 day", "text/html"} {
		if !strings.Contains(status.stdout, want) {
			t.Errorf("archive status has no %q:\n%s", want, status.stdout)
		}
	}
	writeFile(t, filepath.Join(dir, "seeds.txt"), site.URL+"/ site\n")
	run().refused(t, 2, `line 1: scope "site": want page, directory, server or hops N`)
}
