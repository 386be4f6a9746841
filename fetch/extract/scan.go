package extract

import (
	"bytes"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"
)

// maxToken is the longest tag, text or script in octets; a longer one ends the page. Pages with
// their data in a script have tokens of a few 100 KB.
const maxToken = 1 << 20

// ref is a URL as written.
type ref struct {
	text  string
	frame bool
}

// scanner reads the tokens of a page once. It builds no tree: that costs as much again, and most
// results do not need one.
type scanner struct {
	agent string

	refs      []ref
	seen      map[string]uint8  // URLs in refs: 1 as a link, 2 as a frame
	sources   []string          // feeds as written
	base      string            // the first <base href>
	canonical string            // the first <link rel=canonical href>
	language  string            // <html lang>
	queries   *encoding.Encoder // for queries in URLs; nil: UTF-8
	noIndex   bool
	noFollow  bool
	noArchive bool
	text      []byte // visible text, white space collapsed
	title     span   // in text: the first <title>, and the first <h1>
	heading   span
	cut       bool

	name [16]byte // of the current tag
}

// span is a part of a text, from start to end. The end is unknown while it is open.
type span struct{ from, to, state int }

const (
	spanNone = iota
	spanOpen
	spanClosed
)

func (s *span) open(at int) {
	if s.state == spanNone {
		s.from, s.state = at, spanOpen
	}
}

func (s *span) close(at int) {
	if s.state == spanOpen {
		s.to, s.state = at, spanClosed
	}
}

func (s *span) in(text []byte) []byte {
	if s.state != spanClosed {
		return nil
	}
	return text[min(s.from, len(text)):min(s.to, len(text))]
}

// mark notes the starts and ends of title and heading.
func (s *scanner) mark(name []byte, mark func(*span, int)) {
	switch string(name) {
	case "title":
		mark(&s.title, len(s.text))
	case "h1":
		mark(&s.heading, len(s.text))
	}
}

// scanners are reused: their buffers are as large as a page.
var scanners = sync.Pool{New: func() any { return &scanner{seen: make(map[string]uint8, 64)} }}

// release gives a scanner back, unless it is larger than most pages need.
func (s *scanner) release() {
	if cap(s.text) > 256<<10 || len(s.refs) > 1000 {
		return
	}
	clear(s.seen)
	clear(s.refs)
	*s = scanner{seen: s.seen, refs: s.refs[:0], text: s.text[:0]}
	scanners.Put(s)
}

func (s *scanner) scan(page []byte) {
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(maxToken)
	hidden := false // the next token is the text of a script, style or similar element
	for {
		switch z.Next() {
		case html.ErrorToken:
			s.cut = s.cut || z.Err() == html.ErrBufferExceeded
			s.text = bytes.TrimSuffix(appendSpace(s.text), []byte(" "))
			return
		case html.TextToken:
			if !hidden {
				s.appendToken(z)
			}
			hidden = false
		case html.StartTagToken, html.SelfClosingTagToken:
			name := tagName(z.Raw()[1:], &s.name)
			hidden = isHidden(name)
			if !isInline(name) {
				s.text = appendSpace(s.text)
			}
			s.mark(name, (*span).open)
			s.tag(z, name)
		case html.EndTagToken:
			hidden = false
			name := tagName(z.Raw()[2:], &s.name)
			s.mark(name, (*span).close)
			if !isInline(name) {
				s.text = appendSpace(s.text)
			}
		}
	}
}

// appendToken appends the current text. Only text with entities goes through the tokenizer, which
// copies its results.
func (s *scanner) appendToken(z *html.Tokenizer) {
	raw := z.Raw()
	if bytes.IndexByte(raw, '&') >= 0 {
		raw = z.Text()
	}
	s.text = appendText(s.text, raw)
}

// tagName returns the name of a tag in lower case, kept in buf, or nil if it is longer than any
// relevant name. The tokenizer's own TagName copies each.
func tagName(tag []byte, buf *[16]byte) []byte {
	for i, c := range tag {
		switch {
		case c <= ' ' || c == '/' || c == '>':
			return buf[:i]
		case i == len(buf):
			return nil
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	return nil
}

// tag reads the links and directives of a start tag.
func (s *scanner) tag(z *html.Tokenizer, name []byte) {
	switch string(name) { // only a comparison: no allocation
	case "a", "area", "frame", "iframe", "base", "meta", "link", "html":
	default:
		return
	}
	kind := name[0]
	if string(name) == "base" {
		kind = 'b'
	}
	// Parts of the tag, valid until the next one.
	var href, src, rel, mime, attrName, httpEquiv, content, lang []byte
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "href":
			href = first(href, value)
		case "src":
			src = first(src, value)
		case "rel":
			rel = first(rel, value)
		case "type":
			mime = first(mime, value)
		case "name":
			attrName = first(attrName, value)
		case "http-equiv":
			httpEquiv = first(httpEquiv, value)
		case "content":
			content = first(content, value)
		case "lang":
			lang = first(lang, value)
		}
	}
	switch kind {
	case 'a':
		if len(rel) == 0 || !hasWord(string(rel), "nofollow") {
			s.add(href, false)
		}
	case 'f':
		s.add(src, true)
	case 'i':
		s.add(src, false)
	case 'b':
		if s.base == "" {
			s.base = strings.TrimSpace(string(href))
		}
	case 'l':
		s.link(strings.TrimSpace(string(href)), string(rel), string(mime))
	case 'h':
		if s.language == "" && len(lang) <= maxHeading {
			s.language = string(bytes.TrimSpace(lang))
		}
	case 'm':
		s.meta(string(attrName), string(httpEquiv), string(content))
	}
}

// link reads a <link>: the canonical URL, or a feed.
func (s *scanner) link(href, rel, mime string) {
	switch {
	case href == "":
	case hasWord(rel, "canonical"):
		if s.canonical == "" {
			s.canonical = href
		}
	case hasWord(rel, "alternate") && isFeed(mime) && len(s.sources) < MaxSources:
		s.sources = append(s.sources, href)
	}
}

// isFeed reports whether a link leads to a feed, by its type.
func isFeed(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	switch strings.ToLower(strings.TrimSpace(mime)) {
	case "application/rss+xml", "application/atom+xml", "application/rdf+xml",
		"application/feed+json":
		return true
	}
	return false
}

// first keeps the first of several attributes with one name, as browsers do.
func first(have, value []byte) []byte {
	if len(have) > 0 || len(value) > 8*MaxAddress {
		return have
	}
	return value
}

func (s *scanner) meta(name, httpEquiv, content string) {
	for bot := range strings.FieldsFuncSeq(name, isBetween) {
		if bot != "*" && s.means(bot) {
			s.directives(content)
		}
	}
	if strings.EqualFold(strings.TrimSpace(httpEquiv), "refresh") {
		s.add([]byte(refreshTarget(content)), false)
	}
}

// add keeps a URL as written, once. It leaves out what cannot lead to a page, so that it is not
// resolved.
func (s *scanner) add(text []byte, frame bool) {
	text = bytes.Trim(text, " \t\r\n\f")
	if len(text) == 0 || text[0] == '#' || len(text) > MaxAddress {
		return
	}
	have, as := s.seen[string(text)], uint8(1)
	if frame {
		as = 2
	}
	if have&as != 0 {
		return
	}
	if len(s.refs) == MaxLinks {
		s.cut = true
		return
	}
	kept := string(text)
	s.seen[kept] = have | as
	s.refs = append(s.refs, ref{kept, frame})
}

// hasWord reports whether list, words between blanks, contains word.
func hasWord(list, word string) bool {
	if len(list) < len(word) {
		return false
	}
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
