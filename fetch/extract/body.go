package extract

import (
	"bytes"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"github.com/recrawl/recrawl/sitegraph"
)

// mostAnchor limits the text of an anchor, in octets.
const mostAnchor = 512

// Body holds the texts of a page with their places in the source: in the octets of the body as
// given, in its own charset.
type Body struct {
	Title    Passage
	Passages []Passage // in order, those outside the main text also; none is empty
	Anchors  []Anchor  // links of Page.Links, in order; a URL may occur several times
	Language string    // <html lang>
}

// Passage is a text that no tag of a block divides, for example a paragraph or a cell.
type Passage struct {
	// Text has words with a blank between them, like Page.Digests.Text. Octets that are not UTF-8
	// remain.
	Text string
	Main bool // part of the main text

	pieces []piece
	source *decoded
}

// piece maps octets of a text to octets of the page. If both lengths are equal, the octets
// correspond one by one.
type piece struct{ text, size, page, length int }

// Anchor is a link of a page, and its text.
type Anchor struct{ URL, Text string }

// MainText returns the main text, of which Page.Digests.Main is the digest.
func (b *Body) MainText() string {
	var text strings.Builder
	for i := range b.Passages {
		if p := &b.Passages[i]; p.Main {
			if text.Len() > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(p.Text)
		}
	}
	return text.String()
}

// Source returns where Text[from:to] stands in the body: from the first octet of its first
// character to the last one of its last, with the tags between. Neither end may be a blank, and 0
// <= from < to.
func (p *Passage) Source(from, to int) (offset, length int) {
	start, _ := p.place(from)
	_, end := p.place(to - 1)
	start, end = p.source.at(start), p.source.at(end)
	return start, end - start
}

// place returns the places before and after an octet of a text in the page.
func (p *Passage) place(at int) (from, to int) {
	low, high := 0, len(p.pieces)-1
	for low < high {
		if middle := (low + high + 1) / 2; p.pieces[middle].text <= at {
			low = middle
		} else {
			high = middle - 1
		}
	}
	c := p.pieces[low]
	if c.size == c.length {
		from = c.page + at - c.text
		return from, from + 1
	}
	return c.page, c.page + c.length
}

// body reads texts and anchors. If a page has no main text, for example because it was cut, all its
// text is main text.
func (s *scanner) body(source []byte, contentType, url string, links []string) *Body {
	page := decodePlaced(source, contentType)
	b := &Body{Language: s.language}
	t := tree{whole: true, places: map[*html.Node]place{}}
	root, ok := t.parse(page.text)
	if !ok || s.cut {
		passagesOfTokens(b, page)
		return b
	}
	w := &walk{tree: &t, page: page, body: b, wanted: map[string]bool{}}
	w.now.source = page
	for _, link := range links {
		w.wanted[link] = true
	}
	if self, err := sitegraph.NewResolver(url); err == nil && len(links) > 0 {
		w.resolver, w.scanner = s.relativeTo(self), s
	}
	document := goquery.NewDocumentFromNode(root)
	if title := document.Find("head > title").First(); title.Length() > 0 {
		w.below(title.Nodes[0])
		w.flush()
		if len(b.Passages) > 0 {
			b.Title, b.Passages = b.Passages[0], nil
		}
	}
	w.main = document.Find("main").Length() == 0
	for _, n := range document.Find("body").Nodes {
		w.below(n)
	}
	w.flush()
	return b
}

// walk visits the tree of a page.
type walk struct {
	tree     *tree
	page     *decoded
	body     *Body
	now      Passage // current passage
	text     []byte  // text of now
	main     bool    // the following text is main text
	wanted   map[string]bool
	resolver *sitegraph.Resolver
	scanner  *scanner
	anchors  []*[]byte // open ones
}

func (w *walk) below(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			w.append(w.tree.places[c])
		case c.Type == html.ElementNode:
			w.element(c)
		}
	}
}

func (w *walk) element(n *html.Node) {
	name := []byte(n.Data)
	inline := isInline(name)
	if !inline {
		w.flush()
	}
	if url := w.leads(n); url != "" {
		text := []byte{}
		w.anchors = append(w.anchors, &text)
		at := len(w.body.Anchors)
		w.body.Anchors = append(w.body.Anchors, Anchor{URL: url})
		defer func() {
			w.anchors = w.anchors[:len(w.anchors)-1]
			w.body.Anchors[at].Text = strings.TrimSpace(strings.ToValidUTF8(string(text), ""))
		}()
	}
	if !isHidden(name) {
		before, main := w.main, w.main
		if n.Data == "main" && !hasAncestor(n, "main") {
			main = true // wherever it stands in the page
		} else if isBeside(n) {
			main = false
		}
		if main != before {
			w.flush() // a passage of an inline element began before it
			w.main = main
		}
		w.below(n)
		if w.main != before {
			w.flush()
			w.main = before
		}
	}
	if !inline {
		w.flush()
	}
}

// leads returns the URL to which an element links, if it is a link of the page, or "".
func (w *walk) leads(n *html.Node) string {
	key := ""
	switch n.Data {
	case "a", "area":
		key = "href"
	case "frame", "iframe":
		key = "src"
	}
	if key == "" || w.resolver == nil || len(w.body.Anchors) >= MaxLinks {
		return ""
	}
	address := ""
	for _, a := range n.Attr {
		switch {
		case a.Key == key:
			address = strings.Trim(a.Val, " \t\r\n\f")
		case a.Key == "rel" && key == "href" && hasWord(a.Val, "nofollow"):
			return ""
		}
	}
	if address == "" || address[0] == '#' || len(address) > MaxAddress {
		return ""
	}
	url, ok := w.resolver.Resolve(encodeQuery(address, w.scanner.queries))
	if !ok || !w.wanted[url] {
		return ""
	}
	return url
}

// append adds a text of the page to the current passage.
func (w *walk) append(at place) {
	for _, anchor := range w.anchors {
		if len(*anchor) < mostAnchor {
			*anchor = appendText(*anchor,
				[]byte(
					html.UnescapeString(
						string(w.page.text[at.from:min(at.to, at.from+4*mostAnchor)]))))
			*anchor = (*anchor)[:min(len(*anchor), mostAnchor)]
		}
	}
	w.text = appendPlaced(w.text, &w.now.pieces, w.page.text, at)
}

// flush ends the current passage.
func (w *walk) flush() {
	if text := bytes.TrimSuffix(appendSpace(w.text), []byte(" ")); len(text) > 0 {
		w.now.Text, w.now.Main = string(w.now.compose(text)), w.main
		w.body.Passages = append(w.body.Passages, w.now)
	}
	w.text, w.now.pieces = w.text[:0], nil
}

// appendPlaced is appendText for a part of a page. It undoes entities, notes the origin of each
// octet, and leaves composing to the end of the passage.
func appendPlaced(text []byte, pieces *[]piece, page []byte, at place) []byte {
	take := func(character []byte, from, to int) {
		n, kind := look(character)
		before := len(text)
		text = appendLooked(text, character[:n], kind)
		if kind != looksBlank && len(text) > before {
			*pieces = append(*pieces, piece{before, len(text) - before, from, to - from})
		}
	}
	for i := at.from; i < at.to; {
		if n, kind := look(page[i:at.to]); kind != looksItself {
			take(page[i:i+n], i, i+n)
			i += n
			continue
		}
		end := i + 1
		if page[i] == '&' {
			for end < at.to && isEntity(page[end]) {
				end++
			}
			if end < at.to && page[end] == ';' {
				end++
			}
			if plain := html.UnescapeString(string(page[i:end])); plain != string(page[i:end]) {
				for rest := []byte(plain); len(rest) > 0; { // "&nbsp0" has more behind it
					n, _ := look(rest)
					take(rest[:n], i, end)
					rest = rest[n:]
				}
				i = end
				continue
			}
		}
		for end < at.to && page[end] != '&' {
			if _, kind := look(page[end:at.to]); kind != looksItself {
				break
			}
			end++
		}
		next := piece{len(text), end - i, i, end - i}
		if k := len(*pieces) - 1; k >= 0 && continues((*pieces)[k], next) {
			(*pieces)[k].size = next.text + next.size - (*pieces)[k].text
			(*pieces)[k].length = (*pieces)[k].size
		} else {
			*pieces = append(*pieces, next)
		}
		text = append(text, page[i:end]...)
		i = end
	}
	return text
}

// compose brings the text of a passage to NFC, and adapts its pieces.
func (p *Passage) compose(text []byte) []byte {
	if norm.NFC.IsNormal(text) {
		return text
	}
	composed, pieces := make([]byte, 0, len(text)), make([]piece, 0, len(p.pieces)+8)
	next := 0 // the first old piece that ends after the composed text
	for from, to := 0, 0; from < len(text); from = to {
		part := text[from:]
		if n := norm.NFC.QuickSpan(part); n > 0 {
			to = from + n
		} else {
			to = from + max(norm.NFC.NextBoundary(part, true), 1)
			part = norm.NFC.Bytes(text[from:to])
			if start, _ := p.place(from); !bytes.Equal(part, text[from:to]) {
				_, end := p.place(to - 1)
				pieces = append(pieces, piece{len(composed), len(part), start, end - start})
				composed = append(composed, part...)
				continue
			}
		}
		for ; next < len(p.pieces) && p.pieces[next].text < to; next++ {
			old := p.pieces[next]
			a, b := max(old.text, from), min(old.text+old.size, to)
			if a < b {
				moved := piece{len(composed) + a - from, b - a, old.page, old.length}
				if old.size == old.length {
					moved.page, moved.length = old.page+a-old.text, b-a
				}
				pieces = append(pieces, moved)
			}
			if old.text+old.size > to {
				break
			}
		}
		composed = append(composed, text[from:to]...)
	}
	p.pieces = pieces
	return composed
}

// continues reports whether a piece follows another in the page, with at most a blank between them.
func continues(p, next piece) bool {
	gap := next.text - p.text - p.size
	return p.size == p.length && gap == next.page-p.page-p.length && gap <= 1
}

func isEntity(c byte) bool {
	return c == '#' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// passagesOfTokens reads pages without a tree: all visible text is main text, and anchors have no
// text.
func passagesOfTokens(b *Body, page *decoded) {
	z := html.NewTokenizer(bytes.NewReader(page.text))
	z.SetMaxBuf(maxToken)
	w := &walk{page: page, body: b, main: true}
	w.now.source = page
	var buf [16]byte
	hidden, at := false, place{}
	for {
		kind := z.Next()
		at = place{at.to, at.to + len(z.Raw())}
		switch kind {
		case html.ErrorToken:
			w.flush()
			return
		case html.TextToken:
			if !hidden {
				w.append(at)
			}
			hidden = false
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			skip := 1
			if kind == html.EndTagToken {
				skip = 2
			}
			name := tagName(z.Raw()[skip:], &buf)
			hidden = kind != html.EndTagToken && isHidden(name)
			if !isInline(name) {
				w.flush()
			}
			if kind == html.EndTagToken && string(name) == "title" && b.Title.Text == "" &&
				len(b.Passages) == 1 {
				b.Title, b.Passages = b.Passages[0], nil
			}
		}
	}
}
