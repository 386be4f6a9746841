package extract

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// feedRoots are the root elements of feeds.
var feedRoots = []string{"rss", "rdf:rdf", "feed"}

// ofFetch are elements with the time when the feed was made. Many servers make it anew for each
// request.
var ofFetch = []string{"lastbuilddate", "pubdate", "updated", "modified", "dc:date", "ttl",
	"generator"}

// xmlReader turns a document into lines, tag by tag, well-formed or not.
type xmlReader struct {
	lines, title []byte
	root         string
	inItem       bool
	name         string // element of the current line; "": none
	head, text   []byte // of the current line
}

// xmlLines returns the first title of a document, and a line for each element that has text or
// attributes: "rate currency=USD: 1.08".
func xmlLines(document []byte) (title, lines []byte) {
	x := xmlReader{}
	z := html.NewTokenizer(bytes.NewReader(document))
	z.AllowCDATA(true)
	for {
		switch token := z.Next(); token {
		case html.ErrorToken:
			x.end()
			return x.title, x.lines
		case html.TextToken:
			x.text = append(x.text, z.Text()...)
		case html.StartTagToken, html.SelfClosingTagToken:
			z.NextIsNotRawText()
			name, more := z.TagName()
			x.start(string(name))
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if len(value) > 0 && !bytes.HasPrefix(key, []byte("xmlns")) {
					x.head = append(append(append(append(x.head, ' '), key...), '='), value...)
				}
			}
			if token == html.SelfClosingTagToken {
				x.end()
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			x.end()
			if isItem(string(name)) {
				x.inItem = false
			}
		}
	}
}

func isItem(name string) bool { return name == "item" || name == "entry" }

// start begins the line of an element.
func (x *xmlReader) start(name string) {
	x.end()
	if x.root == "" {
		x.root = name
	}
	x.inItem = x.inItem || isItem(name)
	x.name = name
}

// end ends the current line, or a text between elements.
func (x *xmlReader) end() {
	text := appendText(nil, withoutTags(x.text))
	text = bytes.TrimRight(text, " ")
	if x.name == "title" && x.title == nil {
		x.title = text
	}
	skipped := !x.inItem && slices.Contains(ofFetch, x.name) && slices.Contains(feedRoots, x.root)
	if !skipped && len(x.head)+len(text) > 0 {
		x.lines = append(appendText(append(x.lines, x.name...), x.head), ": "...)
		x.lines = append(append(x.lines, text...), '\n')
	}
	x.name, x.head, x.text = "", x.head[:0], x.text[:0]
}

// withoutTags returns the text of HTML that stands in an element of a feed.
func withoutTags(text []byte) []byte {
	if !bytes.ContainsRune(text, '<') {
		return text
	}
	var seen []byte
	hidden := false
	for z := html.NewTokenizer(bytes.NewReader(text)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return seen
		case html.TextToken:
			if !hidden {
				seen = append(append(seen, ' '), z.Text()...)
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			hidden = strings.Contains("|script|style|", "|"+string(name)+"|")
		case html.EndTagToken:
			hidden = false
		}
	}
}
