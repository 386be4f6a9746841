package extract

import "strings"

// directives takes the words of a robots meta element or header; the strictest wins.
func (s *scanner) directives(list string) {
	for word := range strings.FieldsFuncSeq(list, func(r rune) bool {
		return r == ',' || r == ';' || r <= ' '
	}) {
		switch strings.ToLower(word) {
		case "noindex":
			s.noIndex = true
		case "nofollow":
			s.noFollow = true
		case "none":
			s.noIndex, s.noFollow = true, true
		case "noarchive":
			s.noArchive = true
		}
	}
}

// robotsTag takes the value of an X-Robots-Tag header line. A name with a colon before
// the words addresses them to one crawler, up to the end of the line.
func (s *scanner) robotsTag(line string) {
	name, rest, ok := strings.Cut(line, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	if !ok || strings.ContainsAny(name, ", ") || isDirective(name) {
		s.directives(line)
		return
	}
	if name == "robots" || name == "*" || name == s.agent {
		s.directives(rest)
	}
}

// NoArchive reports whether X-Robots-Tag header lines ask a crawler, named by its product token, to
// keep no copy of what was answered, whatever its media type.
func NoArchive(agent string, lines []string) bool {
	s := scanner{agent: strings.ToLower(agent)}
	for _, line := range lines {
		s.robotsTag(line)
	}
	return s.noArchive
}

// isDirective reports whether a word before a colon is a directive and no crawler's name.
func isDirective(word string) bool {
	switch word {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}

// refreshTarget returns the address of a refresh, "5; url='next.html'", or "".
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
