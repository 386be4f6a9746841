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
	// MaxBytes of a file are read; RFC 9309 2.5 asks for at least 500 KiB.
	MaxBytes = 500 << 10

	// MaxDelay bounds what a Crawl-delay can ask for: 300 s is 288 pages a day.
	MaxDelay = 300 * time.Second

	// MaxSitemaps that a file names are kept; indexes hold what is more.
	MaxSitemaps = 100

	maxSitemap = 2048 // octets of an address, as the sitemap protocol has it
)

// Product returns the product token a user agent starts with (RFC 9309 2.2.1): letters,
// '-' and '_', in lower case; "" if it starts with none.
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

// Parse reads what a robots.txt says to the crawler with this product token. It reads the
// first MaxBytes octets; a line cut there counts for nothing, as its half might forbid
// more than the whole. No content is an error: a bad line costs only itself
// (RFC 9309 2.3.1.5). Cost: linear in the octets read.
func Parse(body []byte, product string) *Rules {
	p := parser{product: strings.ToLower(product)}
	return p.file(readable(body))
}

// readable is what is read of a file, as UTF-8.
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
			end++ // one end of a line, not two
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

// parser goes through the lines of a file. Two groups are all it keeps, whatever number
// of agents the file names: the crawler's own, all of them merged, and '*'.
type parser struct {
	product   string
	own, star group
	ownSeen   bool     // the file has a group for us, though perhaps without rules
	sitemaps  []string // of the file: they belong to no group

	inOwn, inStar bool // the agents of the group at hand
	rulesBegun    bool // the next user-agent line starts another group

	told   *Explained // takes down what is read; nil: nobody asks
	untold Line       // what is then written instead
}

type group struct {
	allow    map[string]bool // pattern -> allow; on a tie allow wins
	delay    time.Duration
	hasDelay bool
}

// line takes one line, without its end. Only rules close the list of agents of a group;
// delays, sitemaps and what we do not know do not (RFC 9309 2.2.4).
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
		for agent := range strings.SplitSeq(value, ",") { // a line names one, but several are met
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

// splitLine returns the key in lower case and the value, without comment and blanks. A
// missing colon is forgiven between two words, as Google's reader does.
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

// rules divides the patterns between the literal ones, which robotstxt evaluates from a
// clean file of one group, and those with wildcards, which it gets wrong.
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
	if err != nil { // the file is ours: it cannot be wrong
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

// toUTF8 drops a byte order mark, whole or cut, and reads UTF-16 where a mark says so.
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
