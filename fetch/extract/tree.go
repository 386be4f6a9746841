package extract

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxNodes limits the tree. The largest of 10,499 versions of pages of four published sites
	// (devrel.jp, dplyr.tidyverse.org, eddmann.com, incubator.apache.org) has 11,675 nodes. 100,000
	// nodes take 11 MB and their texts.
	maxNodes = 100_000

	// maxDepth limits the elements that are open at a time, as in html.Parse. Deeper elements lose
	// their content to the element around them.
	maxDepth = 512
)

// tree builds the elements and texts of a page in one pass over its tokens, with a stack of open
// elements. A token makes at most one node. It takes constant time, or the time to close what other
// tokens opened.
//
// html.Parse follows the standard instead. That reopens formatting elements in each block, and
// closes and moves misnested ones: 1,551 octets became more than 5 GB of nodes. For text the
// difference is only where a misnested element ends.
type tree struct {
	head, body *html.Node
	inHead     bool // before the body
	open       []opened
	top        map[string]int // name -> place of the innermost open element of that name; 0: none
	nodes      int
	foreign    int // open <svg> and <math>
	// keep all attributes for selectors, not only those of telling
	whole bool

	places map[*html.Node]place // places of texts and start tags, if wanted; else nil
	at     place                // place of the current token
}

// place is the position of a token in the page.
type place struct{ from, to int }

// opened is an element on the stack. It stores the places of related elements so that none need be
// searched for. Place 0 is the head or body.
type opened struct {
	node  *html.Node
	same  int // the next lower element of the same name; 0: none
	block int // the innermost block, perhaps itself
	list  int // the innermost list
	scope int // the innermost table, cell or similar
}

// parse returns the tree of a page, or false if it has too many nodes. whole keeps all attributes.
func parse(page []byte, whole bool) (root *html.Node, ok bool) {
	t := tree{whole: whole}
	return t.parse(page)
}

func (t *tree) parse(page []byte) (root *html.Node, ok bool) {
	root = &html.Node{Type: html.DocumentNode}
	*t = tree{
		head:   element("head"),
		body:   element("body"),
		inHead: true,
		whole:  t.whole,
		places: t.places,
		top:    make(map[string]int, 32),
		open:   make([]opened, 0, 64),
	}
	outer := element("html")
	root.AppendChild(outer)
	outer.AppendChild(t.head)
	outer.AppendChild(t.body)
	t.restart(t.head)
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(maxToken)
	var buf [16]byte
	for t.nodes <= maxNodes {
		kind := z.Next()
		t.at = place{t.at.to, t.at.to + len(z.Raw())}
		switch kind {
		case html.ErrorToken:
			return root, true
		case html.TextToken:
			t.text(z)
		case html.StartTagToken:
			t.start(z, nameOf(z.Raw()[1:], &buf), false)
		case html.SelfClosingTagToken:
			t.start(z, nameOf(z.Raw()[1:], &buf), true)
		case html.EndTagToken:
			t.end(nameOf(z.Raw()[2:], &buf))
		}
	}
	return nil, false
}

// nameOf returns the name of a tag. All names longer than any known one are the same.
func nameOf(tag []byte, buf *[16]byte) string {
	name := tagName(tag, buf)
	if a := atom.Lookup(name); a != 0 {
		return a.String()
	}
	return string(name)
}

func element(name string) *html.Node { return &html.Node{Type: html.ElementNode, Data: name} }

// restart makes node the only open element, which no end tag closes.
func (t *tree) restart(node *html.Node) {
	clear(t.top)
	t.open = append(t.open[:0], opened{node: node})
	t.foreign = 0
}

func (t *tree) innermost() *opened { return &t.open[len(t.open)-1] }

func (t *tree) add(n *html.Node) {
	t.innermost().node.AppendChild(n)
	t.nodes++
	if t.places != nil {
		t.places[n] = t.at
	}
}

// text adds a text. White space alone is allowed between the elements of the head.
func (t *tree) text(z *html.Tokenizer) {
	if t.inHead && len(t.open) == 1 {
		if len(bytes.TrimSpace(z.Raw())) == 0 {
			return
		}
		t.beginBody()
	}
	t.add(&html.Node{Type: html.TextNode, Data: string(z.Text())})
}

func (t *tree) beginBody() {
	t.inHead = false
	t.restart(t.body)
}

// start adds a start tag. A tag can close itself only in <svg> and <math>.
func (t *tree) start(z *html.Tokenizer, name string, closed bool) {
	if t.inHead && len(t.open) == 1 && !isOfHead(name) {
		t.beginBody()
	}
	if t.whole {
		if root := t.root(name); root != nil && len(root.Attr) == 0 {
			root.Attr = attributes(z)
		}
	}
	if isRoot(name) || isOfTable(name) && t.top["table"] == 0 && t.top["template"] == 0 {
		return
	}
	closed = closed && t.foreign > 0
	if closed {
		z.NextIsNotRawText()
	}
	t.imply(name)
	n := element(name)
	if t.whole {
		n.Attr = attributes(z)
	} else {
		n.Attr = telling(z)
	}
	t.add(n)
	if !closed && !isVoid(name) && len(t.open) < maxDepth {
		t.push(n)
	}
}

// telling returns the attributes that show the purpose of an element, the first of each name.
func telling(z *html.Tokenizer) (kept []html.Attribute) {
	var have [3]bool
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		for i, name := range [...]string{"class", "id", "role"} {
			if string(key) == name && !have[i] {
				have[i] = true
				kept = append(kept, html.Attribute{Key: name, Val: string(value)})
			}
		}
	}
	return kept
}

// mostAttributes limits the attributes of an element: finding one takes a step for each.
const mostAttributes = 64

// attributes returns the attributes of an element, the first of each name.
func attributes(z *html.Tokenizer) (kept []html.Attribute) {
	for more := true; more && len(kept) < mostAttributes; {
		var key, value []byte
		key, value, more = z.TagAttr()
		if len(key) > 0 && !slices.ContainsFunc(kept, func(a html.Attribute) bool {
			return a.Key == string(key)
		}) {
			kept = append(kept, html.Attribute{Key: string(key), Val: string(value)})
		}
	}
	return kept
}

// root returns the element for a tag of the page itself, or nil for other tags.
func (t *tree) root(name string) *html.Node {
	switch name {
	case "html":
		return t.head.Parent
	case "head":
		return t.head
	case "body":
		return t.body
	}
	return nil
}

func (t *tree) push(n *html.Node) {
	at, o := len(t.open), *t.innermost()
	o.node, o.same = n, t.top[n.Data]
	if !isInline([]byte(n.Data)) {
		o.block = at
	}
	switch n.Data {
	case "ul", "ol", "dl", "menu", "dir":
		o.list = at
	case "table", "td", "th", "caption", "object", "template", "marquee", "applet":
		o.list, o.scope = at, at
	case "svg", "math":
		t.foreign++
	}
	t.open = append(t.open, o)
	t.top[n.Data] = at
}

// close closes the innermost open element of a name, and all within it, if it lies above a place.
func (t *tree) close(name string, above int) bool {
	at := t.top[name]
	if at <= above {
		return false
	}
	for len(t.open) > at {
		o := t.innermost()
		t.top[o.node.Data] = o.same
		if o.node.Data == "svg" || o.node.Data == "math" {
			t.foreign--
		}
		t.open = t.open[:len(t.open)-1]
	}
	return true
}

// end handles an end tag. One of a paragraph that never began makes an empty paragraph.
func (t *tree) end(name string) {
	if isRoot(name) {
		return
	}
	name, above := t.ends(name)
	if t.close(name, above) || name != "p" && name != "br" {
		return
	}
	if t.inHead && len(t.open) == 1 {
		t.beginBody()
	}
	t.add(element(name))
}
