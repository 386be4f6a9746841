package robots

import (
	"strings"
	"testing"
)

// positions is the matcher of Google's reader: it returns the places in path where a prefix of the
// pattern can end, octet by octet.
func positions(pattern, path string) bool {
	at := []int{0}
	for i := range len(pattern) {
		switch c := pattern[i]; {
		case c == '$' && i+1 == len(pattern):
			return at[len(at)-1] == len(path)
		case c == '*':
			first := at[0]
			at = at[:0]
			for p := first; p <= len(path); p++ {
				at = append(at, p)
			}
		default:
			next := at[:0]
			for _, p := range at {
				if p < len(path) && path[p] == c {
					next = append(next, p+1)
				}
			}
			if at = next; len(at) == 0 {
				return false
			}
		}
	}
	return true
}

// FuzzWildcard compares the greedy matcher with the sets of positions.
func FuzzWildcard(f *testing.F) {
	for _, s := range [][2]string{{"/a*b$", "/axbb"}, {"/*", "/"}, {"/**a*$", "/ba"}, {"$", ""},
		{"/a$", "/a"}, {"/*aa$", "/a"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 200 || len(path) > 200 {
			return
		}
		w := wildRule{pattern: pattern}
		if got, want := w.matches(path), positions(pattern, path); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, path, got, want)
		}
	})
}

// FuzzParse checks rules for any file: normalising twice changes nothing; a rule in every group
// that allows everything does so; a long rule against a target forbids it.
func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /x*y$\nAllow: /x\nCrawl-delay: 1e9"), "/xy")
	f.Add([]byte("\xff\xfeU\x00"), "/%7")
	f.Add([]byte(""), "/%%411")
	f.Add([]byte(""), "/%%411")
	f.Add([]byte("user-agent:recrawl\ndisallow:%%41*"), "/ä?b=$*")
	f.Fuzz(func(t *testing.T, file []byte, target string) {
		if len(file) > 4000 || len(target) > 500 {
			return
		}
		r := Parse(file, "recrawl")
		if d, ok := r.Delay(); d < 0 || d > MaxDelay || !ok && d != 0 {
			t.Errorf("delay %v %v", d, ok)
		}
		e := Explain(file, "recrawl")
		if allowed, by := e.Decide(target); allowed != r.Allowed(target) || by != nil &&
			(!by.Counts || (by.Kind == LineAllow) != allowed) {
			t.Errorf("%q: Allowed says %v, Decide %v by %+v",
				target, r.Allowed(target), allowed, by)
		}
		if e.Rules.Fingerprint() != r.Fingerprint() || len(e.Lines) > len(file) {
			t.Errorf("Explain reads other rules than Parse, or %d lines", len(e.Lines))
		}
		if n := normalizeTarget(target); normalizeTarget(n) != n {
			t.Errorf("normalising %q twice: %q", target, normalizeTarget(n))
		}
		if p := normalizePattern(target); normalizePattern(p) != p {
			t.Errorf("normalising the pattern %q twice: %q, then %q",
				target, p, normalizePattern(p))
		}
		if !strings.Contains(target, "#") &&
			r.Allowed(target) != r.Allowed(normalizeTarget(target)) {
			t.Errorf("%q is allowed in one spelling only", target)
		}
		// An own group makes the one of '*' void (2.2.1).
		own := append([]byte("User-agent: recrawl\nAllow: /\nUser-agent: *\nDisallow: /\n\n"),
			file...)
		if !containsToken(file, "recrawl") && !Parse(own, "recrawl").Allowed(target) {
			t.Errorf("%q is forbidden by groups of others", target)
		}
	})
}

func containsToken(file []byte, token string) bool {
	p := parser{product: token}
	for _, line := range splitLines(file) {
		p.line(line)
	}
	return p.ownSeen
}

func splitLines(file []byte) [][]byte {
	var lines [][]byte
	start := 0
	for i, c := range file {
		if c == '\n' || c == '\r' {
			lines = append(lines, file[start:i])
			start = i + 1
		}
	}
	return append(lines, file[start:])
}
