package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"

	"github.com/recrawl/recrawl/sitegraph"
)

// MaxRequisites of a page, or of a style sheet, are kept: more than all but galleries have.
const MaxRequisites = 500

// gathered are the addresses of requisites as written, each once, in order.
type gathered struct {
	refs []string
	seen map[string]bool
}

func (g *gathered) add(address string) {
	address = strings.Trim(address, cssSpace)
	if !isAsked(address) || g.seen[address] || len(g.refs) == MaxRequisites {
		return
	}
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	g.seen[address] = true
	g.refs = append(g.refs, address)
}

// style adds the addresses of a style sheet.
func (g *gathered) style(text []byte) {
	if len(text) == 0 || bytes.IndexByte(text, '(') < 0 && bytes.IndexByte(text, '@') < 0 {
		return
	}
	Style(text, func(address string) string {
		g.add(address)
		return address
	})
}

// set adds the addresses of a srcset (HTML, srcset attributes).
func (g *gathered) set(list string) {
	for address := range SourceSet(list) {
		g.add(address)
	}
}

// resolved are canonical addresses, each once.
func (g *gathered) resolved(base *sitegraph.Resolver, queries *encoding.Encoder) (urls []string) {
	seen, octets := map[string]bool{base.Base(): true}, 0
	for _, ref := range g.refs {
		if octets += len(ref) + len(base.Base()); octets > maxResolved {
			break
		}
		url, ok := base.Resolve(encodeQuery(ref, queries))
		if ok && len(url) <= MaxAddress && !seen[url] {
			seen[url] = true
			urls = append(urls, strings.Clone(url))
		}
	}
	return urls
}

// StyleRequisites returns what a style sheet shows or imports: canonical addresses, each once, at
// most MaxRequisites. body is as it was sent, content coding undone.
func StyleRequisites(body []byte, url string) []string {
	base, err := sitegraph.NewResolver(url)
	if err != nil {
		return nil
	}
	var g gathered
	g.style(body)
	return g.resolved(base, nil)
}

// HTMLRequisites returns what a page shows: canonical addresses, each once, in order, at most
// MaxRequisites. Frames are pages, and not among them. body and contentType are as for HTML.
func HTMLRequisites(body []byte, contentType, pageURL string) []string {
	text, name := toUTF8(body, contentType)
	page, err := sitegraph.NewResolver(pageURL)
	if err != nil {
		return nil
	}
	s := &scanner{queries: queries(name)}
	var g gathered
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(maxToken)
	style := false // the next token is a style sheet
	for len(g.refs) < MaxRequisites {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind == html.TextToken && style {
			g.style(z.Raw())
		}
		style = false
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		tag, more := z.TagName()
		name := string(tag)
		style = name == "style"
		attributes := map[string]string{}
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			if _, known := attributes[string(key)]; !known && len(attributes) < maxAttributes {
				attributes[string(key)] = string(value)
			}
		}
		if name == "base" && s.base == "" {
			s.base = strings.TrimSpace(attributes["href"])
		}
		g.tag(name, attributes)
	}
	return g.resolved(s.relativeTo(page), s.queries)
}

// maxAttributes of a tag are looked at.
const maxAttributes = 100

// shown are the attributes of each element that name what it shows (HTML, list of attributes).
// Those that begin with data- are what scripts put in their place when a picture is scrolled to.
var shown = map[string][]string{
	"img": {"src", "data-src", "data-original"}, "script": {"src"}, "source": {"src"},
	"video": {"src", "poster"}, "audio": {"src"}, "track": {"src"}, "input": {"src"},
	"embed": {"src"}, "object": {"data"}, "image": {"href", "xlink:href"},
	"use": {"href", "xlink:href"}, "feimage": {"href", "xlink:href"},
	"body": {"background"}, "table": {"background"}, "td": {"background"}, "th": {"background"},
}

// tag adds what a start tag shows.
func (g *gathered) tag(name string, attributes map[string]string) {
	for _, attribute := range shown[name] {
		g.add(attributes[attribute])
	}
	switch name {
	case "img", "source":
		g.set(attributes["srcset"])
		g.set(attributes["data-srcset"])
	case "link":
		if isShown(attributes["rel"]) {
			g.add(attributes["href"])
			g.set(attributes["imagesrcset"])
		}
	}
	if style := attributes["style"]; style != "" {
		g.style([]byte(style))
	}
}

// isShown reports whether a link with a relation is one to something that a page shows. Style
// sheets that a reader may choose are not.
func isShown(rel string) bool {
	found := false
	for word := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch word {
		case "stylesheet", "icon", "apple-touch-icon", "mask-icon", "manifest", "preload",
			"modulepreload":
			found = true
		case "alternate":
			return false
		}
	}
	return found
}

// SourceSet yields the addresses of a srcset with their sizes, as "2x" (HTML, srcset attributes):
// an address ends at white space, its size at a comma.
func SourceSet(list string) func(yield func(address, size string) bool) {
	const between = " \t\n\f\r,"
	return func(yield func(address, size string) bool) {
		for list = strings.TrimLeft(list, between); list != ""; {
			address, size := list, ""
			list = ""
			if i := strings.IndexAny(address, " \t\n\f\r"); i >= 0 {
				address, list = address[:i], address[i:]
			}
			if short := strings.TrimRight(address, ","); short != address {
				address = short
			} else {
				size, list, _ = strings.Cut(list, ",")
			}
			if !yield(address, strings.TrimSpace(size)) {
				return
			}
			list = strings.TrimLeft(list, between)
		}
	}
}
