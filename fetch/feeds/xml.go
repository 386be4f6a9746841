package feeds

import (
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/recrawl/recrawl/sitegraph"
)

// roots are the root elements of sources, with the names of their entries.
var roots = map[string]struct {
	kind  sitegraph.SourceKind
	entry string
}{
	"urlset":       {sitegraph.SourceSitemap, "url"},
	"sitemapindex": {sitegraph.SourceIndex, "sitemap"},
	"rss":          {sitegraph.SourceFeed, "item"},
	"rdf":          {sitegraph.SourceFeed, "item"}, // RSS 0.9 and 1.0
	"feed":         {sitegraph.SourceFeed, "entry"},
}

// foreign are prefixes of elements that are not about the page of an entry, but have names of
// sitemaps and feeds.
var foreign = map[string]bool{"image": true, "video": true, "news": true, "media": true,
	"xhtml":  true,
	"itunes": true, "podcast": true, "thr": true}

// element is an open element.
type element struct {
	name string              // with its prefix
	base *sitegraph.Resolver // xml:base of it and its parents
}

// entry is the open entry.
type entry struct {
	open  bool
	depth int // depth of its element
	claim sitegraph.Claim
	link  string              // the first that counts
	base  *sitegraph.Resolver // of link
	guid  string              // replaces a missing link
}

// scanner reads the tags of a document once. Its stack only shows to which entry a value belongs.
type scanner struct {
	*reader
	z      *html.Tokenizer
	root   string
	of     string // local name of entries
	stack  []element
	entry  entry
	text   strings.Builder                // since the last start tag
	rel    string                         // of the element at the top
	opaque bool                           // the guid at the top is no URL
	bases  map[string]*sitegraph.Resolver // by the base around them, and their text
}

// readXML reads until the root is closed.
func (r *reader) readXML(in io.Reader) error {
	s := scanner{reader: r, z: html.NewTokenizer(in)}
	s.z.SetMaxBuf(maxToken)
	s.z.AllowCDATA(true)
	for {
		var err error
		switch token := s.z.Next(); token {
		case html.ErrorToken:
			s.endEntry()
			if err = s.z.Err(); err == io.EOF {
				err = errCut
			}
		case html.TextToken:
			if s.entry.open && s.text.Len() < maxValue {
				s.text.Write(s.z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			s.z.NextIsNotRawText()
			name, attributes := s.z.TagName()
			full := string(name)
			err = s.start(full, attributes)
			if token == html.SelfClosingTagToken && err == nil {
				err = s.end(full)
			}
		case html.EndTagToken:
			name, _ := s.z.TagName()
			err = s.end(string(name))
		}
		if err != nil {
			return err
		}
		if s.root != "" && len(s.stack) == 0 {
			return nil
		}
	}
}

// start opens an element.
func (s *scanner) start(full string, attributes bool) error {
	prefix, name, ok := strings.Cut(full, ":")
	if !ok {
		prefix, name = "", full
	}
	if s.root == "" {
		root, ok := roots[name]
		if !ok {
			return fmt.Errorf("%w: it begins with <%.20s>", ErrNone, full)
		}
		s.root, s.Kind, s.of = full, root.kind, root.entry
	}
	if len(s.stack) == MaxDepth {
		return errDeep
	}
	base := s.resolver
	if len(s.stack) > 0 {
		base = s.stack[len(s.stack)-1].base
	}
	href := ""
	s.rel, s.opaque = "", false
	for attributes {
		var key, value []byte
		key, value, attributes = s.z.TagAttr()
		switch string(key) {
		case "xml:base":
			base = s.rebase(base, trim(string(value)))
		case "href":
			href = string(value)
		case "rel":
			s.rel = strings.ToLower(trim(string(value)))
		case "ispermalink":
			s.opaque = strings.EqualFold(trim(string(value)), "false")
		}
	}
	if name == s.of && !foreign[prefix] && (!s.entry.open || s.direct(len(s.stack))) {
		if s.entry.open { // the last one was not closed
			s.stack = s.stack[:s.entry.depth]
			if err := s.endEntry(); err != nil {
				return err
			}
		}
		s.entry = entry{open: true, depth: len(s.stack)}
	}
	s.stack = append(s.stack, element{full, base})
	s.text.Reset()
	switch {
	case name != "link" || href == "":
	case s.direct(len(s.stack) - 1):
		s.link(href)
	case !s.entry.open && len(s.stack) <= feedDepth && !foreign[prefix]:
		s.feedLink(trim(href), base)
	}
	return nil
}

// maxBases limits the different bases of a document: each costs as much as a hundred URLs. Later
// ones are ignored.
const maxBases = 1000

// rebase resolves a base against the outer one, once for equal ones.
func (s *scanner) rebase(base *sitegraph.Resolver, text string) *sitegraph.Resolver {
	key := base.Base() + "\x00" + text
	if known, ok := s.bases[key]; ok {
		return known
	}
	if len(s.bases) >= maxBases || !s.afford(base) {
		return base
	}
	if s.bases == nil {
		s.bases = map[string]*sitegraph.Resolver{}
	}
	s.bases[key] = base
	if at, ok := base.Resolve(text); ok {
		s.bases[key], _ = sitegraph.NewResolver(at) // canonical URLs always have one
	}
	return s.bases[key]
}

// direct reports whether an element at a depth is a value of the entry, or in one.
func (s *scanner) direct(depth int) bool { return s.entry.open && depth == s.entry.depth+1 }

// feedDepth is the greatest depth of the feed's own links: <rss><channel><atom:link>.
const feedDepth = 3

// feedLink reads a link of the feed itself (WebSub 4).
func (s *scanner) feedLink(href string, base *sitegraph.Resolver) {
	for rel := range strings.FieldsSeq(s.rel) {
		switch rel {
		case "hub":
			s.addHub(base, href)
		case "self":
			s.setTopic(base, href)
		}
	}
}

// link sets the URL of the entry, if a text is that of its page.
func (s *scanner) link(text string) {
	if s.entry.link == "" && (s.rel == "" || strings.HasSuffix(s.rel, "alternate")) {
		s.entry.link, s.entry.base = trim(text), s.stack[len(s.stack)-1].base
	}
}

// end closes the innermost element of a name and all within it. It ignores an end without a start.
func (s *scanner) end(full string) error {
	at := len(s.stack) - 1
	for at >= 0 && s.stack[at].name != full {
		at--
	}
	if at < 0 {
		return nil
	}
	if at == len(s.stack)-1 && s.direct(at) {
		s.value(full, s.text.String())
		s.text.Reset()
	}
	s.stack = s.stack[:at]
	if s.entry.open && at <= s.entry.depth {
		return s.endEntry()
	}
	return nil
}

// value reads a direct element of the entry.
func (s *scanner) value(full, text string) {
	prefix, name, ok := strings.Cut(full, ":")
	switch {
	case !ok:
		name = full
	case foreign[prefix]:
		return
	}
	switch name {
	case "loc":
		s.rel = ""
		s.link(text)
	case "link":
		s.link(text)
	case "guid":
		if !s.opaque && s.entry.guid == "" {
			s.entry.guid = trim(text)
		}
	case "changefreq":
		s.entry.claim.Every = frequencies[strings.ToLower(trim(text))]
	case "lastmod", "updated", "modified", "pubdate", "published", "date", "issued", "created":
		if t, ok := parseDate(text); ok && t.Year() < 9999 { // it means "never"
			if t = latest(t); t.After(s.entry.claim.Modified) {
				s.entry.claim.Modified = t
			}
		}
	}
}

const day = 24 * time.Hour

// frequencies are those of sitemaps.org: "always" for pages that differ each time, "never" for
// archived ones.
var frequencies = map[string]time.Duration{
	"always":  time.Minute,
	"hourly":  time.Hour,
	"daily":   day,
	"weekly":  7 * day,
	"monthly": 30 * day,
	"yearly":  365 * day,
	"never":   100 * 365 * day,
}

func (s *scanner) endEntry() error {
	e := s.entry
	s.entry = entry{}
	switch {
	case e.link != "":
		return s.add(e.base, e.link, e.claim)
	case e.guid != "":
		return s.add(s.resolver, e.guid, e.claim)
	}
	return nil
}
