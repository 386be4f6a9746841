package replay

import (
	"bytes"
	"mime"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
)

// rewrite changes the URLs in a page or style sheet to captures of one moment.
func rewrite(text []byte, contentType, address string, lead leading) []byte {
	kind, parameters, _ := mime.ParseMediaType(contentType)
	if strings.HasPrefix(strings.ToLower(parameters["charset"]), "utf-16") {
		return text // its marks take two octets each
	}
	switch {
	case extract.IsHTML(contentType):
		r := newRewriter(text, address, lead)
		r.plain = kind == "text/html"
		return r.html(text)
	case kind == "text/css":
		return newRewriter(text, address, lead).css(text)
	}
	return text
}

type rewriter struct {
	url   string // URL of the text
	base  string
	to    leading
	plain bool // HTML that can take a script
	seen  bool // a base element came; the first one counts
	left  int  // octets by which the text may grow
}

// longestBase limits the URL of a base element, in octets.
const longestBase = 4 << 10

// newRewriter limits a text to five times its size and 1 MB. A long base and many short URLs would
// make it grow quadratically.
func newRewriter(text []byte, address string, lead leading) *rewriter {
	return &rewriter{url: address, base: address, to: lead, left: 4*len(text) + 1<<20}
}

// longestTag limits a tag, in octets. After a longer one the text stays unchanged.
const longestTag = 1 << 20

// html rewrites tags with URLs, and leaves everything else octet for octet.
func (r *rewriter) html(text []byte) []byte {
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(longestTag)
	out := make([]byte, 0, len(text)+len(text)/8)
	read, style := 0, false
	for {
		kind := z.Next()
		raw := z.Raw()
		if kind == html.ErrorToken {
			return append(out, text[min(read, len(text)):]...)
		}
		read += len(raw)
		if r.plain && r.to.script != "" && begins(kind, raw) {
			out = append(out, r.script()...)
			r.plain = false
		}
		if kind == html.TextToken && style {
			out = append(out, r.css(raw)...)
			style = false
			continue
		}
		style = false
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			out = append(out, raw...)
			continue
		}
		raw = bytes.Clone(raw) // parsing the tag changes it
		token := z.Token()
		style = token.Data == "style"
		switch keep, changed := r.tag(&token); {
		case !keep:
		case changed:
			out = append(out, token.String()...)
		default:
			out = append(out, raw...)
		}
	}
}

// addresses are the attributes with URLs (HTML, list of attributes).
var addresses = []string{"href", "src", "action", "formaction", "data", "poster", "background",
	"longdesc", "cite", "manifest", "xlink:href"}

// ahead are relations of links that make browsers connect in advance.
var ahead = []string{"preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload",
	"prerender"}

// outside are targets that the sandbox forbids: other windows, and frames around.
var outside = map[string]bool{"_blank": true, "_top": true, "_parent": true}

// tag rewrites a tag. A tag with keep false is dropped.
func (r *rewriter) tag(t *html.Token) (keep, changed bool) {
	switch t.Data {
	case "base": // all other URLs contain it now
		if href := attribute(t, "href"); href != "" && !r.seen {
			r.seen = true
			if to, err := absolute(r.base, href); err == nil && to != "" && len(to) <= longestBase {
				r.base = to
			}
		}
		return false, false
	case "link":
		for rel := range strings.FieldsSeq(strings.ToLower(attribute(t, "rel"))) {
			if slices.Contains(ahead, rel) {
				return false, false
			}
		}
	case "meta":
		equiv := strings.ToLower(attribute(t, "http-equiv"))
		if equiv == "refresh" {
			return true, r.refresh(t)
		}
		// it may forbid the replacement of the page's own server
		return equiv != "content-security-policy", false
	}
	for i := range t.Attr {
		a := &t.Attr[i]
		switch {
		case a.Key == "srcset" || a.Key == "imagesrcset":
			a.Val, changed = r.srcset(a.Val), true
		case a.Key == "target" && outside[strings.ToLower(a.Val)]:
			a.Val, changed = "_self", true
		case a.Key == "integrity" || a.Key == "ping":
			a.Val, changed = "", true
		case a.Key == "crossorigin" || a.Key == "nonce":
			a.Key, changed = "data-"+a.Key, true // cookies and the page's policy do not hold here
		case a.Key == "style":
			if css := string(r.css([]byte(a.Val))); css != a.Val {
				a.Val, changed = css, true
			}
		case slices.Contains(addresses, a.Key):
			if to := r.lead(a.Val); to != a.Val {
				a.Val, changed = to, true
			}
		}
	}
	return true, changed
}

// begins reports whether a token is the first of a page after its doctype. The doctype must stay
// first.
func begins(kind html.TokenType, raw []byte) bool {
	return kind == html.StartTagToken || kind == html.SelfClosingTagToken ||
		kind == html.TextToken && len(bytes.TrimSpace(raw)) > 0
}

// script returns the element that runs before the page.
func (r *rewriter) script() string {
	prefix := r.to.prefix + archive.Stamp(r.to.at) + "/"
	return `<script src="` + r.to.script + `" data-base="` + html.EscapeString(safe(r.url)) +
		`" data-prefix="` + prefix + `" data-inside="` + r.to.prefix + `"></script>`
}

func attribute(t *html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// lead returns the path of a URL's capture. Fragments and other non-pages stay unchanged.
func (r *rewriter) lead(address string) string {
	trimmed := strings.TrimSpace(address)
	if trimmed == "" || trimmed[0] == '#' {
		return address
	}
	to, err := absolute(r.base, trimmed)
	switch {
	case err != nil:
		return "about:invalid"
	case to != "":
		to = r.to.to(to)
		if r.left -= len(to); r.left >= 0 {
			return to
		}
	}
	return address
}

var refreshTo = regexp.MustCompile(`(?is)^(\s*[\d.]*\s*[;,]?\s*url\s*=\s*["']?)([^"']*)(.*)$`)

func (r *rewriter) refresh(t *html.Token) (changed bool) {
	for i := range t.Attr {
		if a := &t.Attr[i]; a.Key == "content" {
			if m := refreshTo.FindStringSubmatch(a.Val); m != nil {
				a.Val, changed = m[1]+r.lead(m[2])+m[3], true
			}
		}
	}
	return changed
}

// srcset rewrites a list of pictures.
func (r *rewriter) srcset(list string) string {
	var out []string
	for address, size := range extract.SourceSet(list) {
		out = append(out, strings.TrimSpace(r.lead(address)+" "+size))
	}
	return strings.Join(out, ", ")
}

func (r *rewriter) css(text []byte) []byte { return extract.Style(text, r.lead) }
