package extract

import (
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// canonicalOf returns the URL that the page names as canonical [RFC 6596], in an element or else in
// the header. Only another page of the same server counts.
func (s *scanner) canonicalOf(self, page *sitegraph.Resolver, header []string) string {
	url, ok := "", false
	if s.canonical != "" {
		url, ok = page.Resolve(encodeQuery(s.canonical, s.queries))
	} else if targets := LinkTargets(header, "canonical", 1); len(targets) > 0 && targets[0] != "" {
		url, ok = self.Resolve(targets[0])
	}
	if !ok || len(url) > MaxAddress || url == self.Base() || !IsPage(url) ||
		sitegraph.ServerName(url) != sitegraph.ServerName(self.Base()) {
		return ""
	}
	return url
}

// LinkTargets returns the first most targets of a relation in Link header lines (RFC 8288 3).
func LinkTargets(lines []string, relation string, most int) (targets []string) {
	for _, line := range lines {
		for len(targets) < most {
			_, rest, ok := strings.Cut(line, "<")
			if !ok {
				break
			}
			target, rest, ok := strings.Cut(rest, ">")
			if !ok {
				break
			}
			params, next := parameters(rest)
			for _, p := range params {
				name, value, _ := strings.Cut(p, "=")
				if strings.EqualFold(strings.TrimSpace(name), "rel") &&
					hasWord(strings.Trim(value, "\" \t"), relation) {
					targets = append(targets, strings.TrimSpace(target))
					break
				}
			}
			line = next
		}
	}
	return targets
}

// parameters splits the part after a target at semicolons, up to a comma. Quoted separators do not
// count.
func parameters(s string) (params []string, rest string) {
	begin, quoted := 0, false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ';' || c == ',':
			params = append(params, s[begin:i])
			if c == ',' {
				return params, s[i+1:]
			}
			begin = i + 1
		}
	}
	return append(params, s[begin:]), ""
}
