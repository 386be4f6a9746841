package core_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore/journal"
)

// visitsOf returns the visits to a URL in a journal, oldest first.
func visitsOf(t *testing.T, dir, url string) (of []journal.Entry) {
	t.Helper()
	for _, e := range readJournal(t, dir) {
		if e.URL == url {
			of = append(of, e)
		}
	}
	return of
}

// TestAttacksOnLaterVisits has the cases of the table that need several visits. H10: pages that
// change at each request. M04: a server that answers "not modified" for ever though its page
// changes. X04: a sitemap with future dates that change at each request. TestLiarGainsNothing of
// planner/crawl runs X04 over months. M01, hosts that are asked once, is TestManyHostsAskedOnce of
// fetch.
func TestAttacksOnLaterVisits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	t.Parallel() // it mostly waits
	const text = "<p>The text of this page stays as it is, whatever stands beside it in its source."
	const listed = 3
	var sitemaps atomic.Int32
	l := newAttackLab(t, []attack{
		{id: "H10", serve: everyNew(func(id string) string {
			return "<head><meta name=csrf content=" + id + "><script nonce=" + id + ">let t='" +
				id + "'</script><style>.c" + id + "{}</style></head><main class=c" + id +
				">" + text + "<!-- " + id + " --><form><input type=hidden name=token value=" + id +
				"></form></main><footer>made in 0." + id + " s</footer>"
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
				w.answer(200, "Content-Type: text/html\r\nETag: \"for-ever\"\r\n",
					[]byte(text+fmt.Sprint(" Edition ", n)))
			}
		}},
		{id: "X04", serve: func(w *wire, path string) {
			if path != "/sitemap.xml" {
				everyPage(text)(w, path)
				return
			}
			sitemaps.Add(1)
			var b strings.Builder
			b.WriteString("<urlset>")
			for i := range listed {
				ahead := time.Now().Add([listed]time.Duration{time.Minute, 20 * time.Hour,
					1e6 * time.Hour}[i])
				fmt.Fprintf(
					&b, "<url><loc>/%d</loc><lastmod>%s</lastmod><changefreq>always</changefreq><priority>1.0</priority></url>", i, ahead.Format(time.RFC3339Nano))
			}
			w.answer(200, "Content-Type: application/xml\r\n", []byte(b.String()+"</urlset>"))
		}},
	})
	dir := filepath.Join(t.TempDir(), "data")
	p := l.crawl(t, dir, "--round", "1s")
	const most = 20 // visits until a change must be found: one in 16 is unconditional
	eventually(t, "enough visits", func() bool {
		time.Sleep(500 * time.Millisecond) // each read is of the whole journal
		for i := range listed {
			if len(visitsOf(t, dir, l.start(2)+fmt.Sprint(i))) < 2 {
				return false
			}
		}
		return len(visitsOf(t, dir, l.start(0))) >= most/2 &&
			len(visitsOf(t, dir, l.start(1))) >= most
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
	if all := strings.Join(verdicts, " "); !strings.Contains(all, "unchanged unchanged") ||
		!strings.Contains(all, " changed") {
		t.Errorf("M04: %s", all)
	}
	// It names only these. On a busy machine they get at most twice the visits of the unnamed page.
	for i := range listed {
		visits, others := visitsOf(t, dir, l.start(2)+fmt.Sprint(i)), visitsOf(t, dir, l.start(2))
		if visits[0].Verdict != "first" || visits[1].Verdict != "unchanged" ||
			len(visits) > 2*len(others)+2 {
			t.Errorf("X04: page %d: %d visits, %q, %q; %d to the start page",
				i, len(visits), visits[0].Verdict, visits[1].Verdict, len(others))
		}
	}
	if n := sitemaps.Load(); n != 1 { // not within 10 minutes
		t.Errorf("X04: the sitemap was read %d times", n)
	}
}
