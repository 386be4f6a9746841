package synth

import (
	"slices"
	"strings"
)

// appendLink writes an <a> from one page to another in the style of the server.
func (s *server) appendLink(b []byte, from, to *page) []byte {
	b = append(b, `<a href="`...)
	b = s.appendAddress(b, from.path, to.path)
	b = append(b, `">`...)
	b = append(b, to.title...)
	return append(b, "</a>"...)
}

func (s *server) appendAddress(b []byte, from, to string) []byte {
	switch s.style.links {
	case linkAbsolute:
		b = append(b, "http://"...)
		b = append(b, s.name...)
	case linkRelative:
		return appendRelative(b, from, to)
	}
	return append(b, to...)
}

// appendRelative writes the shortest relative reference (RFC 3986 5.2) between two paths.
func appendRelative(b []byte, from, to string) []byte {
	common := 1 // the slash at the start
	for i := 1; i < len(from) && i < len(to) && from[i] == to[i] && from[i] != '?'; i++ {
		if from[i] == '/' {
			common = i + 1
		}
	}
	start := len(b)
	for range strings.Count(from[common:], "/") {
		b = append(b, "../"...)
	}
	b = append(b, to[common:]...)
	if len(b) == start {
		b = append(b, "./"...)
	}
	return b
}

// listed returns the pages that a page lists in its version at a time.
func (p *page) listed(now int32) []*page {
	if p.kind == kindBlog { // the months; its posts are news
		n := slices.IndexFunc(p.children, func(q *page) bool { return q.born > now })
		if n >= 0 {
			return p.children[:n]
		}
		return p.children
	}
	whole := true
	for _, q := range p.children {
		whole = whole && q.alive(now)
	}
	if whole {
		return p.children
	}
	var alive []*page
	for _, q := range p.children {
		if q.alive(now) {
			alive = append(alive, q)
		}
	}
	return alive
}
