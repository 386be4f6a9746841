package robots

import "strings"

// LineKind is the kind of a line in a robots.txt.
type LineKind string

// The kinds of lines.
const (
	LineBlank    LineKind = "blank" // nothing, or a comment
	LineUnknown  LineKind = "unknown"
	LineAgent    LineKind = "user-agent"
	LineAllow    LineKind = "allow"
	LineDisallow LineKind = "disallow"
	LineDelay    LineKind = "crawl-delay"
	LineSitemap  LineKind = "sitemap"
)

// Line is one line of a robots.txt. Lines are counted from 1; CR, LF and CR LF end one.
type Line struct {
	Number int
	Text   string // as in the file
	Kind   LineKind
	Value  string // after the colon, without comment and blanks
	// Counts means that the line is for the crawler: it names or belongs to the group whose rules
	// hold. Sitemaps are for all.
	Counts bool

	own, star bool // it names, or belongs to, a group of the crawler, of '*'
}

// Explained is a robots.txt line by line, as Parse reads it.
type Explained struct {
	Rules *Rules
	// Group is the one whose rules hold: the product token, "*", or "" without either.
	Group string
	Lines []Line
	// Unread is the number of octets after MaxBytes, with the line that is cut there.
	Unread int
}

// Explain reads a robots.txt like Parse, and keeps its lines: about 150 octets of memory each.
func Explain(body []byte, product string) *Explained {
	read := readable(body)
	e := &Explained{Unread: max(len(toUTF8(body))-len(read), 0)}
	p := parser{product: strings.ToLower(product), told: e}
	e.Rules = p.file(read)
	for i := range e.Lines {
		line := &e.Lines[i]
		line.Counts = line.Kind == LineSitemap || p.ownSeen && line.own || !p.ownSeen && line.star
		if line.Kind == LineAgent && line.Counts {
			e.Group = "*"
		}
	}
	if p.ownSeen {
		e.Group = p.product
	}
	return e
}

// newLine records a line. The caller fills in the result.
func (p *parser) newLine(text []byte, value string) *Line {
	if p.told == nil {
		return &p.untold
	}
	p.told.Lines = append(p.told.Lines, Line{Number: len(p.told.Lines) + 1, Text: string(text),
		Kind: LineBlank, Value: value})
	return &p.told.Lines[len(p.told.Lines)-1]
}

// Decide reports whether the crawler may ask for a target, like Rules.Allowed, and returns the
// deciding line. This is the first line with the longest matching pattern, and on a tie one that
// allows (RFC 9309 2.2.2). Without a match, and for /robots.txt, it returns nil and allows.
func (e *Explained) Decide(target string) (allowed bool, by *Line) {
	target, _, _ = strings.Cut(target, "#")
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	if target == "/robots.txt" {
		return true, nil
	}
	path, longest := normalizeTarget(target), 0
	for i := range e.Lines {
		line := &e.Lines[i]
		if !line.Counts || line.Kind != LineAllow && line.Kind != LineDisallow || line.Value == "" {
			continue
		}
		rule := wildRule{pattern: normalizePattern(line.Value)}
		length := len(rule.pattern)
		if length < longest || length == longest &&
			(by == nil || by.Kind == LineAllow || line.Kind != LineAllow) || !rule.matches(path) {
			continue
		}
		longest, by = length, line
	}
	return by == nil || by.Kind == LineAllow, by
}
