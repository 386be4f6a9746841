package archive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
)

// chunked returns an exchange whose body came in one chunk.
func chunked(x fetch.Exchange, body string) fetch.Exchange {
	x.Response = fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: "+
		"chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	return x
}

// TestOncePerContent checks that an equal body is stored once, with revisits, for any URL: before
// and after a sync, in an index run or a rebuilt index, and in a later process. A chunked body, a
// small body and one of another status are stored separately.
func TestOncePerContent(t *testing.T) {
	dir := t.TempDir()
	picture := random(5000)
	a := open(t, dir, Options{})
	kinds := func() (kinds string) {
		for _, r := range read(t, dir) {
			if k := r.Type(); k == "response" || k == "revisit" {
				kinds += strings.TrimPrefix(r.URI(), "http://") + " " + k
				if k == "revisit" {
					of := r.Get("WARC-Refers-To-Target-URI")
					kinds += " of " + strings.TrimPrefix(of, "http://")
				}
				kinds += "\n"
			}
		}
		return kinds
	}
	put(t, a, exchange("http://h.example/a", 0, 200, picture))
	put(t, a, exchange("http://cdn.example/b", 1, 200, picture)) // not yet synced
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	put(t, a, exchange("http://h.example/c", 2, 200, picture)) // in memory
	put(t, a, exchange("http://h.example/c", 3, 200, picture)) // a revisit of a revisit
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	put(t, a, exchange("http://h.example/c", 4, 304, ""))
	put(t, a, exchange("http://h.example/missing", 5, 404, picture))
	put(t, a, exchange("http://h.example/small", 6, 200, "small"))
	put(t, a, exchange("http://h.example/small2", 7, 200, "small"))
	put(t, a, chunked(exchange("http://h.example/d", 8, 200, ""), picture))
	put(t, a, chunked(exchange("http://h.example/e", 9, 200, ""), picture))
	closed(t, a)
	a = open(t, dir, Options{})
	put(t, a, exchange("http://h.example/f", 10, 200, picture)) // a run
	closed(t, a)
	if err := newIndex(dir).clear(); err != nil {
		t.Fatal(err)
	}
	a = open(t, dir, Options{})
	put(t, a, exchange("http://h.example/g", 11, 200, picture)) // read from the files
	put(t, a, chunked(exchange("http://h.example/h", 12, 200, ""), picture))
	closed(t, a)
	want := `h.example/a response
cdn.example/b revisit of h.example/a
h.example/c revisit of h.example/a
h.example/c revisit of h.example/a
h.example/c revisit of h.example/a
h.example/missing response
h.example/small response
h.example/small2 response
h.example/d response
h.example/e revisit of h.example/d
h.example/f revisit of h.example/a
h.example/g revisit of h.example/a
h.example/h revisit of h.example/d
`
	if got := kinds(); got != want {
		t.Errorf("records:\n%swant:\n%s", got, want)
	}
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	captures := 0
	if err := r.Each(func(c *Capture) error {
		captures++
		if strings.Contains(c.URL, "small") {
			return nil
		}
		answer, err := r.Answer(c)
		if err != nil || !bytes.Equal(answer.Body, []byte(picture)) {
			t.Errorf("%s at %v: %v", c.URL, c.Time, err)
		}
		return nil
	}); err != nil || captures != 13 {
		t.Errorf("%d captures, %v", captures, err)
	}
}

// TestRemoveShared checks that revisits of other URLs are removed with the record of their body, so
// that no "not modified" can refer to it.
func TestRemoveShared(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{})
	picture := random(5000)
	put(t, a, exchange("http://h.example/a", 0, 200, picture))
	put(t, a, exchange("http://h.example/b", 1, 200, picture))
	put(t, a, exchange("http://h.example/c", 2, 200, random(4000)))
	closed(t, a)
	removed, err := Remove(dir, func(url string) bool { return url == "http://h.example/a" })
	// Three of a, and the revisit of b.
	if err != nil || removed.Records != 4 || removed.Others != 1 {
		t.Fatalf("%+v, %v", removed, err)
	}
	a = open(t, dir, Options{})
	for url, want := range map[string]bool{"http://h.example/a": false, "http://h.example/b": false,
		"http://h.example/c": true} {
		if held, err := a.Begin(&Visit{URL: url}); err != nil || held != want {
			t.Errorf("%s: held %v, %v", url, held, err)
		}
	}
	put(t, a, exchange("http://h.example/b", 3, 200, picture))
	closed(t, a)
	all := read(t, dir)
	if last := all[len(all)-3]; last.Type() != "response" || last.URI() != "http://h.example/b" {
		t.Errorf("kept anew: %s of %s", last.Type(), last.URI())
	}
}

// TestMovedAway checks a revisit whose WARC file was moved away. The next visit is unconditional,
// and its body is kept once.
func TestMovedAway(t *testing.T) {
	dir := t.TempDir()
	page := random(5000)
	const url = "http://h.example/a"
	a := open(t, dir, Options{MaxFile: 1 << 20})
	put(t, a, exchange(url, 0, 200, page), exchange("http://h.example/b", 1, 200, random(2<<20)))
	closed(t, a)
	first, _ := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	a = open(t, dir, Options{MaxFile: 1 << 20})
	put(t, a, exchange(url, 3600, 200, page))
	put(t, a, exchange(url, 7200, 304, ""))
	closed(t, a)
	if all, _ := filepath.Glob(filepath.Join(dir, "*.warc.gz")); len(all) != 2 {
		t.Fatalf("files %q, want two", all)
	}
	if err := os.Remove(first[0]); err != nil {
		t.Fatal(err)
	}
	a = open(t, dir, Options{})
	if held, err := a.Begin(&Visit{URL: url}); held || err != nil {
		t.Errorf("held: %v, %v", held, err)
	}
	kinds := ""
	for i := range 3 {
		put(t, a, exchange(url, 3600*(i+3), 200, page))
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, a)
	for _, r := range read(t, dir) {
		if k := r.Type(); k == "response" || k == "revisit" {
			kinds += k + " "
		}
	}
	if kinds != "revisit revisit response revisit revisit " {
		t.Errorf("kept: %s", kinds)
	}
}

// TestHeld checks how long a content is known to be unchanged, by any kind of capture.
func TestHeld(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{MaxFile: 1 << 20})
	const url = "http://h.example/s.css"
	hours := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
	for i, step := range []struct {
		status       int
		body         string
		since, whole int
	}{{200, "one", 0, 1}, {200, "one", 0, 1}, {304, "", 0, 1}, {200, "two", 3, 1}, {304, "", 3, 1},
		{304, "", 3, 1}, {500, "broken", 6, 1}, {200, "two", 3, 1}} {
		put(t, a, exchange(url, i*3600, step.status, step.body))
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
		h, err := a.Held(url)
		if err != nil || !h.Checked.Equal(hours(i)) || !h.Since.Equal(hours(step.since)) ||
			h.Status != fmt.Sprint(step.status) || !h.Whole || h.Count != i+1 ||
			h.MIME != "text/html" {
			t.Errorf("after %d: %+v, %v", i, h, err)
		}
		if i == 5 {
			if _, body, ok := a.Answer(h, 100); !ok || string(body) != "two" {
				t.Errorf("its body is %q, %v", body, ok)
			}
		}
	}
	if h, err := a.Held("http://h.example/other"); err != nil || !h.Checked.IsZero() {
		t.Errorf("of nothing: %+v, %v", h, err)
	}
	closed(t, a)
	if names, _ := filepath.Glob(filepath.Join(dir, "*.warc.gz")); len(names) != 1 {
		t.Errorf("files: %q", names)
	}
}
