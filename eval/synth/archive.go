package synth

import (
	"slices"
	"strings"
	"time"
)

// Paths returns the paths (with query) of everything that a server ever has: its Pages, then
// robots.txt, sitemap.xml, feed and style sheet, if they exist.
func (w *Web) Paths(server string) []string {
	s := w.byName[server]
	if s == nil {
		return nil
	}
	paths := w.Pages(server)
	if s.style.robots {
		paths = append(paths, "/robots.txt")
	}
	if s.style.sitemap {
		paths = append(paths, "/sitemap.xml")
	}
	if s.feed != "" {
		paths = append(paths, s.feed)
	}
	return append(paths, "/style.css")
}

// Times returns, strictly ascending, the times at which the answer for a path may change: for a
// page its versions and its end, for a sitemap those of all pages. It returns nil if the answer is
// always 404.
func (w *Web) Times(server, path string) []time.Time {
	s := w.byName[server]
	if s == nil {
		return nil
	}
	var at []int32
	switch p := s.byPath[path]; {
	case p != nil:
		at = p.appendTimes(nil)
	case path == "/sitemap.xml" && s.style.sitemap:
		at = s.sitemapTimes()
	case path == s.feed && s.feed != "":
		at = append(at, 0)
		for _, it := range s.feedOf.news {
			at = append(at, it.at)
		}
	case path == "/robots.txt" && s.style.robots, isStyle(path):
		at = append(at, 0)
	default:
		if p := s.target(path); p != nil {
			at = append(at, p.born)
			if p.gone < s.end {
				at = append(at, p.gone)
			}
		}
	}
	slices.Sort(at)
	var times []time.Time
	for i, t := range at {
		if t >= 0 && (i == 0 || t != at[i-1]) {
			times = append(times, s.time(t))
		}
	}
	return times
}

func (p *page) appendTimes(at []int32) []int32 {
	for _, v := range p.versions {
		at = append(at, v.at)
	}
	if p.gone < forever {
		at = append(at, p.gone)
	}
	return at
}

// sitemapTimes includes every midnight if the sitemap has the day of the request.
func (s *server) sitemapTimes() []int32 {
	at := []int32{0}
	for _, p := range s.pages {
		at = p.appendTimes(at)
	}
	if s.style.sitemapLies {
		first := daySeconds - s.start%daySeconds
		for t := first; t <= int64(s.end); t += daySeconds {
			at = append(at, int32(t))
		}
	}
	return at
}

// target returns the page to which an unknown path redirects: a directory without its slash, or its
// index.html. It returns nil if there is no such page.
func (s *server) target(path string) *page {
	to, index := strings.CutSuffix(path, "/index.html")
	if to == "" && !index {
		return nil
	}
	return s.byPath[to+"/"]
}
