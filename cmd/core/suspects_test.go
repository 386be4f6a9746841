package core_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSuspects kills a run while it reads a page. The next one remembers the page, reads it in a
// separate process, and then forgets it.
func TestSuspects(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var asked atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, "<a href=held>x</a>")
		case "/held":
			fmt.Fprint(w, "<p>first")
			if asked.Add(1) == 1 {
				w.(http.Flusher).Flush()
				<-release
			}
		default:
			http.NotFound(w, r)
		}
	}))
	defer web.Close()
	defer close(release)
	dir := filepath.Join(t.TempDir(), "data")
	run := []string{"run", "--data", dir, "--user-agent", contact, "--allow-private", "--delay",
		"0", "--rounds", "1", "--round", "1m", "--unlimited"}
	first := start(t, filepath.Dir(dir), nil, append(run, web.URL+"/")...)
	eventually(t, "the page that is held", func() bool { return asked.Load() > 0 })
	time.Sleep(50 * time.Millisecond) // the visit's slot was written before the request
	first.kill()
	register, err := os.ReadFile(filepath.Join(dir, "underway"))
	if err != nil || !strings.Contains(string(register), web.URL+"/held") {
		t.Fatalf("the register says %q, %v", strings.Trim(string(register), "\x00"), err)
	}

	second := start(t, filepath.Dir(dir), nil, run...)
	r := second.result()
	if !strings.Contains(r.stderr,
		"1 page under way when a run died; when visited next, each is read in a process of its own") {
		t.Errorf("the next run says nothing of it:\n%s", r.stderr)
	}
	if asked.Load() != 2 {
		t.Errorf("the page was asked for %d times", asked.Load())
	}
	third := start(t, filepath.Dir(dir), nil, run...).result()
	if strings.Contains(third.stderr, "under way") {
		t.Errorf("the page is still suspect after it was read:\n%s\n%s", third.stderr, r.stderr)
	}
	lines, _ := filepath.Glob(filepath.Join(dir, "journal", "*.jsonl"))
	var journal strings.Builder
	for _, name := range lines {
		text, _ := os.ReadFile(name)
		journal.Write(text)
	}
	if !strings.Contains(journal.String(), `"url":"`+web.URL+`/held"`) ||
		strings.Contains(journal.String(), `"outcome":"failed"`) {
		t.Errorf("the journal:\n%s", &journal)
	}
}
