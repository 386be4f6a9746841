package core_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/satstore/journal"
)

// TestSoftMissing checks that a server which answers 200 for everything gets one request for a URL
// that cannot exist. Then its missing pages count as gone, and the others do not.
func TestSoftMissing(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"/": true, "/robots.txt": true, "/sitemap.xml": true}
	for i := range 8 {
		known[fmt.Sprintf("/a/%d.html", i)] = true
		known[fmt.Sprintf("/a/lost-%d.html", i)] = true
	}
	server := serveAt(t, "127.4.3.1", func(rw http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/robots.txt" || path == "/sitemap.xml":
			rw.WriteHeader(404)
			return
		case path == "/":
			rw.Header().Set("Content-Type", "text/html")
			for i := range 8 {
				fmt.Fprintf(rw, "<a href=/a/%d.html>x</a><a href=/a/lost-%d.html>x</a>", i, i)
			}
		case known[path] && !strings.Contains(path, "lost"):
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, "<title>Article %s</title><h1>Article</h1><p>On the number %s and on "+
				"what it means to us.", path, path)
		default:
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, "<title>Page not found</title><h1>Sorry</h1><p>There is no page %s "+
				"here. Try the search, or begin at the home page.", path)
		}
	})
	dir := t.TempDir()
	recrawlIn(t, dir, nil, "run", "--data", "data", "--user-agent", contact, "--allow-private",
		"--delay", "0s",
		"--unlimited", "--round", "2s", "--rounds", "2", "http://"+server.at+"/").ok(t)
	probes := 0
	for _, r := range server.requests() {
		if !known[r.URL.Path] {
			probes++
		}
	}
	outcomes := map[string]string{}
	if _, err := journal.Read(filepath.Join(dir, "data", "journal"), nil, func(e *journal.Entry) {
		outcomes[strings.TrimPrefix(e.URL, "http://"+server.at)] = e.Outcome + " " + e.Detail
	}); err != nil {
		t.Fatal(err)
	}
	lost, there := 0, 0
	for path, outcome := range outcomes {
		switch isLost := strings.Contains(path, "lost"); {
		case isLost && strings.HasPrefix(outcome, "gone soft 404"):
			lost++
		case strings.HasPrefix(outcome, "gone") && known[path] && path != "/sitemap.xml":
			t.Errorf("%s: %s", path, outcome)
		case !isLost:
			there++
		}
	}
	if probes != 1 || lost < 6 || there < 9 {
		t.Errorf("%d probes, %d lost pages found, %d there: %v", probes, lost, there, outcomes)
	}
}
