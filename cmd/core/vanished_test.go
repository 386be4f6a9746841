package core_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestVanishedDirectory checks that missing pages of a directory are requested five times in all.
// Then neither this run nor the next requests any there, and both say so. Other directories are
// crawled.
func TestVanishedDirectory(t *testing.T) {
	t.Parallel()
	server := serveAt(t, "127.4.1.1", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && !strings.HasPrefix(r.URL.Path, "/new/") {
			rw.WriteHeader(404)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		for i := range 30 {
			fmt.Fprintf(rw, "<a href=/old/%d>x</a><a href=/new/%d>x</a>", i, i)
		}
	})
	dir := t.TempDir()
	args := []string{"run", "--data", "data", "--user-agent", contact, "--allow-private", "--delay",
		"0s", "--unlimited", "--round", "2s", "--rounds", "2", "http://" + server.at + "/"}
	for range 2 {
		r := recrawlIn(t, dir, nil, args...)
		if r.code != 0 || !strings.Contains(r.stdout, "http://"+server.at+"/old/") {
			t.Errorf("exit code %d: %s %s", r.code, r.stdout, r.stderr)
		}
	}
	old, others := 0, map[string]bool{}
	for _, r := range server.requests() {
		if strings.HasPrefix(r.URL.Path, "/old/") {
			old++
		} else {
			others[r.URL.Path] = true
		}
	}
	if old != 5 || len(others) < 31 {
		t.Errorf("%d requests for pages of /old/, want 5; %d others", old, len(others))
	}
}
