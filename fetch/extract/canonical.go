package extract

import (
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// canonicalOf returns the address that the page names as its own [RFC 6596]: that of its
// element before that of the header. Only another page of the same server counts.
func (s *scanner) canonicalOf(self, page *sitegraph.Resolver, header []string) string {
	url, ok := "", false
	if s.canonical != "" {
		url, ok = page.Resolve(encodeQuery(s.canonical, s.queries))
	} else if target := linkTarget(header, "canonical"); target != "" {
		url, ok = self.Resolve(target)
	}
	if !ok || len(url) > MaxAddress || url == self.Base() || !IsPage(url) ||
		sitegraph.ServerName(url) != sitegraph.ServerName(self.Base()) {
		return ""
	}
	return url
}

// linkTarget returns the first target of a relation in Link header lines (RFC 8288 3), or "".
func linkTarget(lines []string, relation string) string {
	for _, line := range lines {
		for {
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
					return strings.TrimSpace(target)
				}
			}
			line = next
		}
	}
	return ""
}

// parameters splits what follows a target at semicolons, up to a comma. Within quotes neither
// separates.
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
