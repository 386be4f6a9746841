package extract

import (
	"slices"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// MaxLinks limits the links of a page: the largest known index pages have a few thousand.
	MaxLinks = 10_000

	// MaxSources limits the sources of a page: its own feed, and those of comments and categories.
	MaxSources = 8

	// maxResolved limits the octets to resolve in a page: those of each reference and of the URL
	// that it is relative to. Resolving takes up to 140 ns an octet. Pages with MaxLinks usual
	// links stay below half of it.
	maxResolved = 4 << 20

	// MaxAddress is the greatest length of a URL, in octets.
	MaxAddress = sitegraph.MaxURLBytes
)

// Options describe a page beyond its body, and select the results.
type Options struct {
	Agent      string   // product token of the crawler: <meta name=TOKEN> and "TOKEN: noindex" are for it
	RobotsTags []string // values of X-Robots-Tag header lines
	LinkLines  []string // values of Link header lines
	// make Digests.Main; takes a tree, and as long as all the rest; else it is zero
	Main bool

	// Missing makes Page.Missing.
	Missing bool
	// Sketch makes Page.Sketch, which takes a tree like main text.
	Sketch bool

	// Seen makes Page.Seen, which takes a tree like main text.
	Seen bool
	// ContentLanguage is the header field of that name, for Page.Seen.
	ContentLanguage string

	// Body makes Page.Body, which takes a tree with all attributes.
	Body bool

	// Requisites makes Page.Requisites, which goes through the tokens a second time.
	Requisites bool

	// Watched are the rules for Page.Watched. None costs nothing.
	Watched []*Rule

	// Documents are the forms of documents that count as pages besides HTML: links to them are
	// kept.
	Documents Forms

	// Rule selects the parts of the page that count. Then Digests.Main is their digest. nil: all
	// parts count.
	Rule *Rule
}

// Page is what was read from a page.
type Page struct {
	// Links are canonical URLs, each once, in order of appearance, without the page itself and
	// without non-pages (see Forms.IsPage). Frames are the links of <frame>.
	Links, Frames []string

	// Canonical is the URL that the page names as its own, if it differs and is on the same server,
	// or "".
	Canonical string

	// Sources are canonical URLs of the feeds that the page names as its alternates.
	Sources []string

	Digests   sitegraph.Digests
	NoIndex   bool   // robots meta element or header
	NoFollow  bool   // likewise; then there are no links
	NoArchive bool   // likewise; no copy may be kept
	Charset   string // WHATWG name in lower case, such as "utf-8"
	Cut       bool   // a part was too large, and the rest was left out

	Missing bool     // title or heading says that the page is missing; if requested
	Sketch  *Sketch  // of the main text; nil unless requested
	Seen    *Seen    // content for filters; nil unless requested
	Watched *Watched // nil unless requested
	// Requisites are those of the page (HTMLRequisites); nil unless requested.
	Requisites []string
	Body       *Body // texts and links with their places; nil unless requested
}

// HTML reads a page. body is as sent, with content coding undone; contentType is the header's value
// or "". It never fails: it reads any input as far as possible. The result does not refer to body.
func HTML(body []byte, contentType, pageURL string, o Options) Page {
	text, name := toUTF8(body, contentType)
	s := scanners.Get().(*scanner)
	defer s.release()
	s.queries = queries(name)
	s.agent = strings.ToLower(o.Agent)
	for _, tag := range o.RobotsTags {
		s.directives(tag)
	}
	s.scan(text)
	p := Page{NoIndex: s.noIndex, NoFollow: s.noFollow, NoArchive: s.noArchive, Charset: name,
		Cut: s.cut}
	s.resolve(pageURL, &o, &p)
	if o.Body {
		p.Body = s.body(body, contentType, pageURL, p.Links)
	}
	p.Digests.Bytes = sitegraph.DigestOf(body)
	p.Digests.Text = sitegraph.DigestOf(s.text)
	p.Missing = o.Missing && (saysMissing(s.title.in(s.text)) || saysMissing(s.heading.in(s.text)))
	if o.Rule != nil {
		p.Digests.Main = o.Rule.Digest(s.counted(text, o.Rule, nil))
	} else if o.Main {
		if main, ok := s.mainText(text); ok {
			p.Digests.Main = sitegraph.DigestOf(main)
		} else {
			p.Digests.Main = p.Digests.Text
		}
	}
	if o.Sketch {
		main, ok := s.mainText(text)
		if !ok {
			main = s.text
		}
		p.Sketch = sketchOf(main, s.title.in(s.text), pageURL)
	}
	if o.Requisites && !p.NoArchive {
		p.Requisites = HTMLRequisites(body, contentType, pageURL)
	}
	if o.Seen {
		p.Seen = s.summary(text, o.ContentLanguage)
	}
	if len(o.Watched) > 0 {
		p.Watched = s.watched(text, o.Watched)
	}
	return p
}

// Text returns the text with the digest Digests.Text, or with main the one of Digests.Main: words
// with a blank between. Body and contentType are as for HTML.
func Text(body []byte, contentType string, main bool) string {
	page, name := toUTF8(body, contentType)
	s := scanners.Get().(*scanner)
	defer s.release()
	s.queries = queries(name)
	s.scan(page)
	if main {
		if text, ok := s.mainText(page); ok {
			return string(text)
		}
	}
	return string(s.text)
}

// resolve makes canonical URLs of references. It runs last, because a <base> also holds for links
// before it.
func (s *scanner) resolve(pageURL string, o *Options, p *Page) {
	page, err := sitegraph.NewResolver(pageURL)
	if err != nil {
		return
	}
	resolver, self := s.relativeTo(page), page.Base()
	p.Canonical = s.canonicalOf(page, resolver, o.LinkLines)
	if s.noFollow {
		return
	}
	seen := make(map[string]bool, len(s.refs)) // canonical URL -> it is a frame
	octets := 0
	for _, ref := range s.refs {
		if octets += len(ref.text) + len(resolver.Base()); octets > maxResolved {
			p.Cut = true
			break
		}
		url, ok := resolver.Resolve(encodeQuery(ref.text, s.queries))
		if !ok || len(url) > MaxAddress || url == self || !o.Documents.IsPage(url) {
			continue
		}
		frame, known := seen[url]
		if !known {
			p.Links = append(p.Links, url)
		}
		if ref.frame && !frame {
			p.Frames = append(p.Frames, url)
		}
		seen[url] = frame || ref.frame
	}
	for _, text := range s.sources {
		if url, ok := resolver.Resolve(encodeQuery(text, s.queries)); ok && url != self &&
			!slices.Contains(p.Sources, url) {
			p.Sources = append(p.Sources, url)
		}
	}
}

// relativeTo returns the base of the page's URLs: its <base>, or the page itself.
func (s *scanner) relativeTo(page *sitegraph.Resolver) *sitegraph.Resolver {
	if s.base == "" {
		return page
	}
	if base, ok := page.Resolve(encodeQuery(s.base, s.queries)); ok {
		if r, err := sitegraph.NewResolver(base); err == nil {
			return r
		}
	}
	return page
}
