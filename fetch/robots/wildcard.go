package robots

import "strings"

// wildRule is a rule with '*' or a '$' at its end (RFC 9309 2.2.3).
type wildRule struct {
	pattern string // normalised
	allow   bool
}

// matches reports whether the pattern matches a prefix of path. It looks for each part between two
// stars at its first possible place: a later one never helps the rest. So it tries nothing twice,
// and time is linear; the sets of positions of Google's matcher cost pattern times path.
func (w *wildRule) matches(path string) bool {
	pattern, anchored := strings.CutSuffix(w.pattern, "$")
	part, rest, starred := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, part) {
		return false
	}
	path = path[len(part):]
	for starred {
		part, rest, starred = strings.Cut(rest, "*")
		if !starred && anchored {
			return strings.HasSuffix(path, part)
		}
		i := strings.Index(path, part)
		if i < 0 {
			return false
		}
		path = path[i+len(part):]
	}
	return !anchored || path == ""
}
