package main_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore/journal"
)

// visitsOf are those of a journal to an address, the oldest first.
func visitsOf(t *testing.T, dir, url string) (of []journal.Entry) {
	t.Helper()
	for _, e := range readJournal(t, dir) {
		if e.URL == url {
			of = append(of, e)
		}
	}
	return of
}

// TestAttacksOnLaterVisits are the cases of the table that one visit does not show: H10, pages that
// change at each request, and M04, a server that says "not modified" for ever though its page changes.
func TestAttacksOnLaterVisits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	t.Parallel() // it waits more than it works
	const text = "<p>The text of this page stays as it is, whatever stands beside it in its source."
	l := newAttackLab(t, []attack{
		{id: "H10", serve: everyNew(func(id string) string {
			return "<head><meta name=csrf content=" + id + "><script nonce=" + id + ">let t='" + id + "'</script><style>.c" + id + "{}</style></head><main class=c" + id +
				">" + text + "<!-- " + id + " --><form><input type=hidden name=token value=" + id + "></form></main><footer>made in 0." + id + " s</footer>"
		})},
		{id: "M04", serve: func(w *wire, path string) {
			w.lab.mu.Lock()
			n := w.lab.asked[1]
			w.lab.mu.Unlock()
			if path != "/" {
				w.answer(404, "", nil)
			} else if w.asked.Header.Get("If-None-Match") != "" {
				w.answer(304, "", nil)
			} else {
				w.answer(200, "Content-Type: text/html\r\nETag: \"for-ever\"\r\n", []byte(text+fmt.Sprint(" Edition ", n)))
			}
		}},
	})
	dir := filepath.Join(t.TempDir(), "data")
	p := l.crawl(t, dir, "--round", "1s")
	const most = 20 // visits until a change must be found: one in 16 is without condition
	eventually(t, "enough visits", func() bool {
		time.Sleep(500 * time.Millisecond) // it reads the whole journal
		return len(visitsOf(t, dir, l.start(0))) >= most/2 && len(visitsOf(t, dir, l.start(1))) >= most
	})
	p.interrupt()
	for i, e := range visitsOf(t, dir, l.start(0)) {
		if want := map[bool]string{true: "first", false: "unchanged"}[i == 0]; e.Verdict != want {
			t.Fatalf("H10: visit %d, of %d octets: %q, want %q", i+1, e.Bytes, e.Verdict, want)
		}
	}
	var verdicts []string
	for _, e := range visitsOf(t, dir, l.start(1))[:most] {
		verdicts = append(verdicts, e.Verdict)
	}
	if all := strings.Join(verdicts, " "); !strings.Contains(all, "unchanged unchanged") || !strings.Contains(all, " changed") {
		t.Errorf("M04: %s", all)
	}
}
