package extract

import (
	"bytes"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// mainText returns the visible text of <main> or else the body, without navigation, headers,
// footers and similar parts. It returns false if the page is cut or too large for a tree.
func (s *scanner) mainText(page []byte) (text []byte, ok bool) {
	if s.cut {
		return nil, false
	}
	root, ok := parse(page, false)
	if !ok {
		return nil, false
	}
	text = make([]byte, 0, len(s.text))
	for _, n := range outermostMain(root) {
		text = appendSpace(appendMain(text, n))
	}
	return bytes.TrimSuffix(text, []byte(" ")), true
}

// outermostMain returns the outermost <main> of a page, or else its body.
func outermostMain(root *html.Node) []*html.Node {
	doc := goquery.NewDocumentFromNode(root)
	main := doc.Find("main")
	if main.Length() == 0 {
		main = doc.Find("body")
	}
	return slices.DeleteFunc(main.Nodes, func(n *html.Node) bool { return hasAncestor(n, "main") })
}

func hasAncestor(n *html.Node, name string) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Data == name && p.Type == html.ElementNode {
			return true
		}
	}
	return false
}

// appendMain appends the visible text below n, without secondary parts.
func appendMain(buf []byte, n *html.Node) []byte {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			buf = appendText(buf, []byte(c.Data))
		case html.ElementNode:
			name := []byte(c.Data)
			inline := isInline(name)
			if !inline {
				buf = appendSpace(buf)
			}
			if !isHidden(name) && !isBeside(c) {
				buf = appendMain(buf, c)
			}
			if !inline {
				buf = appendSpace(buf)
			}
		}
	}
	return buf
}

// isBeside reports whether an element is secondary (navigation, header, footer, sidebar or
// similar), by its name, role, class or id.
func isBeside(n *html.Node) bool {
	switch n.Data {
	case "nav", "header", "footer", "aside", "template":
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "role":
			switch strings.ToLower(a.Val) {
			case "navigation", "banner", "contentinfo", "complementary", "search":
				return true
			}
		case "class", "id":
			for word := range strings.FieldsSeq(a.Val) {
				if besideWords[strings.ToLower(word)] {
					return true
				}
			}
		}
	}
	return false
}

// besideWords are classes and ids of secondary parts.
var besideWords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
		nav navbar navigation menu topnav sidenav mainnav site-nav nav-menu breadcrumb breadcrumbs toc
		header site-header page-header masthead banner topbar top-bar
		footer site-footer page-footer colophon copyright
		sidebar side-bar aside widget widgets sidebar-nav leftnav rightnav
		related pagination pager share sharing social cookie cookies`) {
		set[word] = true
	}
	return set
}()
