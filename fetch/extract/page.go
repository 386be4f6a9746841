package extract

import (
	"slices"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// MaxLinks of a page are kept: the largest index pages known have a few thousand.
	MaxLinks = 10_000

	// MaxSources of a page are kept: its own feed, and those of comments and categories.
	MaxSources = 8

	// maxResolved bounds what is resolved of a page: the octets of its references, each with
	// those of the address that it is relative to. Some take 140 ns an octet; pages with
	// MaxLinks links of the usual length stay below half of it.
	maxResolved = 4 << 20

	// MaxAddress is the length in octets of the longest address that is kept.
	MaxAddress = sitegraph.MaxURLBytes
)

// Options are what is known of a page beside its body, and whether main text is needed.
type Options struct {
	Agent      string   // product token: <meta name=TOKEN> and "TOKEN: noindex" are meant for us
	RobotsTags []string // values of X-Robots-Tag header lines
	LinkLines  []string // values of Link header lines
	// make Digests.Main, which takes a tree, and as long as all the rest; else it is zero
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

	// Watched are rules whose texts are wanted (Page.Watched); none takes nothing.
	Watched []*Rule

	// Documents are the forms of documents that are pages beside HTML: links to them are kept.
	Documents Forms

	// Rule says what of the page counts; then Digests.Main is of that. nil: all of the page counts.
	Rule *Rule
}

// Page is what a page says of itself and of others.
type Page struct {
	// Links are canonical addresses, each once, in order of appearance, without the page
	// itself and without what is no page (see Forms.IsPage). Frames are those of them that are
	// sources of <frame>.
	Links, Frames []string

	// Canonical is the address that the page names as its own, if that is another one, of a
	// page on the same server; else "".
	Canonical string

	// Sources are canonical addresses of the feeds that the page names as its alternates.
	Sources []string

	Digests   sitegraph.Digests
	NoIndex   bool   // robots meta element or header
	NoFollow  bool   // the same; then there are no links
	NoArchive bool   // the same; no copy of the page is to be kept
	Charset   string // name after WHATWG, lower case, such as "utf-8"
	Cut       bool   // something was too large, and what came after it was left out

	Missing bool     // its title or heading says that the page is not there; if that was asked for
	Sketch  *Sketch  // of its main text; nil unless it was asked for
	Seen    *Seen    // what filters judge by; nil unless it was asked for
	Watched *Watched // nil unless it was asked for
	// Requisites are what the page shows (HTMLRequisites); nil unless they were asked for.
	Requisites []string
	Body       *Body // its texts and links with their places; nil unless it was asked for
}

// HTML reads a page. body is as it was sent, content coding undone; contentType is the
// header's value or "". It never fails: whatever comes is read as far as it makes sense.
// Nothing of the result refers to body.
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

// Text returns the text of a page whose digest is Digests.Text, or with main the one of
// Digests.Main: words with a blank between. Body and contentType are as for HTML.
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

// resolve makes canonical addresses of what was found. It comes last because a <base>
// holds for the links before it too.
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
	seen := make(map[string]bool, len(s.refs)) // canonical address -> is a frame
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

// relativeTo is what the addresses of a page are relative to: its <base>, if it has one.
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
