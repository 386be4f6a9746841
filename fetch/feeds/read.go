package feeds

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/listed"
)

const (
	// MaxEntries and MaxBytes are the limits of the sitemap protocol: URLs in a file, and its
	// decoded octets.
	MaxEntries = 50_000
	MaxBytes   = 50 << 20

	// MaxDepth limits the depth of elements; feeds need 6.
	MaxDepth = 64

	// maxToken limits a text or tag, in octets: feeds contain whole articles.
	maxToken = 4 << 20

	// maxBaseBytes limits the octets of long bases that relative URLs are resolved against:
	// resolving costs half a millisecond for a base of 2 KB. Bases up to usualBase cost little.
	maxBaseBytes = 256 << 10
	usualBase    = 256

	// maxRefs limits the URLs that are read, valid or not.
	maxRefs = 4 * MaxEntries

	// maxValue is the longest value that is read as a URL, in octets.
	maxValue = 8 * sitegraph.MaxURLBytes
)

// Listing is the content of a source.
type Listing struct {
	Kind   sitegraph.SourceKind
	Claims []sitegraph.Claim // for an index: about sitemaps
	// Hubs are canonical URLs, on any server, where one can subscribe to the feed: at most MaxHubs.
	// Topic is the feed's URL there, in its own spelling, or "".
	Hubs  []string
	Topic string
}

// MaxHubs limits the hubs of a feed; feeds name one or two.
const MaxHubs = 4

// ErrNone is the error for a body that is no source.
var ErrNone = errors.New("no feed and no sitemap")

var (
	errFull = fmt.Errorf("more than %d entries", MaxEntries)
	errLong = fmt.Errorf("longer than %d octets", MaxBytes)
	errDeep = fmt.Errorf("elements are more than %d deep", MaxDepth)
	errCut  = errors.New("it ends in the middle")
)

// Read reads the body of the source at url, an absolute URL. contentType is the header's value or
// ""; it affects only the encoding. The error wraps ErrNone if there is no listing. With any other
// error the readable part is returned.
func Read(body []byte, contentType, url string) (Listing, error) {
	r, err := newReader(url)
	if err != nil {
		return Listing{}, err
	}
	text, err := decoded(body, contentType)
	if err != nil {
		return Listing{}, fmt.Errorf("%w: %v", ErrNone, err)
	}
	limited := &io.LimitedReader{R: text, N: MaxBytes}
	in := bufio.NewReaderSize(limited, 32<<10)
	skipBlanks(in)
	switch start, _ := in.Peek(1); string(start) {
	case "<":
		err = r.readXML(in)
	case "{":
		err = r.readJSON(in)
	default:
		err = r.readText(in)
	}
	switch {
	case r.Kind == sitegraph.SourceUnknown && err != nil && !errors.Is(err, ErrNone):
		err = fmt.Errorf("%w: %v", ErrNone, err)
	case r.Kind == sitegraph.SourceUnknown:
		err = ErrNone
	case limited.N <= 0 && err != errFull:
		err = errLong
	}
	return r.Listing, err
}

// decoded undoes gzip and converts the text to UTF-8. Its reader returns the error of a damaged end
// after the content.
func decoded(body []byte, contentType string) (io.Reader, error) {
	var r io.Reader = bytes.NewReader(body)
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		r = z
	}
	in := bufio.NewReaderSize(r, 4<<10)
	head, _ := in.Peek(1 << 10) // the next read returns the error again
	return transform.NewReader(in, encodingOf(head, contentType).NewDecoder()), nil
}

var declared = regexp.MustCompile(`^\s*<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// encodingOf returns the encoding of a text by its start: a byte order mark, then the declaration,
// then the header.
func encodingOf(head []byte, contentType string) encoding.Encoding {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return utf.UTF8BOM
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\xff\xfe")):
		return utf.UTF16(utf.BigEndian, utf.ExpectBOM)
	}
	label := ""
	if m := declared.FindSubmatch(head); m != nil {
		label = string(m[1])
	} else if _, after, ok := strings.Cut(strings.ToLower(contentType), "charset="); ok {
		label, _, _ = strings.Cut(after, ";")
	}
	e, name := charset.Lookup(strings.Trim(label, ` "'`))
	// The declaration cannot have been read in these.
	if e == nil || name == "utf-8" || strings.HasPrefix(name, "utf-16") {
		return utf.UTF8
	}
	return e
}

// skipBlanks moves to the first character that is no blank.
func skipBlanks(in *bufio.Reader) {
	for {
		r, _, err := in.ReadRune()
		if err != nil {
			return
		}
		if !isBlank(r) {
			in.UnreadRune()
			return
		}
	}
}

// isBlank also reports blanks beyond ASCII, which come with copied text.
func isBlank(r rune) bool {
	return r <= ' ' || r > '~' && (unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b')
}

func trim(s string) string { return strings.TrimFunc(s, isBlank) }

// reader collects the claims of one source.
type reader struct {
	Listing
	self     string // canonical URL of the source
	server   string
	resolver *sitegraph.Resolver
	seen     map[string]struct{}
	spent    int // octets of bases so far
	refs     int // URLs so far
}

func newReader(url string) (*reader, error) {
	resolver, err := sitegraph.NewResolver(url)
	if err != nil {
		return nil, err
	}
	self := resolver.Base()
	return &reader{
		self:     self,
		server:   sitegraph.ServerName(self),
		resolver: resolver,
		seen:     map[string]struct{}{},
	}, nil
}

// undefined matches an entity that only the document defines; those of HTML are already resolved.
var undefined = regexp.MustCompile(`&[A-Za-z]\w*;`)

// absolute matches a URL that needs no base (RFC 3986 3.1).
var absolute = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// add adds a claim about the page at ref.
func (r *reader) add(at *sitegraph.Resolver, ref string, c sitegraph.Claim) error {
	if ref == "" || undefined.MatchString(ref) {
		return nil
	}
	if r.refs++; r.refs > maxRefs {
		return errFull
	}
	if !absolute.MatchString(ref) && !r.afford(at) {
		return nil
	}
	url, ok := at.Resolve(ref)
	if !ok || url == r.self || sitegraph.ServerName(url) != r.server {
		return nil
	}
	if _, known := r.seen[url]; known {
		return nil
	}
	if len(r.Claims) == MaxEntries {
		return errFull
	}
	r.seen[url] = struct{}{}
	c.URL = url
	r.Claims = append(r.Claims, c)
	return nil
}

// addHub adds the URL of a hub.
func (r *reader) addHub(at *sitegraph.Resolver, ref string) {
	if r.Kind != sitegraph.SourceFeed || len(r.Hubs) == MaxHubs || ref == "" ||
		undefined.MatchString(ref) ||
		!absolute.MatchString(ref) && !r.afford(at) {
		return
	}
	if url, ok := at.Resolve(ref); ok && len(url) <= sitegraph.MaxURLBytes &&
		!slices.Contains(r.Hubs, url) {
		r.Hubs = append(r.Hubs, url)
	}
}

// setTopic keeps the first URL that a feed gives itself. A hub compares the spelling.
func (r *reader) setTopic(at *sitegraph.Resolver, ref string) {
	if r.Kind == sitegraph.SourceFeed && r.Topic == "" &&
		(absolute.MatchString(ref) || r.afford(at)) {
		r.Topic = Topic(at, ref)
	}
}

// Topic returns the URL of a reference, in its own spelling if it is absolute, or "" if it is no
// URL of a web page.
func Topic(at *sitegraph.Resolver, ref string) string {
	url, ok := at.Resolve(ref)
	switch {
	case !ok || ref == "" || len(ref) > sitegraph.MaxURLBytes || len(url) > sitegraph.MaxURLBytes:
		return ""
	case !absolute.MatchString(ref) || strings.Trim(ref, ofAddresses) != "":
		return url
	}
	if alone, err := sitegraph.Canonical(ref); err != nil || alone != url {
		return url // "http:a" is a reference to a base of that scheme (WHATWG URL 4.4)
	}
	return strings.Clone(ref)
}

// ofAddresses are the characters of URLs (RFC 3986 2).
const ofAddresses = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%"

// afford reports whether another URL may be resolved against a base.
func (r *reader) afford(base *sitegraph.Resolver) bool {
	if n := len(base.Base()); n > usualBase {
		r.spent += n
	}
	return r.spent <= maxBaseBytes
}

// readText reads a text sitemap: a URL a line. The first line that is no comment decides whether it
// is one.
func (r *reader) readText(in io.Reader) error {
	lines, form := bufio.NewScanner(listed.Ends(in)), listed.Form{Whole: true}
	lines.Buffer(nil, maxValue)
	for lines.Scan() {
		url, kind := form.Read(lines.Bytes())
		switch {
		case kind == listed.Address:
			r.Kind = sitegraph.SourceSitemap
			if err := r.add(r.resolver, strings.Clone(url), sitegraph.Claim{}); err != nil {
				return err
			}
		case kind != listed.Blank && kind != listed.Comment && r.Kind == sitegraph.SourceUnknown:
			return ErrNone
		}
	}
	return lines.Err()
}
