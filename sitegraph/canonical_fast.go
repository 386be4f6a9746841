package sitegraph

import "strings"

// Nearly every link of the web is plain: bytes without special meaning, no escapes, no dot
// segments. This file recognises and joins these at 1/40 to 1/90 of the parser's cost, and leaves
// the others to the parser. Both give the same results.

// Classes of bytes.
const (
	unreserved = 1 << iota // RFC 3986 2.3
	plainPath              // means itself in a path; the slash included
	plainQuery             // means itself in a query
	plainHost              // letters in lower case, digits, hyphen
	neverLegal             // RFC 3986 allows it nowhere; browsers send some of these unescaped
)

var octets = classifyOctets()

func classifyOctets() (t [256]uint8) {
	mark := func(class uint8, chars string) {
		for i := range len(chars) {
			t[chars[i]] |= class
		}
	}
	const lower, upper, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		"0123456789"
	mark(unreserved|plainPath|plainQuery, lower+upper+digits+"-._~")
	mark(plainPath|plainQuery, "!$&()*+,;=:@/")
	mark(plainPath, "'") // the standard escapes it in a query
	mark(plainQuery, "?")
	mark(plainHost, lower+digits+"-")
	mark(neverLegal, "\"<>\\^`{|}")
	for c := range 256 {
		if c <= ' ' || c >= 0x7f {
			t[c] |= neverLegal
		}
	}
	return t
}

// fastAbsolute returns the canonical form of a plain absolute address, or false if the
// parser must decide.
func fastAbsolute(raw string) (string, bool) {
	var authority int
	var defaultPort string
	switch {
	case strings.HasPrefix(raw, "http://"):
		authority, defaultPort = len("http://"), "80"
	case strings.HasPrefix(raw, "https://"):
		authority, defaultPort = len("https://"), "443"
	default:
		return "", false
	}
	end := plainAuthority(raw[authority:], defaultPort)
	if end < 0 {
		return "", false
	}
	end += authority
	n, ok := plainTail(raw[end:])
	if !ok {
		return "", false
	}
	url := raw[:end+n]
	if n == 0 || raw[end] == '?' { // the path is empty
		url = raw[:end] + "/" + raw[end:end+n]
	}
	return url, len(url) <= MaxURLBytes
}

// plainAuthority returns the length of the plain host and port at the start of s, or -1.
func plainAuthority(s, defaultPort string) int {
	i, label := 0, 0
	for ; i < len(s); i++ {
		if s[i] == '.' {
			if !plainLabel(s[label:i]) {
				return -1
			}
			label = i + 1
		} else if octets[s[i]]&plainHost == 0 {
			break
		}
	}
	// A host whose last label is a number is an IPv4 address, in one of its many spellings.
	if !plainLabel(s[label:i]) || s[label] < 'a' {
		return -1
	}
	if i == len(s) || s[i] == '/' || s[i] == '?' || s[i] == '#' {
		return i
	}
	if s[i] != ':' {
		return -1
	}
	port := i + 1
	for i = port; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
	}
	// Up to 59999 no range is to be checked; the parser drops a leading zero.
	if n := i - port; n == 0 || n > 4 && s[port] > '5' || n > 5 || s[port] == '0' ||
		s[port:i] == defaultPort {
		return -1
	}
	if i < len(s) && s[i] != '/' && s[i] != '?' && s[i] != '#' {
		return -1
	}
	return i
}

// plainLabel refuses empty labels and those that IDNA must check.
func plainLabel(label string) bool {
	return label != "" && !strings.HasPrefix(label, "xn--")
}

// plainTail checks a path with its query and fragment. It returns the length of the part that is
// kept, or false if anything in it is not plain. The fragment may be anything.
func plainTail(s string) (kept int, ok bool) {
	i := 0
	for segment := true; i < len(s); i++ { // segment: the next byte begins one
		c := s[i]
		if c == '?' || c == '#' {
			break
		}
		if octets[c]&plainPath == 0 || c == '.' && segment {
			return 0, false
		}
		segment = c == '/'
	}
	if i == len(s) || s[i] == '#' {
		return i, true
	}
	query := i
	for i++; i < len(s) && s[i] != '#'; i++ {
		if octets[s[i]]&plainQuery == 0 {
			return 0, false
		}
	}
	if i == query+1 {
		return query, true // an empty query
	}
	return i, true
}

// otherScheme reports whether an address surely has a scheme outside the web ("mailto:",
// "javascript:"), so that the parser is not needed.
func otherScheme(ref string) bool {
	for i := range len(ref) {
		c := ref[i] | 0x20
		switch {
		case 'a' <= c && c <= 'z':
			continue
		case i > 0 && ('0' <= ref[i] && ref[i] <= '9' || ref[i] == '+' || ref[i] == '-' ||
			ref[i] == '.'):
			continue
		case i > 0 && ref[i] == ':':
			return !strings.EqualFold(ref[:i], "http") && !strings.EqualFold(ref[:i], "https")
		}
		return false
	}
	return false
}
