package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// counted returns the lines of a page that a rule selects. t may be nil.
func (s *scanner) counted(page []byte, r *Rule, t *RuleTrace) []byte {
	if r.Part() == PartBytes && !r.Selects() {
		return r.Lines(page, t)
	}
	var root *html.Node
	ok := !s.cut
	if ok {
		root, ok = parse(page, r.Selects())
	}
	if !ok {
		if t != nil {
			t.Notes = append(t.Notes,
				"the page is too large for a tree: selectors are left out, and all of its text "+
					"is one line")
		}
		return r.Lines(s.text, t)
	}
	var chosen Chosen
	if r.Selects() {
		chosen = r.Choose(root, t)
	}
	w := lineWriter{skipped: chosen.Ignored, main: r.Part() == PartMain,
		markup: r.Part() == PartBytes}
	from := chosen.Watched
	switch {
	case r.Watches():
	case w.main:
		from = outermostMain(root)
	default:
		from = []*html.Node{root}
	}
	for _, n := range from {
		w.element(n)
	}
	return r.Lines(w.buf, t)
}

// lineWriter writes the text or markup of elements, with a line for each block.
type lineWriter struct {
	buf          []byte
	skipped      map[*html.Node]bool
	main, markup bool
}

// element writes an element itself, even of a kind that is left out below another.
func (w *lineWriter) element(n *html.Node) {
	if w.skipped[n] {
		return
	}
	w.buf = append(w.buf, '\n')
	w.tag(n)
	w.below(n)
	w.endTag(n)
	w.buf = append(appendSpace(w.buf), '\n') // lines are trimmed
}

func (w *lineWriter) below(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && w.markup:
			w.buf = append(w.buf, c.Data...)
		case c.Type == html.TextNode:
			w.buf = appendText(w.buf, []byte(c.Data))
		case w.skipped[c]:
			w.buf = appendSpace(w.buf) // the words around it remain separate
		case !w.markup && (isHidden([]byte(c.Data)) || w.main && isBeside(c)):
			w.buf = appendSpace(w.buf)
		case isInline([]byte(c.Data)):
			w.tag(c)
			w.below(c)
			w.endTag(c)
		default:
			w.element(c)
		}
	}
}

func (w *lineWriter) tag(n *html.Node) {
	if !w.markup || n.Type != html.ElementNode {
		return
	}
	w.buf = append(append(w.buf, '<'), n.Data...)
	for _, a := range n.Attr {
		w.buf = append(append(append(w.buf, ' '), a.Key...), `="`...)
		w.buf = append(append(w.buf, html.EscapeString(a.Val)...), '"')
	}
	w.buf = append(w.buf, '>')
}

func (w *lineWriter) endTag(n *html.Node) {
	if w.markup && n.Type == html.ElementNode && !isVoid(n.Data) {
		w.buf = append(append(append(w.buf, "</"...), n.Data...), '>')
	}
}

// IsJSON reports whether a Content-Type is JSON: application/json, or one that ends in +json.
func IsJSON(contentType string) bool {
	kind := MediaType(contentType)
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}

// JSON reads a document of JSON that a rule makes a page, or that is watched. It has no links.
func JSON(body []byte, o Options) (p Page) {
	p = o.plainPage(body, appendText(nil, jsonValues(body)))
	p.Charset = "utf-8"
	if o.Rule != nil {
		p.Digests.Main = o.Rule.Digest(countedJSON(body, o.Rule, nil))
	}
	for _, r := range o.Watched {
		if r.Watches() && !r.WatchesJSON() {
			p.Watched.add(nil) // its selectors are for HTML
			continue
		}
		p.Watched.add(countedJSON(body, r, nil))
	}
	return p
}

func countedJSON(body []byte, r *Rule, t *RuleTrace) []byte {
	values, _ := r.Values(body, t)
	if r.Part() == PartBytes {
		return r.Lines(values, t)
	}
	lines := make([]byte, 0, len(values))
	for line := range bytes.SplitSeq(values, []byte("\n")) {
		lines = append(appendText(append(lines, '\n'), line), '\n')
	}
	return r.Lines(lines, t)
}

// Look is the visible part of a page, and the text that counts.
type Look struct {
	Title, Language string
	Text, Main      string // with a blank between words
	Counted         string // lines that the rule selects; "" without a rule
	Trace           RuleTrace
}

// LookAt reads a page like HTML, or like JSON if the rule makes it a page. It also returns its
// visible part.
func LookAt(body []byte, contentType, pageURL string, o Options) (p Page, l Look) {
	if o.Rule.JSON() && IsJSON(contentType) {
		l.Text = string(body)
		l.Counted = string(countedJSON(body, o.Rule, &l.Trace))
		return JSON(body, o), l
	}
	text, _ := toUTF8(body, contentType)
	s := scanners.Get().(*scanner)
	defer s.release()
	s.scan(text)
	l.Text = string(s.text)
	if main, ok := s.mainText(text); ok {
		l.Main = string(main)
	}
	if root, ok := parse(text, true); ok {
		l.Title, l.Language = titleOf(root)
	}
	if o.Rule != nil {
		l.Counted = string(s.counted(text, o.Rule, &l.Trace))
	}
	return HTML(body, contentType, pageURL, o), l
}

// titleOf returns the first title in the head, and the language of the document.
func titleOf(root *html.Node) (title, language string) {
	outer := root.FirstChild
	for _, a := range outer.Attr {
		if a.Key == "lang" {
			language = a.Val
		}
	}
	for n := outer.FirstChild.FirstChild; n != nil; n = n.NextSibling {
		if n.Data == "title" && n.FirstChild != nil {
			return string(bytes.TrimSpace(appendText(nil, []byte(n.FirstChild.Data)))), language
		}
	}
	return "", language
}
