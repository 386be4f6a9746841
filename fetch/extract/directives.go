package extract

import "strings"

// directives takes the words of a robots meta element or an X-Robots-Tag header line; the strictest
// counts. Words after a crawler's name and a colon are for that crawler alone, up to the next name
// or the end of the line:
//
//	nofollow, otherbot: noindex, mybot: noarchive
//
// Several names may share a colon ("otherbot, mybot: noindex").
func (s *scanner) directives(line string) {
	ours, named, dated := true, false, false
	before := "" // the last word, if only blanks follow it: a blank may stand before the colon
	for len(line) > 0 {
		word, sign := line, byte(',')
		if end := strings.IndexFunc(line, isBetween); end >= 0 {
			word, sign, line = line[:end], line[end], line[end+1:]
		} else {
			line = ""
		}
		if word == "" && sign == ':' {
			word = before
		}
		switch {
		case sign != ':' || isDirective(word):
			if ours {
				s.directive(word)
			}
			named = s.means(word) || named && !isDirective(word)
			dated = dated || strings.EqualFold(word, "unavailable_after")
		case isAgent(word) && !(dated && endsInDigit(word)):
			ours, named, dated = named || s.means(word), false, false
		}
		if word != "" || sign > ' ' {
			before = word
		}
		if sign > ' ' {
			before = ""
		}
	}
}

func isBetween(r rune) bool {
	return r == ',' || r == ';' || r == ':' || r == '"' || r == '\'' || r <= ' '
}

func (s *scanner) directive(word string) {
	switch {
	case strings.EqualFold(word, "noindex"):
		s.noIndex = true
	case strings.EqualFold(word, "nofollow"):
		s.noFollow = true
	case strings.EqualFold(word, "none"):
		s.noIndex, s.noFollow = true, true
	case strings.EqualFold(word, "noarchive"):
		s.noArchive = true
	}
}

// means reports whether a name before directives means all crawlers or this one. A version after it
// is ignored.
func (s *scanner) means(name string) bool {
	name, _, _ = strings.Cut(name, "/")
	return name == "*" || strings.EqualFold(name, "robots") ||
		name != "" && strings.EqualFold(name, s.agent)
}

// isAgent reports whether a word before a colon may be a crawler's name.
func isAgent(word string) bool {
	letter := word == "*"
	for i := range len(word) {
		switch c := word[i] | 0x20; {
		case 'a' <= c && c <= 'z':
			letter = true
		case '0' <= c && c <= '9' || strings.IndexByte("-_./*", word[i]) >= 0:
		default:
			return false
		}
	}
	return letter
}

// endsInDigit reports whether a word before a colon is part of a time and no name: the hour with or
// without its date, or a time zone. Examples: 15, 2026-01-31T15, GMT-02.
func endsInDigit(word string) bool {
	last := word[len(word)-1]
	return '0' <= last && last <= '9'
}

// NoArchive reports whether X-Robots-Tag header lines forbid a crawler with this product token to
// keep a copy of an answer of any media type.
func NoArchive(agent string, lines []string) bool {
	s := scanner{agent: strings.ToLower(agent)}
	for _, line := range lines {
		s.directives(line)
	}
	return s.noArchive
}

// isDirective reports whether a word before a colon is a directive and no crawler's name.
func isDirective(word string) bool {
	switch strings.ToLower(word) {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview", "all",
		"none", "index", "noindex", "follow", "nofollow", "archive", "noarchive", "nocache",
		"nosnippet", "noimageindex", "notranslate", "indexifembedded", "noodp", "noydir", "noai",
		"noimageai":
		return true
	}
	return false
}

// refreshTarget returns the URL of a refresh, "5; url='next.html'", or "".
func refreshTarget(content string) string {
	s := strings.TrimLeft(content, " \t\r\n\f")
	s = strings.TrimLeft(s, "0123456789.")
	s = strings.TrimLeft(s, " \t\r\n\f")
	if s == content || s == "" {
		return ""
	}
	s = strings.TrimLeft(s, ";, \t\r\n\f")
	if len(s) >= 3 && strings.EqualFold(s[:3], "url") {
		if rest := strings.TrimLeft(s[3:], " \t\r\n\f"); strings.HasPrefix(rest, "=") {
			s = strings.TrimLeft(rest[1:], " \t\r\n\f")
		}
	}
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s, _, _ = strings.Cut(s[1:], s[:1])
	}
	return s
}
