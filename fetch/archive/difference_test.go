package archive

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
)

// TextOf is inside.DifferenceText; that package imports this one.
var TextOf func(*Difference, io.Writer) error

var differenceTime = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

const differenceURL = "http://h.example/"

// readerOf returns an archive with a capture of the page each minute; "" is one not modified.
func readerOf(t *testing.T, pages ...string) *Reader {
	t.Helper()
	dir := t.TempDir()
	a, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, page := range pages {
		at := differenceTime.Add(time.Duration(i) * time.Minute)
		x := fetch.Exchange{URL: differenceURL, Address: netip.MustParseAddr("127.0.0.1"),
			Began: at,
			Ended: at, Status: 200, Request: []byte("GET / HTTP/1.1\r\n\r\n"),
			Response: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: "+
				"text/html\r\nContent-Length: %d\r\n\r\n%s", len(page), page)}
		if page == "" {
			x.Status, x.Response = 304, []byte("HTTP/1.1 304 Not Modified\r\n\r\n")
		}
		if err := a.Put(&Visit{URL: differenceURL, Time: at}, []fetch.Exchange{x}); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestCompare(t *testing.T) {
	r := readerOf(t, "<nav>menu one</nav><main>The quick <b>brown</b> fox</main>",
		"<nav>menu two</nav><main>The quick red fox jumps</main>")
	for kind, want := range map[string]string{
		"text": `The text differs: 3 words removed, 4 added, 3 kept.
--- 2026-01-31 12:00:00 UTC  status 200, 6 words
+++ 2026-01-31 12:01:00 UTC  status 200, 7 words
 menu
-one
+two
 The quick
-brown fox
+red fox jumps
`,
		"main": `The main text differs: 2 words removed, 3 added, 2 kept.
--- 2026-01-31 12:00:00 UTC  status 200, 4 words
+++ 2026-01-31 12:01:00 UTC  status 200, 5 words
 The quick
-brown fox
+red fox jumps
`,
		"source": `The source differs: 1 line removed, 1 added, 0 kept.
--- 2026-01-31 12:00:00 UTC  status 200, 1 line
+++ 2026-01-31 12:01:00 UTC  status 200, 1 line
-<nav>menu one</nav><main>The quick <b>brown</b> fox</main>
+<nav>menu two</nav><main>The quick red fox jumps</main>
`} {
		older, newer, err := CapturesAt(r, differenceURL, nil, differenceTime.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		result, err := compare(t.Context(), r, older, newer, kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := TextOf(result, &b); err != nil || b.String() != want {
			t.Errorf("%s: %s\nwant %s", kind, b.String(), want)
		}
	}
}

// TestCaptures checks which captures are compared for no, one or two moments.
func TestCaptures(t *testing.T) {
	r := readerOf(t, "one", "two", "two", "", "three", "")
	minute := func(c *Capture) int { return int(c.Time.Sub(differenceTime) / time.Minute) }
	at := func(minutes ...int) (moments []time.Time) {
		for _, m := range minutes {
			moments = append(moments, differenceTime.Add(time.Duration(m)*time.Minute))
		}
		return moments
	}
	for _, test := range []struct {
		moments      []time.Time
		older, newer int
	}{{nil, 1, 5}, {at(0), 0, 5}, {at(0, 3), 0, 3}, {at(-100, 100), 0, 5}, {at(4, 0), 4, 0}} {
		older, newer, err := CapturesAt(r, differenceURL, test.moments,
			differenceTime.Add(time.Hour))
		if err != nil || minute(older) != test.older || minute(newer) != test.newer {
			t.Errorf("%v: %v and %v, %v; want %d and %d",
				test.moments, older, newer, err, test.older, test.newer)
		}
	}
	if _, _, err := CapturesAt(r, "http://none.example/", nil, differenceTime); !errors.Is(err,
		ErrNoPage) {
		t.Errorf("of nothing: %v", err)
	}
}

// TestPieces checks that pieces add up to the texts, also for more words than letters of one kind,
// and that no control character reaches the terminal.
func TestPieces(t *testing.T) {
	var older, newer []string
	for i := range 70_000 {
		word := fmt.Sprintf("w%d ", i)
		if i%1000 != 500 {
			older = append(older, word)
		}
		if i%1000 != 700 {
			newer = append(newer, word)
		}
	}
	r := &Difference{Kind: "text"}
	r.compare(older, newer, longest)
	sides := map[string]string{}
	for _, p := range r.Pieces {
		for side, not := range map[string]string{"old": "added", "new": "removed"} {
			if p.Of != not {
				sides[side] += p.Text
			}
		}
	}
	if sides["old"] != strings.Join(older, "") || sides["new"] != strings.Join(newer, "") {
		t.Errorf("%d and %d octets were put together", len(sides["old"]), len(sides["new"]))
	}
	if r.Removed != 70 || r.Added != 70 {
		t.Errorf("%d removed, %d added", r.Removed, r.Added)
	}
	var b strings.Builder
	TextOf((&Difference{Kind: "text", Pieces: []DifferencePiece{{"added", "a\x1b[31m\u202eb"}}}),
		&b)
	if !strings.Contains(b.String(), "+a[31mb\n") {
		t.Errorf("printed %q", b.String())
	}
}
