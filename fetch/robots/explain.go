package robots

import "strings"

// LineKind says what a line of robots.txt is.
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
	Text   string // as it stands in the file
	Kind   LineKind
	Value  string // behind the colon, without comment and blanks
	// Counts says that the line is for the crawler: it names the group whose rules hold, or is in
	// it. Sitemaps count for all.
	Counts bool

	own, star bool // it names, or belongs to, a group of the crawler, of '*'
}

// Explained is a robots.txt line by line, as Parse reads it.
type Explained struct {
	Rules *Rules
	// Group is the one whose rules hold: the product token, "*", or "" where there is neither.
	Group string
	Lines []Line
	// Unread is how many octets behind MaxBytes were not read, the line that is cut there included.
	Unread int
}

// Explain reads a robots.txt as Parse does, and keeps its lines: some 150 octets of memory each.
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

// newLine takes a line down. What it returns is filled in by the caller.
func (p *parser) newLine(text []byte, value string) *Line {
	if p.told == nil {
		return &p.untold
	}
	p.told.Lines = append(p.told.Lines, Line{Number: len(p.told.Lines) + 1, Text: string(text),
		Kind: LineBlank, Value: value})
	return &p.told.Lines[len(p.told.Lines)-1]
}

// Decide reports whether the crawler may ask for a target, as Rules.Allowed does, and the line that
// decides: the first one with the longest pattern that matches, one that allows on a tie (RFC 9309
// 2.2.2). It is nil where none matches, or where the target is /robots.txt: both are allowed.
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
