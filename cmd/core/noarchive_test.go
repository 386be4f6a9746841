package core_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/satstore/journal"
)

// TestNoArchive checks that a page with noarchive is visited, that its digest is in the journal,
// and that its body is in no archive.
func TestNoArchive(t *testing.T) {
	t.Parallel()
	server := serveAt(t, "127.4.2.1", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(rw, `<p>kept<a href=/header>1</a><a href=/meta>2</a>`)
		case "/header":
			rw.Header().Set("X-Robots-Tag", "noarchive")
			fmt.Fprint(rw, "<p>withdrawn")
		case "/meta":
			fmt.Fprint(rw, `<meta name=robots content="noarchive"><p>withdrawn`)
		default:
			rw.WriteHeader(404)
		}
	})
	dir := t.TempDir()
	recrawlIn(t, dir, nil, "run", "--data", "data", "--archive", "kept", "--user-agent", contact,
		"--allow-private", "--delay", "0s",
		"--unlimited", "--round", "2s", "--rounds", "2", "http://"+server.at+"/").ok(t)
	if shown := showArchive(t, dir); strings.Contains(shown, "withdrawn") ||
		!strings.Contains(shown, "<p>kept") {
		t.Errorf("the archive: %s", shown)
	}
	said := map[string]bool{}
	if _, err := journal.Read(filepath.Join(dir, "data", "journal"), nil, func(e *journal.Entry) {
		if e.Status == 200 {
			said[strings.TrimPrefix(e.URL, "http://"+server.at)] = e.NoArchive
			if e.Digest == "" {
				t.Errorf("%s: no digest", e.URL)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if len(said) != 3 || said["/"] || !said["/header"] || !said["/meta"] {
		t.Errorf("the journal: %v", said)
	}
}
