package replay

import (
	"bytes"
	"mime"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/recrawl/recrawl/fetch/extract"
)

// rewrite leads the addresses in a page or style sheet to captures of one moment.
func rewrite(text []byte, contentType, address string, at time.Time) []byte {
	kind, parameters, _ := mime.ParseMediaType(contentType)
	if strings.HasPrefix(strings.ToLower(parameters["charset"]), "utf-16") {
		return text // its marks are two octets each
	}
	switch {
	case extract.IsHTML(contentType):
		return newRewriter(text, address, at).html(text)
	case kind == "text/css":
		return newRewriter(text, address, at).css(text)
	}
	return text
}

type rewriter struct {
	base string
	at   time.Time
	seen bool // a base element, of which the first holds
	left int  // octets by which the text may still grow
}

// longestBase bounds the address of a base element, in octets.
const longestBase = 4 << 10

// newRewriter allows a text to grow to five times its size and 1 MB: a long base and many short
// addresses would make it grow by the square.
func newRewriter(text []byte, address string, at time.Time) *rewriter {
	return &rewriter{base: address, at: at, left: 4*len(text) + 1<<20}
}

// longestTag bounds a tag, in octets. What is behind a longer one is left as it is.
const longestTag = 1 << 20

// html rewrites the tags that have addresses; all else stays octet for octet.
func (r *rewriter) html(text []byte) []byte {
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(longestTag)
	out := make([]byte, 0, len(text)+len(text)/8)
	read := 0
	for {
		kind := z.Next()
		raw := z.Raw()
		if kind == html.ErrorToken {
			return append(out, text[min(read, len(text)):]...)
		}
		read += len(raw)
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			out = append(out, raw...)
			continue
		}
		raw = bytes.Clone(raw) // reading the tag changes it
		token := z.Token()
		switch keep, changed := r.tag(&token); {
		case !keep:
		case changed:
			out = append(out, token.String()...)
		default:
			out = append(out, raw...)
		}
	}
}

// addresses are the attributes that have one (HTML, list of attributes).
var addresses = []string{"href", "src", "action", "formaction", "data", "poster", "background",
	"longdesc", "cite", "manifest", "xlink:href"}

// ahead are the relations of a link that make a browser connect without need.
var ahead = []string{"preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload",
	"prerender"}

// tag rewrites a tag. One that is not kept vanishes.
func (r *rewriter) tag(t *html.Token) (keep, changed bool) {
	switch t.Data {
	case "base": // its address is within all others now
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
		// it may forbid what replaces the page's own server
		return equiv != "content-security-policy", false
	}
	for i := range t.Attr {
		a := &t.Attr[i]
		switch {
		case a.Key == "srcset" || a.Key == "imagesrcset":
			a.Val, changed = r.srcset(a.Val), true
		case a.Key == "target" && strings.EqualFold(a.Val, "_blank"): // the sandbox opens no window
			a.Val, changed = "_self", true
		case a.Key == "integrity" || a.Key == "ping":
			a.Val, changed = "", true
		case slices.Contains(addresses, a.Key):
			if to := r.lead(a.Val); to != a.Val {
				a.Val, changed = to, true
			}
		}
	}
	return true, changed
}

func attribute(t *html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// lead leads an address to its capture. Fragments and what is no page stay.
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
		to = place(r.at, false, to)
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
