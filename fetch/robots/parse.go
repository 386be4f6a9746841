package robots

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/temoto/robotstxt"
)

const (
	// MaxBytes limits the octets of a file; RFC 9309 2.5 requires at least 500 KiB.
	MaxBytes = 500 << 10

	// MaxDelay limits a Crawl-delay: 300 s is 288 pages a day.
	MaxDelay = 300 * time.Second

	// MaxSitemaps limits the sitemaps of a file; an index can list more.
	MaxSitemaps = 100

	maxSitemap = 2048 // octets of a URL, as in the sitemap protocol
)

// Product returns the product token at the start of a user agent (RFC 9309 2.2.1): letters, '-' and
// '_', in lower case, or "".
func Product(userAgent string) string {
	i := 0
	for i < len(userAgent) && isTokenByte(userAgent[i]) {
		i++
	}
	return strings.ToLower(userAgent[:i])
}

func isTokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'
}

// Parse reads the rules of a robots.txt for the crawler with this product token. It reads the first
// MaxBytes octets, and ignores a line that is cut there: half a line might forbid more than all of
// it. No content is an error: a bad line costs only itself (RFC 9309 2.3.1.5). Time is linear in
// the octets read.
func Parse(body []byte, product string) *Rules {
	p := parser{product: strings.ToLower(product)}
	return p.file(readable(body))
}

// readable returns the part of a file that is read, as UTF-8.
func readable(body []byte) []byte {
	body = toUTF8(body)
	if len(body) > MaxBytes {
		body = body[:MaxBytes]
		body = body[:bytes.LastIndexAny(body, "\r\n")+1]
	}
	return body
}

// file reads the lines of a file.
func (p *parser) file(body []byte) *Rules {
	for len(body) > 0 {
		end := bytes.IndexAny(body, "\r\n")
		if end < 0 {
			p.line(body)
			break
		}
		p.line(body[:end])
		if body[end] == '\r' && bytes.HasPrefix(body[end+1:], []byte("\n")) {
			end++ // CR LF is one end of a line
		}
		body = body[end+1:]
	}
	g := &p.star
	if p.ownSeen {
		g = &p.own
	}
	r := g.rules()
	r.sitemaps = p.sitemaps
	for _, address := range r.sitemaps {
		r.bytes += len(address) + 16
	}
	return r
}

// parser reads the lines of a file. It keeps only two groups, however many agents the file names:
// that of '*', and the crawler's own, merged.
type parser struct {
	product   string
	own, star group
	ownSeen   bool     // the file has a group for the crawler, perhaps without rules
	sitemaps  []string // of the file: they belong to no group

	inOwn, inStar bool // agents of the current group
	rulesBegun    bool // the next user-agent line starts another group

	told   *Explained // records the lines; nil: not requested
	untold Line       // is written to otherwise
}

type group struct {
	allow    map[string]bool // pattern -> allow; on a tie allow wins
	delay    time.Duration
	hasDelay bool
}

// line reads one line, without its end. Only rules end the list of agents of a group; delays,
// sitemaps and unknown lines do not (RFC 9309 2.2.4).
func (p *parser) line(line []byte) {
	key, value, ok := splitLine(line)
	told := p.newLine(line, value)
	if !ok {
		return
	}
	told.Kind = LineUnknown
	switch key {
	case "user-agent", "useragent", "user agent":
		told.Kind = LineAgent
		if p.rulesBegun {
			p.inOwn, p.inStar, p.rulesBegun = false, false, false
		}
		for agent := range strings.SplitSeq(value, ",") { // one is allowed, several occur
			agent = strings.TrimSpace(agent)
			if agent == "*" || strings.HasPrefix(agent, "* ") || strings.HasPrefix(agent, "*\t") {
				p.inStar, told.star = true, true
			} else if token := Product(agent); token != "" && token == p.product {
				p.inOwn, p.ownSeen, told.own = true, true, true
			}
		}
	case "allow", "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		p.rulesBegun = true
		told.Kind, told.own, told.star = LineDisallow, p.inOwn, p.inStar
		if key == "allow" {
			told.Kind = LineAllow
		}
		p.each(func(g *group) { g.add(value, key == "allow") })
	case "sitemap", "site-map":
		told.Kind = LineSitemap
		if value != "" && len(value) <= maxSitemap && len(p.sitemaps) < MaxSitemaps {
			p.sitemaps = append(p.sitemaps, value)
		}
	case "crawl-delay", "crawldelay":
		told.Kind, told.own, told.star = LineDelay, p.inOwn, p.inStar
		if d, ok := parseDelay(value); ok {
			p.each(func(g *group) { g.delay, g.hasDelay = max(g.delay, d), true })
		}
	}
}

func (p *parser) each(f func(*group)) {
	if p.inOwn {
		f(&p.own)
	}
	if p.inStar {
		f(&p.star)
	}
}

// splitLine returns the key in lower case and the value, without comment and blanks. A colon may be
// missing between two words, as in Google's reader.
func splitLine(line []byte) (key, value string, ok bool) {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	const blanks = " \t\v\f\x00"
	line = bytes.Trim(line, blanks)
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		key, value = string(bytes.Trim(line[:min(i, 64)], blanks)),
			string(bytes.Trim(line[i+1:], blanks))
	} else if i := bytes.IndexAny(line, " \t"); i >= 0 {
		key, value = string(line[:min(i, 64)]), string(bytes.Trim(line[i+1:], blanks))
		if strings.ContainsAny(value, " \t") {
			return "", "", false
		}
	}
	return strings.ToLower(key), value, key != ""
}

func (g *group) add(value string, allow bool) {
	if value == "" {
		return // forbids nothing (RFC 9309 2.2.2)
	}
	pattern := normalizePattern(value)
	if g.allow == nil {
		g.allow = map[string]bool{}
	}
	g.allow[pattern] = g.allow[pattern] || allow
}

// rules separates literal patterns, which robotstxt evaluates from a clean file of one group, from
// those with wildcards, which it gets wrong.
func (g *group) rules() *Rules {
	r := &Rules{delay: g.delay, hasDelay: g.hasDelay, print: fingerprint(g.allow)}
	var file strings.Builder
	file.WriteString("User-agent: *\n")
	for pattern, allow := range g.allow {
		if strings.ContainsAny(pattern, "*$") {
			r.wild = append(r.wild, wildRule{pattern, allow})
			r.bytes += len(pattern) + 24
			continue
		}
		r.prefixes = append(r.prefixes, pattern)
		r.bytes += 2*len(pattern) + 96 // here and in the group
		if allow {
			file.WriteString("Allow: ")
		} else {
			file.WriteString("Disallow: ")
		}
		file.WriteString(pattern + "\n")
	}
	slices.SortFunc(r.wild, func(a, b wildRule) int {
		switch {
		case len(a.pattern) != len(b.pattern):
			return len(b.pattern) - len(a.pattern)
		case a.allow != b.allow && a.allow:
			return -1
		case a.allow != b.allow:
			return 1
		}
		return strings.Compare(a.pattern, b.pattern)
	})
	if len(r.prefixes) == 0 {
		return r
	}
	data, err := robotstxt.FromString(file.String())
	if err != nil { // the file is from this package: it cannot be wrong
		panic("robots: clean file refused: " + err.Error())
	}
	r.literal = data.FindGroup("*")
	return r
}

// parseDelay reads seconds: finite, not negative, with no unit; at most MaxDelay.
func parseDelay(s string) (time.Duration, bool) {
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(seconds, 1) || seconds < 0 {
		return 0, false
	}
	if seconds >= MaxDelay.Seconds() {
		return MaxDelay, true
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// toUTF8 drops a byte order mark, whole or cut, and reads UTF-16 if a mark says so.
func toUTF8(body []byte) []byte {
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		high := int(body[0] & 1) // fe ff: the high octet comes first
		body = body[2:min(len(body), 2*MaxBytes)]
		units := make([]uint16, len(body)/2)
		for i := range units {
			units[i] = uint16(body[2*i+high])<<8 | uint16(body[2*i+1-high])
		}
		return []byte(string(utf16.Decode(units)))
	}
	for _, c := range []byte("\xef\xbb\xbf") {
		if len(body) > 0 && body[0] == c {
			body = body[1:]
		}
	}
	return body
}
