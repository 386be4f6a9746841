package synth

import (
	"fmt"
	"time"
)

// newsLines is the number of changes in a list of news.
const newsLines = 8

// render returns the body of version v of page p, which depends on these two alone: everything in
// it is as it was at the time of the version.
func (s *server) render(p *page, v int) []byte {
	b := make([]byte, 0, 8<<10)
	ver := p.versions[v]
	b = s.appendHead(b, p, ver)
	switch p.kind {
	case kindFrameset:
		return s.appendFrameset(b, p)
	case kindMenu:
		b = append(b, "<body class=\"menu\">\n"...)
		b = s.appendChildren(b, p, ver.at)
		return append(b, "</body>\n</html>\n"...)
	}
	t := &templates[s.style.layout]
	b = append(b, t.header...)
	b = s.appendHeader(b, p, ver)
	b = append(b, t.nav...)
	b = s.appendNav(b, p)
	b = append(b, t.main...)
	b = s.appendMain(b, p, ver)
	b = append(b, t.footer...)
	b = s.appendFooter(b, p, ver)
	return append(b, t.end...)
}

// template is the frame of a layout: the start of each block, and the end.
type template struct{ header, nav, main, footer, end string }

var templates = [layouts]template{
	layoutSemantic: {
		"<body>\n<header>\n",
		"</header>\n<nav>\n",
		"</nav>\n<main>\n",
		"</main>\n<footer>\n",
		"</footer>\n</body>\n</html>\n",
	},
	layoutDivs: {
		"<body>\n<div id=\"header\">\n",
		"</div>\n<div id=\"nav\" class=\"menu\">\n",
		"</div>\n<div id=\"content\">\n",
		"</div>\n<div id=\"footer\">\n",
		"</div>\n</body>\n</html>\n",
	},
	layoutTable: {
		"<body bgcolor=\"#ffffff\">\n<table class=\"header\" width=\"100%\"><tr><td>\n",
		"</td></tr></table>\n<table width=\"100%\"><tr><td class=\"sidebar\" valign=\"top\">\n",
		"</td><td valign=\"top\">\n",
		"</td></tr></table>\n<div class=\"footer\">\n",
		"</div>\n</body>\n</html>\n",
	},
}

// appendHead writes everything before the body; a rebuild changes it.
func (s *server) appendHead(b []byte, p *page, v version) []byte {
	if s.style.layout == layoutSemantic {
		b = append(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "+
			"charset=\"utf-8\">\n<title>"...)
	} else {
		b = append(
			b,
			"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<html "+
				"lang=\"en\">\n<head>\n<title>"...)
	}
	b = append(b, p.title...)
	b = append(b, " - "...)
	b = append(b, s.name...)
	b = fmt.Appendf(
		b,
		"</title>\n<link rel=\"stylesheet\" type=\"text/css\" href=\"/style.css?%d\">\n",
		v.looks+1,
	)
	if s.feed != "" && (p == s.feedOf || p == s.top) {
		kind := "atom"
		if s.style.rss {
			kind = "rss"
		}
		b = fmt.Appendf(b, "<link rel=\"alternate\" type=\"application/%s+xml\" href=\"%s\">\n",
			kind, s.feed)
	}
	return append(b, "</head>\n"...)
}

func (s *server) appendFrameset(b []byte, p *page) []byte {
	b = append(b, "<frameset cols=\"160,*\">\n"...)
	for _, q := range p.children {
		b = append(b, "<frame src=\""...)
		b = s.appendAddress(b, p.path, q.path)
		b = append(b, "\">\n"...)
	}
	b = append(b, "<noframes><body><p>"...)
	b = s.appendLink(b, p, p.children[0])
	return append(b, "</p></body></noframes>\n</frameset>\n</html>\n"...)
}

func (s *server) appendHeader(b []byte, p *page, v version) []byte {
	slogan := stream(p.group.hub.seed + uint64(v.looks))
	b = append(b, "<p class=\"brand\"><a href=\""...)
	b = s.appendAddress(b, p.path, "/")
	b = append(b, "\">"...)
	b = append(b, s.name...)
	b = append(b, "</a></p>\n<p>"...)
	b = appendSentence(b, &slogan)
	return append(b, "</p>\n"...)
}

// appendNav writes the way up, and the block of all sections if there is one.
func (s *server) appendNav(b []byte, p *page) []byte {
	b = append(b, "<ul>\n"...)
	if p.up != nil && p.up.kind != kindFrameset && p.up.kind != kindStart {
		b = append(b, "<li>"...)
		b = s.appendLink(b, p, p.up)
		b = append(b, "</li>\n"...)
	}
	for _, q := range s.nav {
		b = append(b, "<li>"...)
		b = s.appendLink(b, p, q)
		b = append(b, "</li>\n"...)
	}
	return append(b, "</ul>\n"...)
}

func (s *server) appendFooter(b []byte, p *page, v version) []byte {
	b = append(b, "<p>Last updated "...)
	changed := p.modified
	if v.content > 0 {
		changed = s.start + int64(v.content)
	}
	b = time.Unix(changed, 0).UTC().AppendFormat(b, "2 January 2006")
	if p.counts {
		b = fmt.Appendf(b, ". Visitors: %06d", p.seed%9000+uint64(v.ticks)*(7+p.seed%50))
	}
	return fmt.Appendf(b, ". Site design %d.</p>\n", v.looks+1)
}
