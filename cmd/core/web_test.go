package core_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/sitegraph"
)

// webEpoch is long before the real time. The web's clock passes real time only after an hour, so
// that no Last-Modified is in the future of the visitor.
var webEpoch = time.Date(2001, time.January, 1, 0, 0, 0, 0, time.UTC)

// day is the duration of a virtual day.
const day = 100 * time.Millisecond

const text = "text/html; charset=utf-8"

// request is a request other than for robots.txt.
type request struct {
	url    string // canonical
	at     time.Time
	status int
	digest sitegraph.Digest // of the content, zero unless the status is 200 or 304
}

// lab is a web on loopback with virtual days of a tenth of a second, and its requests for pages.
type lab struct {
	t      *testing.T
	server *timetravel.Server
	bases  []string // "http://127.3.0.1:port", one for each server
	names  map[string]string
	began  time.Time

	mu       sync.Mutex
	requests []request
}

func serve(t *testing.T, web *timetravel.Static) *lab {
	t.Helper()
	l := &lab{t: t, names: map[string]string{}, began: time.Now()}
	l.mu.Lock() // until the addresses are known
	server, err := timetravel.Serve(web, l.now, timetravel.Options{Log: func(a timetravel.Access) {
		l.log(web, a)
	}})
	if err != nil {
		t.Fatal(err)
	}
	l.server = server
	for _, name := range web.Servers() {
		at, _ := server.Addr(name)
		l.names[name] = "http://" + at.String()
		l.bases = append(l.bases, "http://"+at.String())
	}
	l.mu.Unlock()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// now returns the web's time.
func (l *lab) now() time.Time {
	return webEpoch.Add(time.Since(l.began) * (24 * time.Hour / day))
}

func (l *lab) log(web timetravel.Web, a timetravel.Access) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.Path == "/robots.txt" {
		return
	}
	r := request{url: l.names[a.Server] + a.Path, at: time.Now(), status: a.Status}
	if a.Status == 200 || a.Status == 304 {
		r.digest = web.Resource(a.Server, a.Path, a.Time).Digest
	}
	l.requests = append(l.requests, r)
}

// seen returns the requests so far.
func (l *lab) seen() []request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests)
}

// editions returns the contents that were sent for a page, in order.
func (l *lab) editions(url string) (digests []sitegraph.Digest) {
	for _, r := range l.seen() {
		if r.url == url && r.status == 200 {
			digests = append(digests, r.digest)
		}
	}
	return digests
}

func (l *lab) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.requests)
}

func (l *lab) starts() []string {
	var urls []string
	for _, base := range l.bases {
		urls = append(urls, base+"/")
	}
	return urls
}

// shelves describes a web of library.
type shelves struct {
	// sections of a server, pages of a section
	servers, sections, pages int
	days                     int // duration of the web
	// every returns the days between versions; 0: never changes.
	every  func(server, section, page int) int
	births int // days between new pages of the first section; 0: none
}

// library makes servers with sections of pages. The start page (depth 1) links to the tops of the
// sections, each in its own directory (depth 2), and these to their pages (3). There is a
// robots.txt that hides a page, a redirect, a dead link and a file that is no page.
func library(s shelves) *timetravel.Static {
	w := timetravel.NewStatic()
	at := func(days int) time.Time { return webEpoch.Add(time.Duration(days) * 24 * time.Hour) }
	for i := range s.servers {
		name := fmt.Sprintf("shelf%d.example", i)
		w.Put(name, "/robots.txt", webEpoch, "text/plain",
			[]byte("User-agent: *\nDisallow: /private/\n"))
		w.Put(name, "/notes", webEpoch, "text/plain", []byte("no page"))
		w.Put(name, "/about.html", webEpoch, text,
			[]byte("<title>About</title><p>About this library."))
		var tops []string
		for section := range s.sections {
			top := fmt.Sprintf("/s%d/", section)
			tops = append(tops, top)
			var pages []string
			for page := range s.pages {
				path := fmt.Sprintf("%sp%d.html", top, page)
				pages = append(pages, path)
				s.put(w, name, path, at, 0, s.every(i, section, page), top)
			}
			w.Put(name, top+"index.html", webEpoch, text, page(top, 0, append(pages, "/")...))
			if section > 0 || s.births == 0 {
				continue
			}
			for day := s.births; day < s.days; day += s.births {
				path := fmt.Sprintf("%snew%d.html", top, day)
				pages = append(pages, path)
				s.put(w, name, path, at, day, 0, top)
				w.Put(name, top+"index.html", at(day), text, page(top, day, append(pages, "/")...))
			}
		}
		w.Put(name, "/index.html", webEpoch, text,
			page("/", 0, append(tops, "/about", "/dead.html", "/private/diary.html", "/notes")...))
	}
	return w
}

// put writes all versions of a page.
func (s shelves) put(w *timetravel.Static, server, path string, at func(int) time.Time, from,
	every int, up string) {
	w.Put(server, path, at(from), text, page(path, from, up))
	if every > 0 {
		for day := from + every; day < s.days; day += every {
			w.Put(server, path, at(day), text, page(path, day, up))
		}
	}
}

// page returns the version of a page on a day.
func page(path string, day int, links ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><title>%s</title><nav>", path)
	for _, link := range links {
		fmt.Fprintf(&b, `<a href="%s">%s</a> `, link, link)
	}
	fmt.Fprintf(&b, "</nav><main><h1>%s</h1><p>Edition of day %d.</p></main>", path, day)
	return []byte(b.String())
}
