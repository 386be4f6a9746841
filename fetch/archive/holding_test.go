package archive

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
)

// TestOf checks which pages count as kept, their age, and which pages failed.
func TestOf(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	a, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := func(kind, body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
			kind, len(body), body)
	}
	for _, c := range []struct {
		path   string
		days   int // before now
		status int
		answer string
	}{
		{"robots.txt", 9, 200, page("text/plain", "")},
		{"old", 400, 200, page("text/html", "x")},
		{"same", 40, 200, page("text/html", "y")},
		{"same", 3, 200, page("text/html", "y")},
		{"checked", 40, 200, page("application/pdf", "z")},
		{"checked", 0, 304, "HTTP/1.1 304 Not Modified\r\n\r\n"},
		{"left", 20, 200, page("text/html", "w")},
		{"left", 1, 404, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"},
		{"s.css", 9, 200, page("text/css", "b{}")},
		{"s.css", 0, 304, "HTTP/1.1 304 Not Modified\r\n\r\n"},
		{"f.woff2", 500, 200, page("application/octet-stream", "f")},
		{"p.png", 1, 404, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"},
		{"never", 1, 404, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"},
	} {
		url, at := "http://h.example/"+c.path, now.AddDate(0, 0, -c.days)
		if err := a.Put(&Visit{URL: url, Time: at}, []fetch.Exchange{{URL: url,
			Address: netip.MustParseAddr("127.0.0.1"), Began: at, Ended: at, Status: c.status,
			Request: []byte("GET / HTTP/1.1\r\n\r\n"), Response: []byte(c.answer)}}); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil { // later captures may refer to it
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
	defer r.Close()
	journal := t.TempDir()
	lines := ""
	for _, e := range []string{`"old","outcome":"fetched"`, `"left","outcome":"gone"`,
		`"never","outcome":"failed","detail":"took too long"`, `"never","outcome":"gone"`,
		`"same","outcome":"failed","detail":"x"`, `"same","outcome":"not-modified"`,
		`"hidden","outcome":"fetched","noarchive":true`, `"moved","outcome":"redirected"`} {
		lines += `{"t":"2026-01-31T11:00:00Z","url":"http://h.example/` + e[1:] + "}\n"
	}
	if err := os.WriteFile(filepath.Join(journal, "2026-01-31.jsonl"), []byte(lines),
		0o644); err != nil {
		t.Fatal(err)
	}
	s, err := StatusOf(r, journal, now)
	if err != nil {
		t.Fatal(err)
	}
	if s.Pages != 4 || s.Captures != 8 || s.Left != 1 || s.Files != 1 || s.Bytes == 0 ||
		!s.Newest.Equal(now) || !s.Oldest.Equal(now.AddDate(0, 0, -400)) {
		t.Errorf("%+v", s)
	}
	if want := []HeldByAge{{1, 1}, {7, 1}, {30, 1}, {365, 0}, {0, 1}}; !reflect.DeepEqual(s.Ages, want) {
		t.Errorf("ages %v, want %v", s.Ages, want)
	}
	if n := s.Requisites; n.Kept != 2 || n.Captures != 4 || n.Bytes == 0 {
		t.Errorf("of what pages show: %+v", n)
	}
	kinds := map[string]int{}
	for _, k := range s.Kinds {
		kinds[k.Type] = k.Pages
	}
	if want := map[string]int{"text/html": 3, "application/pdf": 1}; !reflect.DeepEqual(kinds,
		want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	at := time.Date(2026, 1, 31, 11, 0, 0, 0, time.UTC)
	if want := []FailedPage{
		{"http://h.example/hidden", at, 1, "it says noarchive", false},
		{"http://h.example/left", at, 1, "gone", true},
		{"http://h.example/never", at, 2, "gone", false},
	}; !reflect.DeepEqual(s.Fails, want) {
		t.Errorf("failed %+v, want %+v", s.Fails, want)
	}
	if s, err := StatusOf(r, t.TempDir(), now); err != nil || len(s.Fails) != 0 || s.Pages != 4 {
		t.Errorf("without a journal: %+v, %v", s, err)
	}
}

// TestOfShared: a page whose body the archive has from another URL has the type of that body, also
// after a body of its own. A picture is no page, whatever its URL.
func TestOfShared(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{})
	of := func(url string, second int, kind, body string) {
		x := exchange("http://h.example/"+url, second, 200, body)
		x.Response = fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d"+
			"\r\n\r\n%s", kind, len(body), body)
		put(t, a, x)
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	paper, picture := random(5000), random(4000)
	of("paper", 0, "application/pdf", paper)
	of("copy", 1, "application/pdf", paper)
	of("picture", 2, "image/png", picture)
	of("logo", 3, "image/png", picture)
	of("turned", 4, "text/html", random(3000))
	of("turned", 5, "application/pdf", paper)
	of("back", 6, "application/pdf", paper)
	of("back", 7, "text/html", random(2000))
	put(t, a, exchange("http://h.example/copy", 8, 304, ""))
	closed(t, a)
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := StatusOf(r, "", noon)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, k := range s.Kinds {
		kinds[k.Type] = k.Pages
	}
	if want := map[string]int{"application/pdf": 3, "text/html": 1}; !reflect.DeepEqual(kinds,
		want) || s.Pages != 4 || s.Requisites.Kept != 2 {
		t.Errorf("kinds %v of %d pages, want %v; %d pictures, want 2", kinds, s.Pages, want,
			s.Requisites.Kept)
	}
}
