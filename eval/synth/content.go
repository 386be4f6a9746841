package synth

import "time"

// appendMain writes the main text of a page: heading, paragraphs, lists.
func (s *server) appendMain(b []byte, p *page, v version) []byte {
	b = append(b, "<h1>"...)
	b = append(b, p.title...)
	b = append(b, "</h1>\n"...)
	if p.kind == kindPost {
		b = append(b, "<p class=\"date\">"...)
		b = time.Unix(p.changed(s, 0), 0).UTC().AppendFormat(b, "2 January 2006, 15:04")
		b = append(b, "</p>\n"...)
	}
	var room [16]uint64
	seeds := room[:p.parts]
	p.paragraphs(seeds, v.edits)
	for i, seed := range seeds {
		if i == 3 {
			b = append(b, "<h2>"...)
			b = append(b, words[60+seed%uint64(len(words)-60)]...)
			b = append(b, "</h2>\n"...)
		}
		b = append(b, "<p>"...)
		b = appendParagraph(b, seed)
		b = append(b, "</p>\n"...)
	}
	b = s.appendNews(b, p, v.at)
	if s.top != p || !s.style.frames {
		b = s.appendChildren(b, p, v.at)
	}
	return s.appendRelated(b, p)
}

// appendNews writes the recent changes below a page, or the latest posts of a blog.
func (s *server) appendNews(b []byte, p *page, now int32) []byte {
	if len(p.news) == 0 {
		return b
	}
	n, heading := newsLines, "<h2>What is new</h2>\n<ul class=\"news\">\n"
	if p.kind == kindBlog {
		n, heading = blogLatest, "<h2>Latest</h2>\n<ul class=\"posts\">\n"
	}
	b = append(b, heading...)
	for _, it := range p.newsAt(now, n) {
		b = append(b, "<li>"...)
		b = s.time(it.at).AppendFormat(b, "2006-01-02 15:04")
		b = append(b, ' ')
		b = s.appendLink(b, p, it.page)
		b = append(b, "</li>\n"...)
	}
	return append(b, "</ul>\n"...)
}

func (s *server) appendChildren(b []byte, p *page, now int32) []byte {
	listed := p.listed(now)
	if len(listed) == 0 {
		return b
	}
	b = append(b, "<ul>\n"...)
	for _, q := range listed {
		b = append(b, "<li>"...)
		b = s.appendLink(b, p, q)
		b = append(b, "</li>\n"...)
	}
	return append(b, "</ul>\n"...)
}

func (s *server) appendRelated(b []byte, p *page) []byte {
	if len(p.related) == 0 {
		return b
	}
	b = append(b, "<p>See also: "...)
	for i, q := range p.related {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = s.appendLink(b, p, q)
	}
	return append(b, ".</p>\n"...)
}
