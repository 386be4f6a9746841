package archive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/recrawl/recrawl/fetch/archive/warc"
)

// othersRecord returns a record as other writers make it: of a day of January 2024, with its URL as
// body.
func othersRecord(url string, day int) string {
	return othersAnswer(url, day, "Content-Type: text/html\r\n")
}

func othersAnswer(url string, day int, fields string) string {
	block := "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + url
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2024-01-%02dT00:00:00Z\r\n"+
		"WARC-Target-URI: %s\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s"+
		"\r\n\r\n", day, url, len(block), block)
}

// othersReader reads files of other writers.
func othersReader(t *testing.T, files map[string]string) *Reader {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestOfOneAddress asks for URLs that share a key. No capture of another page is returned.
func TestOfOneAddress(t *testing.T) {
	const session = "9682993c8daa2c5497996114facdc80"
	text := ""
	for i, url := range []string{"https://www1355544.com/", "https://www3288.com/",
		"http://h.example/PAGE", "http://h.example/page", "http://h.example/q?b=2&a=1",
		"http://h.example/d/", "http://h.example/s?sid=" + session + "1", "http://www2.h.example/x",
		"http://h.example:8080/p", "https://secure.example/", "http://www.web.example/",
		"https://www.web.example/", "http://h.example:80/%7euser", "dns:h.example"} {
		text += othersRecord(url, i+1)
	}
	r := othersReader(t, map[string]string{"a.warc": text})
	for url, want := range map[string]string{
		"https://www1355544.com/":                 "https://www1355544.com/",
		"https://www504778.com/":                  "",
		"https://com/":                            "",
		"https://www.www3288.com/":                "https://www3288.com/",
		"http://h.example/PAGE":                   "http://h.example/PAGE",
		"http://h.example/page":                   "http://h.example/page",
		"http://h.example/Page":                   "",
		"http://h.example/page/":                  "",
		"http://h.example//page":                  "",
		"http://h.example/q?a=1&b=2":              "",
		"http://h.example/q?b=2&a=1#x":            "http://h.example/q?b=2&a=1",
		"http://h.example/q?B=2&a=1":              "",
		"http://h.example/d":                      "",
		"http://h.example/s":                      "",
		"http://h.example/s?sid=" + session + "2": "",
		"http://h.example/x":                      "",
		"http://www3.h.example/x":                 "",
		"https://h.example:8080/p":                "",
		"http://secure.example/":                  "https://secure.example/",
		"https://www.h.example/page":              "http://h.example/page",
		"http://web.example/":                     "https://www.web.example/", // the later one
		"http://www.web.example/":                 "http://www.web.example/",
		"http://h.example/~user":                  "http://h.example:80/%7euser",
		"dns:h.example":                           "dns:h.example",
		"dns:H.example":                           "",
	} {
		found, err := r.Of(url, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 10)
		got := ""
		if len(found) > 0 {
			got = found[0].URL
		}
		if err != nil || got != want || len(found) > 1 {
			t.Errorf("%s: %d captures of %q, %v; want %q", url, len(found), got, err, want)
		}
	}
}

// TestKeysOfBefore looks for a page in an index with older keys, which omit more of a host.
func TestKeysOfBefore(t *testing.T) {
	x := newIndex(t.TempDir())
	c := &Capture{Key: "com)/", URL: "https://www3288.com/", Date: "2024-01-31T00:00:00Z"}
	x.add([]*Capture{c}, "f", 1)
	for range 2 {
		for url, want := range map[string]int{c.URL: 1, "https://www504778.com/": 0} {
			last, err := x.last(url)
			all, bad := x.of(url, c.Time, 9)
			if err != nil || bad != nil || len(last) != want || len(all) != want {
				t.Errorf("%s: %d and %d captures, %v, %v", url, len(last), len(all), err, bad)
			}
		}
		if err := x.flush(); err != nil {
			t.Fatal(err)
		}
	}
	x.close()
}

// TestOneMember reads a file of one gzip member, and ARC files, like files with separate records.
func TestOneMember(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	urls := []string{"http://h.example/a", "http://h.example/b", "http://h.example/c"}
	arc := "filedesc://x.arc 0.0.0.0 20240131120000 text/plain 4\n1 0\n\n"
	for i, url := range urls {
		fmt.Fprint(z, othersRecord(url, i+1))
		block := "HTTP/1.0 200 OK\r\n\r\n" + url
		arc += fmt.Sprintf("%s 192.0.2.1 20240131120000 text/html %d\n%s\n", url, len(block), block)
	}
	z.Close()
	for name, text := range map[string]string{"a.warc.gz": zipped.String(), "a.arc": arc} {
		r := othersReader(t, map[string]string{name: text})
		seen := 0
		if _, err := r.Since(nil, func(c *Capture) error { seen++; return nil }); err != nil {
			t.Fatal(err)
		}
		if placed := map[string]int{"a.warc.gz": 0, "a.arc": len(urls)}[name]; seen != placed {
			t.Errorf("%s: %d captures have a place of their own, want %d", name, seen, placed)
		}
		for _, url := range urls {
			found, err := r.Of(url, time.Time{}, 2)
			if err != nil || len(found) != 1 {
				t.Fatalf("%s, %s: %v, %v", name, url, found, err)
			}
			if a, err := r.Answer(found[0]); err != nil || string(a.Body) != url {
				t.Errorf("%s, %s: %+v, %v", name, url, a, err)
			}
		}
	}
}

// TestRevisitWithoutHeader checks that a revisit with an incomplete header gets type and coding
// from the record that it names.
func TestRevisitWithoutHeader(t *testing.T) {
	const url = "http://h.example/"
	for _, block := range []string{"", "HTTP/1.1 200 OK\r\nDate: x\r\n\r\n"} {
		original := othersAnswer(url, 1, "Content-Type: text/x\r\nContent-Encoding: br\r\n")
		r := othersReader(t, map[string]string{"a.warc": original + fmt.Sprintf("WARC/1.0\r\n"+
			"WARC-Type: revisit\r\nWARC-Date: 2024-02-01T00:00:00Z\r\nWARC-Target-URI: %s\r\n"+
			"WARC-Refers-To-Target-URI: <%s>\r\nWARC-Refers-To-Date: 2024-01-01T00:00:00Z\r\n"+
			"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			url, url, len(block), block)})
		found, err := r.Of(url, time.Time{}, 2)
		if err != nil || len(found) != 2 {
			t.Fatalf("%+v, %v", found, err)
		}
		a, err := r.Answer(found[1])
		if err != nil || a.Status != 200 || string(a.Body) != url || a.Get("Content-Type") !=
			"text/x" || a.Get("Content-Encoding") != "br" {
			t.Errorf("%q: %+v, %v", block, a, err)
		}
	}
}

// TestTextOfCut checks that a damaged body returns its readable part and an error.
func TestTextOfCut(t *testing.T) {
	text := []byte(strings.Repeat("words of a page ", 400))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(text)
	z.Close()
	body := zipped.Bytes()
	a := &Answer{Body: body[:len(body)-20]}
	a.Header = []warc.Field{{Name: "Content-Encoding", Value: "gzip"}}
	got, err := a.Text(MostBody)
	if err == nil || len(got) == 0 || !bytes.HasPrefix(text, got) {
		t.Errorf("%d octets of %d, %v", len(got), len(text), err)
	}
}
