package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"

	"github.com/recrawl/recrawl/sitegraph"
)

// MaxRequisites limits the requisites of a page or style sheet. Only galleries have more.
const MaxRequisites = 500

// gathered holds URLs of requisites as written, each once, in order.
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

// style adds the URLs of a style sheet.
func (g *gathered) style(text []byte) {
	if len(text) == 0 || bytes.IndexByte(text, '(') < 0 && bytes.IndexByte(text, '@') < 0 {
		return
	}
	Style(text, func(address string) string {
		g.add(address)
		return address
	})
}

// set adds the URLs of a srcset (HTML, srcset attributes).
func (g *gathered) set(list string) {
	for address := range SourceSet(list) {
		g.add(address)
	}
}

// resolved returns canonical URLs, each once.
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

// StyleRequisites returns the requisites of a style sheet, imports included: canonical URLs, each
// once, at most MaxRequisites. body is as sent, with content coding undone.
func StyleRequisites(body []byte, url string) []string {
	base, err := sitegraph.NewResolver(url)
	if err != nil {
		return nil
	}
	var g gathered
	g.style(body)
	return g.resolved(base, nil)
}

// HTMLRequisites returns the requisites of a page: canonical URLs, each once, in order, at most
// MaxRequisites. Frames are pages and no requisites. body and contentType are as for HTML.
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

// maxAttributes limits the attributes of a tag that are read.
const maxAttributes = 100

// shown lists by element the attributes with URLs of requisites (HTML, list of attributes). Scripts
// copy those that begin with data- into src when the user scrolls to a picture.
var shown = map[string][]string{
	"img": {"src", "data-src", "data-original"}, "script": {"src"}, "source": {"src"},
	"video": {"src", "poster"}, "audio": {"src"}, "track": {"src"}, "input": {"src"},
	"embed": {"src"}, "object": {"data"}, "image": {"href", "xlink:href"},
	"use": {"href", "xlink:href"}, "feimage": {"href", "xlink:href"},
	"body": {"background"}, "table": {"background"}, "td": {"background"}, "th": {"background"},
}

// tag adds the requisites of a start tag.
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

// isShown reports whether a link with this relation is a requisite. Alternate style sheets are not.
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

// SourceSet yields the URLs of a srcset with their sizes, for example "2x" (HTML, srcset
// attributes). A URL ends at white space, its size at a comma.
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
