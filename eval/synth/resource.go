package synth

import (
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval/timetravel"
)

var _ timetravel.Archive = (*Web)(nil)

// HTML is the media type of all pages.
const HTML = "text/html; charset=utf-8"

// Resource answers a request at a time; path starts with a slash and includes the query. A
// directory without its slash and an index.html redirect to the directory. Each call makes a new
// body, which belongs to the caller, in tens of microseconds.
func (w *Web) Resource(server, path string, t time.Time) timetravel.Resource {
	s := w.byName[server]
	if s == nil {
		return notFound(404)
	}
	now := int32(max(0, min(t.Unix()-s.start, int64(s.end))))
	p := s.byPath[path]
	if p == nil {
		return s.other(path, now)
	}
	v := p.at(now)
	switch {
	case v < 0 && now >= p.gone && s.style.gone:
		return notFound(410)
	case v < 0:
		return notFound(404)
	}
	return timetravel.Resource{Status: 200, Type: HTML, Body: s.render(p, v),
		LastModified: time.Unix(p.changed(s, v), 0).UTC()}
}

// other answers for paths that are no pages.
func (s *server) other(path string, now int32) timetravel.Resource {
	switch {
	case path == "/robots.txt" && s.style.robots:
		return s.robots()
	case path == "/sitemap.xml" && s.style.sitemap:
		return s.sitemap(now)
	case path == s.feed && s.feed != "":
		return s.newsFeed(now)
	case isStyle(path):
		return timetravel.Resource{Status: 200, Type: "text/css",
			Body:         []byte("body { margin: 2em }\n"),
			LastModified: time.Unix(s.start-1, 0).UTC()}
	}
	if p := s.target(path); p != nil && p.alive(now) {
		return timetravel.Resource{Status: 301, Type: HTML, Location: p.path}
	}
	return notFound(404)
}

// isStyle reports whether path is the style sheet; its query is the version of the template.
func isStyle(path string) bool {
	name, _, _ := strings.Cut(path, "?")
	return name == "/style.css"
}

func notFound(status int) timetravel.Resource {
	return timetravel.Resource{
		Status: status,
		Type:   HTML,
		Body: []byte(
			"<!DOCTYPE html>\n<html><head><title>Not found</title></head><body><p>There is no " +
				"such page.</p></body></html>\n",
		),
	}
}
